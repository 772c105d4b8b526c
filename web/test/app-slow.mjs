// How soon each page of the app can be used on a slow line and a slow phone: Fast 3G and a quarter of this machine's speed, the
// middle of several visits, with neither files nor answers on the phone (cold) and as on the next morning (warm); how much a page
// moves while it comes, and how soon a tap in the register of forty is on the screen.
import { phoneSized, signInByCode } from './app.mjs'
import { isThere, pagesOf } from './app-pages.mjs'
import { appIsKept } from './app-wait.mjs'
import { open, watchShifts } from './browser.mjs'

const visits = Number(process.env.VISITS ?? 3)
const { PAGES } = process.env // only these, by their addresses in roles.tsx
const goals = { cold: 3000, warm: 1000, shift: 0.02, tap: 50 }
const fast3G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]

async function measure(context, address) {
  const page = await context.newPage()
  try {
    const cdp = await context.newCDPSession(page)
    await page.addInitScript(watchShifts)
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', fast3G)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await page.goto(address, { waitUntil: 'commit' })
    await page.waitForFunction(isThere, null, { polling: 20 })
    const ms = await page.evaluate(() => performance.now())
    await page.waitForLoadState('networkidle') // what comes late may make the page jump
    return { ms, shift: await page.evaluate(() => window.shift) }
  } finally {
    await page.close()
  }
}

/** A phone on which somebody is signed in, and nothing else is kept. */
async function forget(context, page, url) {
  const cdp = await context.newCDPSession(page)
  await page.goto(`${url}/app/icon.svg`) // no script of ours that would write again what is thrown away
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.includes('.answer.')) localStorage.removeItem(key)
  })
  await cdp.send('Network.clearBrowserCache')
  await cdp.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'cache_storage,service_workers' })
}

async function tapInRegister(context, address) {
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await page.goto(address)
  await page.locator('.mark-choices input').nth(100).waitFor()
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const times = await page.evaluate(async () => {
    const all = []
    for (let i = 0; i < 12; i++) {
      const input = document.querySelectorAll(`.mark-choices [data-mark=${i % 2 ? 'PRESENT' : 'ABSENT'}] input`)[20]
      const began = performance.now()
      input.click()
      await new Promise((r) => requestAnimationFrame(() => setTimeout(r)))
      if (!input.checked) throw new Error('not marked')
      all.push(performance.now() - began)
    }
    return all
  })
  await page.close()
  return middle(times)
}

export default async function ({ url, say, phones, values, division }) {
  const lines = ['', '| page | usable cold, ms | warm, ms | layout shift |', '|---|---:|---:|---:|']
  const moved = []
  let tap
  for (const [role, phone] of Object.entries(phones)) {
    const { context, page, close } = await open(url, phoneSized)
    try {
      await signInByCode(page, url, phone)
      for (const { at, path } of pagesOf(role, values)) {
        if (PAGES && !PAGES.split(',').includes(at)) continue
        const address = `${url}/app${path}`
        const all = []
        for (let i = 0; i < visits; i++) {
          await forget(context, page, url)
          const cold = await measure(context, address)
          // The visit between keeps what the first one loaded before it was able to.
          await page.goto(address)
          await page.waitForFunction(isThere)
          await appIsKept(page)
          await page.goto(`${url}/app/icon.svg`)
          all.push({ cold, warm: await measure(context, address) })
        }
        const shift = Math.max(...all.flatMap((v) => [v.cold.shift, v.warm.shift]))
        if (shift > goals.shift) moved.push(`${role} ${at}: ${shift.toFixed(3)}`)
        const [cold, warm] = ['cold', 'warm'].map((k) => Math.round(middle(all.map((v) => v[k].ms))))
        lines.push(`| ${role} ${at} | ${cold} | ${warm} | ${shift.toFixed(4)} |`)
      }
      if (role === 'teacher') tap = await tapInRegister(context, `${url}/app/register/day/${division}`)
    } finally {
      await close()
    }
  }
  say([...lines, `| goal | ${goals.cold} | ${goals.warm} | ${goals.shift} |`].join('\n'))
  say(`A tap in a register of 40 is on the screen after ${tap.toFixed(0)} ms; the goal is ${goals.tap} ms.`)
  if (moved.length > 0) throw new Error(`not kept: ${moved.join('; ')}`)
}
