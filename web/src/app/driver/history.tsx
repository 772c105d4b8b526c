import { joined, t } from '../../messages/messages'
import { useFormat } from '../format'
import { useUnsent } from '../queue'
import { Card, Line, Page, Shown } from '../ui'
import { Unsent } from '../unsent'
import { TripStatus, useTrips } from './today'

/** The day's trips, and what this phone has not sent yet. */
export function History() {
  const format = useFormat()
  const trips = useTrips()
  const unsent = useUnsent() ?? []
  return (
    <Page title={t('nav.history')}>
      <Card label={t('queue.title')}>
        <h2>{t('queue.title')}</h2>
        {unsent.length === 0 && <p>{t('queue.none')}</p>}
        <ul className="rows">
          {unsent.map((item) => (
            <li key={item.id}>
              <Unsent item={item} />
            </li>
          ))}
        </ul>
      </Card>
      <Shown of={trips} isEmpty={({ items }) => items.length === 0} empty="driver.noTrips">
        {({ items }) => (
          <Card label={t('driver.trips')}>
            {items.map((trip) => (
              <Line
                key={trip.id}
                to={`/trip/${trip.id}`}
                title={joined([format.time(trip.scheduledStartAt), trip.routeName])}
                note={t('driver.bus', { bus: trip.busNumber })}
                end={<TripStatus of={trip.status} />}
              />
            ))}
          </Card>
        )}
      </Shown>
      {trips.data && (
        <Card label={t('incidents.title')}>
          <Line to="/incidents" title={t('incidents.title')} note={t('incidents.why')} />
        </Card>
      )}
    </Page>
  )
}
