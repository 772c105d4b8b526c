import { type FormEvent, useEffect, useState } from 'react'
import { t } from '../messages/messages'
import { useFormat } from './format'
import { Month, MonthBar } from './month'
import { problemText } from './problem'
import { go } from './route'
import { drafts } from './store'
import { Button, Field, Page } from './ui'
import { useHold } from './update'

interface LeaveDraft {
  from: string
  to: string
  leaveType: keyof typeof leaveTypes
  halfDay: boolean
  reason: string
}

export const leaveTypes = { SICK: 'leave.sick', CASUAL: 'leave.casual', EMERGENCY: 'leave.emergency' } as const

export interface AskedLeave {
  leaveType: string
  fromDate: string
  toDate: string
  halfDay?: boolean
  reason: string
}

/** What was asked for, to be changed and asked for again. */
export function keepLeaveDraft(name: string, asked: AskedLeave) {
  const draft: LeaveDraft = {
    from: asked.fromDate,
    to: asked.toDate,
    leaveType: asked.leaveType as LeaveDraft['leaveType'],
    halfDay: asked.halfDay ?? false,
    reason: asked.reason,
  }
  drafts.keep(name, draft)
}

interface AskProps {
  /** The name of what is typed and not sent. */
  draft: string
  back: string
  /** Whose leave it is, where it is not one's own; empty until it is known. */
  who?: string
  put: (asked: AskedLeave & { leaveType: LeaveDraft['leaveType'] }, days: string) => Promise<unknown>
}

/** Asks for leave. What is typed stays on this phone until it is put into the queue, and there until it was sent. */
export function LeaveAsk({ draft: name, back, who, put }: AskProps) {
  const format = useFormat()
  const today = format.today()
  const [draft, setDraft] = useState<LeaveDraft>(
    () => drafts.recall<LeaveDraft>(name) ?? { from: today, to: today, leaveType: 'SICK', halfDay: false, reason: '' },
  )
  const [month, setMonth] = useState(draft.from.slice(0, 7))
  const [hasBegun, setHasBegun] = useState(false)
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const isTyped = draft.reason !== ''
  useHold(isTyped)
  useEffect(() => {
    if (isTyped) drafts.keep(name, draft)
  }, [name, draft, isTyped])
  const set = (change: Partial<LeaveDraft>) => setDraft((d) => ({ ...d, ...change }))
  const oneDay = draft.from === draft.to
  const days = oneDay ? format.date(draft.from) : `${format.date(draft.from)} – ${format.date(draft.to)}`

  /** The first tap is the first day, the second the last if it is later. */
  const pick = (date: string) => {
    const ends = hasBegun && date > draft.from
    set(ends ? { to: date, halfDay: false } : { from: date, to: date })
    setHasBegun(!ends)
  }

  const send = async (e: FormEvent) => {
    e.preventDefault()
    setBusy(true)
    setError('')
    const data = {
      leaveType: draft.leaveType,
      fromDate: draft.from,
      toDate: draft.to,
      halfDay: oneDay && draft.halfDay,
      reason: draft.reason.trim(),
    }
    try {
      await put(data, days)
      drafts.drop(name)
      go(back, { replace: true })
      return
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }

  return (
    <Page title={t('leave.ask')} back={back}>
      {who === '' ? <p aria-hidden>{'\u00a0'}</p> : who && <h2>{who}</h2>}
      <form className="form" onSubmit={(e) => void send(e)}>
        <div className="card" role="group" aria-label={t('leave.days')}>
          <p className="strong" aria-live="polite">
            {days}
          </p>
          <p className="note">{t('leave.daysHint')}</p>
          <MonthBar month={month} to={setMonth} first={today.slice(0, 7)} />
          <Month
            month={month}
            draw={(date) => ({ label: format.day(date), tone: date < today ? 'off' : undefined })}
            pick={pick}
            picked={(date) => draft.from <= date && date <= draft.to}
          />
        </div>
        {oneDay && (
          <label className="check">
            <input type="checkbox" checked={draft.halfDay} onChange={(e) => set({ halfDay: e.target.checked })} />
            {t('attendance.halfDay')}
          </label>
        )}
        <Field label={t('leave.type')}>
          {(ids) => (
            <select
              {...ids}
              className="input"
              value={draft.leaveType}
              onChange={(e) => set({ leaveType: e.target.value as LeaveDraft['leaveType'] })}
            >
              {Object.entries(leaveTypes).map(([type, key]) => (
                <option key={type} value={type}>
                  {t(key)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t('leave.reason')} error={error || undefined}>
          {(ids) => (
            <textarea
              {...ids}
              className="input"
              rows={3}
              required
              maxLength={1000}
              value={draft.reason}
              onChange={(e) => set({ reason: e.target.value })}
            />
          )}
        </Field>
        <Button look="main" type="submit" busy={busy}>
          {t('leave.send')}
        </Button>
      </form>
    </Page>
  )
}
