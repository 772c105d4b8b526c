// A child's bus: where it is now, when it comes, who rides. The live channel moves it; without one it is asked for at intervals.
import { useEffect, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { type EtaWord, type Sighting, useLive } from '../../api/live'
import { changed } from '../../api/queries'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { part } from '../part'
import { useRead } from '../read'
import { Card, Empty, Parts, Shown, Skeleton, Status } from '../ui'
import { isUnderWay, minutesTo, nextStop, type Ride, rideOf, seenAt, useBus, useRides } from './bus'
import { ChildPage } from './children'
import { NotRiding } from './not-riding'

type Stop = Schemas['LiveStop']

const BusMap = part(() => import('../../map/Map'), 'default', <Skeleton lines={6} />)

const fadesAfter = 15
const lostAfter = 60

export function Bus({ student }: { student: string }) {
  const rides = useRides()
  return (
    <ChildPage title={t('bus.title')} student={student} back="/" at={(id) => `/bus/${id}`}>
      {(child) => (
        <Shown of={rides} lines={5}>
          {({ buses, notRidingDays }) => {
            const mine = buses.filter((r) => r.studentId === child.id)
            if (mine.length === 0) return <Empty text={t('bus.none')} />
            const now = rideOf(buses, child.id)
            return (
              <>
                {now && isUnderWay(now) && <OnTheRoad key={now.tripId} ride={now} />}
                {mine.map((r) => (
                  <RideCard key={r.routeId} of={r} />
                ))}
                <NotRiding child={child} rides={mine} days={notRidingDays.filter((d) => d.studentId === child.id)} />
              </>
            )
          }}
        </Shown>
      )}
    </ChildPage>
  )
}

interface Seen {
  lat: number
  lng: number
  at: number // by this phone's clock
}

/** The time, anew every second: the age of a position grows while nothing comes. */
function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000)
    return () => window.clearInterval(timer)
  }, [])
  return now
}

/** The bus of a trip that is under way: what was asked for, and on top of it what the live channel has said since. */
function useBusNow(ride: Ride) {
  const [heard, setHeard] = useState<Seen>()
  const [etas, setEtas] = useState<Record<string, { seconds: number; at: number }>>({})
  const reread = () => changed('/bus-tracking/', '/parent/transport/')
  const ours = (w: { tripId: string | null }) => w.tripId === ride.tripId
  const line = useLive(
    [ride.busId],
    {
      location: (s: Sighting) => {
        if (ours(s)) setHeard({ lat: s.lat, lng: s.lng, at: Date.now() - s.ageSeconds * 1_000 })
      },
      eta: (e: EtaWord) => {
        if (ours(e)) setEtas((all) => ({ ...all, [e.stopId]: { seconds: e.etaSeconds, at: Date.now() } }))
      },
      'trip-status': reread,
      boarding: reread,
      incident: reread,
    },
    reread,
  )
  const read = useBus(ride.busId, line === 'live' ? 60_000 : 10_000)
  const isThisTrip = read.data?.trip?.id === ride.tripId
  const asked = seenAt(read)
  const where = isThisTrip ? read.data?.location : undefined
  const polled = where && asked !== undefined ? { lat: where.lat, lng: where.lng, at: asked } : undefined
  const seen = heard && heard.at >= (polled?.at ?? 0) ? heard : polled
  const etaOf = (stop: Stop) => {
    const said = etas[stop.id]
    if (said && said.at > read.dataUpdatedAt) return said
    return stop.etaSeconds == null ? undefined : { seconds: stop.etaSeconds, at: read.dataUpdatedAt }
  }
  return { line, read, seen, etaOf, stops: isThisTrip ? (read.data?.stops ?? []) : [] }
}

function OnTheRoad({ ride }: { ride: Ride }) {
  const now = useNow()
  const bus = useBusNow(ride)
  const age = bus.seen ? Math.max(0, (now - bus.seen.at) / 1_000) : undefined
  const minutesOf = (stop: Stop) => {
    const eta = bus.etaOf(stop)
    return eta && age !== undefined && !stop.departedAt
      ? minutesTo(eta.seconds - (now - eta.at) / 1_000, age)
      : undefined
  }
  const next = nextStop(ride, bus.stops)
  const minutes = next && minutesOf(next)
  return (
    <>
      {next && minutes && <p className="amount">{t('bus.eta', { stop: next.name, ...minutes })}</p>}
      <Shown of={bus.read} lines={6} undated>
        {() => (
          <>
            <Age of={bus.seen} age={age} ride={ride} stops={bus.stops} />
            <div className="app-map" dir="ltr">
              <BusMap
                label={t('bus.map')}
                fit={ride.tripId ?? ''}
                follow={ride.busId}
                zoom={[t('bus.nearer'), t('bus.farther')]}
                stops={bus.stops.map((s) => ({
                  key: s.id,
                  name: s.name,
                  lat: s.lat,
                  lng: s.lng,
                  done: s.departedAt !== null,
                }))}
                chosen={ride.stopId}
                buses={
                  bus.seen
                    ? [
                        {
                          key: ride.busId,
                          label: ride.busNumber,
                          name: t('bus.number', { bus: ride.busNumber }),
                          lat: bus.seen.lat,
                          lng: bus.seen.lng,
                          faded: (age ?? 0) >= fadesAfter,
                        },
                      ]
                    : []
                }
              />
            </div>
            {bus.line === 'away' && <p className="note">{t('bus.asking')}</p>}
            <Stops of={bus.stops} ride={ride} minutesOf={minutesOf} />
          </>
        )}
      </Shown>
    </>
  )
}

/** How old the position is. A bus that was not heard of for a minute is not where it is drawn. */
function Age({ of, age, ride, stops }: { of?: Seen; age?: number; ride: Ride; stops: Stop[] }) {
  const format = useFormat()
  if (!of || age === undefined) return <Status tone="warn">{t('bus.notSeen', { bus: ride.busNumber })}</Status>
  if (age < fadesAfter) return <Status tone="good">{t('bus.live', { bus: ride.busNumber })}</Status>
  if (age < lostAfter) return <Status tone="plain">{t('bus.secondsAgo', { count: Math.floor(age) })}</Status>
  const time = format.time(new Date(of.at).toISOString())
  const [near] = [...stops].sort((a, b) => distance(a, of) - distance(b, of))
  return (
    <Status tone="warn">{near ? t('bus.lastSeenNear', { time, stop: near.name }) : t('bus.lastSeen', { time })}</Status>
  )
}

/** Enough to find the nearest of a few stops in one town. */
const distance = (a: { lat: number; lng: number }, b: { lat: number; lng: number }) =>
  Math.hypot(a.lat - b.lat, (a.lng - b.lng) * Math.cos((a.lat * Math.PI) / 180))

function Stops(props: { of: Stop[]; ride: Ride; minutesOf: (stop: Stop) => { from: number; to: number } | undefined }) {
  const format = useFormat()
  if (props.of.length === 0) return null
  return (
    <Card label={t('bus.stops')}>
      <h2>{t('bus.stops')}</h2>
      <ol className="rows">
        {props.of.map((stop) => {
          const minutes = props.minutesOf(stop)
          const isMine = stop.id === props.ride.stopId
          return (
            <li key={stop.id} className="between">
              <span className="grow">
                <span className="line-title">
                  <bdi>{stop.name}</bdi> {isMine && <Status tone="plain">{t('bus.yourStop')}</Status>}
                </span>
                <span className="note">
                  <Parts
                    of={[
                      stop.plannedTime && t('bus.planned', { time: format.clock(stop.plannedTime) }),
                      isMine &&
                        props.ride.previousTime &&
                        t('bus.before', { time: format.clock(props.ride.previousTime) }),
                    ]}
                  />
                </span>
              </span>
              <span className="nowrap">
                {stop.departedAt
                  ? t('bus.leftAt', { time: format.time(stop.departedAt) })
                  : stop.arrivedAt
                    ? t('bus.thereSince', { time: format.time(stop.arrivedAt) })
                    : minutes && t('bus.inMinutes', minutes)}
              </span>
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

/** One way of a child's day: when, where, and whether the child got on and off. */
function RideCard({ of }: { of: Ride }) {
  const format = useFormat()
  const title = t(of.direction === 'pickup' ? 'bus.toSchool' : 'bus.home')
  return (
    <Card label={title}>
      <div className="between">
        <h2>{title}</h2>
        <span className="note">{t('bus.number', { bus: of.busNumber })}</span>
      </div>
      <p>
        <bdi>{of.stopName}</bdi> · <bdi className="strong">{format.clock(of.plannedTime)}</bdi>{' '}
        {of.previousTime && <Status tone="warn">{t('bus.before', { time: format.clock(of.previousTime) })}</Status>}
      </p>
      {of.notRiding ? (
        <p className="note">{t('bus.notRiding')}</p>
      ) : of.tripId ? (
        <Boarded ride={of} trip={of.tripId} />
      ) : (
        <p className="note">{t('bus.noTrip')}</p>
      )}
    </Card>
  )
}

const tripStates = {
  scheduled: 'bus.notStarted',
  in_progress: 'bus.underWay',
  paused: 'bus.paused',
  completed: 'bus.ended',
} as const

function Boarded({ ride, trip }: { ride: Ride; trip: string }) {
  const format = useFormat()
  const read = useRead(
    ['/bus-tracking/trip', trip, ride.studentId],
    () => call(api.GET('/bus-tracking/trip/{tripId}/students', { params: { path: { tripId: trip } } })),
    { enabled: ride.tripStatus !== 'scheduled', every: isUnderWay(ride) && 30_000 },
  )
  const rider = read.data?.students.find((s) => s.studentId === ride.studentId)
  const state = tripStates[(ride.tripStatus ?? '') as keyof typeof tripStates]
  return (
    <>
      {rider?.boardedAt && <p>{t('bus.boardedAt', { time: format.time(rider.boardedAt) })}</p>}
      {rider?.alightedAt && <p>{t('bus.gotOffAt', { time: format.time(rider.alightedAt) })}</p>}
      {ride.boarding === 'no_show' && <p>{t('bus.noShow', { bus: ride.busNumber })}</p>}
      {state && <p className="note">{t(state)}</p>}
    </>
  )
}
