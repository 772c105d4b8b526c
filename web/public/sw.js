// Opens the console when the line is down: keeps the page that loads it, and the parts that were loaded. It holds no data of
// a school (src/api/offline.ts does), and answers nothing but the console's own files.
const store = 'homeroom-console'
const page = '/console/'
const isPart = /^\/console\/[\w.-]+-[\w-]{8}\.\w+$/

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (e) => e.waitUntil(self.clients.claim()))

// The page first as the server has it: it names the parts of the newest build.
async function open(request) {
  const kept = await caches.open(store)
  try {
    const fresh = await fetch(request)
    if (fresh.ok) await keep(kept, fresh.clone())
    return fresh
  } catch (e) {
    const last = await kept.match(page)
    if (last) return last
    throw e
  }
}

const entryOf = (html) => /src="(\/console\/console-[^"]+)"/.exec(html)?.[1]

async function keep(kept, fresh) {
  const before = await kept.match(page)
  const entry = entryOf(await fresh.clone().text())
  // Parts of a build that was replaced are not needed any more.
  if (before && entryOf(await before.text()) !== entry) for (const old of await kept.keys()) await kept.delete(old)
  await kept.put(page, fresh)
}

// A part never changes under its name.
async function part(request) {
  const kept = await caches.open(store)
  const here = await kept.match(request)
  if (here) return here
  const fresh = await fetch(request)
  if (fresh.ok) await kept.put(request, fresh.clone())
  return fresh
}

self.addEventListener('fetch', (e) => {
  const { pathname, origin } = new URL(e.request.url)
  if (e.request.method !== 'GET' || origin !== self.location.origin) return
  if (isPart.test(pathname)) e.respondWith(part(e.request))
  else if (e.request.mode === 'navigate' && pathname.startsWith(page) && !/\.\w+$/.test(pathname))
    e.respondWith(open(e.request))
})
