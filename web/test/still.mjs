// Every page of the office on a line of 300 ms: nothing moves when data arrives. Pages are those of src/routes.tsx.
import { readFileSync } from 'node:fs'
import { inWindow, lineTo, signIn, until, visit, want } from './browser.mjs'

const limit = 0.02
const source = readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8')
const office = source.slice(source.indexOf('const officePages'), source.indexOf('export function loadPage'))
const paths = [...office.matchAll(/^ {2}'([^']+)': part\(/gm)].map(([, path]) => path).filter((p) => !p.includes('$'))

export default async function ({ url: server, story, say, email, password, exam }) {
  want(paths.length > 40, `the pages are found: ${paths.length}`)
  const { url, cut } = await lineTo(server, 300)
  await inWindow({ url, story }, async ({ page }) => {
    const under = new Set() // calls under way
    for (const [event, act] of [
      ['request', 'add'],
      ['requestfinished', 'delete'],
      ['requestfailed', 'delete'],
    ])
      page.on(event, (r) => !/socket\.io/.test(r.url()) && under[act](r))
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
    const wrong = []
    const look = async (path) => {
      await settled()
      const shifts = await page.evaluate(() => window.shifts.splice(0))
      const sum = shifts.reduce((n, s) => n + s.value, 0)
      if (sum > limit) wrong.push(`${path}: ${sum.toFixed(3)} ${JSON.stringify(shifts).slice(0, 600)}`)
    }
    await page.reload()
    await look('/ (loaded)')
    for (const path of [...paths, `/exams/${exam}`, `/exams/${exam}?tab=marks`]) {
      await visit(page, path)
      await look(path)
    }
    say(`${paths.length + 2} pages`)
    want(wrong.length === 0, `nothing moves:\n  ${wrong.join('\n  ')}`)
  })
  await cut()
}
