import { Button, Group, Stack, Tabs, Text } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Lines, Technical, Trouble } from '../../patterns/feedback'
import { bytes, useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts } from '../../patterns/record'
import { SchoolExports } from './exports'
import { SchoolMove } from './move'
import { OnboardMany } from './onboard-many'
import { ProfileForm, SchoolStats } from './profile'
import { Provisioning } from './provisioning'
import { SchoolStatus, stateWords } from './school-status'

export function Schools() {
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const onboard = (
    <Button component={Link} to="/schools/new" leftSection={<IconPlus size={16} />}>
      {t('Onboard a school')}
    </Button>
  )
  return (
    <>
      <ListPage
        path="/super-admin/school/list"
        title={t('Schools')}
        noun={[t('school'), t('schools')]}
        id={(s) => s.id}
        name={(s) => s.name}
        search={t('Name or code')}
        filters={[
          {
            key: 'status',
            label: t('Status'),
            options: Object.entries(stateWords).map(([value, label]) => ({ value, label })),
          },
        ]}
        columns={[
          { key: 'name', title: t('Name'), cell: (s) => s.name, sort: 'name' },
          { key: 'code', title: t('Code'), cell: (s) => s.code, sort: 'code' },
          {
            key: 'status',
            title: t('Status'),
            cell: (s) => <SchoolStatus status={s.status} />,
            sort: 'status',
            phone: true,
          },
          { key: 'node', title: t('Node'), cell: (s) => s.node ?? '' },
          {
            key: 'students',
            title: t('Students'),
            cell: (s) => format.number(s.students),
            sort: 'students',
            end: true,
          },
          {
            key: 'size',
            title: t('Size'),
            cell: (s) => (s.databaseBytes > 0 ? bytes(s.databaseBytes) : ''),
            sort: 'databaseBytes',
            end: true,
          },
          { key: 'zone', title: t('Time zone'), cell: (s) => s.timeZone, hidden: true },
          { key: 'currency', title: t('Currency'), cell: (s) => s.currency, hidden: true },
          { key: 'schema', title: t('Schema'), cell: (s) => String(s.schemaVersion), end: true, hidden: true },
          { key: 'created', title: t('Onboarded'), cell: (s) => format.date(s.createdAt), sort: 'createdAt' },
        ]}
        primary={onboard}
        more={
          <Button variant="default" onClick={() => setAddress({ do: 'import' })}>
            {t('From a file')}
          </Button>
        }
        empty={
          <Empty
            icon={<IconBuilding size={32} stroke={1.2} />}
            title={t('No schools yet')}
            text={t('A school gets its own database schema, roles and first administrator, in under a minute.')}
            action={onboard}
            example={t('For example: Green Valley, code green-valley, Asia/Kolkata, INR.')}
          />
        }
        drawer={(id, close) => <SchoolDrawer id={id} close={close} />}
      />
      {address.do === 'import' && <OnboardMany close={() => setAddress({ do: undefined })} />}
    </>
  )
}

const acts = {
  suspend: {
    label: t('Suspend'),
    path: '/super-admin/school/{id}/suspend',
    danger: true,
    title: t('Suspend this school?'),
    text: t(
      'Everybody at the school loses access within a second. Its data is kept, and you can activate it again at any time.',
    ),
  },
  activate: {
    label: t('Activate'),
    path: '/super-admin/school/{id}/activate',
    danger: false,
    title: t('Activate this school again?'),
    text: t('Its people can sign in again at once.'),
  },
  archive: {
    label: t('Archive'),
    path: '/super-admin/school/{id}/archive',
    danger: true,
    title: t('Archive this school for good?'),
    text: t('It cannot be opened again from here. Its data is kept.'),
  },
} as const

const actsOf: Record<string, (keyof typeof acts)[]> = {
  ACTIVE: ['suspend'],
  SUSPENDED: ['activate', 'archive'],
}

function SchoolDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const tab = address.tab === 'edit' ? 'edit' : 'now'
  const [asking, setAsking] = useState<keyof typeof acts | null>(null)
  const school = useQuery({
    queryKey: ['/super-admin/school/', id],
    queryFn: () => call(api.GET('/super-admin/school/{id}', { params: { path: { id } } })),
  })
  const act = useMutation({
    mutationFn: (a: keyof typeof acts) =>
      call(
        api.POST(acts[a].path, { params: { path: { id } } }) as Promise<{
          data?: { data: unknown }
          error?: unknown
          response: Response
        }>,
      ),
    onSuccess: () => {
      setAsking(null)
      changed('/super-admin/school/')
    },
  })
  const s = school.data
  const a = asking && acts[asking]
  return (
    <>
      <DrawerHead
        title={s?.name ?? ' '}
        summary={s && <SchoolStatus status={s.status} />}
        close={close}
        actions={
          s &&
          (actsOf[s.status] ?? []).map((k) => (
            <Button key={k} size="compact-md" variant="default" onClick={() => setAsking(k)}>
              {acts[k].label}
            </Button>
          ))
        }
      >
        {s && (
          <Tabs value={tab} onChange={(t) => setAddress({ tab: t === 'edit' ? 'edit' : undefined })} mt={12}>
            <Tabs.List>
              <Tabs.Tab value="now">{t('Now')}</Tabs.Tab>
              <Tabs.Tab value="edit">{t('Details')}</Tabs.Tab>
            </Tabs.List>
          </Tabs>
        )}
      </DrawerHead>
      {s && tab === 'edit' ? (
        <ProfileForm school={s} key={s.id} />
      ) : (
        <div className="drawer-body">
          {school.error ? (
            <Trouble error={school.error} retry={() => void school.refetch()} />
          ) : !s ? (
            <Lines />
          ) : (
            <Stack gap={24}>
              {(s.status === 'PROVISIONING' || s.status === 'FAILED') && <Provisioning id={id} />}
              {s.status !== 'PROVISIONING' && <SchoolStats id={id} />}
              {(s.status === 'ACTIVE' || s.status === 'SUSPENDED') && <SchoolMove id={id} node={s.node} />}
              {(s.status === 'ACTIVE' || s.status === 'SUSPENDED' || s.status === 'ARCHIVED') && (
                <SchoolExports id={id} code={s.code} />
              )}
              <Facts
                of={[
                  [t('Code'), s.code],
                  [t('Node'), s.node],
                  [t('Time zone'), s.timeZone],
                  [t('Currency'), s.currency],
                  [t('Locale'), s.locale],
                  [t('Schema version'), String(s.schemaVersion)],
                  ...(s.migrationError
                    ? ([
                        [
                          t('Migration'),
                          <Text span c="red.8" key="m">
                            {s.migrationError}
                          </Text>,
                        ],
                      ] as [string, React.ReactNode][])
                    : []),
                  [t('Onboarded'), format.dateTime(s.createdAt)],
                ]}
              />
              <Technical>
                <Facts
                  of={[
                    [
                      t('Id'),
                      <span className="figures" key="i">
                        {s.id}
                      </span>,
                    ],
                  ]}
                />
              </Technical>
              <Group gap={8}>
                <Button component={Link} to="/admins" search={{ schoolId: s.id } as never} variant="default">
                  {t('Its administrators')}
                </Button>
                <Button component={Link} to="/audit" search={{ schoolId: s.id } as never} variant="default">
                  {t('What was done to it')}
                </Button>
              </Group>
            </Stack>
          )}
        </div>
      )}
      <Confirm
        opened={!!a}
        title={a?.title ?? ''}
        action={a?.label ?? ''}
        danger={a?.danger}
        type={asking === 'archive' ? s?.code : undefined}
        busy={act.isPending}
        error={act.error}
        onClose={() => {
          setAsking(null)
          act.reset()
        }}
        onConfirm={() => asking && act.mutate(asking)}
      >
        {a?.text}
      </Confirm>
    </>
  )
}
