// What is left of setting a school up, in the order in which each step builds on the one before.
import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { fetchList, type ListPath } from '../../api/list'
import { useYears } from '../../api/queries'
import { useMay } from '../../api/session'

export function useTotal(path: ListPath, filters: Record<string, string>, enabled: boolean): number | undefined {
  return useQuery({
    queryKey: [path, 'total', filters],
    queryFn: () => fetchList(path, { page: 1, limit: 1, filters }),
    enabled,
  }).data?.total
}

interface SetUpStep {
  done: boolean | undefined
  title: string
  text: string
  to: string
  search?: Record<string, string>
  label: string
  module: string
}

/** The steps somebody may take; undefined until it is known how far the school is. */
export function useSetUp(students: number | undefined): { steps: SetUpStep[]; left: number } | undefined {
  const may = useMay()
  const years = useYears()
  const employees = useTotal('/school-admin/employee/list', { status: 'ACTIVE' }, may('employee', 'read'))
  const classes = useTotal('/school-admin/class/list', {}, may('class', 'read'))
  const divisions = useTotal('/school-admin/division/list', {}, may('division', 'read'))
  const subjects = useTotal('/school-admin/subject/list', {}, may('subject', 'read'))
  const periods = useTotal('/school-admin/timetable/period/list', {}, may('timetable', 'read'))
  const some = (n: number | undefined) => (n === undefined ? undefined : n > 0)
  const steps: SetUpStep[] = [
    {
      done: years.data?.some((y) => y.active),
      title: 'Open an academic year',
      text: 'Enrolments, marks and fees belong to a year.',
      to: '/years',
      search: { open: 'new' },
      label: 'Add a year',
      module: 'academic-year',
    },
    {
      done: classes === undefined || divisions === undefined ? undefined : classes > 0 && divisions > 0,
      title: 'Add classes and divisions',
      text: 'Class 5 with divisions A and B, for example.',
      to: '/classes',
      label: 'Add classes',
      module: 'class',
    },
    {
      done: some(subjects),
      title: 'Add subjects',
      text: 'What is taught, and in which classes.',
      to: '/subjects',
      label: 'Add subjects',
      module: 'subject',
    },
    {
      done: some(employees),
      title: 'Add teachers and staff',
      text: 'One by one, or from a CSV file. They can sign in at once.',
      to: '/employees',
      label: 'Add people',
      module: 'employee',
    },
    {
      done: some(students),
      title: 'Import the students',
      text: 'A CSV file with guardians; a trial run shows every mistake first.',
      to: '/students/import',
      label: 'Import',
      module: 'student',
    },
    {
      done: some(periods),
      title: 'Set the periods of the day',
      text: 'Then the timetable can be filled in.',
      to: '/timetable/periods',
      label: 'Add periods',
      module: 'timetable',
    },
  ].filter((s) => may(s.module, 'write'))
  if (steps.some((s) => s.done === undefined)) return undefined
  return { steps, left: steps.filter((s) => !s.done).length }
}

/** The steps; a school at work sees only those that are left. */
export function SetUp({ steps, left, working }: { steps: SetUpStep[]; left: number; working?: boolean }) {
  const first = steps.findIndex((s) => !s.done)
  return (
    <section aria-labelledby="setup" className="reading">
      <Title order={2} mb={4} id="setup">
        Set up the school
      </Title>
      <Text c="dimmed" mb={16}>
        {steps.length - left} of {steps.length} done.{!working && ' In this order each step builds on the one before.'}
      </Text>
      <Stack gap={0} className="panel">
        {steps.map((s, i) =>
          working && s.done ? null : (
            <Group key={s.title} p={16} gap={16} wrap="nowrap" className="setup-step">
              <ThemeIcon radius="xl" size={24} variant={s.done ? 'filled' : 'default'} aria-hidden>
                {s.done ? <IconCheck size={14} stroke={3} /> : <Text size="xs">{i + 1}</Text>}
              </ThemeIcon>
              <div style={{ flex: 1 }}>
                <Text fw={500}>
                  {s.title}
                  {s.done && <span className="hidden"> (done)</span>}
                </Text>
                <Text size="sm" c="dimmed">
                  {s.text}
                </Text>
              </div>
              {!s.done && (
                <Button
                  component={Link}
                  to={s.to}
                  search={s.search as never}
                  variant={first === i && !working ? 'filled' : 'default'}
                  size="compact-md"
                >
                  {s.label}
                </Button>
              )}
            </Group>
          ),
        )}
      </Stack>
    </section>
  )
}
