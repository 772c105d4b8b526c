// Opens the app at once and without a line: keeps the page and all parts of its build. A new build is fetched beside it and
// waits until the app asks for it. It holds no data of a school, and answers nothing but the app's own files. It shows the
// notices that are pushed, and opens the app at the page of one that is tapped.
const parts = __PARTS__
const page = '/app/'
const prefix = 'homeroom-app-files-'

const store = `${prefix}__BUILD__`

self.addEventListener('install', (e) =>
  e.waitUntil(
    (async () => {
      const kept = await caches.open(store)
      const fresh = await fetch(page, { cache: 'reload' })
      const html = await fresh.clone().text()
      // While instances are replaced, one of another build may answer: then this is tried again later.
      if (!fresh.ok || !parts.some((name) => html.includes(`${page}${name}`)))
        throw new Error('a page of another build')
      await kept.addAll(parts.map((name) => page + name))
      await kept.put(page, fresh)
    })(),
  ),
)

self.addEventListener('activate', (e) =>
  e.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== store) await caches.delete(name)
      await self.clients.claim()
    })(),
  ),
)

self.addEventListener('message', (e) => {
  if (e.data === 'take-over') void self.skipWaiting()
})

async function fromStore(request) {
  return (await (await caches.open(store)).match(request)) ?? fetch(request)
}

self.addEventListener('fetch', (e) => {
  const { pathname, origin } = new URL(e.request.url)
  if (e.request.method !== 'GET' || origin !== self.location.origin || !pathname.startsWith(page)) return
  if (parts.includes(pathname.slice(page.length))) e.respondWith(fromStore(e.request))
  else if (e.request.mode === 'navigate' && !/\.\w+$/.test(pathname)) e.respondWith(fromStore(page))
})

self.addEventListener('push', (e) => {
  let notice = {}
  try {
    notice = e.data.json()
  } catch {
    // Something has to be shown for every push; the app has the rest.
  }
  e.waitUntil(show(notice))
})

async function show(notice) {
  await self.registration.showNotification(notice.title || 'Homeroom', {
    body: notice.body,
    tag: notice.deliveryId, // one that comes twice is shown once
    lang: notice.locale,
    icon: `${page}icon-192.png`,
    data: notice,
  })
  if (notice.badge > 0) await navigator.setAppBadge?.(notice.badge).catch(() => {})
}

self.addEventListener('notificationclick', (e) => {
  e.notification.close()
  e.waitUntil(open(e.notification.data ?? {}))
})

/** In a window of the app if there is one, else in a new one. The app knows the page, and changes the account if it has to. */
async function open({ accountId = '', type = '', id = '', studentId = '' }) {
  const to = `notice?${new URLSearchParams({ account: accountId, type, id, student: studentId })}`
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown = windows.find((w) => new URL(w.url).pathname.startsWith(page))
  if (!shown) return self.clients.openWindow(page + to)
  shown.postMessage({ open: `/${to}` })
  return shown.focus().catch(() => {})
}
