import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { fetchWhole } from '../../api/list'
import { joined, t } from '../../messages/messages'
import { useFormat } from '../format'
import { daysOf, typeOf } from '../leave-row'
import { problemText } from '../problem'
import { type DataOf, type Item, put, useTaken, useUnsent } from '../queue'
import { useRead } from '../read'
import { Button, Card, Field, Page, Shown } from '../ui'
import { Unsent } from '../unsent'
import { useHold } from '../update'

const lane = 'leave-decision'
type Decision = Item<DataOf<'/teacher/leave/decide'>>

/** The leave that waits for this teacher: what they decided on this phone is not among it. */
export function useRequests() {
  const read = useRead(['/teacher/leave/requests', 'PENDING'], () =>
    fetchWhole('/teacher/leave/requests', { filters: { status: 'PENDING' }, sort: 'fromDate', order: 'asc' }),
  )
  const unsent = (useUnsent(lane) ?? []) as readonly Decision[]
  const taken = useTaken(lane, read.dataUpdatedAt) as readonly Decision[]
  const decided = new Set([...unsent, ...taken].map((i) => i.data.leaveId))
  const data = read.data && { ...read.data, items: read.data.items.filter((l) => !decided.has(l.id)) }
  return { ...read, data, unsent } as typeof read & { unsent: readonly Decision[] }
}

/** Leave of the students whose class teacher this is: approved, or refused with a reason. */
export function LeaveRequests() {
  const requests = useRequests()
  return (
    <Page title={t('leave.requests')} back="/">
      <Shown of={requests} isEmpty={(d) => d.items.length === 0} empty="leave.noRequests">
        {({ items }) => items.map((l) => <Request key={l.id} of={l} />)}
      </Shown>
      {/* Below: what is tapped next does not move when this comes or goes. */}
      {requests.unsent.length > 0 && (
        <Card label={t('queue.title')}>
          <ul className="rows">
            {requests.unsent.map((item) => (
              <li key={item.id}>
                <Unsent item={item} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Page>
  )
}

function Request({ of }: { of: Schemas['LeaveView'] }) {
  const format = useFormat()
  const [refuses, setRefuses] = useState(false)
  const [note, setNote] = useState('')
  const [error, setError] = useState('')
  useHold(refuses && note !== '')
  const days = daysOf(of, format.date)
  const decide = async (status: 'APPROVED' | 'REJECTED') => {
    try {
      await put({
        lane,
        path: '/teacher/leave/decide',
        data: { leaveId: of.id, status, note: note.trim() },
        name: status === 'APPROVED' ? 'leave.approve' : 'leave.refuse',
        about: joined([of.applicantName, days]),
        changes: ['/teacher/leave/', '/teacher/attendance/'],
      })
    } catch (e) {
      setError(problemText(e))
    }
  }
  return (
    <Card label={of.applicantName}>
      <div className="between">
        <h2>{of.applicantName}</h2>
        <span className="note">{[of.className, of.divisionName].filter(Boolean).join(' · ')}</span>
      </div>
      <p className="strong">{days}</p>
      <p className="note">{typeOf(of)}</p>
      <p className="pre">{of.reason}</p>
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {refuses ? (
        <form
          className="form"
          onSubmit={(e) => {
            e.preventDefault()
            void decide('REJECTED')
          }}
        >
          <Field label={t('leave.reason')} hint={t('leave.refuseHint')}>
            {(ids) => (
              <textarea
                {...ids}
                className="input"
                rows={2}
                required
                maxLength={500}
                value={note}
                onChange={(e) => setNote(e.target.value)}
              />
            )}
          </Field>
          <div className="buttons">
            <Button type="submit">{t('leave.refuse')}</Button>
            <Button look="text" onClick={() => setRefuses(false)}>
              {t('common.back')}
            </Button>
          </div>
        </form>
      ) : (
        <div className="buttons">
          <Button look="main" onClick={() => void decide('APPROVED')}>
            {t('leave.approve')}
          </Button>
          <Button onClick={() => setRefuses(true)}>{t('leave.refuse')}</Button>
        </div>
      )}
    </Card>
  )
}
