// What a person did and the server does not have yet: kept on this phone, of one account, over reloads, updates and dead spots,
// until the server has answered.
//
// - An item is one POST with an Idempotency-Key of its own, so that it happens once however often it is sent.
// - Items of one lane ("register", "trip:<id>") are sent one at a time in the order they were put in; lanes do not wait for
//   each other. One tab sends, for all.
// - It is sent when it is put in, when the app opens or comes to the foreground, when the line is back, and by a timer.
// - No line, 408, 425, 429 and 5xx: the lane waits, longer each time, at least as long as Retry-After says.
// - 401: the session is renewed first (client.ts); where it is over, everything waits for the next sign-in.
// - Every other 4xx is a refusal. The item is kept with the reason until the person sends it again or deletes it, and steps
//   aside: what is behind it in its lane goes on, so that nothing is blocked for ever. Sent again, it goes before those behind it.
//   409 is one too: the server waits for a call under the same key that is still under way, and never answers "try later".
// - The server remembers a key for 24 hours. An item that may have arrived longer ago (it was sent, and no answer came) is not
//   sent again by itself, since it could happen twice: it is shown as one that the person has to decide on.
import { useEffect, useSyncExternalStore } from 'react'
import { account } from '../api/account'
import { api, problemOf } from '../api/client'
import { storePrefix } from '../api/home'
import { probe, useLine } from '../api/offline'
import { changed } from '../api/queries'
import type { paths } from '../api/schema'
import { type Key, t } from '../messages/messages'
import { problemText } from './problem'

/** What a POST of the API takes as its data. */
export type DataOf<P extends keyof paths> = paths[P] extends { post: { requestBody?: infer R } }
  ? NonNullable<R> extends { content: { 'application/json': { data: infer D } } }
    ? D
    : never
  : never
type PostPath = { [P in keyof paths]: DataOf<P> extends never ? never : P }[keyof paths]

interface Wanted<P extends PostPath> {
  lane: string
  path: P
  data: DataOf<P>
  /** What it is, in the list of what waits: a text of the catalogue, and whom or what it is about. */
  name: Key
  about?: string
  /** Beginnings of the API's paths whose answers change when it was sent. */
  changes?: string[]
  /** An item whose place it takes, unless that one may have arrived already: then both are sent, in order. */
  insteadOf?: string
}

export interface Item<D = unknown> {
  /** Also its Idempotency-Key. */
  id: string
  /** Its place among all. */
  order?: number
  account: string
  lane: string
  path: string
  data: D
  name: Key
  about: string
  changes: string[]
  /** When the person did it. */
  at: number
  /** Since when it may have arrived: it was sent, and no answer is known. */
  sentAt?: number
  /** Why the server refused it. */
  refused?: string
  /** When the server took it. Until what it changed was read again, pages show it from here. */
  doneAt?: number
}

type ItemState = 'waiting' | 'sending' | 'refused'

const keyLife = 23 * 3_600_000 // an hour less than the server's
const doneKept = 12 * 3_600_000
const longestCall = 30_000
const longestPause = 5 * 60_000
const lookEvery = 30_000

// The store: one database of the phone, in which every item says whose it is.
let opened: Promise<IDBDatabase> | undefined
const database = () =>
  (opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(`${storePrefix}queue`, 1)
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore('items', { keyPath: 'order', autoIncrement: true })
      store.createIndex('account', 'account')
      store.createIndex('id', 'id', { unique: true })
    }
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close() // another tab has a newer app
      request.result.onclose = () => (opened = undefined)
      resolve(request.result)
    }
    request.onerror = () => reject(request.error)
  }).catch((e) => {
    opened = undefined
    throw e
  }))

/** Does something to the items in one transaction; what the last request of it found is the result. */
async function withItems<T>(
  mode: IDBTransactionMode,
  work: (items: IDBObjectStore, give: (v: T) => void) => void,
): Promise<T | undefined> {
  const db = await database()
  return new Promise((resolve, reject) => {
    const transaction = db.transaction('items', mode, { durability: 'strict' })
    let result: T | undefined
    transaction.oncomplete = () => resolve(result)
    transaction.onabort = () => reject(transaction.error)
    work(transaction.objectStore('items'), (v) => (result = v))
  })
}

/** Changes an item, or deletes it where change says undefined. The result is what it has become, if it was still there. */
const changeItem = (id: string, change: (item: Item) => Item | undefined) =>
  withItems<Item>('readwrite', (items, give) => {
    items.index('id').get(id).onsuccess = (e) => {
      const was = (e.target as IDBRequest<Item | undefined>).result
      if (!was) return
      const next = change(was)
      if (next) {
        items.put(next)
        give(next)
      } else items.delete(was.order!)
    }
  })

// What this tab knows of it.
let shown: readonly Item[] = []
let taken: readonly Item[] = [] // by the server, lately
let shownOf: string | undefined // whose they are; undefined until they were read
let sending: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()
const subscribe = (f: () => void) => {
  listeners.add(f)
  return () => void listeners.delete(f)
}
type Word = { account: string; sending: string[]; sent?: Item }
const tabs = new BroadcastChannel(`${storePrefix}queue`)

async function reread() {
  const whose = account.current()
  const found = await withItems<Item[]>('readonly', (items, give) => {
    items.index('account').getAll(whose).onsuccess = (e) => give((e.target as IDBRequest<Item[]>).result)
  })
  if (whose !== account.current()) return
  const all = (found ?? []).sort((a, b) => a.order! - b.order!)
  shown = all.filter((i) => i.doneAt === undefined)
  taken = all.filter((i) => i.doneAt !== undefined)
  shownOf = whose
  for (const f of listeners) f()
}

/** Draws what changed, here and in the other tabs. */
async function tell(sent?: Item) {
  tabs.postMessage({ account: account.current(), sending: [...sending], sent } satisfies Word)
  await reread()
}

tabs.onmessage = async (e: MessageEvent<Word>) => {
  if (e.data.account !== account.current()) return
  sending = new Set(e.data.sending)
  await reread()
  if (e.data.sent) changed(...e.data.sent.changes)
  void flush()
}

/** Keeps what a person did, and sends it as soon as can be. It is safe on the phone when this resolves. */
export async function put<P extends PostPath>(wanted: Wanted<P>): Promise<Item> {
  const { insteadOf, about = '', changes = [], ...rest } = wanted
  const item: Item = { ...rest, about, changes, id: crypto.randomUUID(), account: account.current(), at: Date.now() }
  void navigator.storage?.persist?.()
  await withItems('readwrite', (items) => {
    if (!insteadOf) return void items.add(item)
    items.index('id').get(insteadOf).onsuccess = (e) => {
      const was = (e.target as IDBRequest<Item | undefined>).result
      if (was && (was.sentAt === undefined || was.refused !== undefined)) items.delete(was.order!)
      items.add(item)
    }
  })
  await tell()
  void flush()
  return item
}

/** Sends a refused item again, and everything that waits without further delay, but for what the server put off. */
export async function retry(id?: string) {
  if (id) await changeItem(id, ({ refused: _, sentAt: __, ...item }) => item)
  for (const [lane, p] of pauses) if (!p.isAsked) pauses.delete(lane)
  await tell()
  void flush()
}

/** Deletes an item that was not sent. */
export async function drop(id: string) {
  await changeItem(id, () => undefined)
  await tell()
}

/** Deletes everything of the account that is signing out. */
export async function dropAll() {
  for (const item of [...shown, ...taken]) await changeItem(item.id, () => undefined)
  await tell()
}

// Sending.
interface Pause {
  until: number
  times: number
  /** The server asked for it. */
  isAsked: boolean
}
const pauses = new Map<string, Pause>() // by lane
let timer: number | undefined
let again = false
let busy = false

/** Sends what is due: one tab at a time, all lanes side by side. */
async function flush(): Promise<void> {
  again = true
  if (busy || account.current() === '') return
  busy = true
  try {
    while (again) {
      again = false
      if (!('locks' in navigator)) await sendDue()
      else {
        const name = `${storePrefix}queue.${account.current()}`
        await navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? sendDue() : undefined))
      }
    }
  } catch {
    // The store cannot be read: the timer tries again.
  }
  busy = false
  window.clearTimeout(timer)
  if (shown.some((i) => i.refused === undefined)) timer = window.setTimeout(() => void flush(), nextLook())
}

function nextLook(): number {
  const pause = Math.min(...[...pauses.values()].map((p) => p.until - Date.now()), lookEvery)
  return Math.max(500, pause)
}

async function sendDue() {
  await reread()
  for (const i of taken) if (Date.now() - i.doneAt! > doneKept) await changeItem(i.id, () => undefined)
  const lanes = new Set(shown.filter((i) => i.refused === undefined).map((i) => i.lane))
  const due = [...lanes].filter((lane) => (pauses.get(lane)?.until ?? 0) <= Date.now())
  if (due.length === 0) return
  // Where there is no line nothing is tried: what was never sent cannot have arrived.
  if ((isDown || !navigator.onLine) && !(await probe())) {
    for (const lane of due) pause(lane)
    return
  }
  await Promise.all(due.map(sendLane))
}

async function sendLane(lane: string) {
  for (;;) {
    const next = shown.find((i) => i.lane === lane && i.refused === undefined)
    if (!next || next.account !== account.current()) return
    if (!(await sendItem(next))) return
  }
}

/** Sends one item. False: its lane has to wait. */
async function sendItem({ id, lane }: Item): Promise<boolean> {
  const isDoubtful = (i: Item) => i.sentAt !== undefined && Date.now() - i.sentAt > keyLife
  const item = await changeItem(id, (i) =>
    isDoubtful(i) ? { ...i, refused: t('queue.doubtful') } : { ...i, sentAt: i.sentAt ?? Date.now() },
  )
  if (!item || item.refused !== undefined) {
    await tell()
    return true
  }
  sending = new Set([...sending, id])
  await tell()
  const answer = await send(item).catch(() => undefined)
  const response = answer?.response
  sending = new Set([...sending].filter((other) => other !== id))
  if (!response || response.status === 401 || isForLater(response.status)) {
    pause(lane, Number(response?.headers.get('Retry-After') ?? 0) * 1000)
    // The server did not do it: it cannot have arrived.
    if (response && response.status < 500 && item.sentAt) await changeItem(id, ({ sentAt: _, ...i }) => i)
    await tell()
    return false
  }
  pauses.delete(lane)
  if (response.ok) {
    // What no page shows (a bus's positions, all day) is done with.
    await changeItem(id, ({ sentAt: _, ...i }) => (i.changes.length > 0 ? { ...i, doneAt: Date.now() } : undefined))
    await tell(item)
    changed(...item.changes)
  } else {
    const why = problemText(problemOf(response, answer?.error))
    await changeItem(id, ({ sentAt: _, ...i }) => ({ ...i, refused: why }))
    await tell()
    changed(...item.changes) // the present value may be the reason
  }
  return true
}

const isForLater = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500

interface Answer {
  response: Response
  error?: unknown
}

/** Posts an item. On a line that hangs it gives up, also while the session is being renewed. */
function send(item: Item): Promise<Answer> {
  const post = api.POST as unknown as (path: string, how: object) => Promise<Answer>
  const signal = AbortSignal.timeout(longestCall)
  const call = post(item.path, {
    params: { header: { 'Idempotency-Key': item.id } },
    body: { data: item.data },
    parseAs: 'stream', // the pages read what changed by themselves
    signal,
  })
  return Promise.race([
    call,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ])
}

function pause(lane: string, asked = 0) {
  const times = (pauses.get(lane)?.times ?? 0) + 1
  const grown = Math.min(longestPause, 1_000 * 2 ** times) * (0.75 + Math.random() / 4)
  pauses.set(lane, { until: Date.now() + Math.max(asked, grown), times, isAsked: asked > 0 })
}

let isDown = false

/** Runs the queue while somebody is signed in. */
export function useQueueRunner() {
  const line = useLine()
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void flush()
    }
    const isBack = () => void retry()
    document.addEventListener('visibilitychange', look)
    window.addEventListener('focus', look)
    window.addEventListener('online', isBack)
    return () => {
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('focus', look)
      window.removeEventListener('online', isBack)
    }
  }, [])
  useEffect(() => {
    isDown = !line.up
    void (line.up ? retry() : reread()).catch(() => {}) // a browser without a store: put() says so
  }, [line.up])
}

/** What the server does not have yet, of one lane or of all, in order. undefined until the phone's store was read. */
export function useUnsent(lane?: string): readonly Item[] | undefined {
  const all = useSyncExternalStore(subscribe, () => (shownOf === account.current() ? shown : undefined))
  return lane === undefined ? all : all?.filter((i) => i.lane === lane)
}

/** What the server took after a page last read it: it is so, though the page's answer does not say it yet. */
export function useTaken(lane: string, since: number): readonly Item[] {
  const all = useSyncExternalStore(subscribe, () => (shownOf === account.current() ? taken : nothing))
  return all.filter((i) => i.lane === lane && i.doneAt! >= since)
}
const nothing: readonly Item[] = []

export function useItemState(): (item: Item) => ItemState {
  const now = useSyncExternalStore(subscribe, () => sending)
  return (item) => (item.refused !== undefined ? 'refused' : now.has(item.id) ? 'sending' : 'waiting')
}
