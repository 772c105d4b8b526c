// Puts buses on the road at the demo school: three drive, one of them held up, one has come home.
import { io } from 'socket.io-client'
import { caller, outbox } from './browser.mjs'

/** Signs in by PIN, which the first time is set after a code: only a few codes are sent to a phone in an hour. */
async function byPhone(url, phone) {
  const pin = '4826'
  const known = await caller(url)('POST', '/auth/verify-pin', { phone, pin }).catch(() => undefined)
  if (known) return known.accessToken
  await caller(url)('POST', '/auth/send-otp', { phone })
  const otp = /\d{6}/.exec((await outbox(url, phone))[0].text)[0]
  const { accessToken } = await caller(url)('POST', '/auth/verify-otp', { phone, otp })
  await caller(url, accessToken)('POST', '/auth/set-pin', { pin })
  return accessToken
}

// The demo school's buses, by their numbers, and their drivers' phones.
const lines = [
  { number: '7', phone: '+919800000701' },
  { number: '12', phone: '+919800000901' },
  { number: '21', phone: '+919800000902' },
]

/** Returns what keeps the buses moving and what stops them. */
export async function stageBuses(url, email, password) {
  const { accessToken } = await caller(url)('POST', '/auth/login', { email, password })
  const office = caller(url, accessToken)
  const { date: day } = await office('GET', '/school-admin/attendance/unmarked')
  const find = async (list, is) => (await office('GET', `${list}?limit=100`)).items.find(is)
  const buses = []
  for (const l of lines) {
    const bus = await find('/school-admin/transport/bus/list', (b) => b.busNumber === l.number)
    const listed = await find(
      '/school-admin/transport/route/list',
      (r) => r.busId === bus.id && r.direction === 'pickup',
    )
    const { stops } = await office('GET', `/school-admin/transport/route/${listed.id}`)
    const today = (time) =>
      find(
        '/school-admin/transport/trip/list',
        (t) => t.routeId === listed.id && t.tripDate === day && t.scheduledStartAt.slice(14, 16) === time,
      ) // the stage may stand already
    const schedule = (scheduledStartTime) =>
      office('POST', '/school-admin/transport/trip/schedule', {
        routeId: listed.id,
        tripDate: day,
        scheduledStartTime,
        runsOnHolidays: true,
      })
    const trip = (await today('30')) ?? (await schedule('07:00'))
    if (!(await today('00'))) await schedule('08:30')
    buses.push({
      token: await byPhone(url, l.phone),
      trip: trip.id,
      busId: bus.id,
      at: [stops[0].lat, stops[0].lng],
      step: [(stops[1].lat - stops[0].lat) / 3, (stops[1].lng - stops[0].lng) / 3],
    })
  }
  for (const b of buses) {
    const { students } = await caller(url, b.token)('POST', `/driver/bus-tracking/trips/${b.trip}/start`, {})
    b.socket = io(url, { path: '/socket.io/', transports: ['websocket'], auth: { token: b.token }, forceNew: true })
    await new Promise((ok, bad) => b.socket.on('connect', ok).on('connect_error', bad))
    for (const r of students.slice(0, 5))
      await caller(url, b.token)('POST', '/driver/student/board', {
        tripId: b.trip,
        studentId: r.studentId,
        status: 'boarded',
      }).catch(() => {}) // a trip that was under way already has its riders
  }
  const move = async () => {
    for (const b of buses) {
      b.at = [b.at[0] + b.step[0] / 10, b.at[1] + b.step[1] / 10]
      await b.socket.emitWithAck('update-location', {
        lat: b.at[0],
        lng: b.at[1],
        speed: 8.4,
        heading: 30,
        timestamp: Date.now(),
      })
    }
  }
  for (let i = 0; i < 12; i++) {
    await move()
    await new Promise((r) => setTimeout(r, 400))
  }
  await caller(url, buses[2].token)('POST', '/driver/incident/report', {
    busId: buses[2].busId,
    type: 'traffic_jam',
    description: 'Road works at Clock Tower, ten minutes late',
  })
  const timer = setInterval(() => void move().catch(() => {}), 2000)
  return {
    trip: buses[1].trip,
    stop: () => {
      clearInterval(timer)
      for (const b of buses) b.socket.disconnect()
    },
  }
}
