import { ActionIcon, Button, Group, Menu, NativeSelect, Stack, Text } from '@mantine/core'
import { IconDownload, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { t } from '../../messages/console'
import { saveCSV } from '../../patterns/csv'
import { DateField } from '../../patterns/DateField'
import { Empty } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { PersonPicker } from '../../patterns/PersonPicker'
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
    undo: (was) => was,
    save: (_, __, { students }) =>
      call(
        api.PUT('/school-admin/transport/route/{id}/students', {
          params: { path: { id: route.id } },
          body: {
            data: {
              fromDate: from || undefined,
              students: students.map(({ studentId, stopId }) => ({ studentId, stopId })),
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
          title={t('The route has no stops yet')}
          text={t('Students ride at a stop: add the stops first.')}
          action={
            <Button component={Link} to="." search={{} as never}>
              {t('To the stops')}
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
            ? t('No riders yet. Their families see the bus and hear when it is near.')
            : t(
                {
                  one: '{list} student rides it. Their families see the bus and hear when it is near.',
                  other: '{list} students ride it. Their families see the bus and hear when it is near.',
                },
                { count: list.length, list: format.number(list.length) },
              )}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Download as CSV')}
          title={t('Download as CSV')}
          onClick={csv}
        >
          <IconDownload size={18} stroke={1.6} />
        </ActionIcon>
      </Group>
      {write && <AddRider route={route} riders={list} add={(r) => draft.set('students', [...list, r])} />}
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
                          aria-label={t('Move {name} to another stop', { name: s.name })}
                        >
                          {t('Move')}
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
                      aria-label={t('Remove {name}', { name: s.name })}
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
                {t('Nobody here.')}
              </Text>
            )}
          </section>
        )
      })}
      {draft.dirty && (
        <Group mt={16}>
          <DateField
            label={t('From which day on')}
            description={t('Leave empty for today')}
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
          <SaveBar draft={draft} {...save} submit={() => undefined} label={t('Save the riders')} />
        </div>
      )}
    </form>
  )
}

/** Who is picked rides from the chosen stop on, once the riders are saved. */
function AddRider({ route, riders, add }: { route: Schemas['RouteDetail']; riders: Rider[]; add: (r: Rider) => void }) {
  const [stop, setStop] = useState(route.stops[0]!.id)
  const [here, setHere] = useState<Rider | null>(null)
  return (
    <Stack gap={8} className="panel" p={16}>
      <NativeSelect
        label={t('Stop')}
        data={route.stops.map((s) => ({ value: s.id, label: s.name }))}
        value={stop}
        onChange={(e) => setStop(e.currentTarget.value)}
      />
      <PersonPicker
        label={t('Student')}
        size="sm"
        present
        error={here ? t('{name} rides it already', { name: here.name }) : undefined}
        onPick={(p) => {
          const rider = riders.find((r) => r.studentId === p.id)
          setHere(rider ?? null)
          if (!rider) add({ studentId: p.id, name: p.name, stopId: stop, since: '' })
        }}
      />
    </Stack>
  )
}
