import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { fetchWhole } from '../../api/list'
import { changed } from '../../api/queries'
import { t } from '../../messages/messages'
import { EventCard } from '../event-card'
import { useFormat } from '../format'
import { problemText } from '../problem'
import { useRead } from '../read'
import { Button, Shown, Status } from '../ui'
import { SchoolPage } from './children'

type SchoolEvent = Schemas['ChildEvent']

/** The events a child may come to, from today on. */
export function useEvents(student: string) {
  const today = useFormat().today()
  return useRead(['/parent/event/list', student, today], () =>
    fetchWhole('/parent/event/list', { filters: { studentId: student, from: today } }),
  )
}

export function Events({ student }: { student: string }) {
  return (
    <SchoolPage student={student} tab="events" title={t('school.events')}>
      {(child) => <EventCards student={child.id} />}
    </SchoolPage>
  )
}

function EventCards({ student }: { student: string }) {
  const read = useEvents(student)
  return (
    <Shown of={read} lines={5} isEmpty={(d) => d.items.length === 0} empty="events.none">
      {({ items }) => items.map((e) => <ChildsEvent key={e.id} of={e} student={student} />)}
    </Shown>
  )
}

function ChildsEvent({ of, student }: { of: SchoolEvent; student: string }) {
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const isIn = of.signedUpStudentIds.includes(student)
  const places = of.capacity === null ? undefined : Math.max(0, of.capacity - of.signedUp)
  const change = async () => {
    setBusy(true)
    setError('')
    try {
      const body = { data: { eventId: of.id, studentId: student } }
      if (isIn) await call(api.POST('/parent/event/cancel-sign-up', { body }))
      else await call(api.POST('/parent/event/sign-up', { body }))
      changed('/parent/event/')
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }
  return (
    <EventCard of={of} sign={isIn && <Status tone="good">{t('events.signedUp')}</Status>}>
      {of.status === 'UPCOMING' && places !== undefined && (
        <p className="note">{t('events.places', { count: places })}</p>
      )}
      {of.status === 'UPCOMING' && (isIn || places !== 0) && (
        <Button look={isIn ? 'plain' : 'main'} onClick={() => void change()} busy={busy}>
          {t(isIn ? 'events.cancel' : 'events.signUp')}
        </Button>
      )}
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </EventCard>
  )
}
