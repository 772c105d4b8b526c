// What a page needs first is asked for while its script is still on the line: who is signed in, and what was read at this address
// when it was opened last. The build makes a file of its own of this one, which the page runs before all others.
//
// Of what was read the browser keeps the addresses only, of one user; they go with the rest of what it keeps of them. An answer is
// the page's that asked, with the token it has, until somebody does something: from then on everything is asked for anew.
import { account } from './account'
import { authPath, isApp, storePrefix } from './home'
import type { components } from './schema'

/** In the app a session also says which account it is of, and which others the phone has. */
export type Answer = components['schemas']['ConsoleSession'] &
  Partial<Pick<components['schemas']['AppSession'], 'accountId' | 'accounts'>>

export const sessionAt = () => `${storePrefix}session${isApp ? `.${account.current()}` : ''}`
export const leavingAt = `${storePrefix}leaving` // signed out without a line: the server does not know yet
/** In the app it is of one account, and goes with what that has there: app/store.ts. */
export const readsAt = () => `${storePrefix}${isApp ? `of.${account.current()}.` : ''}reads`

interface Reads {
  user: string
  /** By the address they were made at, the newest last. */
  at: Record<string, string[]>
}

const addressesKept = 20
const mostReads = 12
const openingTakes = 30_000
const today = '{today}' // in an address that is kept, so that it is right tomorrow

function recall<T>(key: string): T | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as T) ?? undefined
  } catch {
    return undefined
  }
}

const who = () => recall<{ session: Pick<Answer, 'user' | 'school'> }>(sessionAt())?.session

/** Somebody of a school signed in here and did not sign out; it may be long ago. */
export function wasAtSchool(): boolean {
  const kept = localStorage.getItem(sessionAt())
  return kept !== null && !kept.includes('"SUPER_ADMIN"')
}

const recallReads = () => {
  const reads = recall<Reads>(readsAt())
  return reads && reads.user === who()?.user.id ? reads : undefined
}

let day: string | undefined
// A formatter takes a slow machine long: only where a day is asked for, or kept.
const dayAtSchool = () => (day ??= new Intl.DateTimeFormat('en-CA', { timeZone: who()?.school?.timeZone }).format())
const anyDay = /\b\d{4}-\d\d-\d\d\b/g

/** One tab renews the session at a time. */
export const inTurn = async <T>(f: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? await navigator.locks.request(`${isApp ? 'homeroom-app' : 'homeroom'}-session`, f) : f()

/** Calls what lives on a cookie. */
export function cookieFetch(path: string, body?: unknown, token = ''): Promise<Response> {
  const headers: Record<string, string> = {
    'X-Homeroom-Console': '1',
    'Accept-Language': document.documentElement.lang,
  }
  if (token !== '') headers.Authorization = `Bearer ${token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  return fetch(path, {
    method: 'POST',
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: 'same-origin',
  })
}

export const whose = (id = account.current()) => (isApp ? { accountId: id } : undefined)

/** What the service says to a renewal: data where the session goes on. */
export interface Renewal {
  status: number
  data?: Answer
}

export async function askRenewal(token = ''): Promise<Renewal> {
  const response = await cookieFetch(`${authPath}/refresh`, whose(), token)
  return { status: response.status, data: response.ok ? ((await response.json()) as { data: Answer }).data : undefined }
}

const { pathname: openedPath, search } = window.location
const openedAt = openedPath + search
let hasActed = false
for (const act of ['pointerdown', 'keydown'])
  window.addEventListener(act, () => (hasActed = true), { capture: true, once: true })
const isOpening = () => !hasActed && window.location.pathname === openedPath && performance.now() < openingTakes

const isAnybody = localStorage.getItem(leavingAt) === null && !(isApp && account.current() === '')
const answers = new Map<string, Promise<Response | undefined>>()
let token = ''
// Settled by the answer and not by the end of the turn, which comes much later on a slow machine.
let renewal = isAnybody
  ? new Promise<Renewal>((answered, failed) =>
      inTurn(async () => {
        const answer = await askRenewal()
        answered(answer)
        readAgain(answer) // before anybody hears of it
      }).catch(failed),
    )
  : undefined
/** The reads are under way, or there are none. */
export const readsAsked = renewal?.then(
  () => {},
  () => {}, // the page meets the same trouble, and says so
)

function readAgain({ data }: Renewal) {
  const reads = recallReads()?.at[openedAt]
  if (!reads || !data || data.user.id !== who()?.user.id) return
  token = data.accessToken
  for (const read of reads) {
    const url = window.location.origin + read.replaceAll(today, dayAtSchool)
    const answer = fetch(url, { headers: { Authorization: `Bearer ${token}` } })
    answers.set(
      url,
      answer.then((r) => (r.ok ? r : undefined)).catch(() => undefined),
    )
  }
}

/** The session's renewal that was asked for before the page's script was there, once. */
export function takeRenewal(): Promise<Renewal> | undefined {
  const taken = renewal
  renewal = undefined
  return taken
}

/** The answer to a read that was made before the page asked for it, once. */
export async function takeAnswer(request: Request): Promise<Response | undefined> {
  await readsAsked
  const answer = answers.get(request.url)
  answers.delete(request.url)
  return isOpening() && request.headers.get('Authorization') === `Bearer ${token}` ? answer : undefined
}

const made = new Set<string>()
let timer: number | undefined

/** Keeps that this was read while the page opened. */
export function noteRead(url: string) {
  if (!isOpening() || made.size === mostReads) return
  made.add(url.slice(window.location.origin.length).replaceAll(anyDay, (of) => (of === dayAtSchool() ? today : of)))
  window.clearTimeout(timer)
  timer = window.setTimeout(keepReads, 500) // once, for all that come together
}

function keepReads() {
  const user = who()?.user.id
  if (!user) return // signed out meanwhile
  const { [openedAt]: _, ...others } = recallReads()?.at ?? {}
  const at = Object.fromEntries([...Object.entries(others).slice(1 - addressesKept), [openedAt, [...made]]])
  try {
    localStorage.setItem(readsAt(), JSON.stringify({ user, at } satisfies Reads))
  } catch {
    // No room: then the next start asks for nothing beforehand.
  }
}
