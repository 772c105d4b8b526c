// How the buses stand, put together from what the API answered and what was heard since.
import type { Schemas } from '../../api/client'
import type { EtaWord, IncidentWord, Sighting, TripWord } from '../../api/live'
import { t } from '../../messages/console'

export interface BusNow {
  id: string
  number: string
  tripId: string
  route: string
  driver: string
  status: string
  open: boolean
  startsAt: string
  endedAt: string | null
  stops: Schemas['TripStop'][]
  counts: Record<string, number>
  /** Where it was seen; age is how old that was when we heard it, at is when we did. */
  seen?: { lat: number; lng: number; speed: number; timestamp: string; age: number; at: number }
  etas: Record<string, { seconds: number; at: number }>
  incidents: Pick<IncidentWord, 'id' | 'type' | 'description' | 'occurredAt' | 'lat' | 'lng'>[]
}

type Word =
  | { type: 'fleet'; buses: BusNow[]; at: number }
  | { type: 'location'; seen: Sighting; at: number }
  | { type: 'eta'; eta: EtaWord; at: number }
  | { type: 'trip'; trip: TripWord }
  | { type: 'incident'; incident: IncidentWord }

const isOpen = (status: string) => status === 'in_progress' || status === 'paused'

export function busesFrom(fleet: Schemas['Fleet']): BusNow[] {
  const at = Date.now()
  return fleet.buses.map(({ trip, location, stops, counts }) => ({
    id: trip.busId,
    number: trip.busNumber,
    tripId: trip.id,
    route: trip.routeName,
    driver: trip.driverName,
    status: trip.status,
    open: isOpen(trip.status),
    startsAt: trip.scheduledStartAt,
    endedAt: trip.endedAt,
    stops,
    counts,
    seen: location
      ? {
          lat: location.lat,
          lng: location.lng,
          speed: location.speed,
          timestamp: location.timestamp,
          age: location.ageSeconds,
          at,
        }
      : undefined,
    etas: {},
    incidents: fleet.incidents.filter((i) => i.busId === trip.busId),
  }))
}

/** What is heard changes one bus; what was asked for anew replaces all, but for what was heard later. */
export function follow(buses: BusNow[], word: Word): BusNow[] {
  if (word.type === 'fleet') {
    return word.buses.map((b) => {
      const old = buses.find((o) => o.id === b.id)
      if (!old || old.tripId !== b.tripId) return b
      const seen = old.seen && (!b.seen || old.seen.timestamp > b.seen.timestamp) ? old.seen : b.seen
      return { ...b, seen, etas: old.etas }
    })
  }
  const change = (id: string, f: (b: BusNow) => Partial<BusNow>) =>
    buses.map((b) => (b.id === id ? { ...b, ...f(b) } : b))
  switch (word.type) {
    case 'location':
      return change(word.seen.busId, (b) =>
        b.seen && b.seen.timestamp > word.seen.timestamp && b.tripId === word.seen.tripId
          ? {}
          : {
              seen: {
                lat: word.seen.lat,
                lng: word.seen.lng,
                speed: word.seen.speed,
                timestamp: word.seen.timestamp,
                age: word.seen.ageSeconds,
                at: word.at,
              },
            },
      )
    case 'eta':
      return change(word.eta.busId, (b) => ({
        etas: { ...b.etas, [word.eta.stopId]: { seconds: word.eta.etaSeconds, at: word.at } },
      }))
    case 'trip':
      return change(word.trip.busId, (b) =>
        b.tripId === word.trip.tripId ? { status: word.trip.status, open: isOpen(word.trip.status) } : {},
      )
    case 'incident': {
      const { id, busId, type, description, occurredAt, lat, lng, resolvedAt } = word.incident
      return change(busId, (b) => ({
        incidents: [
          ...(resolvedAt ? [] : [{ id, type, description, occurredAt, lat, lng }]),
          ...b.incidents.filter((i) => i.id !== id),
        ],
      }))
    }
  }
}

/** The first stop the bus has neither left nor passed: an estimate says it is ahead. */
export function nextStop(b: BusNow): Schemas['TripStop'] | undefined {
  const last = b.stops.reduce((n, s, i) => (s.arrivedAt || s.departedAt ? i : n), -1)
  return b.stops.find((s, i) => !s.departedAt && i >= last)
}

export function ridersOf(b: BusNow): string {
  const n = (k: string) => b.counts[k] ?? 0
  const all = Object.values(b.counts).reduce((a, x) => a + x, 0)
  if (all === 0) return t('No riders')
  if (b.status === 'scheduled') return t('{n} of {all} expected', { n: n('waiting'), all })
  if (!b.open) return t('{n} of {all} came along', { n: n('alighted'), all })
  return n('alighted')
    ? t('{n} aboard · {n2} waiting · {n3} got off', { n: n('boarded'), n2: n('waiting'), n3: n('alighted') })
    : t('{n} aboard · {n2} waiting', { n: n('boarded'), n2: n('waiting') })
}
