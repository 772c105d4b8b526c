// The overview of somebody whose role sees a part of the school: their day, their pages, and nothing that is not theirs.
import { accessible, inWindow, lineTo, signIn, want } from './browser.mjs'

export default async function ({ url: server, story, say, email, password, role, shown, hidden }) {
  const { url, cut } = await lineTo(server, 300)
  for (const how of [
    { width: 1280, height: 800 },
    { width: 390, height: 844, touch: true },
  ])
    await inWindow({ url, story: `${story} ${role} ${how.width}`, how }, async ({ page, forgive }) => {
      say(`${role}, ${how.width} px wide`)
      await page.addInitScript(() => {
        window.shifts = []
        new PerformanceObserver((l) => {
          for (const e of l.getEntries()) if (!e.hadRecentInput) window.shifts.push(e)
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await signIn(page, url, email, password)
      await page.reload()
      const figure = (text) => page.locator('a.figure').filter({ hasText: new RegExp(text.split(' ').join('\\s*')) })
      await page.getByRole('heading', { level: 1 }).waitFor()
      for (const text of shown ?? []) await figure(text).waitFor()
      if (!shown) await page.getByRole('region', { name: 'Your pages' }).waitFor()
      await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root, [data-stale]'))
      for (const text of hidden) want((await figure(text).count()) === 0, `${role} sees no "${text}"`)
      const words = await page.locator('main').innerText()
      want(words.length > 60, `the page says something: ${words}`)
      const moved = await page.evaluate(() =>
        window.shifts.map((e) => [e.value, e.sources.map((s) => s.node?.className)]),
      )
      const sum = moved.reduce((n, [v]) => n + v, 0)
      want(sum <= 0.02, `nothing moves when figures arrive: ${sum} ${JSON.stringify(moved)}`)
      const [wide, seen] = await page.evaluate(() => [document.scrollingElement.scrollWidth, window.innerWidth])
      want(wide <= seen, `it fits: ${wide} of ${seen}`)
      await accessible(page, `the overview of a ${role}`)
      if (process.env.LOOK)
        await page.screenshot({ path: `${process.env.LOOK}/${role}-${how.width}.png`, fullPage: true })
      if (role !== 'Accountant') return

      say('figures that cannot be loaded say so, and are tried again')
      forgive(/Failed to load resource/)
      await page.route('**/dashboard/today', (r) => r.fulfill({ status: 500, body: '{}' }))
      await page.reload()
      await page.getByText('What waits today could not be loaded.').waitFor()
      await page.unroute('**/dashboard/today')
      await page.getByRole('region', { name: 'Waiting today' }).getByRole('button', { name: 'Try again' }).click()
      await figure(shown[0]).waitFor()
    })
  await cut()
}
