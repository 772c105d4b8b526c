// Every page of the office and of the platform, and sign-in, on a line of 300 ms: nothing moves when data arrives. Pages are
// those of src/routes.tsx.
import { readFileSync } from 'node:fs'
import { caller, inWindow, lineTo, signIn, until, visit, want } from './browser.mjs'
import { asPictured } from './pictured.mjs'

const limit = 0.02
const source = readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8')
const office = source.slice(source.indexOf('const officePages'), source.indexOf('export function loadPage'))
const platform = source.slice(source.indexOf('export const platformRouter'))
const pathsOf = (part) => [...part.matchAll(/^ +'([^']+)': part\(/gm)].map(([, path]) => path)

export default async function ({ url: server, story, say, email, password, token, superEmail, exam }) {
  const ask = caller(server, token)
  const bus = await ask('POST', '/school-admin/transport/bus/create', { busNumber: 'KA-01-1' })
  const route = await ask('POST', '/school-admin/transport/route/create', {
    name: 'Hill Road',
    busId: bus.id,
    direction: 'pickup',
    stops: [{ name: 'Mill', lat: 12.97, lng: 77.59, plannedTime: '07:30' }],
  })
  const student = (await ask('GET', '/school-admin/student/list?limit=1')).items[0]
  const records = {
    '/exams/$id': [`/exams/${exam}`, `/exams/${exam}?tab=marks`, `/exams/${exam}?tab=results`],
    '/exams/report-card/$id': [`/exams/report-card/${student.id}?draft=yes`],
    '/transport/routes/$id': [`/transport/routes/${route.id}`, `/transport/routes/${route.id}?tab=riders`],
  }
  const pages = pathsOf(office).flatMap((p) => (p.includes('$') ? records[p] : [p]))
  want(pages.length > 60 && !pages.includes(undefined), `the pages are found, those with an id too: ${pages}`)
  const { url, cut } = await lineTo(server, 300)
  await walk({ url, story, say, email, password, pages })
  await walk({ url, story: `${story} of the platform`, say, email: superEmail, password, pages: pathsOf(platform) })
  await cut()
}

async function walk({ url, story, say, email, password, pages }) {
  await inWindow({ url, story }, async ({ page }) => {
    const under = new Set() // calls under way
    for (const [event, act] of [
      ['request', 'add'],
      ['requestfinished', 'delete'],
      ['requestfailed', 'delete'],
    ])
      page.on(event, (r) => !/socket\.io|\/sw\.js$/.test(r.url()) && under[act](r))
    page.on('framenavigated', () => under.clear()) // a page that is left hears of no answer
    await page.addInitScript(() => {
      window.shifts = []
      new PerformanceObserver((l) =>
        l.getEntries().forEach((e) => {
          if (!e.hadRecentInput)
            window.shifts.push({ value: e.value, of: e.sources.map((s) => s.node?.className || s.node?.nodeName) })
        }),
      ).observe({ type: 'layout-shift', buffered: true })
    })
    const wrong = []
    const judge = async (path) => {
      const shifts = await page.evaluate(() => window.shifts.splice(0))
      const sum = shifts.reduce((n, s) => n + s.value, 0)
      if (sum > limit) wrong.push(`${path}: ${sum.toFixed(3)} ${JSON.stringify(shifts).slice(0, 600)}`)
    }
    await page.goto(`${url}/console/`)
    await page.getByLabel('E-mail').waitFor()
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    await judge('sign-in')
    await signIn(page, url, email, password)
    const settled = async () => {
      const quiet = () =>
        page.evaluate(
          () =>
            new Promise((done) =>
              requestAnimationFrame(() =>
                requestAnimationFrame(() =>
                  done(
                    window.location.pathname.endsWith(document.querySelector('main')?.dataset.at) &&
                      !document.querySelector('.mantine-Skeleton-root, [data-stale], [data-waiting]') &&
                      !!document.querySelector('main')?.textContent.trim(),
                  ),
                ),
              ),
            ),
        )
      await until(
        async () => under.size === 0 && (await quiet()) && under.size === 0,
        `${page.url()} has everything`,
      ).catch((e) => {
        e.message += ` (under way: ${[...under].map((r) => r.url())})`
        throw e
      })
    }
    const look = async (path) => {
      await settled()
      await judge(path)
      if (pages.includes('/fees/collect')) await asPictured(page, path) // of the office
    }
    await page.reload()
    await look('/ (loaded)')
    for (const path of pages) {
      await visit(page, path)
      await look(path)
    }
    say(`${pages.length} pages`)
    want(wrong.length === 0, `nothing moves:\n  ${wrong.join('\n  ')}`)
  })
}
