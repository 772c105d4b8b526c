import { Button, Group, Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call } from '../../api/client'
import { fetchAll, type ItemOf } from '../../api/list'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { fieldsColumn, Origin, originColumns, sinceWhen, whenColumn } from '../../patterns/audit'
import { Diff, differences, fieldWords } from '../../patterns/diff'
import { Empty } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { choicesOf } from '../../patterns/found'
import { ListDrawer } from '../../patterns/ListDrawer'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead } from '../../patterns/record'
import { thing, words } from '../../patterns/words'
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
const deed = (e: Event) => `${verb(e.action)} ${thing(e.entity)}`
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
  return (
    <ListPage
      path={path}
      title={t('Audit')}
      noun={[t('change'), t('changes')]}
      id={(e) => e.id}
      name={deed}
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
        { key: 'from', label: t('Time'), options: sinceWhen(format, address.from) },
      ]}
      columns={[
        { key: 'what', title: t('What'), cell: deed },
        { key: 'school', title: t('School'), cell: (e) => e.schoolName },
        { key: 'who', title: t('Who'), cell: who },
        whenColumn(format),
        fieldsColumn(summary),
        ...originColumns,
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
      drawer={(id, close) => (
        <ListDrawer path={path} id={id} close={close} key={id} gone={t('This entry does not exist.')}>
          {(e) => <EventView event={e} close={close} />}
        </ListDrawer>
      )}
    />
  )
}

function summary(e: Event): string {
  if (e.before === null) return ''
  return differences(e.before, e.after)
    .map((d) => fieldWords(d.field))
    .slice(0, 3)
    .join(', ')
}

function EventView({ event: e, close }: { event: Event; close: () => void }) {
  const format = useFormat()
  return (
    <>
      <DrawerHead
        title={deed(e)}
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
          <Origin
            of={e}
            first={[t('From'), e.actorRole === 'COMMAND_LINE' ? t('The command line') : t('The console')]}
          />
        </Stack>
      </div>
    </>
  )
}
