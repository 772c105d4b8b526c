import { Alert, Button, Checkbox, Group, NativeSelect, Progress, Radio, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, asProblem, call, type Schemas, save, upload } from '../../api/client'
import { changed, useClasses, useDivisions } from '../../api/queries'
import { useAddress } from '../../patterns/address'
import { ChooseCSV, DryRunTable } from '../../patterns/csv-file'
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
    'Your own spreadsheet will do. A name is needed; admission number, class, division, roll number, gender, date of birth, father, mother or guardian with their phones, and groups (several with ; between them) are found by the names of your columns, and you can correct them.',
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

/** What the office says of a file, beside the file itself. */
interface Choices {
  since: Since
  dateOrder: string
  createClasses: boolean
  leaveOut: boolean
  mapping: Record<string, string>
}

const noChoices: Choices = { since: 'YEAR_START', dateOrder: '', createClasses: false, leaveOut: false, mapping: {} }

const sent = (kind: Kind, c: Choices): Record<string, string> => ({
  ...(kind === students && { since: c.since }),
  ...(kind === students && c.createClasses && { createClasses: 'true' }),
  ...(c.dateOrder && { dateOrder: c.dateOrder }),
  ...(c.leaveOut && { leaveOut: 'true' }),
  ...(Object.keys(c.mapping).length > 0 && { mapping: JSON.stringify(c.mapping) }),
})

function Import({ kind }: { kind: Kind }) {
  const [address, setAddress] = useAddress()
  const [file, setFile] = useState<File | null>(null)
  const [plan, setPlan] = useState<Result | null>(null)
  const [choices, setChoices] = useState(noChoices)
  const check = useMutation({
    mutationFn: ({ f, c }: { f: File; c: Choices }) =>
      upload<Result>(kind.path, { dryRun: 'true', ...sent(kind, c) }, f, f.name),
    onSuccess: (result, { f, c }) => {
      setFile(f)
      setChoices(c)
      setPlan(result)
    },
  })
  const commit = useMutation({
    mutationFn: async (skip: boolean) => {
      const id = crypto.randomUUID()
      setAddress({ run: id })
      return upload<Result>(
        kind.path,
        { planHash: plan!.planHash, mode: skip ? 'SKIP_BAD_ROWS' : 'ALL_OR_NOTHING', id, ...sent(kind, choices) },
        file!,
        file!.name,
      )
    },
    onSettled: () => changed('/school-admin/'),
  })
  const again = () => {
    setPlan(null)
    setFile(null)
    setChoices(noChoices)
    check.reset()
    commit.reset()
    setAddress({ run: undefined })
  }
  const step = address.run ? 'run' : plan ? 'check' : 'file'
  return (
    <Wizard title={kind.title} steps={steps} current={step}>
      {step === 'file' && (
        <Choose
          kind={kind}
          busy={check.isPending}
          error={check.error}
          take={(f) => check.mutate({ f, c: noChoices })}
        />
      )}
      {step === 'check' && (
        <Check
          kind={kind}
          plan={plan!}
          name={file!.name}
          choices={choices}
          // A yes to what is left out changes nothing of the plan; everything else is checked again.
          choose={(more) =>
            Object.keys(more).every((k) => k === 'leaveOut')
              ? setChoices({ ...choices, ...more })
              : check.mutate({ f: file!, c: { ...choices, ...more } })
          }
          busy={check.isPending}
          error={check.error}
          again={again}
          go={(skip) => commit.mutate(skip)}
        />
      )}
      {step === 'run' && <Watch kind={kind} id={address.run!} error={commit.error} again={again} />}
    </Wizard>
  )
}

/** An example of a file; of students it has the school's own classes and divisions. */
function useSample(kind: Kind): string[][] {
  const classes = useClasses()
  const divisions = useDivisions()
  const [head, first] = kind.sample as [string[], string[]]
  const own = (classes.data ?? []).flatMap((c) =>
    (divisions.data ?? []).filter((d) => d.classId === c.id).map((d) => ({ class: c.name, division: d.name })),
  )
  if (kind !== students || own.length === 0) return kind.sample
  const row = (place: Record<string, string>, i: number) =>
    first.map((cell, at) => place[head[at]!] ?? (i > 0 && head[at]!.startsWith('guardian') ? '' : cell))
  return [head, ...own.slice(0, 200).map(row)]
}

function Choose({ kind, busy, error, take }: { kind: Kind; busy: boolean; error: unknown; take: (f: File) => void }) {
  const sample = useSample(kind)
  return (
    <Stack gap={16} className="reading">
      <Text>
        An Excel workbook (.xlsx) or CSV file is read and checked first. You see what it would do, row by row; nothing
        is saved until you confirm.
      </Text>
      <ChooseCSV take={take} busy={busy} workbooks example={{ name: kind.many, rows: sample }} />
      <Trouble error={error} />
      <Text size="sm" c="dimmed">
        {kind.columns} Up to 20 MB.
      </Text>
    </Stack>
  )
}

function Check({
  kind,
  plan,
  name,
  choices,
  choose,
  busy,
  error,
  again,
  go,
}: {
  kind: Kind
  plan: Result
  name: string
  choices: Choices
  choose: (more: Partial<Choices>) => void
  busy: boolean
  error: unknown
  again: () => void
  go: (skip: boolean) => void
}) {
  const format = useFormat()
  const n = format.number
  const unsaid = plan.unknownColumns.length > 0 && !choices.leaveOut
  const shown = useMemo(() => byNumber(plan), [plan])
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
          again, or leave them out and get them as a file to fix and import later.
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
      {plan.guardiansLeftOut > 0 && (
        <Text>
          {n(plan.guardiansLeftOut)} parents without a phone of their own are left out: their child has another
          guardian.
        </Text>
      )}
      {kind === students && plan.enrolments > 0 && (
        <Radio.Group
          label="Since when are students in their class who have neither that day nor an admission date?"
          description={`${n(plan.fromYearStart)} of ${n(plan.enrolments)} are there since the academic year began.`}
          value={choices.since}
          onChange={(v) => choose({ since: v as Since })}
        >
          <Group gap={24} mt={8}>
            <Radio value="YEAR_START" label="Since the academic year began" disabled={busy} />
            <Radio value="TODAY" label="From today" disabled={busy} />
          </Group>
        </Radio.Group>
      )}
      {plan.understood.ambiguousDates > 0 && (
        <Radio.Group
          label="How does the file write dates?"
          description={
            plan.understood.dateOrder
              ? `${n(plan.understood.ambiguousDates)} dates can be read both ways.`
              : 'It has dates of both kinds. Choose one for those that can be read both ways.'
          }
          value={plan.understood.dateOrder}
          onChange={(v) => choose({ dateOrder: v })}
        >
          <Group gap={24} mt={8}>
            <Radio value="DMY" label="Day first: 25/04/2016" disabled={busy} />
            <Radio value="MDY" label="Month first: 04/25/2016" disabled={busy} />
          </Group>
        </Radio.Group>
      )}
      {plan.newClasses.length > 0 && (
        <Checkbox
          checked={choices.createClasses}
          disabled={busy}
          onChange={(e) => choose({ createClasses: e.currentTarget.checked })}
          label="Create the classes and divisions that do not exist yet"
          description={plan.newClasses.slice(0, 20).join(', ')}
        />
      )}
      <Trouble error={error} />
      <Columns
        plan={plan}
        busy={busy}
        set={(header, column) => choose({ mapping: { ...choices.mapping, [header]: column } })}
      />
      {plan.unknownColumns.length > 0 && (
        <Checkbox
          checked={choices.leaveOut}
          disabled={busy}
          onChange={(e) => choose({ leaveOut: e.currentTarget.checked })}
          label={`Leave out ${plan.unknownColumns.join(', ')}`}
          description="Nothing is imported from these columns. Choose above what they are, or leave them out."
        />
      )}
      <DryRunTable rows={shown} errors={plan.errors} />
      {plan.errorCount > plan.errors.length && (
        <Text size="sm" c="dimmed">
          The first {n(plan.errors.length)} of {n(plan.errorCount)} mistakes are shown.
        </Text>
      )}
      <Group gap={8}>
        {plan.bad === 0 ? (
          <Button onClick={() => go(false)} disabled={busy || unsaid}>
            Import {n(good)} {kind.many}
          </Button>
        ) : (
          good > 0 && (
            <Button variant="default" onClick={() => go(true)} disabled={busy || unsaid}>
              Leave them out and import {n(good)}
            </Button>
          )
        )}
        {plan.bad > 0 && (
          <Button variant="default" onClick={() => saveBadRows(plan, name)}>
            Download the rows with errors
          </Button>
        )}
        <Button variant={plan.bad > 0 ? 'filled' : 'default'} onClick={again}>
          Choose the file again
        </Button>
      </Group>
    </Stack>
  )
}

/** The rows an answer has, each at its number in the file, header first. */
function byNumber(plan: Result): string[][] {
  const rows: string[][] = [plan.columns.map((c) => c.header)]
  for (const r of plan.rows) rows[r.row - 1] = r.cells
  return rows
}

/** A file of the bad rows with a column that says what to change. It can be fixed and chosen again. */
function saveBadRows(plan: Result, name: string) {
  // What a spreadsheet would run as a formula gets an apostrophe, which an import takes off again.
  const cell = (text: string) => `"${(/^[=@+\-\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
  const rows = [
    [...plan.columns.map((c) => c.header), 'What to change'],
    ...plan.rows
      .filter((r) => r.whatToChange)
      .map((r) => [...plan.columns.map((_, i) => r.cells[i] ?? ''), r.whatToChange]),
  ]
  save(
    new Blob([`\ufeff${rows.map((r) => r.map(cell).join(',')).join('\r\n')}`], { type: 'text/csv' }),
    `${name.replace(/\.[^.]*$/, '')}-to-fix.csv`,
  )
}

/** The file's columns, what each is read as, and a few of its values. */
function Columns({ plan, busy, set }: { plan: Result; busy: boolean; set: (header: string, column: string) => void }) {
  return (
    <div className="panel">
      <div
        className="list-scroll"
        tabIndex={0}
        role="region"
        aria-label="Columns of the file"
        style={{ maxHeight: 320 }}
      >
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Read as</th>
              <th scope="col">Values</th>
            </tr>
          </thead>
          <tbody>
            {plan.columns
              .filter((c) => c.filled > 0)
              .map((c) => (
                <tr key={c.header} data-bad={plan.unknownColumns.includes(c.header) || undefined}>
                  <td>{c.header}</td>
                  <td>
                    <NativeSelect
                      size="xs"
                      aria-label={`${c.header} is read as`}
                      disabled={busy}
                      value={c.column}
                      onChange={(e) => set(c.header, e.currentTarget.value)}
                      data={[
                        { value: '', label: 'Left out' },
                        ...plan.knownColumns.map((k) => ({ value: k, label: words(k) })),
                      ]}
                    />
                  </td>
                  <td>{c.samples.join(', ')}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** fatherPhone as people say it: Father phone. */
const words = (column: string) => {
  const text = column.replace(/([A-Z0-9]+)/g, ' $1').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
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
