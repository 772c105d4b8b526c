import { type FormEvent, useState } from 'react'
import { type Key, t } from '../../messages/messages'
import { problemText } from '../problem'
import { put } from '../queue'
import { go } from '../route'
import { Button, Field, Page, Shown } from '../ui'
import { useHold } from '../update'
import { laneOf, type Trip, useTrip } from './acts'
import { lastPosition } from './position'

type Kind = 'traffic_jam' | 'vehicle_breakdown' | 'accident' | 'other'
export const kinds: Record<Kind, Key> = {
  traffic_jam: 'driver.jam',
  vehicle_breakdown: 'driver.breakdown',
  accident: 'driver.accident',
  other: 'driver.other',
}

/** Reports what went wrong, with the place where the bus is. */
export function Incident({ id }: { id: string }) {
  const { read } = useTrip(id)
  return (
    <Page title={t('driver.incident')} back={`/trip/${id}`}>
      <Shown of={read}>{(trip) => <IncidentForm trip={trip} />}</Shown>
    </Page>
  )
}

function IncidentForm({ trip }: { trip: Trip }) {
  const [kind, setKind] = useState<Kind>('traffic_jam')
  const [text, setText] = useState('')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  useHold(text !== '')
  const send = async (e: FormEvent) => {
    e.preventDefault()
    setBusy(true)
    try {
      await put({
        lane: laneOf(trip.id), // it is sent to those who are aboard or wait: in its order among the taps
        path: '/driver/incident/report',
        data: {
          busId: trip.busId,
          tripId: trip.id,
          type: kind,
          description: text,
          occurredAt: new Date().toISOString(),
          ...lastPosition(),
        },
        name: 'driver.incident',
        about: t(kinds[kind]),
        changes: ['/driver/incident/'],
      })
      go(`/trip/${trip.id}`, { replace: true })
    } catch (e) {
      setError(problemText(e))
      setBusy(false)
    }
  }
  return (
    <form className="form" onSubmit={(e) => void send(e)}>
      <Field label={t('driver.incidentKind')}>
        {(ids) => (
          <select {...ids} className="input" value={kind} onChange={(e) => setKind(e.target.value as Kind)}>
            {Object.entries(kinds).map(([value, name]) => (
              <option key={value} value={value}>
                {t(name)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t('driver.incidentText')} hint={t('driver.incidentHint')} error={error || undefined}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={4}
            maxLength={1000}
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
        )}
      </Field>
      <Button look="main" type="submit" busy={busy}>
        {t('driver.report')}
      </Button>
    </form>
  )
}
