// A division's day, or a lesson of a division or a group, marked by keyboard: a letter marks a student and goes on to the next.
import { Button, Group, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, memo, useCallback, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { saveCSV } from '../../patterns/csv'
import { Trouble, UnsavedGuard } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { offerUndo } from '../../patterns/undo'
import { words } from '../../patterns/words'

type Entry = Schemas['RegisterEntry']
type Sheet = Schemas['DayRegister'] | Schemas['LessonRegister']
type Status = 'PRESENT' | 'ABSENT' | 'LATE' | 'LEAVE'
interface Mark {
  status: Status | null
  lateMinutes: number | null
  remark: string
}
type Marks = Record<string, Mark>

const statuses: { value: Status; key: string; word: string }[] = [
  { value: 'PRESENT', key: 'P', word: t('Present') },
  { value: 'ABSENT', key: 'A', word: t('Absent') },
  { value: 'LATE', key: 'L', word: t('Late') },
  { value: 'LEAVE', key: 'E', word: t('Leave') },
]
const byKey: Record<string, Status> = Object.fromEntries(statuses.map((s) => [s.key.toLowerCase(), s.value]))

const markOf = (e: Entry): Mark => ({
  status: (e.status as Status | null) ?? null,
  lateMinutes: e.lateMinutes,
  remark: e.remark,
})
const same = (a: Mark, b: Mark) => a.status === b.status && a.lateMinutes === b.lateMinutes && a.remark === b.remark

export function DaySheet({
  register,
  lesson,
  past,
  reread,
}: {
  register: Sheet
  lesson?: Schemas['Lesson'] // whose register it is; else the day's
  past: boolean
  reread: () => Promise<Sheet>
}) {
  const may = useMay()
  const format = useFormat()
  const editable = may('attendance', 'write')
  const [marks, setMarks] = useState<Marks>({}) // what is not saved yet
  const [bad, setBad] = useState<Record<string, string>>({})
  const [reason, setReason] = useState('')
  const table = useRef<HTMLTableElement>(null)
  const students = register.students
  const whose = lesson?.groupName || `${register.className} ${register.divisionName}`

  const put = useCallback((list: Entry[], mark: (now: Mark, e: Entry) => Mark) => {
    setMarks((old) => {
      const next = { ...old }
      for (const e of list) {
        const base = markOf(e)
        const m = mark(old[e.studentId] ?? base, e)
        if (same(m, base)) delete next[e.studentId]
        else next[e.studentId] = m
      }
      return next
    })
    setBad((b) =>
      list.some((e) => b[e.studentId])
        ? Object.fromEntries(Object.entries(b).filter(([id]) => !list.some((e) => e.studentId === id)))
        : b,
    )
  }, [])
  const set = useCallback(
    (e: Entry, m: Partial<Mark>) =>
      put([e], (now) => ({
        ...now,
        ...m,
        lateMinutes:
          (m.status ?? now.status) === 'LATE' ? (m.lateMinutes !== undefined ? m.lateMinutes : now.lateMinutes) : null,
      })),
    [put],
  )

  const take = useCallback((e: Entry) => put([e], (_, x) => markOf(x)), [put])

  function focus(row: number, what: 'mark' | 'late' = 'mark') {
    const line = table.current?.querySelector(`[data-row="${row}"]`)
    const at =
      what === 'late'
        ? line?.querySelector<HTMLElement>('input.late')
        : (line?.querySelector<HTMLElement>('.mark[aria-pressed=true]') ?? line?.querySelector<HTMLElement>('.mark'))
    at?.focus()
    return !!at
  }
  function key(e: KeyboardEvent<HTMLTableElement>) {
    if (!editable || e.ctrlKey || e.metaKey || e.altKey) return
    const target = e.target as HTMLElement
    const row = Number(target.closest<HTMLElement>('[data-row]')?.dataset.row ?? -1)
    if (row < 0) return
    const late = target.classList.contains('late')
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp' || (e.key === 'Enter' && target.tagName === 'INPUT')) {
      e.preventDefault()
      focus(row + (e.key === 'ArrowUp' ? -1 : 1))
      return
    }
    if (target.tagName === 'INPUT' && !late) return // a remark takes every letter
    const status = byKey[e.key.toLowerCase()]
    if (status) {
      e.preventDefault()
      const at = late ? row + 1 : row // after the minutes, a letter is for the next one
      const entry = students[at]
      if (!entry) return
      if (e.shiftKey)
        put(students.slice(at), (now, x) =>
          x === entry || now.status === null
            ? { ...now, status, lateMinutes: status === 'LATE' ? now.lateMinutes : null }
            : now,
        )
      else flushSync(() => set(entry, { status })) // the field for the minutes is there before the next key
      if (status === 'LATE' && !e.shiftKey) focus(at, 'late')
      else if (!focus(at + 1)) focus(at)
    } else if (!late && (e.key === 'ArrowLeft' || e.key === 'ArrowRight')) {
      e.preventDefault()
      const next = e.key === 'ArrowLeft' ? target.previousElementSibling : target.nextElementSibling
      ;(next as HTMLElement | null)?.focus()
    } else if (!late && (e.key === 'Delete' || e.key === 'Backspace')) {
      e.preventDefault()
      put([students[row]!], (_, x) => markOf(x))
    }
  }

  const dirty = students.filter((e) => marks[e.studentId])
  const kept = useKept(
    `register.${lesson?.slotId ?? register.divisionId}.${register.date}`,
    dirty.length > 0 ? marks : undefined,
    null,
    (what) => put(students, (now, e) => what[e.studentId] ?? now),
  )
  // A lesson is saved as a whole: who is not sent would be present.
  const saveLesson = (l: Schemas['Lesson']) =>
    call(
      api.POST('/school-admin/attendance/lesson/mark', {
        body: {
          data: {
            slotId: l.slotId,
            date: register.date,
            version: l.version,
            reason: past ? reason : undefined,
            records: students.map((e) => {
              const m = marks[e.studentId] ?? markOf(e)
              return { studentId: e.studentId, status: m.status!, lateMinutes: m.lateMinutes, remark: m.remark }
            }),
          },
        },
      }),
    ).then(() => {})
  const saveDay = (entries: Entry[], of: (e: Entry) => Mark) =>
    call(
      api.POST('/school-admin/attendance/mark', {
        body: {
          data: {
            divisionId: register.divisionId!, // a day is a division's
            date: register.date,
            reason: past ? reason : undefined,
            records: entries.map((e) => ({
              studentId: e.studentId,
              ...of(e),
              status: of(e).status!,
              version: e.version,
            })),
          },
        },
      }),
    ).then(() => {})
  const save = useMutation({
    mutationFn: () => (lesson ? saveLesson(lesson) : saveDay(dirty, (e) => marks[e.studentId]!)),
    onSuccess: async () => {
      const now = await reread()
      const was = new Map(dirty.map((e) => [e.studentId, markOf(e)]))
      // A correction is taken back by another; a mark is never taken away.
      if (!lesson && dirty.every((e) => e.status))
        offerUndo(
          t(
            { one: 'One mark of {whose} changed', other: '{n} marks of {whose} changed' },
            { count: dirty.length, n: format.number(dirty.length), whose },
          ),
          () =>
            saveDay(
              now.students.filter((e) => was.has(e.studentId)),
              (e) => was.get(e.studentId)!,
            ),
        )
      setMarks({})
      setBad({})
      setReason('')
      changed('/school-admin/attendance/', '/school-admin/dashboard/')
    },
    onError: async (e) => {
      const p = asProblem(e)
      const now = p.status === 409 ? await reread() : register
      const marked: Record<string, string> = {}
      for (const [field, message] of Object.entries(p.fields)) {
        const at = /^records\[(\d+)\]/.exec(field)
        const who = at && (lesson ? students : dirty)[Number(at[1])]
        if (!who) continue
        const theirs = now.students.find((s) => s.studentId === who.studentId)
        marked[who.studentId] =
          p.status === 409
            ? t('Somebody marked {status} meanwhile. Save again to keep yours.', {
                status: words(theirs?.status ?? 'nothing').toLowerCase(),
              })
            : message
      }
      setBad(marked)
    },
  })
  const stale = !!save.error && asProblem(save.error).status === 409
  const counts = useMemo(() => {
    const n: Record<string, number> = { none: 0 }
    for (const e of students) {
      const s = (marks[e.studentId] ?? markOf(e)).status ?? 'none'
      n[s] = (n[s] ?? 0) + 1
    }
    return n
  }, [students, marks])
  const incomplete = (lesson ? students : dirty).filter((e) => (marks[e.studentId] ?? markOf(e)).status === null)
  const problem = save.error ? asProblem(save.error) : null
  return (
    <>
      <KeptOffer kept={kept} what={t('Marks of this register were')} />
      <Group justify="space-between" mb={12} gap={8} className="no-print">
        <Group gap={16} aria-live="polite" className="figures">
          {statuses.map((s) => (
            <span key={s.value} className="tally" data-status={s.value}>
              <b>{format.number(counts[s.value] ?? 0)}</b> {s.word.toLowerCase()}
            </span>
          ))}
          {counts.none! > 0 && (
            <span className="tally">{rich('{none} not marked', { none: <b>{format.number(counts.none!)}</b> })}</span>
          )}
        </Group>
        <Group gap={8}>
          <Button
            variant="subtle"
            color="gray"
            className="only-wide"
            onClick={() =>
              saveCSV(`register-${whose.replace(/\s+/g, '-')}-${register.date}.csv`, [
                ['Roll', 'Admission no.', 'Name', 'Mark', 'Late minutes', 'Remark'],
                ...students.map((e) => {
                  const m = marks[e.studentId] ?? markOf(e)
                  return [e.rollNumber, e.admissionNumber, nameOf(e), words(m.status), m.lateMinutes, m.remark]
                }),
              ])
            }
          >
            {t('CSV')}
          </Button>
          {editable && (
            <Button
              variant="default"
              disabled={!counts.none}
              onClick={() => put(students, (now) => (now.status ? now : { ...now, status: 'PRESENT' }))}
            >
              {counts.none === students.length ? t('All present') : t('The rest present')}
            </Button>
          )}
        </Group>
      </Group>
      <div className="panel sheet-panel">
        <div className="list-scroll sheet-scroll" tabIndex={-1}>
          <table
            className="list sheet day-sheet"
            ref={table}
            onKeyDown={key}
            aria-label={t('{whose} on {date}', { whose, date: format.date(register.date) })}
          >
            <thead>
              <tr>
                <th scope="col" className="end roll">
                  {t('Roll')}
                </th>
                <th scope="col">{t('Student')}</th>
                <th scope="col">{t('Mark')}</th>
                <th scope="col">{t('Minutes late')}</th>
                <th scope="col">{t('Remark')}</th>
              </tr>
            </thead>
            <tbody>
              {students.map((e, i) => (
                <Line
                  key={e.studentId}
                  row={i}
                  entry={e}
                  mark={marks[e.studentId]}
                  bad={bad[e.studentId]}
                  stale={stale && !!bad[e.studentId]}
                  editable={editable}
                  set={set}
                  take={take}
                />
              ))}
            </tbody>
          </table>
        </div>
        {editable && (
          <div className="savebar sheet-bar no-print">
            <div className="says" aria-live="polite">
              {problem ? (
                <Text size="sm" c="red.8" role="alert">
                  {problem.fields.date ?? problem.message}
                </Text>
              ) : dirty.length > 0 ? (
                <Text size="sm" c="dimmed">
                  {t('{dirty} not saved{value}', {
                    dirty: format.number(dirty.length),
                    value:
                      lesson && incomplete.length > 0
                        ? t('; mark everybody to save the lesson')
                        : past
                          ? t('; a day past needs a reason')
                          : '',
                  })}
                </Text>
              ) : save.isSuccess ? (
                <Text size="sm" c="dimmed">
                  {t('Saved')}
                </Text>
              ) : (
                <Text size="sm" c="dimmed" className="only-wide">
                  {rich(
                    '{kbd} {kbd2} {kbd3} {kbd4} mark and go on, with {kbd5} all the rest; {kbd6} {kbd7} move, {kbd8} takes back',
                    {
                      kbd: <kbd className="key">P</kbd>,
                      kbd2: <kbd className="key">A</kbd>,
                      kbd3: <kbd className="key">L</kbd>,
                      kbd4: <kbd className="key">E</kbd>,
                      kbd5: <kbd className="key">{t('Shift')}</kbd>,
                      kbd6: <kbd className="key">↑</kbd>,
                      kbd7: <kbd className="key">↓</kbd>,
                      kbd8: <kbd className="key">{t('Delete')}</kbd>,
                    },
                  )}
                </Text>
              )}
            </div>
            {past && dirty.length > 0 && (
              <TextInput
                aria-label={t('Reason for changing a day past')}
                placeholder={t('Reason')}
                w={220}
                className="reason"
                value={reason}
                error={!!problem?.fields.reason}
                maxLength={300}
                onChange={(e) => setReason(e.currentTarget.value)}
              />
            )}
            {dirty.length > 0 && (
              <Button
                variant="default"
                onClick={() => {
                  setMarks({})
                  setBad({})
                  save.reset()
                }}
              >
                {t('Discard')}
              </Button>
            )}
            <Button
              disabled={dirty.length === 0 || incomplete.length > 0 || (past && reason.trim() === '')}
              loading={save.isPending}
              onClick={() => save.mutate()}
            >
              {t('Save')}
            </Button>
          </div>
        )}
      </div>
      {problem && Object.keys(bad).length === 0 && !problem.fields.date && !problem.fields.reason && (
        <Group mt={12}>
          <Trouble error={save.error} />
        </Group>
      )}
      <UnsavedGuard when={dirty.length > 0 && !save.isPending} />
    </>
  )
}

const Line = memo(function Line({
  row,
  entry,
  mark,
  bad,
  stale,
  editable,
  set,
  take,
}: {
  row: number
  entry: Entry
  mark?: Mark
  bad?: string
  stale: boolean
  editable: boolean
  set: (e: Entry, m: Partial<Mark>) => void
  take: (e: Entry) => void
}) {
  const now = mark ?? markOf(entry)
  const name = nameOf(entry)
  const onLeave = entry.source === 'LEAVE'
  return (
    <tr data-row={row} data-dirty={mark ? true : undefined} data-bad={bad ? true : undefined}>
      <td className="end figures roll">{entry.rollNumber ?? ''}</td>
      <td className="wrap who">
        {name}
        {mark && <span className="hidden"> {t('(not saved)')}</span>}
        {entry.division && (
          <Text span size="xs" c="dimmed" display="block">
            {entry.division}
          </Text>
        )}
        {onLeave && (
          <Text span size="xs" c="dimmed" display="block">
            {t('On approved leave')}
          </Text>
        )}
        {bad && (
          <div className="why">
            {bad}
            {stale && (
              <>
                {' '}
                <button type="button" className="text-button" onClick={() => take(entry)}>
                  {t('Take theirs')}
                </button>
              </>
            )}
          </div>
        )}
      </td>
      <td>
        <div className="marks" role="group" aria-label={t('Mark of {name}', { name })}>
          {statuses.map((s, i) => (
            <button
              key={s.value}
              type="button"
              className="mark"
              data-status={s.value}
              aria-pressed={now.status === s.value}
              disabled={!editable}
              tabIndex={now.status === s.value || (now.status === null && i === 0) ? 0 : -1}
              onClick={() => set(entry, { status: s.value })}
            >
              <span className="hidden">{name}: </span>
              <span className="letter" aria-hidden>
                {s.key}
              </span>
              <span className="word">{s.word}</span>
            </button>
          ))}
        </div>
      </td>
      <td>
        {now.status === 'LATE' && (
          <input
            className="cell-input late figures"
            inputMode="numeric"
            aria-label={t('Minutes {name} was late', { name })}
            disabled={!editable}
            maxLength={3}
            value={now.lateMinutes ?? ''}
            onChange={(e) => {
              const n = e.currentTarget.value.replace(/\D/g, '')
              set(entry, { lateMinutes: n === '' ? null : Math.min(600, Number(n)) })
            }}
          />
        )}
      </td>
      <td>
        <input
          className="cell-input remark"
          aria-label={t('Remark on {name}', { name })}
          disabled={!editable || now.status === null}
          maxLength={300}
          value={now.remark}
          onChange={(e) => set(entry, { remark: e.currentTarget.value })}
        />
      </td>
    </tr>
  )
})
