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

const lines = [
  {
    number: '12',
    name: 'Lake Side, morning',
    driver: 'Salim',
    last: 'Sheikh',
    phone: '+919765400071',
    from: [12.962, 77.585],
    step: [0.0024, 0.0031],
    stops: ['Old Mill', 'Lake Side', 'Post Office', 'Green Valley School'],
  },
  {
    number: '21',
    name: 'Station, morning',
    driver: 'Anita',
    last: 'Dsouza',
    phone: '+919765400072',
    from: [13.002, 77.588],
    step: [-0.0017, 0.0042],
    stops: ['Railway Station', 'Clock Tower', 'Garden Street', 'Green Valley School'],
  },
]

/** Returns what keeps the buses moving and what stops them. */
export async function stageBuses(url, email, password) {
  const { accessToken } = await caller(url)('POST', '/auth/login', { email, password })
  const office = caller(url, accessToken)
  const students = (await office('GET', '/school-admin/student/list?limit=100')).items.filter(
    (s) => !s.admissionNumber.startsWith('DEMO'),
  ) // those ride with Ravi
  const ravi = await byPhone(url, '+919800000701')
  const mine = (await caller(url, ravi)('GET', '/driver/trip/list')).items[0]
  const buses = [{ token: ravi, trip: mine.id, busId: mine.busId, at: [12.9716, 77.5946], step: [0.0011, 0.0007] }]
  const day = mine.tripDate
  let taken = 0
  for (const l of lines) {
    const find = async (list, is) => (await office('GET', `${list}?limit=100`)).items.find(is) // the stage may stand already
    const employee =
      (await find('/school-admin/employee/list', (e) => e.phone === l.phone)) ??
      (await office('POST', '/school-admin/employee/create', {
        firstName: l.driver,
        lastName: l.last,
        employeeType: 'DRIVER',
        phone: l.phone,
      }))
    const bus =
      (await find('/school-admin/transport/bus/list', (b) => b.busNumber === l.number)) ??
      (await office('POST', '/school-admin/transport/bus/create', {
        busNumber: l.number,
        registrationNumber: `KA-01-GV-00${l.number}`,
        capacity: 36,
        driverId: employee.id,
      }))
    const made = await find('/school-admin/transport/route/list', (r) => r.name === l.name)
    const route = made
      ? await office('GET', `/school-admin/transport/route/${made.id}`)
      : await office('POST', '/school-admin/transport/route/create', {
          name: l.name,
          busId: bus.id,
          direction: 'pickup',
          stops: l.stops.map((name, i) => ({
            name,
            lat: l.from[0] + l.step[0] * i * 3,
            lng: l.from[1] + l.step[1] * i * 3,
            plannedTime: `07:${String(5 + i * 8).padStart(2, '0')}`,
            radiusMeters: 300,
          })),
        })
    const riders = students.slice(taken, taken + 9).map((s, i) => ({ studentId: s.id, stopId: route.stops[i % 3].id }))
    taken += 9
    await office('PUT', `/school-admin/transport/route/${route.id}/students`, { students: riders })
    const today = (time) =>
      find(
        '/school-admin/transport/trip/list',
        (t) => t.routeId === route.id && t.tripDate === day && t.scheduledStartAt.slice(14, 16) === time,
      )
    const trip =
      (await today('30')) ??
      (await office('POST', '/school-admin/transport/trip/schedule', {
        routeId: route.id,
        tripDate: day,
        scheduledStartTime: '07:00',
      }))
    if (!(await today('00')))
      await office('POST', '/school-admin/transport/trip/schedule', {
        routeId: route.id,
        tripDate: day,
        scheduledStartTime: '08:30',
      })
    buses.push({
      token: await byPhone(url, l.phone),
      trip: trip.id,
      busId: bus.id,
      at: [...l.from],
      step: l.step.map((x) => x / 12),
      riders,
    })
  }
  for (const b of buses) {
    await caller(url, b.token)('POST', `/driver/bus-tracking/trips/${b.trip}/start`, {})
    b.socket = io(url, { path: '/socket.io/', transports: ['websocket'], auth: { token: b.token }, forceNew: true })
    await new Promise((ok, bad) => b.socket.on('connect', ok).on('connect_error', bad))
    for (const r of (b.riders ?? []).slice(0, 5))
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
