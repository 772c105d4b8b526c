// Every page of the office and of the platform, and sign-in, on a line of 300 ms: nothing moves when data arrives.
import { inWindow, lineTo, signIn, until, visit, want } from './browser.mjs'
import { officePages, platformPages } from './console-pages.mjs'
import { asPictured, picturedPages } from './pictured.mjs'

const limit = 0.02

export default async function ({ url: server, story, say, email, password, token, superEmail, exam }) {
  const pages = await officePages({ url: server, token, exam })
  const left = picturedPages().filter((path) => !pages.includes(path))
  want(left.length === 0, `every page that the README has a picture of is held against it, not ${left}`)
  const { url, cut } = await lineTo(server, 300)
  await walk({ url, story, say, email, password, pages })
  await walk({ url, story: `${story} of the platform`, say, email: superEmail, password, pages: platformPages })
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
