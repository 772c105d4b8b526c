import { ActionIcon, Button, Group, Menu, NativeSelect, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconDownload, IconPlus, IconX } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { fetchList } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { saveCSV } from '../../patterns/csv'
import { DateField } from '../../patterns/DateField'
import { Empty } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { SaveBar, useDraft, useSave } from '../../patterns/record'
import { todayIn } from './words'

interface Rider {
  studentId: string
  name: string
  stopId: string
  since: string
}

const pick = (r: Schemas['RouteDetail']) => ({
  students: r.students.map(
    (s): Rider => ({ studentId: s.studentId, name: nameOf(s), stopId: s.stopId, since: s.startDate }),
  ),
})

/** Who gets on or off at which stop, from a day on. */
export function Riders({ route }: { route: Schemas['RouteDetail'] }) {
  const format = useFormat()
  const may = useMay()
  const write = may('transport', 'write')
  const { school } = useSession()
  const draft = useDraft(pick(route))
  const [from, setFrom] = useState('')
  const list = draft.values.students
  const save = useSave({
    draft,
    labels: {},
    save: () =>
      call(
        api.PUT('/school-admin/transport/route/{id}/students', {
          params: { path: { id: route.id } },
          body: {
            data: {
              fromDate: from || undefined,
              students: list.map(({ studentId, stopId }) => ({ studentId, stopId })),
            },
          },
        }),
      ),
    onSaved: () => changed('/school-admin/transport/route/'),
  })
  const wrong = (id: string) => {
    const i = list.findIndex((s) => s.studentId === id)
    return draft.errors[`students[${i}].studentId`] ?? draft.errors[`students[${i}].stopId`]
  }
  const place = (studentId: string, stopId: string) =>
    draft.set(
      'students',
      list.map((s) => (s.studentId === studentId ? { ...s, stopId } : s)),
    )
  const csv = () =>
    saveCSV(`riders ${route.name}.csv`, [
      ['Stop', 'Planned', 'Student', 'Since'],
      ...route.stops.flatMap((p) =>
        list.filter((s) => s.stopId === p.id).map((s) => [p.name, p.plannedTime, s.name, s.since]),
      ),
    ])
  if (route.stops.length === 0)
    return (
      <div className="panel">
        <Empty
          title="The route has no stops yet"
          text="Students ride at a stop: add the stops first."
          action={
            <Button component={Link} to="." search={{} as never}>
              To the stops
            </Button>
          }
        />
      </div>
    )
  return (
    <form
      className="reading"
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <Group justify="space-between" mb={8}>
        <Text c="dimmed">
          {list.length === 0
            ? 'No riders yet.'
            : `${format.number(list.length)} ${list.length === 1 ? 'student rides' : 'students ride'} it.`}{' '}
          Their families see the bus and hear when it is near.
        </Text>
        <ActionIcon variant="subtle" color="gray" aria-label="Download as CSV" title="Download as CSV" onClick={csv}>
          <IconDownload size={18} stroke={1.6} />
        </ActionIcon>
      </Group>
      {write && (
        <AddRider
          route={route}
          taken={new Set(list.map((s) => s.studentId))}
          add={(r) => draft.set('students', [...list, r])}
        />
      )}
      {route.stops.map((p, i) => {
        const here = list.filter((s) => s.stopId === p.id)
        return (
          <section key={p.id} aria-label={p.name} className="panel" style={{ padding: '0 16px 4px', marginTop: 12 }}>
            <div className="stop-head">
              <Text fw={600}>
                {i + 1}. {p.name}
              </Text>
              <Text size="sm" c="dimmed" className="figures">
                {[p.plannedTime, here.length && `${here.length}`].filter(Boolean).join(' · ')}
              </Text>
            </div>
            {here.map((s) => (
              <div key={s.studentId} className="rider">
                <div>
                  <Link to="/students" search={{ open: s.studentId } as never} className="row-name">
                    {s.name}
                  </Link>
                  {wrong(s.studentId) && (
                    <Text size="sm" c="red.8">
                      {wrong(s.studentId)}
                    </Text>
                  )}
                </div>
                {write && (
                  <Group gap={4} wrap="nowrap">
                    <Menu position="bottom-end">
                      <Menu.Target>
                        <Button
                          variant="subtle"
                          color="gray"
                          size="compact-sm"
                          c="dimmed"
                          aria-label={`Move ${s.name} to another stop`}
                        >
                          Move
                        </Button>
                      </Menu.Target>
                      <Menu.Dropdown>
                        {route.stops
                          .filter((x) => x.id !== p.id)
                          .map((x) => (
                            <Menu.Item key={x.id} onClick={() => place(s.studentId, x.id)}>
                              {x.name}
                            </Menu.Item>
                          ))}
                      </Menu.Dropdown>
                    </Menu>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Remove ${s.name}`}
                      onClick={() =>
                        draft.set(
                          'students',
                          list.filter((x) => x.studentId !== s.studentId),
                        )
                      }
                    >
                      <IconX size={16} stroke={1.6} />
                    </ActionIcon>
                  </Group>
                )}
              </div>
            ))}
            {here.length === 0 && (
              <Text size="sm" c="dimmed" pb={12}>
                Nobody here.
              </Text>
            )}
          </section>
        )
      })}
      {draft.dirty && (
        <Group mt={16}>
          <DateField
            label="From which day on"
            description="Leave empty for today"
            min={todayIn(school?.timeZone)}
            value={from}
            error={draft.errors.fromDate}
            onChange={(day) => setFrom(day)}
            w={240}
          />
        </Group>
      )}
      {write && (
        <div className="panel save-panel">
          <SaveBar draft={draft} {...save} submit={() => undefined} label="Save the riders" />
        </div>
      )}
    </form>
  )
}

function AddRider({
  route,
  taken,
  add,
}: {
  route: Schemas['RouteDetail']
  taken: Set<string>
  add: (r: Rider) => void
}) {
  const may = useMay()
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), 200)
  const [stop, setStop] = useState(route.stops[0]!.id)
  const [who, setWho] = useState<{ value: string; label: string; name: string } | null>(null)
  const found = useQuery({
    queryKey: ['/school-admin/student/list', 'riders', settled],
    queryFn: () =>
      fetchList('/school-admin/student/list', { page: 1, limit: 10, filters: { search: settled, status: 'ACTIVE' } }),
    enabled: may('student', 'read'),
    placeholderData: keepPreviousData,
  })
  const options = (found.data?.items ?? [])
    .filter((s) => !taken.has(s.id))
    .map((s) => ({
      value: s.id,
      name: nameOf(s),
      label: [nameOf(s), s.className && `${s.className} ${s.divisionName}`].filter(Boolean).join(' · '),
    }))
  // Who was chosen stays so while other names are searched for.
  if (who && !options.some((o) => o.value === who.value)) options.push(who)
  return (
    <Stack gap={8} className="panel" p={16}>
      <Group gap={8} align="flex-end" wrap="wrap">
        <Select
          label="Student"
          placeholder="Search a name"
          searchable
          data={options}
          value={who?.value ?? null}
          onChange={(v) => setWho(options.find((o) => o.value === v) ?? null)}
          onSearchChange={setText}
          filter={({ options: o }) => o}
          nothingFoundMessage={found.isFetching ? 'Searching…' : 'Nobody found'}
          style={{ flex: 1, minWidth: 200 }}
          comboboxProps={{ shadow: 'md' }}
        />
        <NativeSelect
          label="Stop"
          data={route.stops.map((s) => ({ value: s.id, label: s.name }))}
          value={stop}
          onChange={(e) => setStop(e.currentTarget.value)}
          style={{ minWidth: 160 }}
        />
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          disabled={!who}
          onClick={() => {
            if (who) {
              add({ studentId: who.value, name: who.name, stopId: stop, since: '' })
              setWho(null)
              setText('')
            }
          }}
        >
          Add
        </Button>
      </Group>
    </Stack>
  )
}
