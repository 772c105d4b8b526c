// A quick start in TypeScript: it signs in, lists students, reads one, pages through all of them and watches a bus.
import createClient from 'openapi-fetch'
import { io } from 'socket.io-client'
import type { paths } from './schema'

const url = process.env.HOMEROOM_URL ?? 'http://127.0.0.1:3001'
const email = process.env.HOMEROOM_EMAIL ?? 'admin@green-valley.local'
const password = process.env.HOMEROOM_PASSWORD ?? ''

const api = createClient<paths>({ baseUrl: url })

const signedIn = await api.POST('/auth/login', { body: { email, password } })
if (!signedIn.data) throw new Error(signedIn.error?.message)
const token = signedIn.data.accessToken
api.use({
  onRequest({ request }) {
    request.headers.set('Authorization', `Bearer ${token}`)
    return request
  },
})

async function students(page: number, limit: number) {
  // A list is asked for by GET, with filters in the query, or like this; GET may also answer with a CSV file.
  const { data, error } = await api.POST('/school-admin/student/list', { body: { data: { page, limit } } })
  if (!data) throw new Error(error?.message)
  return data.data
}

const first = await students(1, 20)
console.log(`students: ${first.items.length} of ${first.total}`)

const id = first.items[0]?.id
if (id) {
  const { data } = await api.GET('/school-admin/student/{id}', { params: { path: { id } } })
  console.log(`first: ${data?.data.firstName} ${data?.data.lastName}`)
}

let n = 0
for (let page = 1, pages = 1; page <= pages; page++) {
  const some = await students(page, 100)
  n += some.items.length
  pages = some.totalPages
}
console.log(`all: ${n}`)

const buses = await api.POST('/school-admin/transport/bus/list', { body: { data: {} } })
const busId = buses.data?.data.items[0]?.id
if (busId) {
  const socket = io(url, { auth: { token } })
  socket.on('connect_error', (reason) => console.log(`refused: ${reason.message}`))
  socket.on('connect', () => {
    // After each connect: the service does not know the rooms of a connection that is gone.
    socket.emit('join-bus-room', { busId }, (answer: { ok: boolean }) => console.log(`joined: ${JSON.stringify([answer])}`))
  })
  for (const event of ['location', 'eta', 'trip-status', 'boarding', 'incident']) {
    socket.on(event, (data) => console.log(`${event}: ${JSON.stringify(data)}`))
  }
}
