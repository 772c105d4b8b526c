// What is left of setting a school up, in the order in which each step builds on the one before.
import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, type Schemas } from '../../api/client'
import { fetchList, type ListPath } from '../../api/list'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'

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

type Step = Schemas['SchoolSetupStep']

const steps: Record<Step['setupStep'], Omit<SetUpStep, 'done'> & { lacks?: (n: number) => string }> = {
  YEAR: {
    title: t('Open an academic year'),
    text: t('Enrolments, marks and fees belong to a year.'),
    to: '/years',
    search: { open: 'new' },
    label: t('Add a year'),
    module: 'academic-year',
  },
  TERMS: {
    title: t('Add the terms of the year'),
    text: t('Exams are weighed in terms on report cards.'),
    to: '/exams/terms',
    label: t('Add terms'),
    module: 'exam',
  },
  CLASSES: {
    title: t('Add classes and divisions'),
    text: t('All at once: classes 1 to 10 with divisions A to C, for example.'),
    to: '/classes',
    label: t('Add classes'),
    module: 'class',
    lacks: (n) =>
      t({ one: '{count} class has no division.', other: '{count} classes have no division.' }, { count: n }),
  },
  SUBJECTS: {
    title: t('Add subjects'),
    text: t('What is taught, and in which classes.'),
    to: '/subjects',
    label: t('Add subjects'),
    module: 'subject',
  },
  TEACHERS: {
    title: t('Add teachers and staff'),
    text: t('One by one, or from a spreadsheet. They can sign in at once.'),
    to: '/employees',
    label: t('Add people'),
    module: 'employee',
  },
  CLASS_TEACHERS: {
    title: t('Say who is whose class teacher'),
    text: t('They mark the register.'),
    to: '/employees',
    label: t('Assign teachers'),
    module: 'employee',
    lacks: (n) =>
      t(
        { one: '{count} division has no class teacher.', other: '{count} divisions have no class teacher.' },
        { count: n },
      ),
  },
  STUDENTS: {
    title: t('Import the students'),
    text: t('A spreadsheet with guardians; a trial run shows every mistake first.'),
    to: '/students/import',
    label: t('Import'),
    module: 'student',
    lacks: (n) =>
      t({ one: '{count} student is not in a class.', other: '{count} students are not in a class.' }, { count: n }),
  },
  GUARDIANS: {
    title: t('Add the guardians'),
    text: t('With a phone number each, which they sign in with.'),
    to: '/students',
    label: t('Add guardians'),
    module: 'student',
    lacks: (n) =>
      t({ one: '{count} student has no guardian.', other: '{count} students have no guardian.' }, { count: n }),
  },
  TIMETABLE: {
    title: t('Fill in the timetable'),
    text: t('The periods of the day first, then the lessons of each division.'),
    to: '/timetable',
    label: t('Add lessons'),
    module: 'timetable',
    lacks: (n) =>
      t({ one: '{count} division has no lessons.', other: '{count} divisions have no lessons.' }, { count: n }),
  },
  FEES: {
    title: t('Set the fees of the classes'),
    text: t('For what, how much and when.'),
    to: '/fees/structures',
    label: t('Add fees'),
    module: 'fee',
    lacks: (n) => t({ one: '{count} class has no fees.', other: '{count} classes have no fees.' }, { count: n }),
  },
  CHARGES: {
    title: t('Charge the first instalment'),
    text: t('A trial run shows what everybody will owe.'),
    to: '/fees/charge',
    label: t('Charge'),
    module: 'fee',
  },
  PAYMENT: {
    title: t('Receive the first payment'),
    text: t('The receipt is printed, and parents are notified.'),
    to: '/fees/collect',
    label: t('Collect fee'),
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
        {t('Set up the school')}
      </Title>
      <Text c="dimmed" mb={16}>
        {!working
          ? t('{steps} of {steps2} done. In this order each step builds on the one before.', {
              steps: steps.length - left,
              steps2: steps.length,
            })
          : t('{steps} of {steps2} done.', { steps: steps.length - left, steps2: steps.length })}
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
                  {s.done && <span className="hidden"> {t('(done)')}</span>}
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
