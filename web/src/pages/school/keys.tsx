// API keys: what other programs call the service with.
import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { known, t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { DateField } from '../../patterns/DateField'
import { Reading } from '../../patterns/FormDrawer'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts } from '../../patterns/record'
import { SubNav } from '../../patterns/SubNav'
import { SecretDialog } from '../../patterns/secret'
import { integrationPages } from './integration-pages'
import { kinds, type Right, RightsTable } from './rights'

const list = '/school-admin/integration/key/list'
const statuses = {
  ACTIVE: ['good', t('In use')],
  ENDED: ['off', t('Ended')],
  REVOKED: ['off', t('Revoked')],
  SUSPENDED: ['warn', t('Suspended')],
} as const

function KeyStatus({ of }: { of: Schemas['APIKey']['status'] }) {
  const [tone, word] = statuses[of]
  return <Status tone={tone}>{word}</Status>
}

export function ApiKeys() {
  const may = useMay()
  const format = useFormat()
  const [, setAddress] = useAddress()
  const [made, setMade] = useState<Schemas['NewKey']>()
  const add = may('integration', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Make a key')}
    </Button>
  )
  return (
    <>
      <ListPage
        path={list}
        title={t('API keys')}
        noun={[t('key'), t('keys')]}
        id={(k) => k.id}
        name={(k) => k.name}
        search={t('Name')}
        filters={[
          {
            key: 'inUse',
            label: t('Status'),
            options: [
              { value: 'true', label: t('In use') },
              { value: 'false', label: t('Ended or revoked') },
            ],
          },
        ]}
        above={<SubNav label={t('Integrations')} items={integrationPages} />}
        columns={[
          { key: 'name', title: t('Name'), cell: (k) => k.name, sort: 'name' },
          { key: 'status', title: t('Status'), cell: (k) => <KeyStatus of={k.status} />, phone: true },
          { key: 'used', title: t('Last used'), cell: (k) => (k.lastUsedAt ? format.ago(k.lastUsedAt) : t('Never')) },
          { key: 'ends', title: t('Last day'), cell: (k) => format.date(k.endsOn) },
          { key: 'limit', title: t('Calls a minute'), cell: (k) => k.perMinute, end: true },
          { key: 'by', title: t('Made by'), cell: (k) => k.createdByName },
          { key: 'at', title: t('Made'), cell: (k) => format.date(k.createdAt), sort: 'createdAt' },
        ]}
        primary={add}
        empty={
          <Empty
            icon={<IconKey size={32} stroke={1.2} />}
            title={t('No API keys yet')}
            text={t(
              'With a key another program, such as your website or accounting, reads and writes what you allow it. Its use is in the audit log.',
            )}
            action={add}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? (
            <KeyForm
              close={close}
              made={(k) => {
                setMade(k)
                close()
              }}
            />
          ) : (
            <KeyDrawer id={id} close={close} key={id} />
          )
        }
      />
      {made && (
        <SecretDialog
          title={t('The key {name}', { name: made.name })}
          text={t(
            'Copy it now: it is not shown again. Anyone who has it may do what you ticked. If it is lost or seen by others, revoke it and make another.',
          )}
          secret={made.key}
          done={() => setMade(undefined)}
        />
      )}
    </>
  )
}

const none: Right = { canRead: false, canWrite: false, canDelete: false }
const actions = { canRead: 'read', canWrite: 'write', canDelete: 'delete' } as const

function useModules() {
  return useQuery({
    queryKey: ['/school-admin/permission/modules'],
    queryFn: () => call(api.GET('/school-admin/permission/modules')),
  })
}

function KeyForm({ close, made }: { close: () => void; made: (k: Schemas['NewKey']) => void }) {
  const may = useMay()
  const modules = useModules()
  const [name, setName] = useState('')
  const [perMinute, setPerMinute] = useState<number>(60)
  const [endsOn, setEndsOn] = useState('')
  const [rights, setRights] = useState<Record<string, Right>>({})
  const given = Object.entries(rights).filter(([, r]) => r.canRead || r.canWrite || r.canDelete)
  const make = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/integration/key/create', {
          body: {
            data: {
              name: name.trim(),
              perMinute,
              endsOn: endsOn || null,
              permissions: given.map(([module, r]) => ({ module, ...r })),
            },
          },
        }),
      ),
    onSuccess: (k) => {
      changed('/school-admin/integration/key/')
      made(k)
    },
  })
  const fields = make.error ? asProblem(make.error).fields : {}
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        make.mutate()
      }}
    >
      <DrawerHead title={t('Make a key')} close={close} />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          <TextInput
            label={t('Name')}
            description={t('What uses it, as the audit log will name it')}
            placeholder={t('Website')}
            data-autofocus
            maxLength={60}
            value={name}
            error={fields.name}
            onChange={(e) => setName(e.currentTarget.value)}
          />
          <div className="pair">
            <NumberInput
              label={t('Calls a minute')}
              min={1}
              max={600}
              allowDecimal={false}
              value={perMinute}
              error={fields.perMinute}
              onChange={(v) => setPerMinute(Number(v) || 0)}
            />
            <DateField
              label={t('Last day')}
              description={t('Empty: until it is revoked')}
              value={endsOn}
              error={fields.endsOn}
              onChange={setEndsOn}
            />
          </div>
          <Text size="sm" c="dimmed">
            {t('What it may do, at most what you may. It never signs in, gives rights or makes keys.')}
          </Text>
          {modules.data ? (
            <div className="panel">
              <RightsTable
                modules={modules.data.modules}
                of={(m) => rights[m.name] ?? none}
                set={(m, r) => setRights((was) => ({ ...was, [m.name]: r }))}
                may={(m, k) => may(m.name, actions[k])}
              />
            </div>
          ) : modules.error ? (
            <Trouble error={modules.error} retry={() => void modules.refetch()} />
          ) : (
            <Lines />
          )}
          <Trouble error={make.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={make.isPending} disabled={!name.trim() || given.length === 0}>
              {t('Make the key')}
            </Button>
          </Group>
        </Stack>
      </div>
    </form>
  )
}

function KeyDrawer({ id, close }: { id: string; close: () => void }) {
  const may = useMay()
  const format = useFormat()
  const modules = useModules()
  const [asking, setAsking] = useState(false)
  const q = useQuery({
    queryKey: ['/school-admin/integration/key/', id],
    queryFn: () => call(api.GET('/school-admin/integration/key/{id}', { params: { path: { id } } })),
  })
  const revoke = useMutation({
    mutationFn: () => call(api.POST('/school-admin/integration/key/{id}/revoke', { params: { path: { id } } })),
    onSuccess: () => {
      changed('/school-admin/integration/key/')
      setAsking(false)
    },
  })
  if (!q.data) return <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  const k = q.data
  const titleOf = (name: string) => known(modules.data?.modules.find((m) => m.name === name)?.displayName ?? name)
  return (
    <>
      <DrawerHead
        title={k.name}
        summary={<KeyStatus of={k.status} />}
        close={close}
        actions={
          !k.revokedAt &&
          may('integration', 'write') && (
            <Button variant="default" size="compact-md" onClick={() => setAsking(true)}>
              {t('Revoke…')}
            </Button>
          )
        }
      />
      <div className="drawer-body" style={{ flex: 1 }}>
        {k.status === 'SUSPENDED' && (
          <Text mb={16}>
            {t('{createdByName} made it and is no administrator any more. Make another key and revoke this one.', {
              createdByName: k.createdByName,
            })}
          </Text>
        )}
        <Facts
          of={[
            [t('Last used'), k.lastUsedAt ? format.dateTime(k.lastUsedAt) : t('Never')],
            [t('Calls a minute'), String(k.perMinute)],
            [t('Last day'), format.date(k.endsOn)],
            [t('Made'), `${format.dateTime(k.createdAt)}, ${k.createdByName}`],
            [t('Revoked'), format.dateTime(k.revokedAt)],
            ...k.permissions.map((p): [string, string] => [
              titleOf(p.module),
              kinds
                .filter(([kind]) => p[kind])
                .map(([, t]) => t)
                .join(', '),
            ]),
          ]}
        />
      </div>
      <Confirm
        opened={asking}
        title={t('Revoke the key {name}?', { name: k.name })}
        action={t('Revoke')}
        danger
        busy={revoke.isPending}
        error={revoke.error}
        onClose={() => setAsking(false)}
        onConfirm={() => revoke.mutate()}
      >
        {t('What uses it is refused within a second. This cannot be undone.')}
      </Confirm>
    </>
  )
}
