// The app's files on this phone, and their next version: it is fetched beside the one in use and taken over when nobody looks,
// or when the person says so. A page with something typed and not sent is never loaded anew by itself.
import { useEffect, useSyncExternalStore } from 'react'
import { go } from './route'

let waiting: ServiceWorker | undefined
let asked = false
let held = 0
// Another window took the new version over: parts of this page's build may be gone.
let isReplaced = false
let installing: (Event & { prompt: () => Promise<void> }) | undefined
const listeners = new Set<() => void>()
const tell = () => {
  for (const f of listeners) f()
}
const subscribe = (f: () => void) => {
  listeners.add(f)
  return () => void listeners.delete(f)
}

export function startWorker() {
  window.addEventListener('beforeinstallprompt', (e) => {
    e.preventDefault() // offered on a page of ours, not over one
    installing = e as typeof installing
    tell()
  })
  window.addEventListener('appinstalled', () => {
    installing = undefined
    tell()
  })
  if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return
  const files = navigator.serviceWorker
  files.addEventListener('message', (e: MessageEvent<{ open?: string }>) => {
    if (e.data.open) go(e.data.open) // a tapped notice
  })
  const seen = () => document.visibilityState === 'visible' && void navigator.clearAppBadge?.().catch(() => {})
  document.addEventListener('visibilitychange', seen)
  seen()
  let isFirst = files.controller === null // the first worker of this phone is of the page's own build
  files.addEventListener('controllerchange', () => {
    if (asked) return window.location.reload()
    isReplaced ||= !isFirst
    isFirst = false
    tell()
  })
  // After what the first screen needs.
  const register = () => void files.register('/app/sw.js').then(follow, () => {})
  if (document.readyState === 'complete') register()
  else window.addEventListener('load', register)
}

function follow(registration: ServiceWorkerRegistration) {
  const look = () => {
    if (!registration.waiting || !navigator.serviceWorker.controller) return
    waiting = registration.waiting
    tell()
  }
  look()
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look))
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void registration.update().catch(() => {})
    else if (isOffered() && held === 0) takeOver()
  })
}

/** Loads the new version. */
export function takeOver() {
  if (isReplaced) return window.location.reload()
  asked = true
  waiting?.postMessage('take-over')
}

const isOffered = () => waiting !== undefined || isReplaced
export const useUpdate = () => useSyncExternalStore(subscribe, isOffered)

/** Gets what could not be loaded once more: from the new version where another window has taken that over. */
export const loadAgain = (get: () => void) => (isReplaced ? window.location.reload() : get())

/** While something is typed and not sent, a new version waits. */
export function useHold(is: boolean) {
  useEffect(() => {
    if (!is) return
    held++
    return () => void held--
  }, [is])
}

/** Whether the browser offers to install the app; then install() asks. */
export const useInstallable = () => useSyncExternalStore(subscribe, () => installing !== undefined)
export async function install() {
  await installing?.prompt()
  installing = undefined
  tell()
}
