import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { fetchList, type ListPath } from '../api/list'
import { useYears } from '../api/queries'
import { useMay, useSession } from '../api/session'
import { Figure, Figures } from '../patterns/board'

function useTotal(path: ListPath, filters: Record<string, string>, enabled: boolean): number | undefined {
  return useQuery({ queryKey: [path, 'total', filters], queryFn: () => fetchList(path, { page: 1, limit: 1, filters }), enabled }).data?.total
}

/** The day's first page: how the school stands, and what is left of setting it up. */
export function Home() {
  const { school } = useSession()
  const may = useMay()
  const years = useYears()
  const students = useTotal('/school-admin/student/list', { status: 'ACTIVE' }, may('student', 'read'))
  const unplaced = useTotal('/school-admin/student/list', { status: 'ACTIVE', unplaced: 'true' }, may('student', 'read'))
  const employees = useTotal('/school-admin/employee/list', { status: 'ACTIVE' }, may('employee', 'read'))
  const teachers = useTotal('/school-admin/employee/list', { status: 'ACTIVE', employeeType: 'TEACHER' }, may('employee', 'read'))
  const classes = useTotal('/school-admin/class/list', {}, may('class', 'read'))
  const divisions = useTotal('/school-admin/division/list', {}, may('division', 'read'))
  const subjects = useTotal('/school-admin/subject/list', {}, may('subject', 'read'))
  const periods = useTotal('/school-admin/timetable/period/list', {}, may('timetable', 'read'))
  const steps = [
    { done: years.data && years.data.some((y) => y.active), title: 'Open an academic year', text: 'Enrolments, marks and fees belong to a year.', to: '/years', search: { open: 'new' }, label: 'Add a year', module: 'academic-year' },
    { done: classes === undefined || divisions === undefined ? undefined : classes > 0 && divisions > 0, title: 'Add classes and divisions', text: 'Class 5 with divisions A and B, for example.', to: '/classes', label: 'Add classes', module: 'class' },
    { done: subjects === undefined ? undefined : subjects > 0, title: 'Add subjects', text: 'What is taught, and in which classes.', to: '/subjects', label: 'Add subjects', module: 'subject' },
    { done: employees === undefined ? undefined : employees > 0, title: 'Add teachers and staff', text: 'One by one, or from a CSV file. They can sign in at once.', to: '/employees', label: 'Add people', module: 'employee' },
    { done: students === undefined ? undefined : students > 0, title: 'Import the students', text: 'A CSV file with guardians; a trial run shows every mistake first.', to: '/students/import', label: 'Import', module: 'student' },
    { done: periods === undefined ? undefined : periods > 0, title: 'Set the periods of the day', text: 'Then the timetable can be filled in.', to: '/timetable/periods', label: 'Add periods', module: 'timetable' },
  ].filter((s) => may(s.module, 'write'))
  const known = steps.every((s) => s.done !== undefined)
  const left = steps.filter((s) => s.done === false).length
  return (
    <div className="page">
      <Title order={1} mb={16}>{school?.name}</Title>
      <Figures>
        {may('student', 'read') && <Figure label="Students" value={students} to="/students" search={{ status: 'ACTIVE' }} note={unplaced ? `${unplaced} without a division` : students ? 'All have a division' : undefined} />}
        {may('employee', 'read') && <Figure label="Employees" value={employees} to="/employees" search={{ status: 'ACTIVE' }} note={teachers !== undefined ? `${teachers} ${teachers === 1 ? 'teaches' : 'teach'}` : undefined} />}
        {may('class', 'read') && <Figure label="Classes" value={classes} to="/classes" note={divisions !== undefined ? `${divisions} divisions` : undefined} />}
        {may('subject', 'read') && <Figure label="Subjects" value={subjects} to="/subjects" />}
      </Figures>
      {known && left > 0 && (
        <section aria-labelledby="setup" className="reading">
          <Title order={2} mt={32} mb={4} id="setup">Set up the school</Title>
          <Text c="dimmed" mb={16}>{steps.length - left} of {steps.length} done. In this order each step builds on the one before.</Text>
          <Stack gap={0} className="panel">
            {steps.map((s, i) => (
              <Group key={s.title} p={16} gap={16} wrap="nowrap" style={i ? { borderTop: '1px solid var(--line)' } : undefined}>
                <ThemeIcon radius="xl" size={24} variant={s.done ? 'filled' : 'default'} aria-hidden>{s.done ? <IconCheck size={14} stroke={3} /> : <Text size="xs">{i + 1}</Text>}</ThemeIcon>
                <div style={{ flex: 1 }}>
                  <Text fw={500}>{s.title}{s.done && <span className="hidden"> (done)</span>}</Text>
                  <Text size="sm" c="dimmed">{s.text}</Text>
                </div>
                {!s.done && <Button component={Link} to={s.to} search={s.search as never} variant={steps.findIndex((x) => !x.done) === i ? 'filled' : 'default'} size="compact-md">{s.label}</Button>}
              </Group>
            ))}
          </Stack>
        </section>
      )}
    </div>
  )
}
