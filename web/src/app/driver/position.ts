// Where the bus is, from the phone's own position, while the app is on the screen. What a browser does not let a page do: go on
// when the phone is locked or another app is in front. The screen is therefore kept on.
//
// Positions are collected for a few seconds and sent by the API's row for batches, live and late ones alike: it knows what it
// has had, takes any order, and the queue keeps what waits. A socket would show the bus some seconds sooner, and would need
// this way besides for every dead spot.
import { useEffect, useSyncExternalStore } from 'react'
import { type DataOf, type Item, put, useUnsent } from '../queue'
import { drafts } from '../store'
import type { Trip } from './acts'

type Point = DataOf<'/driver/bus-tracking/trips/{tripId}/locations'>['locations'][number]

export interface Tracking {
  trip: string
  /** asked: the phone has not answered. none: no satellites. */
  state: 'asked' | 'on' | 'denied' | 'none' | 'unsupported'
  at?: number
  lat?: number
  lng?: number
  /** Whether the screen stays on. */
  awake: boolean
}

const pathOf = (trip: string) =>
  `/driver/bus-tracking/trips/${trip}/locations` as '/driver/bus-tracking/trips/{tripId}/locations'

const sendEvery = 5_000
const mostPoints = 1_900 // of one batch; the API takes 2,000

let tracking: Tracking | undefined
let watch: number | undefined
let collected: Point[] = [] // kept on the phone at once, under keptAt: the app may be closed before they are a batch
let timer: number | undefined
let lock: WakeLockSentinel | undefined
let last: Item | undefined
const listeners = new Set<() => void>()

const keptAt = (trip: string) => `positions.${trip}`
export const positionsLane = (trip: string) => `positions:${trip}`

function collect(trip: string, points: Point[]) {
  collected = points
  if (points.length > 0) drafts.keep(keptAt(trip), points)
  else drafts.drop(keptAt(trip))
}

function become(next: Tracking | undefined) {
  tracking = next
  for (const f of listeners) f()
}

function begin(trip: string) {
  if (tracking?.trip === trip) return
  stop()
  become({ trip, state: 'geolocation' in navigator ? 'asked' : 'unsupported', awake: false })
  collected = drafts.recall<Point[]>(keptAt(trip)) ?? []
  void stayAwake()
  document.addEventListener('visibilitychange', stayAwake)
  if (!('geolocation' in navigator)) return
  watchPhone()
  document.addEventListener('visibilitychange', askAgain)
  timer = window.setInterval(() => void send(), sendEvery)
}

function watchPhone() {
  watch = navigator.geolocation.watchPosition(taken, failed, {
    enableHighAccuracy: true,
    maximumAge: 0,
    timeout: 30_000,
  })
}

/** Who comes back to the app may have allowed in the settings what was denied; the browser does not say so by itself. */
function askAgain() {
  if (tracking?.state !== 'denied' || document.visibilityState !== 'visible') return
  if (watch !== undefined) navigator.geolocation.clearWatch(watch)
  watchPhone()
}

function stop() {
  if (watch !== undefined) navigator.geolocation.clearWatch(watch)
  window.clearInterval(timer)
  document.removeEventListener('visibilitychange', stayAwake)
  document.removeEventListener('visibilitychange', askAgain)
  void lock?.release().catch(() => {})
  void send()
  watch = timer = lock = undefined
  become(undefined)
}

function taken({ coords, timestamp }: GeolocationPosition) {
  if (!tracking) return
  const { latitude: lat, longitude: lng, speed, heading } = coords
  const point = {
    lat,
    lng,
    speed: speed ?? undefined,
    heading: heading ?? undefined,
    timestamp: new Date(timestamp).toISOString(),
  }
  collect(tracking.trip, [...collected, point])
  become({ ...tracking, state: 'on', at: timestamp, lat, lng })
}

function failed(e: GeolocationPositionError) {
  if (tracking) become({ ...tracking, state: e.code === e.PERMISSION_DENIED ? 'denied' : 'none' })
}

async function stayAwake() {
  if (document.visibilityState !== 'visible') void send() // before the browser stops the page
  if (!tracking || document.visibilityState !== 'visible') return
  const { trip } = tracking
  try {
    const mine = await navigator.wakeLock.request('screen')
    if (tracking?.trip !== trip) return void mine.release().catch(() => {}) // the trip ended meanwhile
    lock = mine
    mine.addEventListener('release', () => {
      if (tracking && lock === mine) become({ ...tracking, awake: false })
    })
    become({ ...tracking, awake: true })
  } catch {
    if (tracking) become({ ...tracking, awake: false }) // the browser cannot, or the battery is low
  }
}

let waiting: readonly Item[] = [] // of the lane, as last drawn

/** Adds what was collected to the batch that waits, so that there is one however long the line is away. */
async function send() {
  const trip = tracking?.trip
  if (!trip || collected.length === 0) return
  const points = collected
  collected = [] // what comes meanwhile is of the next batch
  type Batch = { locations: Point[] }
  const pending = last && waiting.find((i) => i.id === last?.id && i.sentAt === undefined)
  const before = pending ? (pending.data as Batch).locations : []
  const joins = before.length > 0 && before.length + points.length <= mostPoints
  try {
    last = await put({
      lane: positionsLane(trip),
      path: pathOf(trip),
      data: { locations: joins ? [...before, ...points] : points },
      name: 'driver.positions',
      insteadOf: joins ? pending?.id : undefined,
    })
    collect(trip, collected)
  } catch {
    collect(trip, [...points, ...collected]) // no room on the phone
  }
}

/** Sends what was collected of a trip that this phone follows no more: the app was closed before it was a batch. */
export async function sendKept(trip: string) {
  if (tracking?.trip === trip) return
  const points = drafts.recall<Point[]>(keptAt(trip))
  if (!points?.length) return
  await put({ lane: positionsLane(trip), path: pathOf(trip), data: { locations: points }, name: 'driver.positions' })
  drafts.drop(keptAt(trip))
}

/** Ends following a trip while a page is shown; what was collected is sent. */
export function useNoTracking(trip: string | undefined) {
  useEffect(() => {
    if (!trip) return
    if (tracking?.trip === trip) stop()
    else void sendKept(trip)
  }, [trip])
}

/** Follows the phone while the trip is under way, over all pages of the app. */
export function useTracking(trip: Trip | undefined): Tracking | undefined {
  const lane = useUnsent(positionsLane(trip?.id ?? ''))
  // A trip that was given to another driver takes no more of this phone's.
  const isRefused = lane?.some((i) => i.refused !== undefined) ?? false
  const id = trip?.status === 'in_progress' && !isRefused ? trip.id : undefined
  const ended = trip !== undefined && !id && tracking?.trip === trip.id
  useEffect(() => {
    if (id) begin(id)
    else if (ended) stop()
  }, [id, ended])
  const over = trip?.status === 'completed' ? trip.id : undefined
  useEffect(() => {
    if (over) void sendKept(over).catch(() => {}) // no room: the next start tries again
  }, [over])
  useEffect(() => {
    if (lane && id && tracking?.trip === id) waiting = lane
  }, [lane, id])
  return useSyncExternalStore(
    (f) => {
      listeners.add(f)
      return () => void listeners.delete(f)
    },
    () => (tracking?.trip === trip?.id ? tracking : undefined),
  )
}

/** The last position, for an incident. */
export const lastPosition = () => (tracking?.lat === undefined ? {} : { lat: tracking.lat, lng: tracking.lng })
