import { Button, Group, Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../api/client'
import { fetchAll, fetchList } from '../../api/list'
import { useSession } from '../../api/session'
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
import { useOf } from './audit-uses'

type Event = Schemas['AuditEvent']
const path = '/school-admin/audit/list'

const verbs: Record<string, string> = { create: t('Added'), update: t('Changed'), delete: t('Deleted') }
const verb = (a: string) => verbs[a] ?? words(a)
/** What was done, in words. */
const deed = (e: Event) => {
  const use = useOf(e.action, e.entity)
  return use === undefined
    ? [verb(e.action), thing(e.entity), e.entityName].filter(Boolean).join(' ')
    : t('Used: {split}', { split: use })
}
const roleWords: Record<string, string> = {
  SCHOOL_ADMIN: t('Office'),
  TEACHER: t('Teacher'),
  DRIVER: t('Driver'),
  PARENT: t('Parent'),
  KEY: t('API key'),
  SUPER_ADMIN: t('The platform'),
  SYSTEM: t('The service itself'),
}

const actorChoices = choicesOf('/school-admin/audit/actor/list', {
  label: (a) => a.name || (roleWords[a.role] ?? words(a.role)),
  value: (a) => a.id,
  sort: 'name',
  nameOf: async (id) =>
    (await fetchList('/school-admin/audit/actor/list', { filters: { id } })).items[0]?.name || t('this person'),
})

export function Audit() {
  const format = useFormat()
  const { user } = useSession()
  const [address] = useAddress()
  const kinds = useQuery({ queryKey: [path, 'kinds'], queryFn: () => fetchAll('/school-admin/audit/kind/list') })
  const things = [
    ...new Set([...(kinds.data ?? []).map((k) => k.entity), ...(address.entity ? [address.entity] : [])]),
  ].sort()
  return (
    <ListPage
      path={path}
      title={t('Audit')}
      noun={[t('change'), t('changes')]}
      id={(e) => e.id}
      name={deed}
      search={t('Person, record, number or word')}
      filters={[
        { key: 'actorId', label: t('Person'), options: [{ value: user.id, label: t('Me') }], choices: actorChoices },
        { key: 'entity', label: t('What'), options: things.map((t) => ({ value: t, label: words(t) })) },
        {
          key: 'action',
          label: t('Action'),
          options: Object.entries(verbs).map(([value, label]) => ({ value, label })),
        },
        { key: 'from', label: t('Time'), options: sinceWhen(format, address.from) },
        {
          key: 'actorRole',
          label: t('Role'),
          options: Object.entries(roleWords).map(([value, label]) => ({ value, label })),
        },
        ...(address.entityId
          ? [
              {
                key: 'entityId' as const,
                label: t('Record'),
                options: [{ value: address.entityId, label: address.name ?? t('this record') }],
              },
            ]
          : []),
      ]}
      columns={[
        { key: 'what', title: t('What'), cell: deed },
        {
          key: 'who',
          title: t('Who'),
          cell: (e) =>
            e.actorName || (e.actorId ? (roleWords[e.actorRole] ?? words(e.actorRole)) : t('The service itself')),
        },
        whenColumn(format),
        fieldsColumn(summary),
        ...originColumns,
        { key: 'record', title: t('Record'), cell: (e) => e.entityId, hidden: true },
      ]}
      empty={
        <Empty
          icon={<IconHistory size={32} stroke={1.2} />}
          title={t('Nothing was changed yet')}
          text={t(
            'Every change by the office, teachers and drivers is written down here with what it was before and after. Nobody can change or remove it.',
          )}
          example={t('For example: Asha Rao changed a student: division A to B.')}
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
  const all = differences(e.before, e.after, e.names).map((d) => fieldWords(d.field))
  if (e.before === null || e.after === null) return ''
  return all.length > 3
    ? t('{all} and {all2} more', { all: all.slice(0, 3).join(', '), all2: all.length - 3 })
    : all.join(', ')
}

function EventView({ event: e, close }: { event: Event; close: () => void }) {
  const format = useFormat()
  const [, setAddress] = useAddress()
  const who = e.actorName || (e.actorId ? (roleWords[e.actorRole] ?? words(e.actorRole)) : t('The service itself'))
  return (
    <>
      <DrawerHead
        title={deed(e)}
        close={close}
        summary={
          <Group gap={12}>
            <span>{who}</span>
            <span className="figures">{format.dateTime(e.occurredAt)}</span>
          </Group>
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          {e.reason && <Text>{e.reason}</Text>}
          <Diff before={e.before} after={e.after} names={e.names} />
          <Group gap={8}>
            {e.entityId && (
              <Button
                variant="default"
                onClick={() =>
                  setAddress({
                    entity: e.entity,
                    entityId: e.entityId,
                    name: e.entityName || undefined,
                    q: undefined,
                    actorId: undefined,
                    action: undefined,
                    from: undefined,
                    actorRole: undefined,
                    open: undefined,
                    page: undefined,
                  })
                }
              >
                {e.entityName
                  ? t('All changes of {entityName}', { entityName: e.entityName })
                  : t('All changes of this record')}
              </Button>
            )}
            {e.actorId && (
              <Button
                variant="default"
                onClick={() =>
                  setAddress({
                    actorId: e.actorId ?? undefined,
                    entity: undefined,
                    entityId: undefined,
                    q: undefined,
                    action: undefined,
                    from: undefined,
                    actorRole: undefined,
                    open: undefined,
                    page: undefined,
                  })
                }
              >
                {e.actorName ? t('All by {actorName}', { actorName: e.actorName }) : t('All by this person')}
              </Button>
            )}
          </Group>
          <Origin of={e} first={[t('Role'), roleWords[e.actorRole] ?? words(e.actorRole)]} />
        </Stack>
      </div>
    </>
  )
}
