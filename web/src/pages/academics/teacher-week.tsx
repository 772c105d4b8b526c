import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { IconId } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call } from '../../api/client'
import { usePeriods, useTeachers } from '../../api/queries'
import { useAddress } from '../../patterns/address'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { Grid } from '../../patterns/grid'
import { Print } from '../../patterns/Print'
import { TimetableNav } from './timetable-nav'
import '../../day.css'
import { t } from '../../messages/console'

/** The lessons of one teacher, over all divisions and groups. */
export function TeacherWeek() {
  const [address, setAddress] = useAddress()
  const teachers = useTeachers()
  const list = [...(teachers.data ?? [])].sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
  const teacher = list.find((t) => t.id === address.teacher) ?? list[0]
  return (
    <>
      <TimetableNav />
      <div className="page">
        <Group justify="space-between" mb={12} gap={12} className="no-print">
          <Title order={1}>{t('Timetable')}</Title>
          {teacher && (
            <NativeSelect
              aria-label={t('Teacher')}
              data={list.map((t) => ({ value: t.id, label: nameOf(t) }))}
              value={teacher.id}
              onChange={(e) => setAddress({ teacher: e.currentTarget.value })}
            />
          )}
        </Group>
        {!teachers.data ? (
          teachers.error ? (
            <Trouble error={teachers.error} retry={() => void teachers.refetch()} />
          ) : (
            <Lines />
          )
        ) : teacher ? (
          <Week id={teacher.id} />
        ) : (
          <div className="panel">
            <Empty
              icon={<IconId size={32} stroke={1.2} />}
              title={t('No teachers yet')}
              text={t(
                "A teacher's week is made of the lessons that name them in the timetables of classes and groups.",
              )}
              action={
                <Button component={Link} to="/employees">
                  {t('Add employees')}
                </Button>
              }
            />
          </div>
        )}
      </div>
    </>
  )
}

function Week({ id }: { id: string }) {
  const format = useFormat()
  const periods = usePeriods()
  const q = useQuery({
    queryKey: ['/school-admin/timetable/teacher/', id],
    queryFn: () =>
      call(api.GET('/school-admin/timetable/teacher/{employeeId}', { params: { path: { employeeId: id } } })),
  })
  const error = q.error ?? periods.error
  if (!q.data || !periods.data)
    return error ? (
      <Trouble error={error} retry={() => void Promise.all([q.refetch(), periods.refetch()])} />
    ) : (
      <Lines />
    )
  const slots = q.data.slots
  return (
    <Stack gap={16}>
      <Group justify="space-between" className="no-print">
        <Text size="sm" c="dimmed">
          {t(
            { one: '1 lesson a week', other: '{slots} lessons a week' },
            { count: slots.length, slots: format.number(slots.length) },
          )}
        </Text>
        <Print path={`/school-admin/timetable/teacher/${id}/week.pdf`} name={`timetable-${q.data.teacherName}.pdf`} />
      </Group>
      <Grid
        label={t('Week of {teacherName}', { teacherName: q.data.teacherName })}
        columns={q.data.days.map((d) => ({ key: String(d), title: format.weekday(d) }))}
        lines={periods.data.map((p) => ({
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
          const s = slots.find((x) => x.periodId === period && x.dayOfWeek === Number(day))
          return {
            label: s
              ? `${format.weekday(Number(day))}, ${periods.data.find((p) => p.id === period)?.name}:`
              : t('{day}, {name}: no lesson', {
                  day: format.weekday(Number(day)),
                  name: periods.data.find((p) => p.id === period)?.name,
                }),
            content: s && (
              <>
                <Text span fw={500} size="sm">
                  {s.groupName || `${s.className} ${s.divisionName}`}
                </Text>
                <small>{[s.subjectName, s.room].filter(Boolean).join(' · ')}</small>
              </>
            ),
          }
        }}
      />
    </Stack>
  )
}
