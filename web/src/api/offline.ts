// What this browser keeps for the time without a line: who is signed in, and the last answers of what was read. It is of one
// user and goes when they sign out, when their session turns out to be over, when somebody else signs in, and after a day.
//
// The app is of several accounts side by side. It keeps their answers itself (app/store.ts), each with its age.
import { useSyncExternalStore } from 'react'
import { account } from './account'
import { leavingAt, noteRead, readsAt, sessionAt, takeAnswer } from './first'
import { home, isApp, storePrefix } from './home'
import type { Session } from './session'

export const openedPrefix = `${storePrefix}opened.` // what was opened last: shell/Palette.tsx
export const keptPrefix = `${storePrefix}kept.` // what was typed and not saved: patterns/kept.tsx
const cachePrefix = 'homeroom-answers-'
const day = 24 * 3_600_000
const sessionKept = isApp ? 7 * day : day // as long as a session that nobody renews
const answersKept = 400
const largestAnswer = 1_000_000
const atHeader = 'X-Kept-At'

let owner = '' // of the answers

export function recallSession(): Session | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(sessionAt()) ?? 'null') as { session: Session; at: number } | null
    if (!kept || Date.now() - kept.at > sessionKept) return undefined
    owner = kept.session.user.id
    return kept.session
  } catch {
    return undefined
  }
}

export function keepSession(session: Session) {
  owner = session.user.id
  localStorage.setItem(sessionAt(), JSON.stringify({ session, at: Date.now() }))
  leaving.clear()
  if (!isApp) void forgetAnswers((name) => name !== cachePrefix + owner)
}

/** Forgets everything that was read. What was typed and not saved stays for its writer, who may come back, but for a sign-out. */
export async function forget(signedOut: boolean) {
  localStorage.removeItem(sessionAt())
  localStorage.removeItem(readsAt())
  if (signedOut) {
    for (const store of [localStorage, sessionStorage])
      for (const k of Object.keys(store))
        if (
          k.startsWith(`${keptPrefix}${owner}.`) ||
          k.startsWith(openedPrefix) ||
          (store === sessionStorage && k.startsWith(storePrefix))
        )
          store.removeItem(k)
  }
  owner = ''
  if (!isApp) await forgetAnswers(() => true)
}

async function forgetAnswers(which: (name: string) => boolean) {
  if (!('caches' in window)) return
  for (const name of await caches.keys()) if (name.startsWith(cachePrefix) && which(name)) await caches.delete(name)
}

/** Somebody signed out while the line was down, so that their cookie is still here: who, in the app. */
export const leaving = {
  is: () => localStorage.getItem(leavingAt) !== null,
  who: () => localStorage.getItem(leavingAt),
  set: () => localStorage.setItem(leavingAt, account.current() || '1'),
  clear: () => localStorage.removeItem(leavingAt),
}

const atLeisure = (work: () => void) =>
  'requestIdleCallback' in window ? void window.requestIdleCallback(work, { timeout: 1000 }) : void setTimeout(work)

/** Keeps an answer that can be shown without a line: a record or a list, no file. */
function keepAnswer(request: Request, response: Response) {
  if (request.method !== 'GET' || !response.ok) return
  if (!response.headers.get('Content-Type')?.startsWith('application/json')) return
  noteRead(request.url)
  if (isApp || !('caches' in window) || owner === '') return
  const whose = owner
  const copy = response.clone()
  // The page is drawn first. No room: then there is nothing to show without a line.
  atLeisure(() => void keepBody(request, copy, whose).catch(() => {}))
}

async function keepBody(request: Request, response: Response, whose: string) {
  const body = await response.text()
  if (body.length > largestAnswer || whose !== owner) return
  const kept = await caches.open(cachePrefix + whose)
  const headers = { 'Content-Type': 'application/json', [atHeader]: String(Date.now()) }
  await kept.put(request.url, new Response(body, { headers }))
  const all = await kept.keys()
  for (const old of all.slice(0, Math.max(0, all.length - answersKept))) await kept.delete(old)
  if (whose !== owner) await caches.delete(cachePrefix + whose) // signed out meanwhile
}

async function lastAnswer(request: Request): Promise<Response | undefined> {
  if (isApp || !('caches' in window) || owner === '' || request.method !== 'GET') return undefined
  const kept = await (await caches.open(cachePrefix + owner)).match(request.url)
  const at = Number(kept?.headers.get(atHeader))
  if (!kept || Date.now() - at > day) return undefined
  line.shows(at)
  return kept
}

/** Fetches, and without a line answers with what was read last. */
export async function fetchOrRecall(request: Request): Promise<Response> {
  try {
    request.headers.set('Accept-Language', document.documentElement.lang)
    const first = request.method === 'GET' ? await takeAnswer(request) : undefined
    const response = first ?? (await fetch(request))
    line.isUp()
    keepAnswer(request, response)
    return response
  } catch (e) {
    if (!(e instanceof TypeError)) throw e // given up by the page
    line.isDown()
    const last = await lastAnswer(request).catch(() => undefined)
    if (last) return last
    throw e
  }
}

/** Line is whether the server can be reached, and the age of the oldest answer on the page if not. */
interface Line {
  up: boolean
  since?: number
}
let state: Line = { up: true }
const listeners = new Set<() => void>()
const become = (next: Line) => {
  state = next
  for (const f of listeners) f()
}
const line = {
  isUp: () => !state.up && become({ up: true }),
  isDown: () => state.up && become({ up: false }),
  shows: (at: number) => (state.since ?? Infinity) > at && become({ up: false, since: at }),
}

/** Asks for a small file to see whether the line is back. */
export async function probe(): Promise<boolean> {
  try {
    await fetch(`${home}icon.svg`, { cache: 'no-store' })
  } catch {
    return false
  }
  line.isUp()
  return true
}

export const lineIs = (up: boolean) => void (up ? line.isUp() : line.isDown())

export function useLine(): Line {
  return useSyncExternalStore(
    (f) => {
      listeners.add(f)
      return () => listeners.delete(f)
    },
    () => state,
  )
}
