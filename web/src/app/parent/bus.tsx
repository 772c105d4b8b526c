// Where a child's bus is, in words. An estimate is a range, and grows with the age of what is known.
import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { type Read, useRead } from '../read'

export type Ride = Schemas['ChildsRide']
type Live = Schemas['Live']

export const useRides = () =>
  useRead(['/parent/transport/my-buses'], () => call(api.GET('/parent/transport/my-buses')), { every: 30_000 })

export const isUnderWay = (r: Ride) => r.tripStatus === 'in_progress' || r.tripStatus === 'paused'
export const isAboard = (r: Ride) => isUnderWay(r) && r.boarding === 'boarded'

/** The ride to tell of: one that is under way, else the next of today, else the last. */
export function rideOf(rides: Ride[], student: string): Ride | undefined {
  const mine = rides.filter((r) => r.studentId === student && r.tripId)
  const started = (r: Ride) => r.scheduledStartAt ?? ''
  const next = mine.filter((r) => r.tripStatus === 'scheduled').sort((a, b) => started(a).localeCompare(started(b)))[0]
  return mine.find(isUnderWay) ?? next ?? mine.sort((a, b) => started(b).localeCompare(started(a)))[0]
}

/** A bus, asked for at intervals. Without a bus nothing is asked. */
export const useBus = (busId: string, every: number): Read<Live> =>
  useRead(
    ['/bus-tracking/bus', busId],
    () => call(api.GET('/bus-tracking/bus/{busId}/live', { params: { path: { busId } } })),
    { every, enabled: busId !== '' },
  )

/** When the bus was where it is shown, by this phone's clock: the service says how long ago, since clocks differ. */
export const seenAt = (read: Read<Live>): number | undefined =>
  read.data?.location ? read.dataUpdatedAt - read.data.location.ageSeconds * 1_000 : undefined

const tooOld = 300 // seconds, after which nothing is said of when the bus comes

/** In how many minutes the bus is there: at the soonest and at the latest. age is that of its position, in seconds. */
export function minutesTo(seconds: number, age: number): { from: number; to: number } | undefined {
  if (age >= tooOld) return undefined
  return { from: Math.max(0, Math.floor((seconds - age) / 60)), to: Math.max(1, Math.ceil((seconds + 60 + age) / 60)) }
}

/** Where the child gets on or off next: one who is aboard to school gets off at the last stop. */
export function nextStop<S extends { id: string }>(r: Ride, stops: S[]): S | undefined {
  const isMine = r.direction === 'dropoff' ? r.boarding === 'boarded' : r.boarding === 'waiting'
  if (isUnderWay(r) && isMine) return stops.find((s) => s.id === r.stopId)
  return isAboard(r) ? stops.at(-1) : undefined
}

export function RideNote({ of }: { of: Ride }) {
  const format = useFormat()
  if (of.notRiding) return <p className="note">{t('bus.notRiding')}</p>
  if (isUnderWay(of) && (of.boarding === 'waiting' || of.boarding === 'boarded')) return <Coming of={of} />
  if (of.boarding === 'alighted') return <p className="note">{t('bus.gotOff', { bus: of.busNumber })}</p>
  if (of.boarding === 'no_show') return <p className="note">{t('bus.noShow', { bus: of.busNumber })}</p>
  if (of.tripStatus !== 'scheduled') return null
  const values = { bus: of.busNumber, stop: of.stopName, time: format.clock(of.plannedTime) }
  return (
    <>
      <p className="note">{t(of.direction === 'pickup' ? 'bus.plannedPickup' : 'bus.plannedDropoff', values)}</p>
      {of.previousTime && <p className="note">{t('bus.before', { time: format.clock(of.previousTime) })}</p>}
    </>
  )
}

function Coming({ of }: { of: Ride }) {
  const format = useFormat()
  const live = useBus(of.busId, 15_000)
  const stop = live.data?.trip?.id === of.tripId ? nextStop(of, live.data?.stops ?? []) : undefined
  const seen = seenAt(live)
  const age = seen === undefined ? undefined : (Date.now() - seen) / 1_000
  const minutes =
    stop?.etaSeconds != null && age !== undefined
      ? minutesTo(stop.etaSeconds - (Date.now() - live.dataUpdatedAt) / 1_000, age)
      : undefined
  return (
    <>
      {stop && minutes && <p>{t('bus.eta', { stop: stop.name, ...minutes })}</p>}
      {seen !== undefined && age !== undefined && age >= 60 && (
        <p className="note">{t('bus.lastSeen', { time: format.time(new Date(seen).toISOString()) })}</p>
      )}
      {live.data && !live.data.location && <p className="note">{t('bus.notSeen', { bus: of.busNumber })}</p>}
    </>
  )
}
