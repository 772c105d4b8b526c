import { type FormEvent, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { joined, type Key, t } from '../../messages/messages'
import { useFormat } from '../format'
import { Further } from '../further'
import { problemText } from '../problem'
import { type DataOf, type Item, put, useTaken, useUnsent } from '../queue'
import { useRead } from '../read'
import { Button, Card, Field, Page, Shown, Status } from '../ui'
import { Unsent } from '../unsent'
import { useHold } from '../update'
import { kinds } from './incident'
import { useTrips } from './today'

type Report = Schemas['Incident']
type Resolved = Item<DataOf<'/driver/incident/resolve'>>

const lane = 'incident'

/** What was reported of the driver's buses, the newest first, and how it ended. */
export function Incidents() {
  const unsent = (useUnsent() ?? []).filter((i) => i.path.startsWith('/driver/incident/'))
  return (
    <Page title={t('incidents.title')} back="/history">
      {unsent.length > 0 && (
        <Card label={t('queue.title')}>
          <h2>{t('queue.title')}</h2>
          <ul className="rows">
            {unsent.map((item) => (
              <li key={item.id}>
                <Unsent item={item} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      <IncidentList />
    </Page>
  )
}

function IncidentList({ page = 1 }: { page?: number }) {
  const read = useRead(['/driver/incident/list', page], () =>
    call(api.GET('/driver/incident/list', { params: { query: { page, limit: 50 } } })),
  )
  const trips = useTrips()
  const unsent = useUnsent(lane) ?? []
  const taken = useTaken(lane, read.dataUpdatedAt)
  const said = [...unsent, ...taken] as readonly Resolved[]
  return (
    <Shown of={read} after={[trips]} lines={5} isEmpty={(d) => d.items.length === 0} empty="incidents.none">
      {({ items, totalPages }) => (
        <>
          {items.map((i) => (
            <IncidentCard
              key={i.id}
              of={i}
              trip={trips.data?.items.find((trip) => trip.id === i.tripId)}
              ended={said.find(({ data }) => data.incidentId === i.id)}
            />
          ))}
          {page < totalPages && <Further ask="incidents.earlier">{() => <IncidentList page={page + 1} />}</Further>}
        </>
      )}
    </Shown>
  )
}

const releases: Record<string, Key> = { WAITING: 'incidents.held', DISCARDED: 'incidents.discarded' }

interface CardProps {
  of: Report
  trip: Schemas['TripView'] | undefined
  /** What this phone says of the end, which may not be in the list yet. */
  ended: Resolved | undefined
}

function IncidentCard({ of, trip, ended }: CardProps) {
  const format = useFormat()
  const isOver = of.resolvedAt !== null || ended !== undefined
  const resolution = of.resolution || ended?.data.resolution
  const release = releases[of.release]
  const name = t(kinds[of.type])
  return (
    <Card label={name}>
      <div className="between">
        <h2>{name}</h2>
        <Status tone={isOver ? 'good' : 'warn'}>{t(isOver ? 'incidents.resolved' : 'incidents.open')}</Status>
      </div>
      <p className="note">
        {joined([format.dateTime(of.occurredAt), trip?.routeName, trip && t('driver.bus', { bus: trip.busNumber })])}
      </p>
      {of.description && (
        <p className="pre" dir="auto">
          {of.description}
        </p>
      )}
      {release && <p className="note">{t(release)}</p>}
      {resolution && <p>{t('incidents.ended', { text: resolution })}</p>}
      {!isOver && <Resolve of={of} name={name} />}
    </Card>
  )
}

/** Says that an incident is over, and how. */
function Resolve({ of, name }: { of: Report; name: string }) {
  const [asks, setAsks] = useState(false)
  const [text, setText] = useState('')
  const [error, setError] = useState('')
  useHold(asks && text !== '')
  const send = async (e: FormEvent) => {
    e.preventDefault()
    try {
      await put({
        lane,
        path: '/driver/incident/resolve',
        data: { incidentId: of.id, resolution: text.trim() },
        name: 'incidents.resolve',
        about: name,
        changes: ['/driver/incident/'],
      })
    } catch (e) {
      setError(problemText(e))
    }
  }
  if (!asks) return <Button onClick={() => setAsks(true)}>{t('incidents.resolve')}</Button>
  return (
    <form className="form" onSubmit={(e) => void send(e)}>
      <Field label={t('incidents.how')} error={error || undefined}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={2}
            maxLength={1000}
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
        )}
      </Field>
      <div className="buttons">
        <Button look="main" type="submit">
          {t('incidents.resolve')}
        </Button>
        <Button look="text" onClick={() => setAsks(false)}>
          {t('common.back')}
        </Button>
      </div>
    </form>
  )
}
