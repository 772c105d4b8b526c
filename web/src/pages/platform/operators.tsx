import { Button, Group, Stack, Text } from '@mantine/core'
import { IconUserCog } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useSession } from '../../api/session'
import { t } from '../../messages/console'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts } from '../../patterns/record'

const states = { ACTIVE: ['good', t('Active')], DISABLED: ['bad', t('Disabled')] } as const

function OperatorStatus({ status }: { status: string }) {
  const [tone, word] = states[status as keyof typeof states] ?? states.DISABLED
  return <Status tone={tone}>{word}</Status>
}

/** The people who run the platform. They are made on the command line. */
export function Operators() {
  const format = useFormat()
  return (
    <ListPage
      path="/super-admin/operator/list"
      title={t('Operators')}
      noun={[t('operator'), t('operators')]}
      id={(o) => o.id}
      name={(o) => o.name || o.email}
      search={t('Name or e-mail')}
      filters={[
        {
          key: 'status',
          label: t('Status'),
          options: Object.entries(states).map(([value, [, label]]) => ({ value, label })),
        },
      ]}
      columns={[
        { key: 'name', title: t('Name'), cell: (o) => o.name || o.email, sort: 'name' },
        { key: 'email', title: t('E-mail'), cell: (o) => o.email, sort: 'email' },
        {
          key: 'status',
          title: t('Status'),
          cell: (o) => <OperatorStatus status={o.status} />,
          phone: true,
        },
        { key: 'factor', title: t('Second factor'), cell: (o) => (o.secondFactor ? t('Yes') : t('No')) },
        {
          key: 'used',
          title: t('Last signed in'),
          cell: (o) => (o.lastSignInAt ? format.ago(o.lastSignInAt) : t('Never')),
          sort: 'lastSignInAt',
        },
        { key: 'added', title: t('Added'), cell: (o) => format.date(o.createdAt), sort: 'createdAt', hidden: true },
      ]}
      empty={
        <Empty
          icon={<IconUserCog size={32} stroke={1.2} />}
          title={t('No operators')}
          text={t('Operators are added on the command line, with homeroom superadmin create.')}
        />
      }
      drawer={(id, close) => <OperatorDrawer id={id} close={close} key={id} />}
    />
  )
}

function OperatorDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/super-admin/operator/', id],
    queryFn: () => call(api.GET('/super-admin/operator/{id}', { params: { path: { id } } })),
  })
  const o = q.data
  if (!o)
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
      <DrawerHead title={o.name || o.email} close={close} summary={<OperatorStatus status={o.status} />} />
      <div className="drawer-body">
        <Stack gap={24}>
          <Facts
            of={[
              [t('E-mail'), o.email],
              [t('Second factor'), o.secondFactor ? t('Yes') : t('No')],
              [
                t('Signed in on'),
                t(
                  { one: '{sessions} browser', other: '{sessions} browsers' },
                  { count: o.sessions, sessions: format.number(o.sessions) },
                ),
              ],
              [t('Last signed in'), o.lastSignInAt ? format.dateTime(o.lastSignInAt) : t('Never')],
              [t('Added'), format.dateTime(o.createdAt)],
            ]}
          />
          <Acts operator={o} />
        </Stack>
      </div>
    </>
  )
}

function Acts({ operator: o }: { operator: Schemas['Operator'] }) {
  const { user } = useSession()
  const [asking, setAsking] = useState(false)
  const path = { params: { path: { id: o.id } } }
  const settled = () => changed('/super-admin/operator/')
  const disable = useMutation({
    mutationFn: () => call(api.POST('/super-admin/operator/{id}/disable', path)),
    onSuccess: () => {
      setAsking(false)
      settled()
    },
  })
  const enable = useMutation({
    mutationFn: () => call(api.POST('/super-admin/operator/{id}/enable', path)),
    onSuccess: settled,
  })
  if (o.id === user.id) return <Text c="dimmed">{t('This is you. Another operator can disable you.')}</Text>
  return (
    <Stack gap={12}>
      <Group gap={8}>
        {o.status === 'ACTIVE' ? (
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('Disable…')}
          </Button>
        ) : (
          <Button loading={enable.isPending} onClick={() => enable.mutate()}>
            {t('Enable')}
          </Button>
        )}
      </Group>
      <Trouble error={enable.error} />
      <Confirm
        opened={asking}
        title={t('Disable {name}?', { name: o.name || o.email })}
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
        {t('They are signed out at once and cannot sign in until an operator enables them again.')}
      </Confirm>
    </Stack>
  )
}
