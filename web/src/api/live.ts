// The live channel: where buses are, as they drive. It carries nothing that must not be lost, so after a break the
// page asks the API how things stand and goes on listening.
import { useEffect, useRef, useState } from 'react'
import { io, type Socket } from 'socket.io-client'
import { accessToken, renew } from './session'

export interface Sighting {
  busId: string
  tripId: string
  lat: number
  lng: number
  speed: number
  heading: number
  timestamp: string
  ageSeconds: number
}

export interface TripWord {
  busId: string
  tripId: string
  status: string
}

interface BoardingWord {
  busId: string
  tripId: string
  studentId: string
  status: string
}

export interface EtaWord {
  busId: string
  tripId: string
  stopId: string
  etaSeconds: number
}

export interface IncidentWord {
  id: string
  busId: string
  tripId: string | null
  type: string
  severity: string
  description: string
  lat: number | null
  lng: number | null
  occurredAt: string
  resolvedAt: string | null
}

/** Why the service refused an event, or a connection (the data of connect_error). */
interface Refusal {
  ok: false
  statusCode: number
  error: string
  message: string
  retryAfter?: number
}

/** A minute before the socket's token ends, and the connection with it. */
interface TokenExpiring {
  expiresAt: string
}

interface Heard extends Listener {
  'token-expiring': (t: TokenExpiring) => void
}

type Answer = { ok: true } | Refusal

interface Said {
  'join-bus-room': (room: { busId: string }, answer: (a: Answer) => void) => void
  'leave-bus-room': (room: { busId: string }) => void
  renew: (token: { token: string }) => void
}

type Live = Socket<Heard, Said>

interface Listener {
  location: (s: Sighting) => void
  'trip-status': (t: TripWord) => void
  boarding: (b: BoardingWord) => void
  eta: (e: EtaWord) => void
  incident: (i: IncidentWord) => void
}

/** connecting: not yet. live: hears. away: was cut off and tries again by itself. */
type Line = 'connecting' | 'live' | 'away'

const soon = 500
const again = 5_000

/** Listens in the rooms of these buses. `rejoined` is called after a break, when something may have been missed. */
export function useLive(busIds: string[], listener: Listener, rejoined: () => void): Line {
  const [line, setLine] = useState<Line>('connecting')
  const now = useRef({ listener, rejoined, busIds })
  now.current = { listener, rejoined, busIds }
  const socket = useRef<Live>(null)
  const joined = useRef(new Set<string>())

  useEffect(() => {
    let sent = ''
    let retry: number | undefined
    let before = false
    let refusals = 0
    let left = false
    const s: Live = io(window.location.origin, {
      path: '/socket.io/',
      transports: ['websocket', 'polling'],
      reconnectionDelay: soon,
      reconnectionDelayMax: again,
      auth: (answer) =>
        void accessToken().then((token) => {
          sent = token
          answer({ token })
        }),
    })
    socket.current = s
    /** Connects again where the client does not by itself, at once and then at intervals, with a fresh token if it needs one. */
    const comeBack = (fresh: boolean, after = refusals++ === 0 ? soon : again) => {
      window.clearTimeout(retry)
      retry = window.setTimeout(() => void (fresh ? renew() : Promise.resolve()).then(() => left || s.connect()), after)
    }
    s.on('connect', () => {
      setLine('live')
      refusals = 0
      joined.current.clear()
      void join(s, now.current.busIds, joined.current)
      if (before) now.current.rejoined()
      before = true
    })
    s.on('disconnect', (why) => {
      setLine('away')
      if (why === 'io server disconnect') comeBack(true) // the session ended; there may be another by now
    })
    s.on('connect_error', (error: Error & { data?: Refusal }) => {
      setLine('away')
      if (s.active) return // not reached: it tries again by itself
      if (error.data?.statusCode === 401) comeBack(true)
      else comeBack(false, (error.data?.retryAfter ?? 0) * 1_000 || again)
    })
    s.on('token-expiring', async () => {
      if ((await accessToken()) === sent) await renew()
      const token = await accessToken()
      if (!token || token === sent || !s.connected) return
      sent = token
      s.emit('renew', { token })
    })
    for (const name of ['location', 'trip-status', 'boarding', 'eta', 'incident'] as const)
      s.on(name, ((data: never) => now.current.listener[name](data)) as (data: unknown) => void)
    return () => {
      left = true
      window.clearTimeout(retry)
      s.disconnect()
    }
  }, [])

  const key = busIds.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: key holds busIds
  useEffect(() => {
    const s = socket.current
    if (!s?.connected) return
    for (const id of joined.current) {
      if (busIds.includes(id)) continue
      joined.current.delete(id)
      s.emit('leave-bus-room', { busId: id })
    }
    void join(s, busIds, joined.current)
  }, [key])

  return line
}

/** Joins one room after the other: a school with many buses is no flood. */
async function join(s: Live, ids: string[], joined: Set<string>) {
  for (const id of ids) {
    if (joined.has(id)) continue
    joined.add(id)
    for (let tries = 0; tries < 5 && s.connected; tries++) {
      const answer: Answer | undefined = await s
        .timeout(10_000)
        .emitWithAck('join-bus-room', { busId: id })
        .catch(() => undefined)
      if (answer?.ok) break
      if (answer?.statusCode !== 429) {
        joined.delete(id)
        break
      }
      await new Promise((r) => window.setTimeout(r, (answer.retryAfter ?? 1) * 1_000))
    }
  }
}
