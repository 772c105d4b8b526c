// Notices on this phone, by the browser's own push service: subscribing, and which page a notice is about. A browser has one
// subscription; each account that wants notices on it registers it for itself.
import { account } from '../api/account'
import { api, call, done } from '../api/client'
import { storePrefix } from '../api/home'
import type { Role } from '../api/session'
import type { Area } from './roles'
import { match } from './route'

const wantedAt = (id = account.current()) => `${storePrefix}notices.${id}`

/** Whether this account wants its notices here. */
export const isWanted = () => localStorage.getItem(wantedAt()) !== null

/** Why the browser cannot show notices; undefined: it can. home-screen: it can once the app is there (iPhones and iPads). */
export function hindrance(): 'home-screen' | 'browser' | 'blocked' | undefined {
  const isOnHomeScreen = (navigator as { standalone?: boolean }).standalone
  if (isOnHomeScreen === false) return 'home-screen'
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window)) return 'browser'
  return Notification.permission === 'denied' ? 'blocked' : undefined
}

/** The beginning of the role's paths: the rows are the same for all. */
const clientOf = (role: Role) => role.toLowerCase() as 'parent'

/** The service's key; empty: it sends no notices to browsers. */
export async function publicKey(role: Role): Promise<string> {
  return (await call(api.GET(`/${clientOf(role)}/notification/web-push`))).publicKey
}

const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))

/** Asks the person, and subscribes. False: the person does not want to. */
export async function turnOn(role: Role, key: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  await register(role, key)
  localStorage.setItem(wantedAt(), '1')
  return true
}

async function register(role: Role, key: string) {
  const { pushManager } = await navigator.serviceWorker.ready
  const asked = { userVisibleOnly: true, applicationServerKey: bytesOf(key) }
  let subscription = await pushManager.getSubscription()
  const bound = subscription?.options.applicationServerKey
  // One that is bound to another key is of no use any more.
  if (subscription && bound && String(new Uint8Array(bound)) !== String(asked.applicationServerKey)) {
    await subscription.unsubscribe()
    subscription = null
  }
  const { endpoint, keys } = (subscription ?? (await pushManager.subscribe(asked))).toJSON()
  await done(
    api.POST(`/${clientOf(role)}/notification/web-push`, {
      body: { data: { endpoint: endpoint ?? '', keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } } },
    }),
  )
}

/** Registers again at every start: browsers change their subscription by themselves, and a session may be a new one. */
export async function renewNotices(role: Role) {
  if (!isWanted() || hindrance() || Notification.permission !== 'granted') return
  const key = await publicKey(role)
  if (key) await register(role, key)
}

export async function turnOff(role: Role) {
  await done(api.POST(`/${clientOf(role)}/notification/web-push/end`))
  await forgetNotices()
}

/** Ends the browser's subscription, unless another account of this phone has notices on it. The session's end ends the service's. */
export async function forgetNotices() {
  if (!isWanted()) return
  localStorage.removeItem(wantedAt())
  if (Object.keys(localStorage).some((k) => k.startsWith(wantedAt('')))) return
  const worker = await navigator.serviceWorker.getRegistration()
  await (await worker?.pushManager.getSubscription())?.unsubscribe()
}

interface Tapped {
  account: string
  type: string
  id: string
  student: string
}

export const tappedOf = (query: URLSearchParams): Tapped => ({
  account: query.get('account') ?? '',
  type: query.get('type') ?? '',
  id: query.get('id') ?? '',
  student: query.get('student') ?? '',
})

// The best first; a role takes the first that is a page of its own.
const pagesOf: Record<string, string[]> = {
  ANNOUNCEMENT: ['/messages/announcement/:id', '/messages/announcements'],
  ATTENDANCE: ['/school/:student/attendance'],
  RESULT: ['/school/:student/results'],
  FEE: ['/fees/:student'],
  LEAVE_REQUEST: ['/school/:student/leave', '/leave/requests'],
  MESSAGE: ['/messages/thread/:id', '/messages'],
  TRANSPORT: ['/trip/:id', '/bus/:student'],
  LIBRARY: ['/school/:student/library'],
  TIMETABLE: ['/school/:student/timetable', '/timetable'],
  EXAM: ['/school/:student/exams', '/marks'],
  EVENT: ['/school/:student/events', '/events'],
}

/** The page that a notice is about; undefined: it says all there is. */
export function pageOf(area: Area, { type, id, student }: Omit<Tapped, 'account'>): string | undefined {
  const isOwnLeave = type === 'LEAVE_REQUEST' && !student // a teacher's, which was decided
  for (const pattern of isOwnLeave ? ['/leave'] : (pagesOf[type] ?? [])) {
    if ((pattern.includes(':student') && !student) || (pattern.includes(':id') && !id)) continue
    const path = pattern.replace(':student', student).replace(':id', id)
    if (area.pages.some((p) => match(p.at, path))) return path
  }
  return undefined
}
