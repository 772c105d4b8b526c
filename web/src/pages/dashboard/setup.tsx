// What is left of setting a school up, in the order in which each step builds on the one before.
import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, type Schemas } from '../../api/client'
import { fetchList, type ListPath } from '../../api/list'
import { useMay } from '../../api/session'

export function useTotal(path: ListPath, filters: Record<string, string>, enabled: boolean): number | undefined {
  return useQuery({
    queryKey: [path, 'total', filters],
    queryFn: () => fetchList(path, { page: 1, limit: 1, filters }),
    enabled,
  }).data?.total
}

interface SetUpStep {
  done: boolean
  title: string
  text: string
  to: string
  search?: Record<string, string>
  label: string
  module: string
}

type Step = Schemas['SetupStep']

/** What is missing, in words. */
const of = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`

const steps: Record<Step['setupStep'], Omit<SetUpStep, 'done'> & { lacks?: (n: number) => string }> = {
  YEAR: {
    title: 'Open an academic year',
    text: 'Enrolments, marks and fees belong to a year.',
    to: '/years',
    search: { open: 'new' },
    label: 'Add a year',
    module: 'academic-year',
  },
  TERMS: {
    title: 'Add the terms of the year',
    text: 'Exams are weighed in terms on report cards.',
    to: '/exams/terms',
    label: 'Add terms',
    module: 'exam',
  },
  CLASSES: {
    title: 'Add classes and divisions',
    text: 'All at once: classes 1 to 10 with divisions A to C, for example.',
    to: '/classes',
    label: 'Add classes',
    module: 'class',
    lacks: (n) => `${of(n, 'class has', 'classes have')} no division.`,
  },
  SUBJECTS: {
    title: 'Add subjects',
    text: 'What is taught, and in which classes.',
    to: '/subjects',
    label: 'Add subjects',
    module: 'subject',
  },
  TEACHERS: {
    title: 'Add teachers and staff',
    text: 'One by one, or from a CSV file. They can sign in at once.',
    to: '/employees',
    label: 'Add people',
    module: 'employee',
  },
  CLASS_TEACHERS: {
    title: 'Say who is whose class teacher',
    text: 'They mark the register.',
    to: '/employees',
    label: 'Assign teachers',
    module: 'employee',
    lacks: (n) => `${of(n, 'division has', 'divisions have')} no class teacher.`,
  },
  STUDENTS: {
    title: 'Import the students',
    text: 'A CSV file with guardians; a trial run shows every mistake first.',
    to: '/students/import',
    label: 'Import',
    module: 'student',
    lacks: (n) => `${of(n, 'student is', 'students are')} not in a class.`,
  },
  GUARDIANS: {
    title: 'Add the guardians',
    text: 'With a phone number each, which they sign in with.',
    to: '/students',
    label: 'Add guardians',
    module: 'student',
    lacks: (n) => `${of(n, 'student has', 'students have')} no guardian.`,
  },
  TIMETABLE: {
    title: 'Fill in the timetable',
    text: 'The periods of the day first, then the lessons of each division.',
    to: '/timetable',
    label: 'Add lessons',
    module: 'timetable',
    lacks: (n) => `${of(n, 'division has', 'divisions have')} no lessons.`,
  },
  FEES: {
    title: 'Set the fees of the classes',
    text: 'For what, how much and when.',
    to: '/fees/structures',
    label: 'Add fees',
    module: 'fee',
    lacks: (n) => `${of(n, 'class has', 'classes have')} no fees.`,
  },
  CHARGES: {
    title: 'Charge the first instalment',
    text: 'A trial run shows what everybody will owe.',
    to: '/fees/charge',
    label: 'Charge',
    module: 'fee',
  },
  PAYMENT: {
    title: 'Receive the first payment',
    text: 'The receipt is printed, and parents are notified.',
    to: '/fees/collect',
    label: 'Collect fee',
    module: 'fee',
  },
}

/** The steps somebody may take; undefined until it is known how far the school is. */
export function useSetUp(): { steps: SetUpStep[]; left: number } | undefined {
  const may = useMay()
  const q = useQuery({
    queryKey: ['/school-admin/dashboard/setup'],
    queryFn: () => call(api.GET('/school-admin/dashboard/setup')),
    staleTime: 0,
  })
  if (!q.data) return undefined
  const mine = q.data.steps.flatMap((s) => {
    const { lacks, ...step } = steps[s.setupStep]
    const missing = s.missing > 0 && s.count > 0 && lacks ? lacks(s.missing) : ''
    return may(step.module, 'write') ? [{ ...step, done: s.done, text: missing || step.text }] : []
  })
  return { steps: mine, left: mine.filter((s) => !s.done).length }
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
