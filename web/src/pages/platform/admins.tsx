import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconUserShield } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../api/client'
import type { ItemOf } from '../../api/list'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { FoundSelect } from '../../patterns/found'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { AccountStatus, accountStates } from './account-status'
import { activeSchoolChoices, schoolChoices } from './school-choices'

/** The people who run a school's office, of all schools. */
export function Admins() {
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add an administrator')}
    </Button>
  )
  return (
    <ListPage
      path="/super-admin/admin/list"
      title={t('Administrators')}
      noun={[t('administrator'), t('administrators')]}
      id={(a) => a.id}
      name={(a) => a.name || a.email || ''}
      search={t('Name, e-mail or phone')}
      filters={[
        { key: 'schoolId', label: t('School'), options: [], choices: schoolChoices },
        {
          key: 'status',
          label: t('Status'),
          options: Object.entries(accountStates).map(([value, [, label]]) => ({ value, label })),
        },
      ]}
      columns={[
        { key: 'name', title: t('Name'), cell: (a) => a.name || a.email || a.phone, sort: 'name' },
        { key: 'email', title: t('E-mail'), cell: (a) => a.email ?? '', sort: 'email' },
        { key: 'school', title: t('School'), cell: (a) => a.schoolName, phone: true },
        {
          key: 'status',
          title: t('Status'),
          cell: (a) => <AccountStatus status={a.status} />,
          phone: true,
        },
        {
          key: 'used',
          title: t('Last signed in'),
          cell: (a) => (a.lastUsedAt ? format.ago(a.lastUsedAt) : t('Never')),
          sort: 'lastUsedAt',
        },
        { key: 'phone', title: t('Phone'), cell: (a) => a.phone ?? '', hidden: true },
        { key: 'added', title: t('Added'), cell: (a) => format.date(a.createdAt), sort: 'createdAt', hidden: true },
      ]}
      primary={add}
      empty={
        <Empty
          icon={<IconUserShield size={32} stroke={1.2} />}
          title={t('No administrators yet')}
          text={t('Every school has at least one: they are invited when it is onboarded, and set their own password.')}
          action={add}
          example={t('For example: Asha Rao, principal@green-valley.example.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? (
          <NewAdmin close={close} school={address.schoolId} />
        ) : (
          <AdminDrawer id={id} close={close} key={id} />
        )
      }
    />
  )
}

interface Fields {
  schoolId: string | null
  firstName: string
  lastName: string
  email: string
  phone: string
}

function NewAdmin({ close, school }: { close: () => void; school?: string }) {
  const [, setAddress] = useAddress()
  const draft = useDraft<Fields>({ schoolId: school ?? null, firstName: '', lastName: '', email: '', phone: '' })
  const f = fieldsOf(draft)
  const chosen = draft.values.schoolId
  const save = useSave({
    draft,
    labels: {},
    save: () =>
      call(
        api.POST('/super-admin/admin/create', {
          body: { data: { ...draft.values, schoolId: chosen ?? '', phone: draft.values.phone || undefined } },
        }),
      ),
    onSaved: (a) => {
      changed('/super-admin/admin/')
      setAddress({ open: a.id })
    },
  })
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <DrawerHead title={t('Add an administrator')} close={close} />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          <FoundSelect
            of={activeSchoolChoices}
            label={t('School')}
            value={chosen}
            error={draft.errors.schoolId}
            onChange={(v) => draft.set('schoolId', v)}
            nothing={t('No active school of this name')}
          />
          <div className="pair">
            {f.text({ k: 'firstName', label: t('First name'), required: true })}
            {f.text({ k: 'lastName', label: t('Last name') })}
            {f.text({
              k: 'email',
              label: t('E-mail'),
              inputMode: 'email',
              required: true,
              description: t('The invitation goes there'),
            })}
            {f.text({ k: 'phone', label: t('Phone'), inputMode: 'tel' })}
          </div>
        </Stack>
      </div>
      <SaveBar draft={draft} {...save} submit={() => undefined} label={t('Add and invite')} always onCancel={close} />
    </form>
  )
}

function AdminDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/super-admin/admin/', id],
    queryFn: () => call(api.GET('/super-admin/admin/{id}', { params: { path: { id } } })),
  })
  const a = q.data
  if (!a)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  return (
    <>
      <DrawerHead
        title={a.name || a.email || t('Administrator')}
        close={close}
        summary={
          <Group gap={12}>
            <AccountStatus status={a.status} />
            <span>{a.schoolName}</span>
          </Group>
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          <Facts
            of={[
              [t('E-mail'), a.email],
              [
                t('Phone'),
                <span className="figures" key="p">
                  {a.phone}
                </span>,
              ],
              [t('Last signed in'), a.lastUsedAt ? format.dateTime(a.lastUsedAt) : t('Never')],
              [t('Added'), format.dateTime(a.createdAt)],
            ]}
          />
          <Acts admin={a} />
          <Group>
            <Button component={Link} to="/schools" search={{ open: a.schoolId } as never} variant="default">
              {t('The school')}
            </Button>
          </Group>
        </Stack>
      </div>
    </>
  )
}

function Acts({ admin: a }: { admin: ItemOf<'/super-admin/admin/list'> }) {
  const [asking, setAsking] = useState(false)
  const [resetting, setResetting] = useState(false)
  const settled = () => changed('/super-admin/admin/', '/super-admin/account/')
  const path = { params: { path: { id: a.id } } }
  const disable = useMutation({
    mutationFn: () => call(api.POST('/super-admin/admin/{id}/disable', path)),
    onSuccess: () => {
      setAsking(false)
      settled()
    },
  })
  const enable = useMutation({
    mutationFn: () => call(api.POST('/super-admin/admin/{id}/enable', path)),
    onSuccess: settled,
  })
  const invite = useMutation({
    mutationFn: () => call(api.POST('/super-admin/admin/{id}/invite', path)),
    onSuccess: settled,
  })
  const reset = useMutation({
    mutationFn: () => call(api.POST('/super-admin/admin/{id}/reset-factor', path)),
    onSuccess: () => {
      setResetting(false)
      settled()
    },
  })
  return (
    <Stack gap={12}>
      {a.status === 'INACTIVE' && (
        <Text c="dimmed">{t('Their school has deactivated them, and alone can change that.')}</Text>
      )}
      <Group gap={8}>
        {a.status === 'ACTIVE' && (
          <Button variant="default" loading={invite.isPending} onClick={() => invite.mutate()}>
            {t('Invite again')}
          </Button>
        )}
        {a.status === 'ACTIVE' && (
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('Disable…')}
          </Button>
        )}
        {a.status === 'DISABLED' && (
          <Button loading={enable.isPending} onClick={() => enable.mutate()}>
            {t('Enable')}
          </Button>
        )}
        {a.status === 'ACTIVE' && (
          <Button variant="default" onClick={() => setResetting(true)}>
            {t('Reset second factor…')}
          </Button>
        )}
        {reset.isSuccess && (
          <Text size="sm" c="dimmed" role="status">
            {t('Their second factors are removed.')}
          </Text>
        )}
        {invite.isSuccess && (
          <Text size="sm" c="dimmed" role="status">
            {t('The invitation is on its way. Links sent before no longer work.')}
          </Text>
        )}
      </Group>
      <Trouble error={invite.error ?? enable.error} />
      <Confirm
        opened={asking}
        title={t('Disable {name}?', { name: a.name || a.email })}
        action={t('Disable')}
        danger
        busy={disable.isPending}
        error={disable.error}
        onClose={() => {
          setAsking(false)
          disable.reset()
        }}
        onConfirm={() => disable.mutate()}
      >
        {t(
          'They are signed out at once and cannot sign in until you enable them again. Their school cannot change that.',
        )}
      </Confirm>
      <Confirm
        opened={resetting}
        title={t('Reset the second factor of {name}?', { name: a.name || a.email })}
        action={t('Reset')}
        danger
        busy={reset.isPending}
        error={reset.error}
        onClose={() => {
          setResetting(false)
          reset.reset()
        }}
        onConfirm={() => reset.mutate()}
      >
        {t(
          'For somebody who has lost their phone, passkeys and recovery codes. They are signed out, and their password alone lets them in until they set a new one up. Make sure that it is they who ask.',
        )}
      </Confirm>
    </Stack>
  )
}
