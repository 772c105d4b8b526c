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

export interface BoardingWord {
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

export interface Listener {
  location: (s: Sighting) => void
  'trip-status': (t: TripWord) => void
  boarding: (b: BoardingWord) => void
  eta: (e: EtaWord) => void
  incident: (i: IncidentWord) => void
}

/** connecting: not yet. live: hears. away: was cut off and tries again by itself. */
export type Line = 'connecting' | 'live' | 'away'

const renewEvery = 20_000 // well before a token ends, which is renewed a minute before
const again = 5_000

/** Listens in the rooms of these buses. `rejoined` is called after a break, when something may have been missed. */
export function useLive(busIds: string[], listener: Listener, rejoined: () => void): Line {
  const [line, setLine] = useState<Line>('connecting')
  const now = useRef({ listener, rejoined, busIds })
  now.current = { listener, rejoined, busIds }
  const socket = useRef<Socket>(null)
  const joined = useRef(new Set<string>())

  useEffect(() => {
    let sent = ''
    let retry: number | undefined
    let before = false
    const s = io(window.location.origin, {
      path: '/socket.io/',
      transports: ['websocket', 'polling'],
      reconnectionDelay: 500,
      reconnectionDelayMax: again,
      auth: (answer) => void accessToken().then((token) => answer({ token: (sent = token) })),
    })
    socket.current = s
    s.on('connect', () => {
      setLine('live')
      joined.current.clear()
      void join(s, now.current.busIds, joined.current)
      if (before) now.current.rejoined()
      before = true
    })
    s.on('disconnect', (why) => {
      setLine('away')
      // Cut off by the service: the session ended, or its token did. A fresh one is let in again.
      if (why === 'io server disconnect') retry = window.setTimeout(() => void renew().then(() => s.connect()), 500)
    })
    s.on('connect_error', () => {
      setLine('away')
      if (!s.active) retry = window.setTimeout(() => void renew().then(() => s.connect()), again) // refused, not unreachable
    })
    for (const name of ['location', 'trip-status', 'boarding', 'eta', 'incident'] as const) s.on(name, (data) => now.current.listener[name](data as never))
    const timer = window.setInterval(() => {
      if (!s.connected) return
      void accessToken().then((token) => {
        if (token && token !== sent) s.emit('renew', { token: (sent = token) })
      })
    }, renewEvery)
    return () => {
      window.clearTimeout(retry)
      window.clearInterval(timer)
      s.disconnect()
    }
  }, [])

  const key = busIds.join()
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
async function join(s: Socket, ids: string[], joined: Set<string>) {
  for (const id of ids) {
    if (joined.has(id)) continue
    joined.add(id)
    for (let tries = 0; tries < 5 && s.connected; tries++) {
      const answer = (await s.timeout(10_000).emitWithAck('join-bus-room', { busId: id }).catch(() => ({ ok: false }))) as { ok: boolean; error?: string }
      if (answer.ok) break
      if (answer.error !== 'Too Many Requests') {
        joined.delete(id)
        break
      }
      await new Promise((r) => window.setTimeout(r, 1_000))
    }
  }
}
