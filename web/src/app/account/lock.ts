// The app's lock on this phone: who has the phone in hand sees nothing of the account before its PIN was entered. It is a curtain
// before what the phone keeps anyway, so that it opens without a line too; the service is asked where the phone does not know.
//
// A PIN has few digits. What the phone keeps of it is of no use elsewhere: it is made with a key that no script can read out.
import { useSyncExternalStore } from 'react'
import { account } from '../../api/account'
import { api, asProblem, done } from '../../api/client'
import { storePrefix } from '../../api/home'

interface Kept {
  salt: string
  check: string
  /** Wrong tries in a row that the service does not know of. */
  wrong: number
}

const rounds = 200_000
const mostWrong = 5
const hiddenFor = 5 * 60_000
// It goes with the rest of the account when that signs out: store.ts.
const keptAt = () => `${storePrefix}of.${account.current()}.lock`

const kept = (): Kept | undefined => JSON.parse(localStorage.getItem(keptAt()) ?? 'null') ?? undefined
const keep = (lock: Kept) => localStorage.setItem(keptAt(), JSON.stringify(lock))

export const isLockOn = () => localStorage.getItem(keptAt()) !== null

let isLocked = isLockOn()
const listeners = new Set<() => void>()
function become(locked: boolean) {
  isLocked = locked
  for (const f of listeners) f()
}
export const useLocked = () =>
  useSyncExternalStore(
    (f) => {
      listeners.add(f)
      return () => void listeners.delete(f)
    },
    () => isLocked,
  )

let hiddenAt: number | undefined
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') hiddenAt = Date.now()
  else if (hiddenAt !== undefined && Date.now() - hiddenAt >= hiddenFor && isLockOn()) become(true)
})

const database = () =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(`${storePrefix}lock`, 1)
    request.onupgradeneeded = () => request.result.createObjectStore('keys')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** The phone's own key; made once. */
async function phoneKey(): Promise<CryptoKey> {
  const made = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const db = await database()
  return new Promise((resolve, reject) => {
    const transaction = db.transaction('keys', 'readwrite')
    const keys = transaction.objectStore('keys')
    let key = made
    keys.get('lock').onsuccess = (e) => {
      const was = (e.target as IDBRequest<CryptoKey | undefined>).result
      if (was) key = was
      else keys.put(made, 'lock')
    }
    transaction.oncomplete = () => {
      db.close()
      resolve(key)
    }
    transaction.onabort = () => reject(transaction.error)
  })
}

const text = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

async function checkOf(pin: string, salt: string): Promise<string> {
  const words = new TextEncoder()
  const mac = await crypto.subtle.sign('HMAC', await phoneKey(), words.encode(`${account.current()} ${salt} ${pin}`))
  const base = await crypto.subtle.importKey('raw', mac, 'PBKDF2', false, ['deriveBits'])
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt: words.encode(salt), iterations: rounds }
  return text(new Uint8Array(await crypto.subtle.deriveBits(how, base, 256)))
}

/** Turns the lock on, or changes its PIN; the service has said that it is the account's. */
export async function turnLockOn(pin: string) {
  const salt = text(crypto.getRandomValues(new Uint8Array(16)))
  keep({ salt, check: await checkOf(pin, salt), wrong: 0 })
}

export function turnLockOff() {
  localStorage.removeItem(keptAt())
  become(false)
}

/** Asks the service whether it is the account's PIN. */
export const provePin = (pin: string) => done(api.POST('/auth/reauthenticate', { body: { pin } }))

type Unlocked = 'open' | 'wrong' | 'offline'

/** Opens the app by its PIN. One that the phone does not know may have been set elsewhere: the service knows. */
export async function unlock(pin: string): Promise<Unlocked> {
  const lock = kept()
  if (lock && lock.wrong < mostWrong && (await checkOf(pin, lock.salt)) === lock.check) {
    keep({ ...lock, wrong: 0 })
    become(false)
    return 'open'
  }
  try {
    await provePin(pin)
  } catch (e) {
    const problem = asProblem(e)
    if (problem.code === 'OFFLINE') {
      if (lock) keep({ ...lock, wrong: lock.wrong + 1 })
      return !lock || lock.wrong + 1 >= mostWrong ? 'offline' : 'wrong'
    }
    if (problem.status === 422) return 'wrong'
    throw e
  }
  await turnLockOn(pin)
  become(false)
  return 'open'
}

/** Opens the app by a code that was sent to the account's phone. The PIN is unknown then: the lock is off. */
export async function unlockByCode(otp: string) {
  await done(api.POST('/auth/reauthenticate', { body: { otp } }))
  turnLockOff()
}
