import { Button, Group, Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call } from '../../api/client'
import { fetchAll, fetchList, type ItemOf } from '../../api/list'
import { useAddress } from '../../patterns/address'
import { Diff, differences, fieldWords } from '../../patterns/diff'
import { Empty, Lines, Technical, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { choicesOf } from '../../patterns/found'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts } from '../../patterns/record'
import { words } from '../../patterns/words'
import '../../patterns/audit.css'
import { t } from '../../messages/console'
import { schoolChoices } from './school-choices'

const path = '/super-admin/audit/list'
type Event = ItemOf<typeof path>

const verbs: Record<string, string> = {
  create: t('Added'),
  update: t('Changed'),
  delete: t('Deleted'),
  run: t('Ran'),
  retry: t('Retried'),
  'revoke-sessions': t('Ended sessions of'),
  invite: t('Invited'),
  disable: t('Disabled'),
  enable: t('Enabled'),
  suspend: t('Suspended'),
  activate: t('Activated'),
  archive: t('Archived'),
}
const verb = (a: string) => verbs[a] ?? words(a.replaceAll('-', '_'))
const who = (e: Event) => e.actorName || (e.actorId ? t('Somebody who left') : t('Command line'))

const operatorChoices = choicesOf('/super-admin/operator/list', {
  label: (o) => o.email,
  value: (o) => o.id,
  sort: 'email',
  nameOf: async (id) => (await call(api.GET('/super-admin/operator/{id}', { params: { path: { id } } }))).email,
})

/** What super-admins and the command line did. */
export function PlatformAudit() {
  const format = useFormat()
  const [address] = useAddress()
  const deeds = useQuery({ queryKey: [path, 'deeds'], queryFn: () => fetchAll('/super-admin/audit/deed/list') })
  const distinct = (list: string[], also?: string) => [...new Set([...list, ...(also ? [also] : [])])].sort()
  const since = [0, 7, 30].map((n) => {
    const d = new Date()
    d.setHours(0, 0, 0, 0)
    d.setDate(d.getDate() - n)
    return { value: d.toISOString(), label: n === 0 ? t('today') : t('the last {n} days', { n }) }
  })
  if (address.from && !since.some((s) => s.value === address.from))
    since.push({ value: address.from, label: t('since {from}', { from: format.date(address.from) }) })
  return (
    <ListPage
      path={path}
      title={t('Audit')}
      noun={[t('change'), t('changes')]}
      id={(e) => e.id}
      name={(e) => `${verb(e.action)} ${e.entity}`}
      filters={[
        { key: 'actorId', label: t('Person'), options: [], choices: operatorChoices },
        {
          key: 'actorRole',
          label: t('From'),
          options: [
            { value: 'SUPER_ADMIN', label: t('The console') },
            { value: 'COMMAND_LINE', label: t('The command line') },
          ],
        },
        {
          key: 'entity',
          label: t('What'),
          options: distinct(
            (deeds.data ?? []).map((d) => d.entity),
            address.entity,
          ).map((v) => ({ value: v, label: words(v) })),
        },
        {
          key: 'action',
          label: t('Action'),
          options: distinct(
            (deeds.data ?? []).map((d) => d.action),
            address.action,
          ).map((v) => ({ value: v, label: verb(v) })),
        },
        { key: 'schoolId', label: t('School'), options: [], choices: schoolChoices },
        { key: 'from', label: t('Time'), options: since },
      ]}
      columns={[
        { key: 'what', title: t('What'), cell: (e) => `${verb(e.action)} ${e.entity}` },
        { key: 'school', title: t('School'), cell: (e) => e.schoolName },
        { key: 'who', title: t('Who'), cell: who },
        {
          key: 'when',
          title: t('When'),
          cell: (e) => <span className="figures">{format.dateTime(e.occurredAt)}</span>,
          sort: 'occurredAt',
          phone: true,
        },
        {
          key: 'fields',
          title: t('Fields'),
          cell: (e) => (
            <Text span c="dimmed" size="sm">
              {e.before === null
                ? ''
                : differences(e.before, e.after)
                    .map((d) => fieldWords(d.field))
                    .slice(0, 3)
                    .join(', ')}
            </Text>
          ),
        },
        { key: 'reason', title: t('Reason'), cell: (e) => e.reason, hidden: true },
        { key: 'ip', title: t('From address'), cell: (e) => e.ip, hidden: true },
        { key: 'request', title: t('Request'), cell: (e) => e.requestId, hidden: true },
      ]}
      empty={
        <Empty
          icon={<IconHistory size={32} stroke={1.2} />}
          title={t('Nothing was done yet')}
          text={t(
            'What super-admins and the command line do to the platform and its schools is written down here. Nobody can change it.',
          )}
        />
      }
      drawer={(id, close) => <EventDrawer id={id} close={close} key={id} />}
    />
  )
}

function EventDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const [address] = useAddress()
  const q = useQuery({
    queryKey: [path, 'one', id],
    queryFn: async () => {
      const filters: Record<string, string> = {}
      for (const k of ['actorId', 'actorRole', 'entity', 'action', 'schoolId', 'from'])
        if (address[k]) filters[k] = address[k]
      for (let page = 1; page <= 20; page++) {
        const got = await fetchList(path, { page, limit: 100, filters })
        const found = got.items.find((e) => e.id === id)
        if (found || page >= got.totalPages) return found ?? null
      }
      return null
    },
  })
  const e = q.data
  if (!e)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? (
            <Trouble error={q.error} retry={() => void q.refetch()} />
          ) : e === null ? (
            <Text>{t('This entry is not among those shown.')}</Text>
          ) : (
            <Lines />
          )}
        </div>
      </>
    )
  return (
    <>
      <DrawerHead
        title={`${verb(e.action)} ${e.entity}`}
        close={close}
        summary={
          <Group gap={12}>
            <span>{who(e)}</span>
            <span className="figures">{format.dateTime(e.occurredAt)}</span>
          </Group>
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          {e.reason && <Text>{e.reason}</Text>}
          {e.before === null && e.after === null ? null : <Diff before={e.before} after={e.after} />}
          {e.schoolId && (
            <Group>
              <Button component={Link} to="/schools" search={{ open: e.schoolId } as never} variant="default">
                {e.schoolName || t('The school')}
              </Button>
            </Group>
          )}
          <Facts
            of={[
              [t('From'), e.actorRole === 'COMMAND_LINE' ? t('The command line') : t('The console')],
              [
                t('From address'),
                <span className="figures" key="ip">
                  {e.ip}
                </span>,
              ],
            ]}
          />
          <Technical>
            <Facts
              of={[
                [
                  t('Request'),
                  <span className="figures" key="r">
                    {e.requestId}
                  </span>,
                ],
                [
                  t('Record'),
                  <span className="figures" key="e">
                    {e.entityId}
                  </span>,
                ],
              ]}
            />
          </Technical>
        </Stack>
      </div>
    </>
  )
}
