import { memo, type ReactNode, useCallback, useEffect, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { joined, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { useFormat } from '../format'
import { problemText } from '../problem'
import { drop, put } from '../queue'
import { useRead } from '../read'
import { drafts } from '../store'
import { Button, Card, Empty, Page, Shown, Skeleton, Status } from '../ui'
import { Unsent } from '../unsent'
import { useHold } from '../update'
import { placeOf } from './lessons'
import { isReplaceable } from './marks'
import {
  isEmpty,
  isSameResult,
  type Result,
  type Results,
  resultsLane,
  type Seats,
  uploadOf,
  useGroups,
  useResults,
  useSchedule,
} from './results'

type Student = Pick<Schemas['RosterStudent'], 'id' | 'firstName' | 'lastName' | 'rollNumber'> & {
  divisionName?: string
}

/** The marks of a paper in a division, by the phone's number keys. */
export function MarkSheet({ exam, paper, division }: { exam: string; paper: string; division: string }) {
  return (
    <PaperPage exam={exam} paper={paper}>
      {(of, isOpen) => <Division paper={of} division={division} isOpen={isOpen} />}
    </PaperPage>
  )
}

/** The same in a group, whose students sit in several divisions. */
export function GroupMarkSheet({ exam, paper, group }: { exam: string; paper: string; group: string }) {
  const groups = useGroups(exam)
  return (
    <PaperPage exam={exam} paper={paper}>
      {(of, isOpen) => (
        <Shown of={groups} lines={8}>
          {({ sheets }) => {
            const sheet = sheets.find((s) => s.paperId === paper && s.groupId === group)
            if (!sheet) return <Empty text={t('problem.notFound')} />
            const seats: Seats = { kind: 'group', id: group }
            return <Read paper={of} seats={seats} place={sheet.groupName} students={sheet.students} isOpen={isOpen} />
          }}
        </Shown>
      )}
    </PaperPage>
  )
}

interface PageProps {
  exam: string
  paper: string
  children: (paper: Schemas['Paper'], isOpen: boolean) => ReactNode
}

function PaperPage({ exam, paper: id, children }: PageProps) {
  const schedule = useSchedule(exam)
  const paper = schedule.data?.papers.find((p) => p.id === id)
  return (
    <Page title={paper?.subjectName ?? t('nav.marks')} back="/marks">
      <Shown of={schedule} lines={8}>
        {(data) => paper && children(paper, data.exam.status !== 'PUBLISHED')}
      </Shown>
    </Page>
  )
}

function Division({ paper, division, isOpen }: { paper: Schemas['Paper']; division: string; isOpen: boolean }) {
  const date = paper.examDate
  const students = useRead(['/teacher/class/students', division, date], () =>
    call(
      api.GET('/teacher/class/{divisionId}/students', {
        params: { path: { divisionId: division }, query: { date } },
      }),
    ),
  )
  const seats: Seats = { kind: 'division', id: division }
  return (
    <Shown of={students} lines={8} isEmpty={(d) => d.students.length === 0} empty="register.nobody">
      {(data) => <Read paper={paper} seats={seats} place={placeOf(data)} students={data.students} isOpen={isOpen} />}
    </Shown>
  )
}

interface SheetProps {
  paper: Schemas['Paper']
  seats: Seats
  /** The division's or the group's name. */
  place: string
  students: Student[]
  isOpen: boolean
}

function Read(props: SheetProps) {
  const format = useFormat()
  const { paper, seats, place } = props
  const { read, unsent } = useResults(paper.id, seats)
  return (
    <>
      <p className="note">
        {joined([paper.examName, place, format.day(paper.examDate), t('marks.outOf', { count: paper.maxMarks })])}
      </p>
      <Shown of={read} lines={8} dated>
        {() => (unsent ? <Sheet {...props} /> : <Skeleton lines={8} />)}
      </Shown>
    </>
  )
}

function Sheet({ paper, seats, place, students, isOpen }: SheetProps) {
  const format = useFormat()
  const name = resultsLane(paper.id, seats)
  const { read, unsent = [], known, waiting, isFresh } = useResults(paper.id, seats)
  const [typed, setTyped] = useState<Results>(() => drafts.recall<Results>(name) ?? {})
  const [error, setError] = useState('')
  const isTyped = Object.keys(typed).length > 0
  useHold(isTyped)
  useEffect(() => {
    if (isTyped) drafts.keep(name, typed)
    else drafts.drop(name)
  }, [name, typed, isTyped])
  const set = useCallback((id: string, result: Result) => setTyped((was) => ({ ...was, [id]: result })), [])

  const paste = useCallback(
    (from: string, lines: string[]) => {
      const first = students.findIndex((s) => s.id === from)
      const filled = students.slice(first, first + lines.length).map((s, i) => [s.id, pasted(lines[i]!)] as const)
      setTyped((was) => ({ ...was, ...Object.fromEntries(filled.filter(([, r]) => !isEmpty(r))) }))
    },
    [students],
  )

  const results: Results = { ...known, ...waiting, ...typed }
  const missing = students.filter((s) => isEmpty(results[s.id]))
  const wrong = students.filter((s) => !isPossible(results[s.id], paper.maxMarks))
  const isChanged = Object.entries(typed).some(([id, r]) => !isEmpty(r) && !isSameResult(r, waiting[id] ?? known[id]))
  const refused = unsent.filter((i) => i.refused !== undefined)

  const save = async () => {
    const isSeen = isFresh && unsent.every(isReplaceable)
    const versions = isSeen ? new Map((read.data ?? []).map((r) => [r.studentId, r.version])) : undefined
    const data = uploadOf(paper, results, isSeen ? known : { ...known, ...waiting }, versions)
    const instead = isSeen ? unsent.map((i) => i.id) : []
    setError('')
    try {
      for (const id of instead.slice(0, -1)) await drop(id)
      if (data.results.length > 0)
        await put({
          lane: name,
          path: '/teacher/result/upload',
          data,
          name: 'nav.marks',
          about: joined([paper.examName, paper.subjectName, place]),
          changes: ['/teacher/result/'],
          insteadOf: instead.at(-1),
        })
      else if (instead.length > 0) await drop(instead.at(-1)!)
      setTyped({})
    } catch (e) {
      setError(problemText(e))
    }
  }

  return (
    <>
      <p className="note">{t(isOpen ? 'marks.pasteHint' : 'marks.closed')}</p>
      {refused.map((item) => (
        <Card key={item.id} label={t('queue.refused')}>
          <Unsent item={item} />
        </Card>
      ))}
      <ul className="card marks">
        {students.map((s) => (
          <MarkRow
            key={s.id}
            of={s}
            result={results[s.id]}
            most={paper.maxMarks}
            isOpen={isOpen}
            set={set}
            paste={paste}
          />
        ))}
      </ul>
      {isOpen && (
        <div className="act-bar">
          {unsent.length > 0 && refused.length === 0 && <Status tone="warn">{t('queue.waiting')}</Status>}
          {missing.length > 0 && (
            <p className="note two-lines">
              {t('marks.missing', { count: missing.length, names: joined(missing.map(nameOf), ', ') })}
            </p>
          )}
          {wrong.length > 0 && (
            <p className="error" role="alert">
              {t('marks.wrong', { names: joined(wrong.map(nameOf), ', '), most: format.number(paper.maxMarks) })}
            </p>
          )}
          {error && (
            <p className="error" role="alert">
              {error}
            </p>
          )}
          <div className="buttons">
            <Button
              look="main"
              onClick={() => void save()}
              disabled={(!isChanged && refused.length === 0) || wrong.length > 0}
            >
              {t('marks.save')}
            </Button>
          </div>
        </div>
      )}
    </>
  )
}

/** Commas are what some phones offer for a point, and other scripts have digits of their own. */
const marksIn = (text: string) =>
  text
    .replace(/[٠-٩]/g, (d) => String(d.charCodeAt(0) - 0x660))
    .replace(/[०-९]/g, (d) => String(d.charCodeAt(0) - 0x966))
    .replace(/[,٫]/g, '.')
    .replace(/[^\d.]/g, '')
    .slice(0, 7)

/** A line of a copied column, or of several, of which the last one counts. AB and EX are as in the office's sheet. */
function pasted(line: string): Result {
  const cell = line.split('\t').at(-1)!.trim().toUpperCase()
  if (cell === 'AB') return { text: '', away: 'ABSENT' }
  if (cell === 'EX') return { text: '', away: 'EXEMPT' }
  return { text: marksIn(cell) }
}

function isPossible(r: Result | undefined, most: number): boolean {
  if (isEmpty(r) || r?.away) return true
  const n = Number(r!.text)
  return r!.text.trim() !== '' && n >= 0 && n <= most
}

/** Only what is typed in is drawn anew. */
const MarkRow = memo(function MarkRow(props: {
  of: Student
  result: Result | undefined
  most: number
  isOpen: boolean
  set: (id: string, result: Result) => void
  paste: (from: string, lines: string[]) => void
}) {
  const { of, result, set } = props
  const away = (which: 'ABSENT' | 'EXEMPT') =>
    set(of.id, result?.away === which ? { text: '' } : { text: '', away: which })
  const next = (from: HTMLInputElement) => {
    const all = [...(from.closest('ul')?.querySelectorAll<HTMLInputElement>('input[inputmode=decimal]') ?? [])]
    all[all.indexOf(from) + 1]?.focus()
  }
  return (
    <li className="mark-row">
      <fieldset disabled={!props.isOpen}>
        <legend className="hidden">{nameOf(of)}</legend>
        <span className="mark-name">
          <span className="note">{of.rollNumber ?? ''}</span>
          <span className="grow">
            {nameOf(of)}
            {of.divisionName && <span className="note">{of.divisionName}</span>}
          </span>
        </span>
        <span className="mark-choices">
          {(['ABSENT', 'EXEMPT'] as const).map((which) => (
            <button
              key={which}
              type="button"
              className="chip"
              aria-pressed={result?.away === which}
              onClick={() => away(which)}
            >
              <span aria-hidden>{t(which === 'ABSENT' ? 'mark.absentShort' : 'marks.exemptShort')}</span>
              <span className="hidden">{t(which === 'ABSENT' ? 'mark.absent' : 'marks.exempt')}</span>
            </button>
          ))}
          <input
            className="input mark-input"
            inputMode="decimal"
            enterKeyHint="next"
            dir="ltr"
            aria-label={t('marks.of', { name: nameOf(of) })}
            aria-invalid={!isPossible(result, props.most)}
            value={result?.text ?? ''}
            onChange={(e) => set(of.id, { text: marksIn(e.target.value) })}
            onPaste={(e) => {
              const lines = e.clipboardData.getData('text').trimEnd().split(/\r?\n/)
              if (lines.length < 2) return
              e.preventDefault()
              props.paste(of.id, lines)
            }}
            onKeyDown={(e) => {
              if (e.key === 'Enter') next(e.currentTarget)
            }}
          />
        </span>
      </fieldset>
    </li>
  )
})
