import { useState } from 'react'
import { api, done, type Schemas } from '../api/client'
import { changed } from '../api/queries'
import { joined, type Key, t } from '../messages/messages'
import { useFormat } from './format'
import { type AskedLeave, keepLeaveDraft, leaveTypes } from './leave-ask'
import { problemText } from './problem'
import { drop, type Item } from './queue'
import { go } from './route'
import { Button, Card, Status } from './ui'
import { Unsent } from './unsent'

const states: Record<string, [Key, 'good' | 'bad' | 'warn' | 'plain']> = {
  PENDING: ['leave.pending', 'warn'],
  APPROVED: ['leave.approved', 'good'],
  REJECTED: ['leave.rejected', 'bad'],
  CANCELLED: ['leave.cancelled', 'plain'],
}

export const daysOf = (l: { fromDate: string; toDate: string }, date: (iso: string) => string) =>
  l.fromDate === l.toDate ? date(l.fromDate) : `${date(l.fromDate)} – ${date(l.toDate)}`

export const typeOf = (l: { leaveType: string; halfDay: boolean }) =>
  joined([
    t(leaveTypes[l.leaveType as keyof typeof leaveTypes] ?? 'leave.casual'),
    l.halfDay && t('attendance.halfDay'),
  ])

/** What was asked for on this phone and not sent, or not accepted. It stands below the list: no button there moves when it goes. */
export function UnsentLeave(props: { of: readonly Item<AskedLeave>[]; draft: string; form: string }) {
  if (props.of.length === 0) return null
  const change = async ({ id, data }: Item<AskedLeave>) => {
    keepLeaveDraft(props.draft, data)
    await drop(id)
    go(props.form)
  }
  return (
    <Card label={t('queue.title')}>
      <ul className="rows">
        {props.of.map((item) => (
          <li key={item.id}>
            <Unsent item={item} change={() => void change(item)} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Leave that was asked for, and the way to take it back before it begins. */
export function LeaveRow(props: {
  of: Schemas['LeaveView']
  cancel: '/parent/leave/cancel' | '/teacher/leave/cancel'
}) {
  const { of, cancel } = props
  const format = useFormat()
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const [name, tone] = states[of.status] ?? states.PENDING!
  const takeBack = async () => {
    setBusy(true)
    setError('')
    try {
      await done(api.POST(cancel, { body: { data: { leaveId: of.id } } }))
      changed(cancel.slice(0, -'cancel'.length))
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }
  const mayTakeBack = (of.status === 'PENDING' || of.status === 'APPROVED') && of.fromDate > format.today()
  return (
    <li>
      <div className="between">
        <span className="line-title">{daysOf(of, format.date)}</span>
        <Status tone={tone}>{t(name)}</Status>
      </div>
      <p className="note">{typeOf(of)}</p>
      <p>{of.reason}</p>
      {of.decisionNote && <p className="note">{of.decisionNote}</p>}
      {mayTakeBack && (
        <Button onClick={() => void takeBack()} busy={busy}>
          {t('leave.takeBack')}
        </Button>
      )}
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </li>
  )
}
