// What a driver does on a trip: starting it, going on after a pause, taps about riders, ending it. Each act goes into the
// trip's lane of the queue, so that it arrives once and in order, and counts on the screen at once.
import { useEffect, useSyncExternalStore } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { type DataOf, drop, type Item, put, useUnsent } from '../queue'
import { type Read, useRead } from '../read'

export type Trip = Schemas['TripDetail']
export type Rider = Schemas['TripStudent']
type TapStatus = 'boarded' | 'alighted' | 'no_show'

type TapData = DataOf<'/driver/student/board'>

/** What a driver says of the trip as a whole. */
type Command = 'start' | 'resume' | 'end'

interface Act {
  /** Of the queue's item. */
  id: string
  trip: string
  kind: Command | 'tap' | 'undo'
  tap?: TapData
}

/** Whether riders are tapped and families called: from the start to the end, in a pause too. */
export const isOpen = (trip: Trip) => trip.status === 'in_progress' || trip.status === 'paused'

export const laneOf = (trip: string) => `trip:${trip}`
// The queue takes paths of the document; one with an id in it is the same call.
const pathOf = (trip: string, what: string) => `/driver/bus-tracking/trips/${trip}/${what}` as '/driver/student/board'

// What was done in this window and may not be in what was last read of the trip.
let acts: readonly Act[] = []
const listeners = new Set<() => void>()
const become = (next: readonly Act[]) => {
  acts = next
  for (const f of listeners) f()
}
const useActs = () =>
  useSyncExternalStore(
    (f) => {
      listeners.add(f)
      return () => void listeners.delete(f)
    },
    () => acts,
  )

const beingKept = new Set<string>()

/** Does an act that is being kept by the phone once: a second tap, before the screen shows the first, is the same act. */
async function once(act: string, work: () => Promise<void>) {
  if (beingKept.has(act)) return
  beingKept.add(act)
  try {
    await work()
  } finally {
    beingKept.delete(act)
  }
}

const command = (trip: Trip, kind: Command) =>
  once(`${kind} ${trip.id}`, async () => {
    const { id } = await put({
      lane: laneOf(trip.id),
      path: pathOf(trip.id, kind),
      data: {} as TapData,
      name: `driver.${kind}`,
      about: trip.routeName,
    })
    become([...acts, { id, trip: trip.id, kind }])
  })
export const start = (trip: Trip) => command(trip, 'start')
export const resume = (trip: Trip) => command(trip, 'resume')
export const end = (trip: Trip) => command(trip, 'end')

const tapNames = { boarded: 'driver.boarded', alighted: 'driver.gotOff', no_show: 'driver.noShow' } as const

export const tap = (trip: Trip, rider: Rider, status: TapStatus) =>
  once(`${status} ${trip.id} ${rider.studentId}`, async () => {
    const data: TapData = {
      tripId: trip.id,
      studentId: rider.studentId,
      status,
      clientEventId: crypto.randomUUID(),
      at: new Date().toISOString(),
    }
    const { id } = await put({
      lane: laneOf(trip.id),
      path: '/driver/student/board',
      data,
      name: tapNames[status],
      about: nameOf(rider),
    })
    become([...acts, { id, trip: trip.id, kind: 'tap', tap: data }])
  })

/** Takes the last tap about a rider back: on this phone if it was not sent, else at the service, which does so for ten minutes. */
export async function takeBack(trip: Trip, rider: Rider, unsent: readonly Item[]) {
  const mine = unsent.filter((i) => isTap(i) && (i.data as TapData).studentId === rider.studentId)
  const last = mine.at(-1)
  if (last && last.sentAt === undefined) {
    await drop(last.id)
    become(acts.filter((a) => a.id !== last.id))
    return
  }
  const known = acts.filter((a) => a.tap?.studentId === rider.studentId).at(-1)
  await put({
    lane: laneOf(trip.id),
    path: '/driver/student/undo',
    data: { tripId: trip.id, studentId: rider.studentId, clientEventId: known?.tap?.clientEventId ?? '' },
    name: 'driver.takeBack',
    about: nameOf(rider),
    changes: ['/driver/trip/{id}'],
  })
  become(acts.filter((a) => a !== known))
}

const commandOf = (path: string) => (['start', 'resume', 'end'] as const).find((c) => path.endsWith(`/${c}`))

const actOf = (trip: string, { id, path, data }: Item): Act => ({
  id,
  trip,
  kind: commandOf(path) ?? (path.endsWith('/undo') ? 'undo' : 'tap'),
  tap: path === '/driver/student/board' ? (data as TapData) : undefined,
})

const isTap = (i: Item) => i.path === '/driver/student/board'

// A rider only goes up, as at the service (modules/transport/boarding.go).
const rank: Record<string, number> = { waiting: 0, absent: 1, no_show: 1, boarded: 2, alighted: 3 }

/** The trip as this phone knows it: as it was last read, and what was done since. */
export interface TripState {
  read: Read<Trip>
  trip: Trip | undefined
  unsent: readonly Item[]
  /** The last thing that the service refused. */
  refused: string | undefined
  ends: boolean
}

export function useTrip(id: string): TripState {
  // The office, a colleague or another phone of the driver may change it.
  const read = useRead(
    ['/driver/trip/{id}', id],
    () => call(api.GET('/driver/trip/{id}', { params: { path: { id } } })),
    { every: 60_000 },
  )
  const done = useActs()
  const lane = useUnsent(laneOf(id))
  const unsent = lane ?? []
  const waiting = unsent.filter((i) => i.refused === undefined).length
  const isKnown = lane !== undefined
  const { refetch } = read
  // What was done before a reload counts as well.
  useEffect(() => {
    const known = new Set(acts.map((a) => a.id))
    const kept = (lane ?? []).filter((i) => i.refused === undefined && !known.has(i.id))
    if (kept.length > 0) become([...acts, ...kept.map((i) => actOf(id, i))])
  }, [id, lane])
  // When everything was sent, the service says how things stand; until then what was done here counts.
  useEffect(() => {
    if (!isKnown || waiting > 0) return
    const before = acts
    if (before.some((a) => a.trip === id))
      void refetch().then(({ isSuccess }) => {
        if (isSuccess) become(acts.filter((a) => a.trip !== id || !before.includes(a)))
      })
  }, [id, isKnown, waiting, refetch])

  const refusedIds = new Set(unsent.filter((i) => i.refused !== undefined).map((i) => i.id))
  const mine = done.filter((a) => a.trip === id && !refusedIds.has(a.id))
  return {
    read,
    trip: read.data && applied(read.data, mine),
    unsent,
    refused: unsent.filter((i) => i.refused !== undefined).at(-1)?.refused,
    ends: mine.some((a) => a.kind === 'end'),
  }
}

function applied(trip: Trip, of: readonly Act[]): Trip {
  const students = trip.students.map((s) => {
    let next = s
    for (const { tap } of of) {
      if (tap?.studentId !== s.studentId || rank[tap.status]! <= rank[next.status]!) continue
      next = { ...next, status: tap.status === 'boaded' ? 'boarded' : tap.status }
      if (tap.status === 'boarded') next.boardedAt = String(tap.at)
      if (tap.status === 'alighted') next.alightedAt = String(tap.at)
    }
    return next
  })
  const before = { start: 'scheduled', resume: 'paused' } as const
  const goesOn = of.some((a) => (a.kind === 'start' || a.kind === 'resume') && trip.status === before[a.kind])
  return { ...trip, status: goesOn ? 'in_progress' : trip.status, students }
}

/** One place of a trip and who gets on or off there. */
export interface Place {
  key: string
  name: string
  time: string
  act: 'boarded' | 'alighted'
  riders: Rider[]
  open: boolean
}

/** The places in the order the bus comes to them. A pickup ends, and a drop-off begins, at the school. */
export function placesOf(trip: Trip): Place[] {
  const isPickup = trip.tripType === 'pickup'
  const atStops = trip.stops.map((stop): Place => {
    const riders = trip.students.filter((s) => s.stopId === stop.id)
    const act = isPickup ? 'boarded' : 'alighted'
    const open = riders.some((r) => r.status === (isPickup ? 'waiting' : 'boarded'))
    return { key: stop.id, name: stop.name, time: stop.plannedTime, act, riders, open }
  })
  const school: Place = {
    key: 'school',
    name: t('driver.school'),
    time: '',
    act: isPickup ? 'alighted' : 'boarded',
    riders: trip.students.filter((s) => (isPickup ? rank[s.status]! >= 2 : true)),
    open: trip.students.some((s) => s.status === (isPickup ? 'boarded' : 'waiting')),
  }
  return (isPickup ? [...atStops, school] : [school, ...atStops]).filter((p) => p.riders.length > 0)
}
