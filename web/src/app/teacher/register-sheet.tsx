import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useCallback, useEffect, useState } from 'react'
import { joined, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { useFormat } from '../format'
import { marks as looks } from '../parent/marks'
import { problemText } from '../problem'
import { drop, put } from '../queue'
import { go, useAddress } from '../route'
import { drafts } from '../store'
import { Button, Card, Empty, Page, Shown, Skeleton } from '../ui'
import { Unsent } from '../unsent'
import { useHold } from '../update'
import { plusDays } from '../week'
import { laneOf, placeOf, type RegisterData, type RegisterOf, registerPath } from './lessons'
import { type Entry, isReplaceable, isSame, type Mark, type Marks, postOf, useMarks } from './marks'
import { RegisterRow } from './register-row'
import { RegisterState } from './register-state'

/** The register of a division's day or of a lesson, by thumb: the rest present by one act, then who is not. */
export function RegisterSheet({ kind, id }: { kind: string; id: string }) {
  const format = useFormat()
  const { query } = useAddress()
  const date = query.get('date') ?? format.today()
  const of: RegisterOf = { kind: kind === 'lesson' ? 'lesson' : 'day', id, date }
  const { read, unsent } = useMarks(of)
  return (
    <Page
      title={read.data ? placeOf({ groupName: read.data.lesson?.groupName, ...read.data }) : t('nav.register')}
      back="/register"
    >
      <div className="between">
        {of.kind === 'day' ? <DayBar of={of} /> : <LessonNote data={read.data} date={date} />}
        <RegisterState of={of} />
      </div>
      <Shown of={read} lines={8} isEmpty={(d) => d.students.length === 0} empty="register.nobody">
        {(data) => {
          if (data.dayOff) return <Empty text={t('register.off', { name: data.dayOff })} />
          // What waits on this phone is shown with the rest, or nobody could trust what they see.
          return unsent ? <Sheet key={laneOf(of)} of={of} data={data} /> : <Skeleton lines={8} />
        }}
      </Shown>
    </Page>
  )
}

function DayBar({ of }: { of: RegisterOf }) {
  const format = useFormat()
  const to = (days: number) => go(registerPath({ ...of, date: plusDays(of.date, days) }), { replace: true })
  return (
    <span className="day-bar">
      <button type="button" className="icon-button" onClick={() => to(-1)} aria-label={t('register.dayBefore')}>
        <IconChevronLeft aria-hidden className="flip" />
      </button>
      <span>{format.day(of.date)}</span>
      <button
        type="button"
        className="icon-button"
        onClick={() => to(1)}
        disabled={of.date >= format.today()}
        aria-label={t('register.dayNext')}
      >
        <IconChevronRight aria-hidden className="flip" />
      </button>
    </span>
  )
}

function LessonNote({ data, date }: { data: RegisterData | undefined; date: string }) {
  const format = useFormat()
  return (
    <span className="note">
      {joined([
        data?.lesson && joined([data.lesson.subjectName, format.clock(data.lesson.startTime)], ', '),
        format.day(date),
      ])}
    </span>
  )
}

interface Taps {
  now: Marks
  /** How it was before each tap, to be undone. */
  before: Marks[]
}

function Sheet({ of, data }: { of: RegisterOf; data: RegisterData }) {
  const format = useFormat()
  const name = laneOf(of)
  const { unsent = [], known, waiting, isFresh } = useMarks(of)
  const [taps, setTaps] = useState<Taps>(() => ({ now: drafts.recall<Marks>(name) ?? {}, before: [] }))
  const [said, setSaid] = useState('')
  const [error, setError] = useState('')
  const isDirty = Object.keys(taps.now).length > 0
  useHold(isDirty)
  useEffect(() => {
    if (isDirty) drafts.keep(name, taps.now)
    else drafts.drop(name)
  }, [name, taps.now, isDirty])

  const marks: Marks = { ...known, ...waiting, ...taps.now }
  const unmarked = data.students.filter((e) => !marks[e.studentId])
  const refused = unsent.filter((i) => i.refused !== undefined)
  const isChanged = data.students.some(
    ({ studentId: id }) => taps.now[id] && !isSame(taps.now[id], waiting[id] ?? known[id]),
  )

  const tap = useCallback(
    (change: Marks) =>
      setTaps(({ now, before }) => ({ now: { ...now, ...change }, before: [...before.slice(-50), now] })),
    [],
  )
  const set = useCallback(
    (e: Entry, mark: Mark) => {
      tap({ [e.studentId]: mark })
      setSaid(t('register.said', { name: nameOf(e), mark: t(looks[mark.status].name) }))
    },
    [tap],
  )
  const restPresent = () => {
    const present: Mark = { status: 'PRESENT', lateMinutes: null, remark: '' }
    tap(Object.fromEntries(unmarked.map((e) => [e.studentId, present])))
    setSaid(t('register.restPresent', { count: unmarked.length }))
  }
  const undo = () => {
    setTaps(({ now, before }) => ({ now: before.at(-1) ?? now, before: before.slice(0, -1) }))
    setSaid(t('register.undone'))
  }
  const save = async () => {
    const isSeen = isFresh && unsent.every(isReplaceable)
    const post = postOf(of, data, marks, isSeen ? known : { ...known, ...waiting }, isSeen)
    const instead = isSeen ? unsent.map((i) => i.id) : []
    setError('')
    try {
      for (const id of instead.slice(0, -1)) await drop(id)
      if (post.data.records.length > 0)
        await put({
          ...post,
          lane: name,
          name: 'nav.register',
          about: joined([placeOf({ groupName: data.lesson?.groupName, ...data }), format.day(of.date)]),
          changes: ['/teacher/attendance/'],
          insteadOf: instead.at(-1),
        })
      else if (instead.length > 0) await drop(instead.at(-1)!) // as the server has it
      setTaps({ now: {}, before: [] })
      setSaid(t('register.saved'))
    } catch (e) {
      setError(problemText(e))
    }
  }

  const count = (status: string) => Object.values(marks).filter((m) => m.status === status).length
  return (
    <>
      {refused.map((item) => (
        <Card key={item.id} label={t('queue.refused')}>
          <Unsent item={item} />
          <p className="note">{t('register.saveAgain')}</p>
        </Card>
      ))}
      <ul className="card marks">
        {data.students.map((e) => (
          <RegisterRow key={e.studentId} of={e} mark={marks[e.studentId]} known={known[e.studentId]} set={set} />
        ))}
      </ul>
      <p className="hidden" aria-live="polite">
        {said}
      </p>
      <div className="act-bar">
        <p className="note">
          {(['PRESENT', 'ABSENT', 'LATE', 'LEAVE'] as const)
            .filter((s) => s === 'PRESENT' || count(s) > 0)
            .map((s) => `${t(looks[s].name)} ${format.number(count(s))}`)
            .join(' · ')}
        </p>
        {error && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        <div className="buttons">
          <Button onClick={undo} disabled={taps.before.length === 0}>
            {t('register.undo')}
          </Button>
          {unmarked.length > 0 ? (
            <Button look="main" onClick={restPresent}>
              {unmarked.length === data.students.length
                ? t('register.allPresent')
                : t('register.othersPresent', { count: unmarked.length })}
            </Button>
          ) : (
            <Button look="main" onClick={() => void save()} disabled={!isChanged && refused.length === 0}>
              {t('register.save')}
            </Button>
          )}
        </div>
      </div>
    </>
  )
}
