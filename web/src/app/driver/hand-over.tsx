import { type FormEvent, useState } from 'react'
import { api, call, done } from '../../api/client'
import { useLine } from '../../api/offline'
import { changed } from '../../api/queries'
import { t } from '../../messages/messages'
import { problemText } from '../problem'
import { useUnsent } from '../queue'
import { useRead } from '../read'
import { go } from '../route'
import { Button, Empty, Field, Page, Shown } from '../ui'
import { useHold } from '../update'
import { isOpen, laneOf, useTrip } from './acts'
import { positionsLane, useNoTracking } from './position'

/** Gives the trip to another driver, once the service has everything of it. */
export function HandOver({ id }: { id: string }) {
  const { trip } = useTrip(id)
  // From here on the phone is another one's: what it would send after the hand-over would be refused.
  useNoTracking(trip && isOpen(trip) ? id : undefined)
  const read = useRead(['/driver/trip/colleagues', id], () =>
    call(api.GET('/driver/trip/{id}/colleagues', { params: { path: { id } } })),
  )
  return (
    <Page title={t('driver.handOver')} back={`/trip/${id}`}>
      <Shown of={read}>
        {({ drivers }) =>
          drivers.length === 0 ? <Empty text={t('driver.handOverNobody')} /> : <Form id={id} drivers={drivers} />
        }
      </Shown>
    </Page>
  )
}

function Form({ id, drivers }: { id: string; drivers: { driverId: string; name: string }[] }) {
  const line = useLine()
  const [driverId, setDriverId] = useState('')
  const [reason, setReason] = useState('')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  useHold(driverId !== '' || reason !== '')
  const waiting = (useUnsent() ?? []).filter(
    (i) => i.refused === undefined && (i.lane === laneOf(id) || i.lane === positionsLane(id)),
  )
  const send = async (e: FormEvent) => {
    e.preventDefault()
    setBusy(true)
    setError('')
    try {
      const data = { driverId, reason: reason.trim() }
      await done(api.POST('/driver/trip/{id}/hand-over', { params: { path: { id } }, body: { data } }))
      changed('/driver/trip/')
      go('/', { replace: true })
    } catch (e) {
      setError(problemText(e))
      setBusy(false)
    }
  }
  return (
    <form className="form" onSubmit={(e) => void send(e)}>
      <p>{t('driver.handOverWhat')}</p>
      <Field label={t('driver.handOverTo')}>
        {(ids) => (
          <select {...ids} className="input" required value={driverId} onChange={(e) => setDriverId(e.target.value)}>
            <option value="">{t('messages.choose')}</option>
            {drivers.map((d) => (
              <option key={d.driverId} value={d.driverId}>
                {d.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t('driver.handOverWhy')} error={error || undefined}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={300}
            value={reason}
            onChange={(e) => setReason(e.target.value)}
          />
        )}
      </Field>
      {waiting.length > 0 && <p role="status">{t('driver.handOverFirst')}</p>}
      <Button look="main" type="submit" busy={busy} disabled={waiting.length > 0 || !line.up}>
        {t('driver.handOver')}
      </Button>
    </form>
  )
}
