import { ActionIcon, Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconUserCheck } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { changed, useTeachers } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { addDays, useToday } from '../../patterns/choices'
import { DateField } from '../../patterns/DateField'
import { Empty, Lines, Status, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { TimetableNav } from './timetable-nav'
import '../../day.css'
import { t } from '../../messages/console'
import { offerUndo } from '../../patterns/undo'

type Cover = Schemas['Cover']
const reasons = {
  LEAVE: t('On leave'),
  HALF_DAY_LEAVE: t('On half a day of leave'),
  ABSENT: t('Absent'),
  NO_TEACHER: t('No teacher yet'),
} as const
const reasonOf = (r: string) => reasons[r as keyof typeof reasons] ?? r
const lessonOf = (s: Schemas['DaySlot']) =>
  `${s.groupName || `${s.className} ${s.divisionName}, ${s.subjectName}`}, ${s.periodName}`

/** A day's lessons without a teacher, and who holds them instead. All choices are saved at once. */
export function Substitution() {
  const [address, setAddress] = useAddress()
  const today = useToday()
  const date = /^\d{4}-\d\d-\d\d$/.test(address.date ?? '') ? address.date! : today
  const setDate = (d: string) => setAddress({ date: d && d !== today ? d : undefined })
  const q = useQuery({
    queryKey: ['/school-admin/timetable/cover', date],
    queryFn: () => call(api.GET('/school-admin/timetable/cover', { params: { query: { date } } })),
  })
  return (
    <>
      <TimetableNav />
      <div className="page">
        <Group justify="space-between" mb={12} gap={12}>
          <Title order={1}>{t('Timetable')}</Title>
          <Group gap={4} wrap="nowrap">
            <ActionIcon
              variant="default"
              size={40}
              aria-label={t('The day before')}
              onClick={() => setDate(addDays(date, -1))}
            >
              <IconChevronLeft size={16} />
            </ActionIcon>
            <DateField aria-label={t('Day')} value={date} onChange={setDate} />
            <ActionIcon
              variant="default"
              size={40}
              aria-label={t('The day after')}
              onClick={() => setDate(addDays(date, 1))}
            >
              <IconChevronRight size={16} />
            </ActionIcon>
          </Group>
        </Group>
        {q.data ? (
          <Day key={date} cover={q.data} />
        ) : q.error ? (
          <Trouble error={q.error} retry={() => void q.refetch()} />
        ) : (
          <Lines />
        )}
      </div>
    </>
  )
}

function Day({ cover }: { cover: Cover }) {
  const format = useFormat()
  const may = useMay()
  const editable = may('timetable', 'write')
  const [chosen, setChosen] = useState<Record<string, string>>({}) // teacher by lesson
  const picked = cover.lessons.filter((l) => chosen[l.id])
  const kept = useKept(`substitution.${cover.date}`, picked.length > 0 ? chosen : undefined, null, setChosen)
  const refresh = () => changed('/school-admin/timetable/')
  const save = useMutation({
    mutationFn: () =>
      call(
        api.PUT('/school-admin/timetable/cover', {
          body: {
            data: {
              date: cover.date,
              substitutions: picked.map((l) => ({ slotId: l.id, substituteTeacherId: chosen[l.id]! })),
            },
          },
        }),
      ),
    onSuccess: () => {
      setChosen({})
      refresh()
    },
  })
  const undo = useMutation({
    mutationFn: (l: Cover['covered'][number]) =>
      done(api.DELETE('/school-admin/timetable/substitution/{id}', { params: { path: { id: l.substitutionId! } } })),
    onSuccess: (_, l) => {
      refresh()
      offerUndo(t('{lesson} was taken back', { lesson: lessonOf(l) }), () =>
        call(
          api.POST('/school-admin/timetable/substitution', {
            body: {
              data: { slotId: l.id, date: cover.date, substituteTeacherId: l.substituteTeacherId!, note: l.note },
            },
          }),
        ),
      )
    },
  })
  const faults = save.error ? asProblem(save.error).fields : {}
  const fault = (id: string) => {
    const i = picked.findIndex((l) => l.id === id)
    return i < 0
      ? undefined
      : (faults[`substitutions[${i}].substituteTeacherId`] ?? faults[`substitutions[${i}].slotId`])
  }
  const elsewhere = (l: Schemas['CoverLesson'], teacher: string) =>
    picked.some((o) => o.id !== l.id && chosen[o.id] === teacher && o.startTime < l.endTime && l.startTime < o.endTime)
  return (
    <Stack gap={24}>
      <KeptOffer kept={kept} what={t('A part of this form was')} />
      <Away cover={cover} editable={editable} />
      <section aria-labelledby="uncovered">
        <Text className="section" id="uncovered">
          {t('Lessons without a teacher')}
        </Text>
        {cover.lessons.length === 0 ? (
          <div className="panel">
            <Empty
              icon={<IconUserCheck size={32} stroke={1.2} />}
              title={t('Every lesson of {date} has a teacher', { date: format.date(cover.date) })}
              text={t('Lessons of teachers on leave appear here. Say above who else is absent.')}
            />
          </div>
        ) : (
          <Stack gap={8}>
            {cover.lessons.map((l) => (
              <Group key={l.id} className="panel" p={12} justify="space-between" gap={12}>
                <div>
                  <Text fw={500} size="sm">
                    {lessonOf(l)}
                  </Text>
                  <Text size="sm" c="dimmed" className="figures">
                    {[
                      `${l.startTime.slice(0, 5)}–${l.endTime.slice(0, 5)}`,
                      l.room,
                      [l.substituteTeacherName || l.teacherName, reasonOf(l.reason).toLowerCase()]
                        .filter(Boolean)
                        .join(' '),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </Text>
                </div>
                {editable ? (
                  <NativeSelect
                    w={{ base: '100%', sm: 360 }}
                    aria-label={t('Who holds {lesson}', { lesson: lessonOf(l) })}
                    error={fault(l.id)}
                    value={chosen[l.id] ?? ''}
                    onChange={(e) => setChosen({ ...chosen, [l.id]: e.currentTarget.value })}
                    data={[
                      {
                        value: '',
                        label: l.free.length ? t('Choose one of {free}', { free: l.free.length }) : t('Nobody is free'),
                      },
                      ...l.free.map((f) => ({
                        value: f.teacherId,
                        label: [
                          f.teacherName,
                          f.teachesSubject && t('teaches {subjectName}', { subjectName: l.subjectName }),
                          f.teachesStudents && t('knows the class'),
                          f.lessons === 1 ? t('1 lesson') : t('{lessons} lessons', { lessons: f.lessons }),
                        ]
                          .filter(Boolean)
                          .join(' · '),
                        disabled: elsewhere(l, f.teacherId),
                      })),
                    ]}
                  />
                ) : (
                  <Text size="sm">{t('{free} free', { free: l.free.length })}</Text>
                )}
              </Group>
            ))}
          </Stack>
        )}
        {editable && cover.lessons.length > 0 && (
          <Group justify="flex-end" gap={12} mt={12}>
            <Text size="sm" c="dimmed" aria-live="polite">
              {picked.length > 0 ? t('{picked} chosen', { picked: picked.length }) : ''}
            </Text>
            <Button disabled={picked.length === 0} loading={save.isPending} onClick={() => save.mutate()}>
              {t('Save substitutions')}
            </Button>
          </Group>
        )}
        <Trouble error={save.error ?? undo.error} />
      </section>
      {cover.covered.length > 0 && (
        <section aria-labelledby="covered">
          <Text className="section" id="covered">
            {t('Held by others')}
          </Text>
          <Stack gap={8}>
            {cover.covered.map((l) => (
              <Group key={l.id} className="panel" p={12} justify="space-between" wrap="nowrap">
                <div>
                  <Text fw={500} size="sm">
                    {lessonOf(l)}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {l.teacherName
                      ? t('{substituteTeacherName} in place of {teacherName}{note}', {
                          substituteTeacherName: l.substituteTeacherName,
                          teacherName: l.teacherName,
                          note: l.note && ` · ${l.note}`,
                        })
                      : `${l.substituteTeacherName}${l.note && ` · ${l.note}`}`}
                  </Text>
                </div>
                {may('timetable', 'delete') && (
                  <Button
                    variant="default"
                    size="compact-md"
                    loading={undo.isPending && undo.variables.id === l.id}
                    aria-label={t('Take back {lesson}', { lesson: lessonOf(l) })}
                    onClick={() => undo.mutate(l)}
                  >
                    {t('Take back')}
                  </Button>
                )}
              </Group>
            ))}
          </Stack>
        </section>
      )}
      <UnsavedGuard when={picked.length > 0 && !save.isPending} />
    </Stack>
  )
}

/** Who is away: those on leave, and those whom the office knows to be absent. */
function Away({ cover, editable }: { cover: Cover; editable: boolean }) {
  const teachers = useTeachers()
  const absent = cover.away.filter((a) => a.reason === 'ABSENT').map((a) => a.teacherId)
  const put = (ids: string[]) =>
    call(
      api.PUT('/school-admin/timetable/cover', {
        body: { data: { date: cover.date, absentTeacherIds: ids, substitutions: [] } },
      }),
    )
  const set = useMutation({
    mutationFn: put,
    onSuccess: () => {
      changed('/school-admin/timetable/')
      offerUndo(t('Who is away changed'), () => put(absent))
    },
  })
  const others = (teachers.data ?? [])
    .filter((t) => !cover.away.some((a) => a.teacherId === t.id && a.reason !== 'HALF_DAY_LEAVE'))
    .map((t) => ({ value: t.id, label: nameOf(t) }))
    .sort((a, b) => a.label.localeCompare(b.label))
  return (
    <section aria-label={t('Away')}>
      <Text className="section">{t('Away')}</Text>
      <Group gap={8}>
        {cover.away.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('No teacher is on leave.')}
          </Text>
        )}
        {cover.away.map((a) =>
          a.reason === 'ABSENT' && editable ? (
            <Button
              key={a.teacherId}
              variant="default"
              size="compact-md"
              aria-label={t('Remove {teacherName}, absent', { teacherName: a.teacherName })}
              disabled={set.isPending}
              onClick={() => set.mutate(absent.filter((id) => id !== a.teacherId))}
            >
              {t('{teacherName}, absent ×', { teacherName: a.teacherName })}
            </Button>
          ) : (
            <Status key={a.teacherId} tone="off">
              {a.teacherName}, {reasonOf(a.reason).toLowerCase()}
            </Status>
          ),
        )}
        {editable && others.length > 0 && (
          <NativeSelect
            aria-label={t('Absent teacher')}
            disabled={set.isPending}
            value=""
            data={[{ value: '', label: t('Also absent…') }, ...others]}
            onChange={(e) => e.currentTarget.value && set.mutate([...absent, e.currentTarget.value])}
          />
        )}
      </Group>
      <Trouble error={set.error} />
    </section>
  )
}
