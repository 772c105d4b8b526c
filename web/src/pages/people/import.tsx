import { Alert, Button, Group, Progress, Radio, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, type Schemas, upload } from '../../api/client'
import { changed } from '../../api/queries'
import { useAddress } from '../../patterns/address'
import { ChooseCSV, DryRunTable, parseCSV } from '../../patterns/csv-file'
import { Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Facts } from '../../patterns/record'
import { Wizard, WizardButtons } from '../../patterns/wizard'

type Result = Schemas['ImportResult']
type Run = Schemas['ImportRun']

interface Kind {
  title: string
  path: string
  list: string
  many: string
  read: (id: string) => Promise<Run>
  columns: string
  sample: string[][]
}

const students: Kind = {
  title: 'Import students',
  path: '/school-admin/student/import',
  list: '/students',
  many: 'students',
  read: (id) => call(api.GET('/school-admin/student/import/{id}', { params: { path: { id } } })),
  columns:
    'firstName is needed. lastName, admissionNumber, class, division, rollNumber, gender, dateOfBirth, groups (electives and batches by name, several with ; between them) and up to three guardians (guardian1FirstName, guardian1Phone, guardian1Relation …) are read too.',
  sample: [
    [
      'admissionNumber',
      'firstName',
      'lastName',
      'class',
      'division',
      'rollNumber',
      'gender',
      'dateOfBirth',
      'groups',
      'guardian1Relation',
      'guardian1FirstName',
      'guardian1Phone',
    ],
    ['', 'Asha', 'Rao', 'Class 5', 'A', '1', 'F', '2016-04-12', '', 'MOTHER', 'Meera', '+919876543210'],
  ],
}

const employees: Kind = {
  title: 'Import employees',
  path: '/school-admin/employee/import',
  list: '/employees',
  many: 'employees',
  read: (id) => call(api.GET('/school-admin/employee/import/{id}', { params: { path: { id } } })),
  columns:
    'firstName, phone and employeeType (TEACHER, DRIVER, ADMIN or SUPPORT) are needed. lastName, employeeCode, email, department, designation and joiningDate are read too.',
  sample: [
    [
      'employeeCode',
      'firstName',
      'lastName',
      'employeeType',
      'phone',
      'email',
      'department',
      'designation',
      'joiningDate',
    ],
    ['T-01', 'Ravi', 'Menon', 'TEACHER', '+919876543211', 'ravi@school.example', 'Science', 'Teacher', '2026-06-01'],
  ],
}

export const ImportStudents = () => <Import kind={students} />
export const ImportEmployees = () => <Import kind={employees} />

type Since = 'YEAR_START' | 'TODAY'

const steps = [
  { key: 'file', title: 'Choose a file' },
  { key: 'check', title: 'Check' },
  { key: 'run', title: 'Import' },
]

function Import({ kind }: { kind: Kind }) {
  const [address, setAddress] = useAddress()
  const [file, setFile] = useState<{ file: File; rows: string[][] } | null>(null)
  const [plan, setPlan] = useState<Result | null>(null)
  const [since, setSince] = useState<Since>('YEAR_START')
  const choice: Record<string, string> = kind === students ? { since } : {}
  const check = useMutation({
    mutationFn: async (f: File) => {
      const rows = parseCSV(await f.text())
      const result = await upload<Result>(kind.path, { dryRun: 'true', ...choice }, f, f.name)
      return { rows, result }
    },
    onSuccess: ({ rows, result }, f) => {
      setFile({ file: f, rows })
      setPlan(result)
    },
  })
  const checkSince = useMutation({
    mutationFn: (s: Since) =>
      upload<Result>(kind.path, { dryRun: 'true', since: s }, file!.file, file!.file.name).then((result) => ({
        s,
        result,
      })),
    onSuccess: ({ s, result }) => {
      setSince(s)
      setPlan(result)
    },
  })
  const commit = useMutation({
    mutationFn: async (skip: boolean) => {
      const id = crypto.randomUUID()
      setAddress({ run: id })
      return upload<Result>(
        kind.path,
        { planHash: plan!.planHash, mode: skip ? 'SKIP_BAD_ROWS' : 'ALL_OR_NOTHING', id, ...choice },
        file!.file,
        file!.file.name,
      )
    },
    onSettled: () => changed('/school-admin/'),
  })
  const again = () => {
    setPlan(null)
    setFile(null)
    check.reset()
    commit.reset()
    setAddress({ run: undefined })
  }
  const step = address.run ? 'run' : plan ? 'check' : 'file'
  return (
    <Wizard title={kind.title} steps={steps} current={step}>
      {step === 'file' && (
        <Choose kind={kind} busy={check.isPending} error={check.error} take={(f) => check.mutate(f)} />
      )}
      {step === 'check' && (
        <Check
          kind={kind}
          plan={plan!}
          rows={file!.rows}
          name={file!.file.name}
          since={kind === students ? since : null}
          setSince={(s) => checkSince.mutate(s)}
          busy={checkSince.isPending}
          error={checkSince.error}
          again={again}
          go={(skip) => commit.mutate(skip)}
        />
      )}
      {step === 'run' && <Watch kind={kind} id={address.run!} error={commit.error} again={again} />}
    </Wizard>
  )
}

function Choose({ kind, busy, error, take }: { kind: Kind; busy: boolean; error: unknown; take: (f: File) => void }) {
  return (
    <Stack gap={16} className="reading">
      <Text>
        A CSV file is read and checked first. You see what it would do, row by row; nothing is saved until you confirm.
      </Text>
      <ChooseCSV take={take} busy={busy} example={{ name: kind.many, rows: kind.sample }} />
      <Trouble error={error} />
      <Text size="sm" c="dimmed">
        {kind.columns} Up to 20 MB, saved as UTF-8.
      </Text>
    </Stack>
  )
}

function Check({
  kind,
  plan,
  rows,
  name,
  since,
  setSince,
  busy,
  error,
  again,
  go,
}: {
  kind: Kind
  plan: Result
  rows: string[][]
  name: string
  since: Since | null
  setSince: (s: Since) => void
  busy: boolean
  error: unknown
  again: () => void
  go: (skip: boolean) => void
}) {
  const format = useFormat()
  const n = format.number
  const good = plan.creates + plan.updates + plan.unchanged
  const does = [
    plan.creates && `${n(plan.creates)} new`,
    plan.updates && `${n(plan.updates)} changed`,
    plan.unchanged && `${n(plan.unchanged)} unchanged`,
    plan.guardiansNew && `${n(plan.guardiansNew)} new ${plan.guardiansNew === 1 ? 'guardian' : 'guardians'}`,
    plan.enrolments && `${n(plan.enrolments)} added to a division`,
    plan.moves && `${n(plan.moves)} moved to another division`,
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <Stack gap={16}>
      {plan.bad > 0 ? (
        <Alert
          color="red"
          variant="light"
          role="alert"
          title={`Errors in ${n(plan.bad)} of ${n(plan.rowsRead)} rows of ${name}`}
        >
          They come first below, with the reason in the cell. Fix these rows in your spreadsheet and choose the file
          again, or leave them out.
        </Alert>
      ) : (
        <Alert
          variant="light"
          role="status"
          title={`${n(plan.rowsRead)} ${plan.rowsRead === 1 ? 'row' : 'rows'} of ${name} ${plan.rowsRead === 1 ? 'is' : 'are'} ready`}
        >
          Nothing is saved yet.
        </Alert>
      )}
      <Text>
        This would happen: <b>{does || 'nothing'}</b>.
      </Text>
      {since && plan.enrolments > 0 && (
        <Radio.Group
          label="Since when are students without an admission date in their class?"
          description={`${n(plan.fromYearStart)} of ${n(plan.enrolments)} are there since the academic year began.`}
          value={since}
          onChange={(v) => setSince(v as Since)}
        >
          <Group gap={24} mt={8}>
            <Radio value="YEAR_START" label="Since the academic year began" disabled={busy} />
            <Radio value="TODAY" label="From today" disabled={busy} />
          </Group>
        </Radio.Group>
      )}
      <Trouble error={error} />
      {plan.unknownColumns.length > 0 && (
        <Text size="sm" c="dimmed">
          Not read, because no column has such a name: {plan.unknownColumns.join(', ')}.
        </Text>
      )}
      <DryRunTable rows={rows} errors={plan.errors} />
      {plan.errorCount > plan.errors.length && (
        <Text size="sm" c="dimmed">
          The first {n(plan.errors.length)} of {n(plan.errorCount)} mistakes are shown.
        </Text>
      )}
      <Group gap={8}>
        {plan.bad === 0 ? (
          <Button onClick={() => go(false)} disabled={busy}>
            Import {n(good)} {kind.many}
          </Button>
        ) : (
          good > 0 && (
            <Button variant="default" onClick={() => go(true)} disabled={busy}>
              Leave them out and import {n(good)}
            </Button>
          )
        )}
        <Button variant={plan.bad > 0 ? 'filled' : 'default'} onClick={again}>
          Choose the file again
        </Button>
      </Group>
    </Stack>
  )
}

/** The run, by its id: it goes on though the page is closed, and is found again by its address. */
function Watch({ kind, id, error, again }: { kind: Kind; id: string; error: unknown; again: () => void }) {
  const format = useFormat()
  const refused = error && asProblem(error).status !== 0 ? asProblem(error) : null
  const run = useQuery({
    queryKey: [kind.path, id],
    queryFn: () => kind.read(id),
    retry: (count, e) => count < 10 && asProblem(e).status === 404,
    retryDelay: 300,
    refetchInterval: (q) => (q.state.data && q.state.data.state !== 'RUNNING' ? false : 700),
    staleTime: 0,
    enabled: !refused,
  })
  const r = run.data
  if (refused)
    return (
      <Stack gap={16} className="reading">
        <Trouble error={refused} />
        <Text>Nothing was saved.</Text>
        <WizardButtons next={again} label="Choose the file again" />
      </Stack>
    )
  if (!r)
    return run.error ? (
      <Stack gap={16} className="reading">
        <Trouble error={run.error} retry={() => void run.refetch()} />
        <WizardButtons next={again} label="Start again" />
      </Stack>
    ) : (
      <Lines n={3} />
    )
  const n = format.number
  return (
    <Stack gap={16} className="reading">
      <Group justify="space-between">
        <Text fw={500}>
          {r.state === 'DONE' ? 'Done' : r.state === 'RUNNING' ? `Importing ${r.fileName}` : 'Nothing was saved'}
        </Text>
        <Text className="figures" c="dimmed">
          {r.percent} %
        </Text>
      </Group>
      <Progress
        value={r.percent}
        aria-label="Import"
        color={r.state === 'RUNNING' || r.state === 'DONE' ? undefined : 'red.8'}
      />
      {r.state === 'RUNNING' && (
        <Text size="sm" c="dimmed">
          You can leave this page; the import continues. This address shows its progress.
        </Text>
      )}
      {r.state === 'DONE' && (
        <>
          <Facts
            of={[
              ['New', n(r.creates)],
              ['Changed', n(r.updates)],
              ['Unchanged', n(r.unchanged)],
              ...(r.bad ? [['Left out', n(r.bad)] as [string, string]] : []),
              ...(kind === students
                ? [
                    ['Guardians', `${n(r.guardiansNew)} new, ${n(r.guardiansFound)} known`] as [string, string],
                    ['Added to a class', n(r.enrolments + r.moves)] as [string, string],
                  ]
                : []),
            ]}
          />
          <Group gap={8} mt={8}>
            <Button component={Link} to={kind.list}>
              See the {kind.many}
            </Button>
            <Button variant="default" onClick={again}>
              Import another file
            </Button>
          </Group>
        </>
      )}
      {(r.state === 'REFUSED' || r.state === 'FAILED') && (
        <>
          <Alert color="red" variant="light" role="alert">
            {r.message}
          </Alert>
          <WizardButtons next={again} label="Choose the file again" />
        </>
      )}
    </Stack>
  )
}
