import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconCalendarWeek, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { changed, useGroups, usePeriods, useSubjects, useTeachers } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { useDivisionChoices } from '../../patterns/choices'
import { saveCSV } from '../../patterns/csv'
import { Export } from '../../patterns/Export'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Dialog, Empty, Lines, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { Grid } from '../../patterns/grid'
import { KeptOffer, useKept } from '../../patterns/kept'
import { ListPage } from '../../patterns/ListPage'
import { Print } from '../../patterns/Print'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { TimetableNav } from './timetable-nav'
import '../../day.css'
import { t } from '../../messages/console'
import { offerUndo } from '../../patterns/undo'

type Lesson = { subjectId: string; teacherId: string | null; room: string }
type Week = Record<string, Lesson> // by "day:period"

/** The week of a division or a group. It is saved whole, and a clash is shown in the cell it is in. */
export function Timetable() {
  const [address, setAddress] = useAddress()
  const { choices, ready: known } = useDivisionChoices()
  const groups = useGroups()
  const periods = usePeriods()
  const group = groups.data?.find((g) => g.id === address.group)
  const division = choices.some((c) => c.value === address.division) ? address.division! : (choices[0]?.value ?? '')
  const ready = known && groups.data && periods.data
  return (
    <>
      <TimetableNav />
      <div className="page">
        <Group justify="space-between" mb={12} gap={12} className="no-print">
          <Title order={1}>{t('Timetable')}</Title>
          {choices.length > 0 && (
            <NativeSelect
              aria-label={t('Division')}
              data={
                groups.data?.length
                  ? [
                      { group: t('Divisions'), items: choices },
                      { group: t('Groups'), items: groups.data.map((g) => ({ value: g.id, label: g.name })) },
                    ]
                  : choices
              }
              value={group?.id ?? division}
              onChange={(e) => {
                const id = e.currentTarget.value
                setAddress(
                  groups.data?.some((g) => g.id === id)
                    ? { group: id, division: undefined }
                    : { group: undefined, division: id },
                )
              }}
            />
          )}
        </Group>
        {!ready ? (
          <Lines />
        ) : periods.data.length === 0 || choices.length === 0 ? (
          <div className="panel">
            <Empty
              icon={<IconCalendarWeek size={32} stroke={1.2} />}
              title={periods.data.length === 0 ? t('The day has no periods yet') : t('No divisions yet')}
              text={t(
                'A timetable is the periods of the day, filled in for each division. Teachers and parents see it in the app, and as a calendar feed.',
              )}
              action={
                periods.data.length === 0 ? (
                  <Button component={Link} to="/timetable/periods">
                    {t('Add periods')}
                  </Button>
                ) : (
                  <Button component={Link} to="/classes">
                    {t('Add divisions')}
                  </Button>
                )
              }
              example={t('For example: 1st period 08:30 to 09:15, break 10:00 to 10:20.')}
            />
          </div>
        ) : (
          <WeekGrid key={group?.id ?? division} division={division} group={group} periods={periods.data} />
        )}
      </div>
    </>
  )
}

interface Loaded {
  name: string
  days: number[]
  slots: Schemas['Slot'][]
  groupSlots: Schemas['Slot'][] // in a division's week, of its groups
}

async function readWeek(division: string, group?: Schemas['Group']): Promise<Loaded> {
  if (group) {
    const w = await call(
      api.GET('/school-admin/timetable/group/{groupId}', { params: { path: { groupId: group.id } } }),
    )
    return { ...w, name: w.groupName, groupSlots: [] }
  }
  const w = await call(
    api.GET('/school-admin/timetable/division/{divisionId}', { params: { path: { divisionId: division } } }),
  )
  return { ...w, name: `${w.className} ${w.divisionName}` }
}

function WeekGrid({
  division,
  group,
  periods,
}: {
  division: string
  group?: Schemas['Group']
  periods: Schemas['Period'][]
}) {
  const format = useFormat()
  const may = useMay()
  const subjects = useSubjects()
  const teachers = useTeachers()
  const q = useQuery({
    queryKey: ['/school-admin/timetable/week', group?.id ?? division],
    queryFn: () => readWeek(division, group),
  })
  const [week, setWeek] = useState<Week>({})
  const [base, setBase] = useState<Week>({})
  const [clashes, setClashes] = useState<Record<string, string>>({})
  const [open, setOpen] = useState<string | null>(null)
  const back = useRef<HTMLElement | null>(null)
  const dirty = JSON.stringify(sorted(week)) !== JSON.stringify(sorted(base))
  const kept = useKept(`week.${group?.id ?? division}`, dirty ? week : undefined, null, setWeek)
  // A week that was read anew replaces what nobody has touched.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed stays when it is saved or undone
  useEffect(() => {
    if (!q.data || dirty) return
    const w: Week = {}
    for (const s of q.data.slots)
      w[`${s.dayOfWeek}:${s.periodId}`] = { subjectId: s.subjectId, teacherId: s.teacherId, room: s.room }
    setWeek(w)
    setBase(w)
    setClashes({})
  }, [q.data])
  const keys = Object.keys(week).sort()
  const write = async (lessons: Week) => {
    const at = (k: string) => ({ dayOfWeek: Number(k.split(':')[0]), periodId: k.split(':')[1]! })
    const sent = Object.keys(lessons).sort()
    if (group) {
      const slots = sent.map((k) => ({ ...at(k), teacherId: lessons[k]!.teacherId, room: lessons[k]!.room }))
      await call(
        api.PUT('/school-admin/timetable/group/{groupId}', {
          params: { path: { groupId: group.id } },
          body: { data: { slots } },
        }),
      )
    } else {
      await call(
        api.PUT('/school-admin/timetable/division/{divisionId}', {
          params: { path: { divisionId: division } },
          body: { data: { slots: sent.map((k) => ({ ...at(k), ...lessons[k]! })) } },
        }),
      )
    }
  }
  const save = useMutation({
    mutationFn: () => write(week),
    onSuccess: () => {
      offerUndo(t('Timetable of {name} changed', { name: q.data?.name ?? '' }), () => write(base))
      setBase(week)
      changed('/school-admin/timetable/')
    },
    onError: (e) => {
      const marks: Record<string, string> = {}
      for (const [field, message] of Object.entries(asProblem(e).fields)) {
        const at = /slots\[(\d+)\]/.exec(field)
        if (at) marks[keys[Number(at[1])]!] = message
      }
      setClashes(marks)
    },
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  const editable = may('timetable', 'write')
  const put = (k: string, l: Lesson | null) => {
    setWeek((w) => {
      const next = { ...w }
      if (l) next[k] = l
      else delete next[k]
      return next
    })
    setClashes((c) => Object.fromEntries(Object.entries(c).filter(([x]) => x !== k)))
  }
  const subjectName = (s: string) => subjects.data?.find((x) => x.id === s)?.name ?? ''
  const teacherName = (t: string | null) => {
    const x = teachers.data?.find((y) => y.id === t)
    return x ? nameOf(x) : ''
  }
  const days = q.data.days
  const inGroups = (day: string | number, period: string) =>
    q.data.groupSlots.filter((s) => s.dayOfWeek === Number(day) && s.periodId === period)
  const at = open?.split(':')
  return (
    <Stack gap={16}>
      <KeptOffer kept={kept} what={t('Lessons of this week were')} />
      <Group justify="flex-end" mt={-8} className="no-print">
        <Print
          path={
            group
              ? `/school-admin/timetable/group/${group.id}/week.pdf`
              : `/school-admin/timetable/division/${division}/week.pdf`
          }
          name={`timetable-${q.data.name}.pdf`}
        />
        <Export
          onClick={() =>
            saveCSV(`timetable-${q.data.name}.csv`, [
              ['Period', 'From', 'To', ...days.map((d) => format.weekday(d))],
              ...periods.map((p) => [
                p.name,
                p.startTime.slice(0, 5),
                p.endTime.slice(0, 5),
                ...days.map((d) => {
                  const l = week[`${d}:${p.id}`]
                  return l
                    ? [subjectName(l.subjectId), teacherName(l.teacherId), l.room].filter(Boolean).join(', ')
                    : inGroups(d, p.id)
                        .map((s) => [s.groupName, s.teacherName, s.room].filter(Boolean).join(', '))
                        .join('; ')
                }),
              ]),
            ])
          }
        />
      </Group>
      <Grid
        label={t('Week')}
        columns={days.map((d) => ({ key: String(d), title: format.weekday(d) }))}
        lines={periods.map((p) => ({
          key: p.id,
          still: p.isBreak,
          title: (
            <>
              <Text size="sm" fw={500} c="var(--mantine-color-text)">
                {p.name}
              </Text>
              <Text size="xs" className="figures">
                {p.startTime.slice(0, 5)}–{p.endTime.slice(0, 5)}
              </Text>
            </>
          ),
        }))}
        cell={(period, day) => {
          const k = `${day}:${period}`
          const l = week[k]
          return {
            dirty: JSON.stringify(l) !== JSON.stringify(base[k]),
            bad: clashes[k],
            label:
              l || inGroups(day, period).length
                ? `${format.weekday(Number(day))}, ${periods.find((p) => p.id === period)?.name}:`
                : t('{day}, {name}: no lesson', {
                    day: format.weekday(Number(day)),
                    name: periods.find((p) => p.id === period)?.name,
                  }),
            content: l ? (
              <>
                <Text span fw={500} size="sm">
                  {subjectName(l.subjectId)}
                </Text>
                <small>{[teacherName(l.teacherId), l.room].filter(Boolean).join(' · ') || ' '}</small>
              </>
            ) : (
              inGroups(day, period).map((s) => (
                <small key={s.id} style={{ whiteSpace: 'normal' }}>
                  <Text span fw={500} size="sm" component="b">
                    {s.groupName}
                  </Text>{' '}
                  {[s.teacherName, s.room].filter(Boolean).join(' · ')}
                </small>
              ))
            ),
          }
        }}
        onOpen={
          editable
            ? (period, day, el) => {
                back.current = el
                setOpen(`${day}:${period}`)
              }
            : undefined
        }
        onClear={editable ? (period, day) => put(`${day}:${period}`, null) : undefined}
      />
      {editable && (
        <Group justify="space-between" className="no-print">
          <Text size="sm" c="dimmed" className="only-wide">
            {t('Arrow keys move, Enter adds a lesson, Delete clears.')}
          </Text>
          <Group gap={8}>
            <Text size="sm" c="dimmed" aria-live="polite">
              {dirty ? t('Unsaved changes') : save.isSuccess ? t('Saved') : ''}
            </Text>
            {dirty && (
              <Button
                variant="default"
                onClick={() => {
                  setWeek(base)
                  setClashes({})
                  save.reset()
                }}
              >
                {t('Discard')}
              </Button>
            )}
            <Button disabled={!dirty} loading={save.isPending} onClick={() => save.mutate()}>
              {t('Save the week')}
            </Button>
          </Group>
        </Group>
      )}
      <Trouble error={save.error} />
      <UnsavedGuard when={dirty && !save.isPending} />
      <Dialog
        opened={!!open}
        onClose={() => {
          setOpen(null)
          back.current?.focus()
        }}
        size={400}
        title={at ? `${format.weekday(Number(at[0]))}, ${periods.find((p) => p.id === at[1])?.name}` : ''}
      >
        {open && (
          <LessonForm
            lesson={week[open]}
            fixed={group?.subjectId}
            subjects={(subjects.data ?? []).map((s) => ({ value: s.id, label: s.name }))}
            teachers={(teachers.data ?? []).map((t) => ({ value: t.id, label: nameOf(t) }))}
            done={(l) => {
              put(open, l)
              setOpen(null)
              back.current?.focus()
            }}
          />
        )}
      </Dialog>
    </Stack>
  )
}

function sorted(w: Week) {
  return Object.keys(w)
    .sort()
    .map((k) => [k, w[k]])
}

function LessonForm({
  lesson,
  fixed,
  subjects,
  teachers,
  done: finish,
}: {
  lesson?: Lesson
  fixed?: string // a group learns one subject
  subjects: { value: string; label: string }[]
  teachers: { value: string; label: string }[]
  done: (l: Lesson | null) => void
}) {
  const [typed, setL] = useState<Lesson>(lesson ?? { subjectId: '', teacherId: null, room: '' })
  const l = { ...typed, subjectId: fixed ?? (typed.subjectId || (subjects[0]?.value ?? '')) } // which may come after the dialog
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault()
        finish(l.subjectId ? l : null)
      }}
    >
      <Stack gap={16}>
        {!fixed && (
          <NativeSelect
            label={t('Subject')}
            data-autofocus
            data={subjects}
            value={l.subjectId}
            onChange={(e) => setL({ ...l, subjectId: e.currentTarget.value })}
          />
        )}
        <NativeSelect
          label={t('Teacher')}
          data-autofocus={fixed ? true : undefined}
          data={[{ value: '', label: t('Nobody yet') }, ...teachers]}
          value={l.teacherId ?? ''}
          onChange={(e) => setL({ ...l, teacherId: e.currentTarget.value || null })}
        />
        <TextInput label={t('Room')} value={l.room} onChange={(e) => setL({ ...l, room: e.currentTarget.value })} />
        <Group justify="flex-end" gap={8}>
          {lesson && (
            <Button variant="default" me="auto" onClick={() => finish(null)}>
              {t('No lesson')}
            </Button>
          )}
          <Button type="submit" disabled={!l.subjectId}>
            {lesson ? t('Save lesson') : t('Add lesson')}
          </Button>
        </Group>
        {subjects.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('Add subjects first.')}
          </Text>
        )}
      </Stack>
    </form>
  )
}

export function Periods() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a period')}
    </Button>
  )
  return (
    <>
      <TimetableNav />
      <ListPage
        path="/school-admin/timetable/period/list"
        title={t('Periods of the day')}
        noun={[t('period'), t('periods')]}
        id={(p) => p.id}
        name={(p) => p.name}
        columns={[
          { key: 'name', title: t('Name'), cell: (p) => p.name, sort: 'name' },
          { key: 'from', title: t('From'), cell: (p) => p.startTime.slice(0, 5), sort: 'startTime', phone: true },
          { key: 'to', title: t('To'), cell: (p) => p.endTime.slice(0, 5), phone: true },
          { key: 'break', title: t('Kind'), cell: (p) => (p.isBreak ? t('Break') : t('Lesson')) },
        ]}
        primary={may('timetable', 'write') && add}
        empty={
          <Empty
            icon={<IconCalendarWeek size={32} stroke={1.2} />}
            title={t('The day has no periods yet')}
            text={t('Periods are the rows of every timetable. Breaks are periods without lessons.')}
            action={may('timetable', 'write') && add}
            example={t('For example: 1st period 08:30 to 09:15.')}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <PeriodForm close={close} /> : <PeriodDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

function PeriodDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/timetable/period/', id],
    queryFn: () => call(api.GET('/school-admin/timetable/period/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <PeriodForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

function PeriodForm({ of, close }: { of?: Schemas['Period']; close: () => void }) {
  const may = useMay()
  const pick = (p?: Schemas['Period']) => ({
    name: p?.name ?? '',
    startTime: p?.startTime.slice(0, 5) ?? '',
    endTime: p?.endTime.slice(0, 5) ?? '',
    isBreak: p?.isBreak ?? false,
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const add = (v: typeof draft.values) => call(api.POST('/school-admin/timetable/period/create', { body: { data: v } }))
  const save = useSave({
    draft,
    labels: { name: t('Name'), startTime: t('From'), endTime: t('To'), isBreak: t('Break') },
    version: of?.version,
    save: (c, version, v) =>
      of
        ? call(
            api.PUT('/school-admin/timetable/period/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...c, version } },
            }),
          )
        : add(v),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/timetable/period/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/timetable/')
      if (!of) close()
    },
  })
  return (
    <FormDrawer
      title={of?.name ?? t('Add a period')}
      what={of?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      remove={
        of && may('timetable', 'delete')
          ? () => done(api.DELETE('/school-admin/timetable/period/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
      restore={() => add(pick(of))}
    >
      {f.text({ k: 'name', label: t('Name'), placeholder: t('1st period'), required: true })}
      <div className="pair">
        {f.text({ k: 'startTime', label: t('From'), type: 'time', required: true })}
        {f.text({ k: 'endTime', label: t('To'), type: 'time', required: true })}
      </div>
      {f.yes({ k: 'isBreak', label: t('A break, without lessons') })}
    </FormDrawer>
  )
}
