// Marks as a sheet: students by papers, one division or group at a time. What is wrong is said in its cell.
import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { IconPencil, IconUpload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ClipboardEvent, type KeyboardEvent, memo, useCallback, useRef, useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed, useGroups } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { useDivisionChoices } from '../../patterns/choices'
import { saveCSV } from '../../patterns/csv'
import { Empty, Lines, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { offerUndo } from '../../patterns/undo'
import type { Exam } from './exam-form'
import { MarksFile } from './marks-file'

type Paper = Schemas['Paper']
type Result = Schemas['PaperResult']
interface Student {
  id: string
  rollNumber: number | null
  admissionNumber: string
  firstName: string
  lastName: string
  place?: string // in a group, whose students are of several divisions
}
interface Sheet {
  students: Student[]
  results: Map<string, Result> // by "student paper"
  notTaken: Set<string> // electives of others, by the same
}

const cellOf = (r: Result | undefined) =>
  !r ? '' : r.isAbsent ? 'AB' : r.isExempt ? 'EX' : r.marksObtained === null ? '' : String(r.marksObtained)

/** What is wrong with what was typed; the server looks again. */
function wrong(text: string, max: number, saved: boolean): string | undefined {
  const it = text.trim().toUpperCase()
  if (it === '') return saved ? t('A result can be changed, not removed. AB is absent, EX exempt.') : undefined
  if (it === 'AB' || it === 'EX') return undefined
  if (!/^\d{1,5}(\.\d{1,2})?$/.test(it)) return t('A number, AB or EX')
  return Number(it) > max ? t('At most {max}', { max }) : undefined
}

export function Marks({ exam, papers }: { exam: Exam; papers: Paper[] }) {
  const [address, setAddress] = useAddress()
  const { choices, ready } = useDivisionChoices()
  const may = useMay()
  const groups = useGroups()
  const mine = choices
    .filter((c) => papers.some((p) => p.classId === c.classId))
    .map((c) => ({ ...c, papers: papers.filter((p) => p.classId === c.classId), ofGroup: false }))
  const classOf = new Map(choices.map((c) => [c.value, c.classId]))
  const shared = (groups.data ?? [])
    .map((g) => ({
      value: g.id,
      label: `${g.name} (${g.divisions})`,
      papers: papers.filter(
        (p) => p.subjectId === g.subjectId && g.divisionIds.some((d) => classOf.get(d) === p.classId),
      ),
      ofGroup: true, // Mantine takes what has a `group` for a heading
    }))
    .filter((g) => g.papers.length > 0)
  const division = [...mine, ...shared].find((c) => c.value === address.division) ?? mine[0]
  if (!ready) return <Lines n={10} />
  if (papers.length === 0 || !division) {
    return (
      <div className="panel">
        <Empty
          icon={<IconPencil size={32} stroke={1.2} />}
          title={papers.length === 0 ? t('No papers yet') : t('The classes have no divisions yet')}
          text={t('Marks are entered per paper. Add the papers first; the students of the class then appear here.')}
          action={
            papers.length === 0 && <Button onClick={() => setAddress({ tab: undefined })}>{t('To the papers')}</Button>
          }
        />
      </div>
    )
  }
  const open = exam.status === 'SCHEDULED' && may('result', 'write')
  return (
    <>
      <Group justify="space-between" mb={12} gap={8}>
        <Group gap={8}>
          <NativeSelect
            aria-label={t('Division or group')}
            data={shared.length === 0 ? mine : [...mine, { group: t('Groups'), items: shared }]}
            value={division.value}
            onChange={(e) => setAddress({ division: e.currentTarget.value })}
          />
          {!open && (
            <Text size="sm" c="dimmed">
              {exam.status === 'PUBLISHED' ? t('Published: unpublish the results to change marks.') : ''}
            </Text>
          )}
        </Group>
        {open && (
          <Button
            variant="default"
            leftSection={<IconUpload size={16} stroke={1.6} />}
            onClick={() => setAddress({ file: 'marks' })}
          >
            {t('From a file')}
          </Button>
        )}
      </Group>
      <Division
        key={division.value}
        exam={exam}
        papers={division.papers}
        division={division.value}
        group={division.ofGroup}
        name={division.label}
        open={open}
      />
      {address.file === 'marks' && (
        <MarksFile exam={exam} papers={papers} close={() => setAddress({ file: undefined })} />
      )}
    </>
  )
}

const readResults = (exam: string, whose: { divisionId: string } | { groupId: string }) =>
  call(api.GET('/school-admin/exam/{id}/results', { params: { path: { id: exam }, query: { ...whose, limit: 500 } } }))

async function readGroup(exam: string, groupId: string): Promise<Sheet> {
  const { students, papers } = await readResults(exam, { groupId })
  return {
    students: students.map((s) => ({ ...s, id: s.studentId, place: `${s.className} ${s.divisionName}` })),
    notTaken: new Set(
      students.flatMap((s) =>
        papers.filter((p) => p.classId !== s.classId || s.notTaken.includes(p.id)).map((p) => `${s.studentId} ${p.id}`),
      ),
    ),
    results: new Map(students.flatMap((s) => s.results.map((r) => [`${s.studentId} ${r.paperId}`, r] as const))),
  }
}

async function readSheet(exam: string, division: string, day: string): Promise<Sheet> {
  const [roster, results] = await Promise.all([
    call(api.GET('/school-admin/division/{id}/students', { params: { path: { id: division }, query: { date: day } } })),
    readResults(exam, { divisionId: division }),
  ])
  const students: Student[] = [...roster.students]
  // Who sat it and has left since keeps their line.
  for (const s of results.students)
    if (!students.some((x) => x.id === s.studentId)) students.push({ ...s, id: s.studentId })
  return {
    students,
    notTaken: new Set(results.students.flatMap((s) => s.notTaken.map((p) => `${s.studentId} ${p}`))),
    results: new Map(
      results.students.flatMap((s) => s.results.map((r) => [`${s.studentId} ${r.paperId}`, r] as const)),
    ),
  }
}

function Division({
  exam,
  papers,
  division,
  group,
  name,
  open,
}: {
  exam: Exam
  papers: Paper[]
  division: string
  group: boolean
  name: string
  open: boolean
}) {
  const format = useFormat()
  const day = papers[0]!.examDate
  const q = useQuery({
    queryKey: ['/school-admin/exam/marks', exam.id, division, day, exam.version],
    queryFn: () => (group ? readGroup(exam.id, division) : readSheet(exam.id, division, day)),
    structuralSharing: false,
  })
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [bad, setBad] = useState<Record<string, string>>({})
  const table = useRef<HTMLTableElement>(null)
  const sheet = q.data
  const results = sheet?.results
  const put = useCallback(
    (cells: [key: string, text: string][]) => {
      setTyped((old) => {
        const next = { ...old }
        for (const [k, text] of cells) {
          if (text.trim().toUpperCase() === cellOf(results?.get(k))) delete next[k]
          else next[k] = text
        }
        return next
      })
      setBad((b) =>
        cells.some(([k]) => b[k])
          ? Object.fromEntries(Object.entries(b).filter(([k]) => !cells.some(([c]) => c === k)))
          : b,
      )
    },
    [results],
  )

  const dirty = Object.keys(typed).sort()
  const kept = useKept(`marks.${exam.id}.${division}`, dirty.length > 0 ? typed : undefined, null, (what) =>
    put(Object.entries(what)),
  )
  const max = new Map(papers.map((p) => [p.id, p.maxMarks]))
  const faults = dirty.filter((k) => wrong(typed[k]!, max.get(k.split(' ')[1]!) ?? 0, !!results?.has(k)))
  const upload = (cells: Record<string, string>, over: Sheet['results'] | undefined) =>
    call(
      api.POST('/school-admin/exam/result/upload', {
        body: {
          data: {
            examId: exam.id,
            results: Object.keys(cells)
              .sort()
              .map((k) => {
                const [studentId, paperId] = k.split(' ') as [string, string]
                const t = cells[k]!.trim().toUpperCase()
                const was = over?.get(k)
                return {
                  studentId,
                  paperId,
                  marksObtained: t === 'AB' || t === 'EX' ? null : Number(t),
                  isAbsent: t === 'AB',
                  isExempt: t === 'EX',
                  remark: was?.remark ?? '',
                  version: was?.version ?? 0,
                }
              }),
          },
        },
      }),
    )
  const save = useMutation({
    mutationFn: () => upload(typed, results),
    onSuccess: async () => {
      const was = Object.fromEntries(dirty.map((k) => [k, cellOf(results?.get(k))]))
      const now = (await q.refetch()).data
      // A correction is taken back by another; a result is never taken away.
      if (Object.values(was).every(Boolean))
        offerUndo(
          t(
            { one: 'One mark of {whose} changed', other: '{n} marks of {whose} changed' },
            { count: dirty.length, n: format.number(dirty.length), whose: name },
          ),
          () => upload(was, now?.results),
        )
      setTyped({})
      setBad({})
      changed('/school-admin/exam/')
    },
    onError: async (e) => {
      const p = asProblem(e)
      if (p.status === 409) await q.refetch()
      const marks: Record<string, string> = {}
      for (const [field, message] of Object.entries(p.fields)) {
        const at = /^results\[(\d+)\]/.exec(field)
        if (at)
          marks[dirty[Number(at[1])]!] =
            p.status === 409
              ? t('{message}{message2}. Save again to keep yours.', {
                  message: message[0]!.toUpperCase(),
                  message2: message.slice(1),
                })
              : message
      }
      setBad(marks)
    },
  })

  function key(e: KeyboardEvent<HTMLTableElement>) {
    const input = e.target as HTMLInputElement
    const at = input.dataset.at?.split(':').map(Number)
    if (!at) return
    const [row, column] = at as [number, number]
    const edge = input.selectionStart === input.selectionEnd
    const moves: Record<string, [number, number] | false> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      Enter: [1, 0],
      ArrowLeft: (edge && input.selectionStart === 0) || !edge ? [0, -1] : false,
      ArrowRight: (edge && input.selectionStart === input.value.length) || !edge ? [0, 1] : false,
    }
    const move = moves[e.key]
    if (!move) return
    e.preventDefault()
    const next = table.current?.querySelector<HTMLInputElement>(`[data-at="${row + move[0]}:${column + move[1]}"]`)
    next?.focus()
    next?.select()
  }
  /** Cells copied from a spreadsheet land where they are pasted, down and to the right. */
  function paste(e: ClipboardEvent<HTMLTableElement>) {
    const at = (e.target as HTMLElement).dataset.at?.split(':').map(Number)
    const text = e.clipboardData.getData('text')
    if (!at || !/[\t\n]/.test(text.trim())) return
    e.preventDefault()
    put(
      text
        .trimEnd()
        .split(/\r?\n/)
        .flatMap((line, i) =>
          line.split('\t').flatMap((v, j) => {
            const s = sheet?.students[at[0]! + i]
            const p = papers[at[1]! + j]
            return s && p && !sheet?.notTaken.has(`${s.id} ${p.id}`)
              ? [[`${s.id} ${p.id}`, v.trim()] as [string, string]]
              : []
          }),
        ),
    )
  }

  if (!sheet) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={10} />
  if (sheet.students.length === 0)
    return (
      <div className="panel">
        <Empty
          title={t('No students in {name} on {day}', { name, day: format.date(day) })}
          text={
            group
              ? t('Shows the students who are in the group on the day of the first paper.')
              : t('Shows the students who are in the division on the day of the first paper.')
          }
        />
      </div>
    )
  const entered = papers.reduce(
    (n, p) => n + sheet.students.filter((s) => sheet.results.has(`${s.id} ${p.id}`)).length,
    0,
  )
  const expected = sheet.students.reduce(
    (n, s) => n + papers.filter((p) => !sheet.notTaken.has(`${s.id} ${p.id}`)).length,
    0,
  )
  const problem = save.error ? asProblem(save.error) : null
  return (
    <>
      <KeptOffer kept={open ? kept : undefined} what={t('Marks of this sheet were')} />
      <div className="panel sheet-panel">
        <div className="list-scroll sheet-scroll">
          <table
            className="list sheet marks-sheet"
            ref={table}
            onKeyDown={key}
            onPaste={paste}
            aria-label={t('Marks of {name}', { name })}
          >
            <thead>
              <tr>
                <th scope="col" className="end roll">
                  {t('Roll')}
                </th>
                <th scope="col" className="who">
                  {t('Student')}
                </th>
                {papers.map((p) => (
                  <th
                    key={p.id}
                    scope="col"
                    className="end"
                    title={t('{examDate}, {passMarks} to pass', {
                      examDate: format.date(p.examDate),
                      passMarks: p.passMarks,
                    })}
                  >
                    {p.subjectName}
                    <small>{t('of {maxMarks}', { maxMarks: format.number(p.maxMarks) })}</small>
                  </th>
                ))}
                <td className="filler" />
              </tr>
            </thead>
            <tbody>
              {sheet.students.map((s, i) => (
                <Line
                  key={s.id}
                  row={i}
                  student={s}
                  papers={papers}
                  results={sheet.results}
                  notTaken={sheet.notTaken}
                  typed={of(typed, s.id)}
                  bad={of(bad, s.id)}
                  open={open}
                  put={put}
                />
              ))}
            </tbody>
          </table>
        </div>
        <div className="savebar sheet-bar">
          <div className="says" aria-live="polite">
            {problem && (Object.keys(bad).length > 0 || faults.length === 0) ? (
              <Text size="sm" c="red.8" role="alert">
                {Object.keys(bad).length ? t('Nothing was saved: the marked cells say why.') : problem.message}
              </Text>
            ) : faults.length > 0 ? (
              <Text size="sm" c="red.8">
                {t(
                  { one: 'One cell cannot be saved like this', other: '{faults} cells cannot be saved like this' },
                  { count: faults.length, faults: format.number(faults.length) },
                )}
              </Text>
            ) : (
              <Text size="sm" c="dimmed">
                {dirty.length > 0
                  ? save.isSuccess && dirty.length === 0
                    ? t('{dirty} not saved. Saved', { dirty: format.number(dirty.length) })
                    : t('{dirty} not saved', { dirty: format.number(dirty.length) })
                  : save.isSuccess && dirty.length === 0
                    ? t('{entered} of {expected} entered. Saved', {
                        entered: format.number(entered),
                        expected: format.number(expected),
                      })
                    : t('{entered} of {expected} entered', {
                        entered: format.number(entered),
                        expected: format.number(expected),
                      })}
                {open && dirty.length === 0 && (
                  <span className="only-wide-inline">
                    {t('. Enter and arrows move; AB is absent, EX exempt; cells can be pasted.')}
                  </span>
                )}
              </Text>
            )}
          </div>
          <Button
            variant="subtle"
            color="gray"
            className="only-wide"
            onClick={() =>
              saveCSV(`${exam.name}-${name}.csv`, [
                ['admissionNumber', 'name', ...papers.map((p) => p.subjectName)],
                ...sheet.students.map((s) => [
                  s.admissionNumber,
                  nameOf(s),
                  ...papers.map((p) => cellOf(sheet.results.get(`${s.id} ${p.id}`))),
                ]),
              ])
            }
          >
            {t('CSV')}
          </Button>
          {dirty.length > 0 && (
            <Button
              variant="default"
              onClick={() => {
                setTyped({})
                setBad({})
                save.reset()
              }}
            >
              {t('Discard')}
            </Button>
          )}
          {open && (
            <Button
              disabled={dirty.length === 0 || faults.length > 0}
              loading={save.isPending}
              onClick={() => save.mutate()}
            >
              {t('Save the marks')}
            </Button>
          )}
        </div>
      </div>
      <UnsavedGuard when={dirty.length > 0 && !save.isPending} free={['file']} />
    </>
  )
}

/** A student's part, as text: a line whose part is the same is not drawn again. */
function of(all: Record<string, string>, student: string): string {
  const mine = Object.entries(all).filter(([k]) => k.startsWith(student))
  return mine.length ? JSON.stringify(Object.fromEntries(mine)) : ''
}

const Line = memo(function Line({
  row,
  student,
  papers,
  results,
  notTaken,
  typed,
  bad,
  open,
  put,
}: {
  row: number
  student: Student
  papers: Paper[]
  results: Map<string, Result>
  notTaken: Set<string>
  typed: string
  bad: string
  open: boolean
  put: (cells: [string, string][]) => void
}) {
  const name = nameOf(student)
  const texts = (typed ? JSON.parse(typed) : {}) as Record<string, string>
  const faults = (bad ? JSON.parse(bad) : {}) as Record<string, string>
  return (
    <tr>
      <td className="end figures roll">{student.rollNumber ?? ''}</td>
      <th scope="row" className="who">
        {name}
        {student.place && <small> {student.place}</small>}
      </th>
      {papers.map((p, j) => {
        const k = `${student.id} ${p.id}`
        const was = results.get(k)
        const text = texts[k] ?? cellOf(was)
        const why = k in texts ? (wrong(text, p.maxMarks, !!was) ?? faults[k]) : faults[k]
        return (
          <td key={p.id} className="end" data-dirty={k in texts || undefined}>
            <input
              className="cell-input figures end"
              data-at={`${row}:${j}`}
              aria-label={t('{subjectName} of {name}', { subjectName: p.subjectName, name })}
              aria-invalid={!!why || undefined}
              aria-describedby={why ? `why-${row}-${j}` : undefined}
              disabled={!open || (notTaken.has(k) && !was)}
              placeholder={notTaken.has(k) ? '–' : undefined}
              title={
                notTaken.has(k)
                  ? t('{name} does not take {subjectName}', { name, subjectName: p.subjectName })
                  : undefined
              }
              value={text}
              maxLength={8}
              autoComplete="off"
              onFocus={(e) => e.currentTarget.select()}
              onChange={(e) => put([[k, e.currentTarget.value]])}
            />
            {why && (
              <div className="why" id={`why-${row}-${j}`}>
                {why}
              </div>
            )}
          </td>
        )
      })}
      <td className="filler" />
    </tr>
  )
})
