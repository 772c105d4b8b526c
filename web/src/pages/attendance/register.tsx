import { Button, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core'
import { IconCalendarOff, IconClipboardCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, call } from '../../api/client'
import { useAddress } from '../../patterns/address'
import { addDays, addMonths, useDivisionChoices, useToday } from '../../patterns/choices'
import { saveCSV } from '../../patterns/csv'
import { DateField } from '../../patterns/DateField'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { part } from '../../patterns/part'
import { DaySheet } from './register-sheet'
import { RegisterTabs } from './register-tabs'
import { Stepper } from './stepper'
import '../../day.css'
import { t } from '../../messages/console'

const Month = part(() => import('./register-month'), 'Month', <Lines />)

/** The register: a division on a day, in a month, and what is still to be marked. */
export function Register() {
  const [address, setAddress] = useAddress()
  const today = useToday()
  const { choices, ready } = useDivisionChoices()
  const view = address.view === 'month' || address.view === 'unmarked' ? address.view : 'day'
  const division = choices.some((c) => c.value === address.division) ? address.division! : (choices[0]?.value ?? '')
  const date = /^\d{4}-\d\d-\d\d$/.test(address.date ?? '') ? address.date! : today
  const month = /^\d{4}-\d\d$/.test(address.month ?? '') ? address.month! : date.slice(0, 7)
  const setDate = (d: string) => setAddress({ date: d && d !== today ? d : undefined })
  return (
    <div className="page">
      <Group justify="space-between" mb={12} gap={12} className="no-print">
        <Title order={1}>{t('Register')}</Title>
        {ready && choices.length > 0 && (
          <Group gap={8}>
            {view !== 'unmarked' && (
              <NativeSelect
                aria-label={t('Division')}
                data={choices}
                value={division}
                onChange={(e) => setAddress({ division: e.currentTarget.value })}
              />
            )}
            {view === 'month' ? (
              <Stepper
                before={() => setAddress({ month: addMonths(month, -1) })}
                after={month < today.slice(0, 7) ? () => setAddress({ month: addMonths(month, 1) }) : undefined}
                what={t('month')}
              >
                <TextInput
                  type="month"
                  aria-label={t('Month')}
                  value={month}
                  max={today.slice(0, 7)}
                  onChange={(e) => e.currentTarget.value && setAddress({ month: e.currentTarget.value })}
                />
              </Stepper>
            ) : (
              <Stepper
                before={() => setDate(addDays(date, -1))}
                after={date < today ? () => setDate(addDays(date, 1)) : undefined}
                what={t('day')}
              >
                <DateField aria-label={t('Day')} value={date} max={today} onChange={(day) => setDate(day)} />
              </Stepper>
            )}
            {view !== 'month' && date !== today && (
              <Button variant="default" onClick={() => setDate(today)}>
                {t('Today')}
              </Button>
            )}
          </Group>
        )}
      </Group>
      <RegisterTabs at={view} />
      {!ready ? (
        <Lines />
      ) : choices.length === 0 ? (
        <div className="panel">
          <Empty
            icon={<IconClipboardCheck size={32} stroke={1.2} />}
            title={t('No divisions yet')}
            text={t(
              'A register belongs to a division and a day: who was expected, and who came. Parents are notified of absences automatically.',
            )}
            action={
              <Button component={Link} to="/classes">
                {t('Add classes and divisions')}
              </Button>
            }
            example={t('For example: Class 5 with divisions A and B.')}
          />
        </div>
      ) : view === 'month' ? (
        <Month key={`${division} ${month}`} division={division} month={month} />
      ) : view === 'unmarked' ? (
        <NotMarked date={date} />
      ) : (
        <Day key={`${division} ${date}`} division={division} date={date} today={today} />
      )}
    </div>
  )
}

function Day({ division, date, today }: { division: string; date: string; today: string }) {
  const q = useQuery({
    queryKey: ['/school-admin/attendance/register', division, date],
    queryFn: () =>
      call(api.GET('/school-admin/attendance/register', { params: { query: { divisionId: division, date } } })),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={10} />
  const r = q.data
  if (r.students.length === 0) {
    return (
      <div className="panel">
        <Empty
          icon={<IconClipboardCheck size={32} stroke={1.2} />}
          title={t('No students in {className} {divisionName} on this day', {
            className: r.className,
            divisionName: r.divisionName,
          })}
          text={t('Students appear here from the day they join the division.')}
          action={
            <Button component={Link} to="/students">
              {t('To the students')}
            </Button>
          }
        />
      </div>
    )
  }
  if (r.dayOff) {
    return (
      <div className="panel">
        <Empty
          icon={<IconCalendarOff size={32} stroke={1.2} />}
          title={
            r.dayOff === 'Weekend' ? t('No school: it is a weekend') : t('No school: {dayOff}', { dayOff: r.dayOff })
          }
          text={t(
            '{className} {divisionName} has the day off, so there is nothing to mark. {students} students are on its roster.',
            { className: r.className, divisionName: r.divisionName, students: r.students.length },
          )}
          action={
            <Button component={Link} to="/register/holidays" variant="default">
              {t('To the days off')}
            </Button>
          }
        />
      </div>
    )
  }
  const sheet = <DaySheet register={r} past={date < today} reread={async () => (await q.refetch()).data ?? r} />
  return r.attendanceBy === 'PERIOD' ? (
    <ByPeriod division={division} date={date} today={today}>
      {sheet}
    </ByPeriod>
  ) : (
    sheet
  )
}

/** The choice between the day's register and those of its lessons. */
function ByPeriod({
  division,
  date,
  today,
  children,
}: {
  division: string
  date: string
  today: string
  children: ReactNode
}) {
  const [address, setAddress] = useAddress()
  const q = useQuery({
    queryKey: ['/school-admin/attendance/lessons', division, date],
    queryFn: () =>
      call(api.GET('/school-admin/attendance/lessons', { params: { query: { divisionId: division, date } } })),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={10} />
  const lesson = q.data.lessons.find((l) => l.slotId === address.lesson)
  return (
    <>
      <NativeSelect
        label={t('Register of')}
        mb={12}
        maw={420}
        className="no-print"
        value={lesson?.slotId ?? ''}
        onChange={(e) => setAddress({ lesson: e.currentTarget.value || undefined })}
        description={
          lesson
            ? [lesson.teacherName || t('No teacher'), lesson.substitute && t('as a substitute')]
                .filter(Boolean)
                .join(', ')
            : t('The day follows from its lessons where nobody marks it here.')
        }
        data={[
          { value: '', label: t('The whole day') },
          ...q.data.lessons.map((l) => ({
            value: l.slotId,
            label:
              l.state === 'MARKED'
                ? t('{periodName}, {startTime}: {groupName} (marked)', {
                    periodName: l.periodName,
                    startTime: l.startTime,
                    groupName: l.groupName || l.subjectName,
                  })
                : `${l.periodName}, ${l.startTime}: ${l.groupName || l.subjectName}`,
          })),
        ]}
      />
      {lesson ? <LessonSheet key={lesson.slotId} slot={lesson.slotId} date={date} today={today} /> : children}
    </>
  )
}

function LessonSheet({ slot, date, today }: { slot: string; date: string; today: string }) {
  const q = useQuery({
    queryKey: ['/school-admin/attendance/lesson', slot, date],
    queryFn: () => call(api.GET('/school-admin/attendance/lesson', { params: { query: { slotId: slot, date } } })),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={10} />
  const r = q.data
  return (
    <DaySheet register={r} lesson={r.lesson} past={date < today} reread={async () => (await q.refetch()).data ?? r} />
  )
}

/** Which divisions still have students without a mark, each a step away from its register. */
function NotMarked({ date }: { date: string }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/school-admin/attendance/unmarked', date],
    queryFn: () => call(api.GET('/school-admin/attendance/unmarked', { params: { query: { date } } })),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  const list = q.data.divisions
  if (list.length === 0) {
    return (
      <div className="panel">
        <Empty
          icon={<IconClipboardCheck size={32} stroke={1.2} />}
          title={t('Everything is marked')}
          text={t('No division that has school on {date} has a student without a mark.', { date: format.date(date) })}
        />
      </div>
    )
  }
  return (
    <>
      <Group justify="space-between" mb={12}>
        <Text c="dimmed">
          {t(
            {
              one: '{list} division is not finished on {date}.',
              other: '{list} divisions are not finished on {date}.',
            },
            { count: list.length, list: format.number(list.length), date: format.date(date) },
          )}
        </Text>
        <Button
          variant="default"
          className="only-wide"
          onClick={() =>
            saveCSV(`not-marked-${date}.csv`, [
              ['Division', 'Students', 'Not marked', 'Class teacher'],
              ...list.map((d) => [`${d.className} ${d.divisionName}`, d.students, d.unmarked, d.classTeacherName]),
            ])
          }
        >
          {t('CSV')}
        </Button>
      </Group>
      <div className="panel">
        <div className="list-scroll" tabIndex={0} role="region" aria-label={t('Not yet marked')}>
          <table className="list">
            <thead>
              <tr>
                <th scope="col">{t('Division')}</th>
                <th scope="col" className="only-wide">
                  {t('Class teacher')}
                </th>
                <th scope="col" className="end only-wide">
                  {t('Students')}
                </th>
                <th scope="col" className="end">
                  {t('Not marked')}
                </th>
                <th scope="col">
                  <span className="hidden">{t('What to do')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((d) => (
                <tr key={d.divisionId}>
                  <td>
                    {d.className} {d.divisionName}
                  </td>
                  <td className="only-wide">
                    {d.classTeacherName || (
                      <Text span c="dimmed">
                        {t('Nobody yet')}
                      </Text>
                    )}
                  </td>
                  <td className="end figures only-wide">{format.number(d.students)}</td>
                  <td className="end figures">{format.number(d.unmarked)}</td>
                  <td className="end">
                    <Button
                      component={Link}
                      to="/register"
                      search={{ division: d.divisionId, date } as never}
                      variant="default"
                      size="compact-md"
                    >
                      {t('Mark {className} {divisionName}', { className: d.className, divisionName: d.divisionName })}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </>
  )
}
