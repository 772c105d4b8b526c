import { useEffect } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { type Key, t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { Link } from '../route'
import { Card, Empty, Page, Shown, Status } from '../ui'
import { useTrip } from './acts'
import { sendKept, useTracking } from './position'

export const useTrips = () =>
  useRead(['/driver/trip/list'], () => call(api.GET('/driver/trip/list', { params: { query: { limit: 100 } } })), {
    every: 60_000,
  })

const states: Record<string, [Key, 'good' | 'bad' | 'warn' | 'plain']> = {
  scheduled: ['driver.scheduled', 'plain'],
  in_progress: ['driver.underWay', 'good'],
  paused: ['driver.paused', 'warn'],
  completed: ['driver.completed', 'plain'],
  cancelled: ['driver.cancelled', 'bad'],
}

export function TripStatus({ of }: { of: string }) {
  const [name, tone] = states[of] ?? states.scheduled!
  return <Status tone={tone}>{t(name)}</Status>
}

/** The driver's trips of the day that are not over. */
export function Today() {
  const format = useFormat()
  const trips = useTrips()
  const over = trips.data?.items.filter((trip) => trip.status === 'completed').map((trip) => trip.id)
  const closed = over?.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids say it all
  useEffect(() => {
    for (const trip of over ?? []) void sendKept(trip).catch(() => {}) // no room: the next start tries again
  }, [closed])
  return (
    <Page title={t('nav.today')}>
      <p className="note">{format.day(format.today())}</p>
      <Shown of={trips}>
        {({ items }) => {
          const open = items.filter((trip) => trip.status !== 'completed' && trip.status !== 'cancelled')
          if (open.length === 0) return <Empty text={t(items.length > 0 ? 'driver.allDone' : 'driver.noTrips')} />
          return open.map((trip) => <TripCard key={trip.id} of={trip} />)
        }}
      </Shown>
    </Page>
  )
}

function TripCard({ of }: { of: Schemas['TripView'] }) {
  const format = useFormat()
  // Read here, so that the trip is on the phone when there is no line at the first stop.
  const { trip } = useTrip(of.id)
  useTracking(trip)
  const status = trip?.status ?? of.status
  const riders = trip?.students.filter((s) => s.status !== 'absent').length
  return (
    <Card label={of.routeName}>
      <div className="between">
        <span className="amount">{format.time(of.scheduledStartAt)}</span>
        <TripStatus of={status} />
      </div>
      <h2>{of.routeName}</h2>
      <p>
        {t(of.tripType === 'pickup' ? 'driver.pickup' : 'driver.dropoff')} · {t('driver.bus', { bus: of.busNumber })}
      </p>
      {riders !== undefined && <p className="note">{t('driver.riders', { count: riders })}</p>}
      <Link to={`/trip/${of.id}`} className="button" data-look="main">
        {t(status === 'scheduled' ? 'driver.open' : 'driver.goOn')}
      </Link>
    </Card>
  )
}
