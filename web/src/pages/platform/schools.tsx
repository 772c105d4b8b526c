import { Button, Group, Stack, Tabs, Text } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../api/client'
import { changed } from '../../api/queries'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Lines, Trouble } from '../../patterns/feedback'
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
      Onboard a school
    </Button>
  )
  return (
    <>
      <ListPage
        path="/super-admin/school/list"
        title="Schools"
        noun={['school', 'schools']}
        id={(s) => s.id}
        name={(s) => s.name}
        search="Name or code"
        filters={[
          {
            key: 'status',
            label: 'Status',
            options: Object.entries(stateWords).map(([value, label]) => ({ value, label })),
          },
        ]}
        columns={[
          { key: 'name', title: 'Name', cell: (s) => s.name, sort: 'name' },
          { key: 'code', title: 'Code', cell: (s) => s.code, sort: 'code' },
          {
            key: 'status',
            title: 'Status',
            cell: (s) => <SchoolStatus status={s.status} />,
            sort: 'status',
            phone: true,
          },
          { key: 'node', title: 'Node', cell: (s) => s.node ?? '' },
          { key: 'students', title: 'Students', cell: (s) => format.number(s.students), sort: 'students', end: true },
          {
            key: 'size',
            title: 'Size',
            cell: (s) => (s.databaseBytes > 0 ? bytes(s.databaseBytes) : ''),
            sort: 'databaseBytes',
            end: true,
          },
          { key: 'zone', title: 'Time zone', cell: (s) => s.timeZone, hidden: true },
          { key: 'currency', title: 'Currency', cell: (s) => s.currency, hidden: true },
          { key: 'schema', title: 'Schema', cell: (s) => String(s.schemaVersion), end: true, hidden: true },
          { key: 'created', title: 'Onboarded', cell: (s) => format.date(s.createdAt), sort: 'createdAt' },
        ]}
        primary={onboard}
        more={
          <Button variant="default" onClick={() => setAddress({ do: 'import' })}>
            From a file
          </Button>
        }
        empty={
          <Empty
            icon={<IconBuilding size={32} stroke={1.2} />}
            title="No schools yet"
            text="A school gets its own database schema, roles and first administrator, in under a minute."
            action={onboard}
            example="For example: Green Valley, code green-valley, Asia/Kolkata, INR."
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
    label: 'Suspend',
    path: '/super-admin/school/{id}/suspend',
    danger: true,
    title: 'Suspend this school?',
    text: 'Everybody at the school loses access within a second. Its data is kept, and you can activate it again at any time.',
  },
  activate: {
    label: 'Activate',
    path: '/super-admin/school/{id}/activate',
    danger: false,
    title: 'Activate this school again?',
    text: 'Its people can sign in again at once.',
  },
  archive: {
    label: 'Archive',
    path: '/super-admin/school/{id}/archive',
    danger: true,
    title: 'Archive this school for good?',
    text: 'It cannot be opened again from here. Its data is kept.',
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
              <Tabs.Tab value="now">Now</Tabs.Tab>
              <Tabs.Tab value="edit">Details</Tabs.Tab>
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
                  ['Code', s.code],
                  ['Node', s.node],
                  ['Time zone', s.timeZone],
                  ['Currency', s.currency],
                  ['Locale', s.locale],
                  ['Schema version', String(s.schemaVersion)],
                  ...(s.migrationError
                    ? ([
                        [
                          'Migration',
                          <Text span c="red.8" key="m">
                            {s.migrationError}
                          </Text>,
                        ],
                      ] as [string, React.ReactNode][])
                    : []),
                  ['Onboarded', format.dateTime(s.createdAt)],
                  [
                    'Id',
                    <span className="figures" key="i">
                      {s.id}
                    </span>,
                  ],
                ]}
              />
              <Group gap={8}>
                <Button component={Link} to="/admins" search={{ schoolId: s.id } as never} variant="default">
                  Its administrators
                </Button>
                <Button component={Link} to="/audit" search={{ schoolId: s.id } as never} variant="default">
                  What was done to it
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
