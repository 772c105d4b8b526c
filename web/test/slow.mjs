// How soon a page can be used on a slow line and a slow machine: Fast 3G and a quarter of this machine's speed, the middle
// of several visits, with none of the console's files kept by the browser (cold) and as on the next morning (warm); and how much a
// page moves while it comes.
import { open, signIn, watchShifts } from './browser.mjs'
import { stage } from './stage.mjs'

const visits = Number(process.env.VISITS ?? 3)
const email = 'admin@green-valley.local'
const friday = new Date(Date.now() - (((new Date().getUTCDay() + 1) % 7) + 1) * 86_400_000).toISOString().slice(0, 10)
const goals = { cold: 3500, warm: 1500, shift: 0.02 }
const fast3G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }

// A page is usable once what people came for is there: the field to type into, the rows, the figures.
const pages = [
  ['sign-in', '/', () => document.querySelector('input[type=email],input[name=email]'), false],
  [
    'overview',
    '/',
    () => [...document.querySelectorAll('.figure .big')].some((b) => b.textContent.trim() !== ''),
    true,
  ],
  ['students', '/students', () => document.querySelectorAll('tbody tr').length >= 25, true],
  ['register', `/register?date=${friday}`, () => document.querySelector('.mark:not([disabled])'), true],
  ['collect', '/fees/collect', () => document.querySelector('main input:not([disabled])'), true],
]

async function measure(context, url, path, usable) {
  const page = await context.newPage()
  try {
    const cdp = await context.newCDPSession(page)
    await page.bringToFront()
    await page.addInitScript(watchShifts)
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', fast3G)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    let asked = 0
    page.on('request', () => asked++)
    await page.goto(`${url}/console${path}`, { waitUntil: 'commit' })
    await page.waitForFunction(usable, null, { polling: 20 })
    const ms = await page.evaluate(() => performance.now())
    await page.waitForTimeout(3000) // what comes late may make the page jump; a live page is never idle
    return { ms, asked, shift: await page.evaluate(() => window.shift) }
  } finally {
    await page.close()
  }
}

async function visit(url, password, [, path, usable, signed]) {
  const b = await open(url)
  try {
    const { page, context } = b
    if (signed) await signIn(page, url, email, password)
    else await page.goto(`${url}/console/`)
    const cdp = await context.newCDPSession(page)
    await page.goto(`${url}/console/icon.svg`) // no script of ours that would write again what is thrown away
    await cdp.send('Network.clearBrowserCache')
    await cdp.send('Storage.clearDataForOrigin', {
      origin: url,
      storageTypes: 'cache_storage,service_workers',
    })
    const cold = await measure(context, url, path, usable)
    // The visit between keeps what the first one loaded before it was able to.
    await page.goto(`${url}/console${path}`)
    await page.waitForFunction(usable)
    await page.close()
    return { cold, warm: await measure(context, url, path, usable) }
  } finally {
    await b.close()
  }
}

export default async function ({ url, password, say }) {
  await stage(url, email, password)
  const middle = (list, of) => [...list].map(of).sort((x, y) => x - y)[Math.floor(list.length / 2)]
  const lines = [
    '',
    '| page | usable cold, ms | warm, ms | requests cold | warm | layout shift |',
    '|---|---:|---:|---:|---:|---:|',
  ]
  const moved = []
  for (const page of pages) {
    const all = []
    for (let i = 0; i < visits; i++) all.push(await visit(url, password, page))
    const figures = ['cold', 'warm'].map((k) => Math.round(middle(all, (v) => v[k].ms)))
    const asked = ['cold', 'warm'].map((k) => middle(all, (v) => v[k].asked))
    say(`${page[0]}: ${JSON.stringify(all)}`)
    const shift = Math.max(...all.flatMap((v) => [v.cold.shift, v.warm.shift]))
    if (shift > goals.shift) moved.push(`${page[0]}: ${shift.toFixed(3)}`)
    lines.push(`| ${[page[0], ...figures, ...asked, shift.toFixed(4)].join(' | ')} |`)
  }
  say([...lines, `| goal | ${goals.cold} | ${goals.warm} | | | ${goals.shift} |`].join('\n'))
  if (moved.length > 0) throw new Error(`not kept: ${moved.join('; ')}`)
}
