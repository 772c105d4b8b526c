// A new version of the app comes while it is open: it is offered, and taken over when the person says so or does not look, never
// under their hands.
import { phoneSized, signInByCode } from './app.mjs'
import { inWindow, want } from './browser.mjs'

export default async function ({ front, url: server, story, say, phone }) {
  await inWindow({ url: front, story, how: phoneSized }, async ({ page }) => {
    const update = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update())
    const hide = (state) =>
      page.evaluate((is) => {
        Object.defineProperty(document, 'visibilityState', { value: is, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, state)
    await signInByCode(page, front, phone, server)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.waitForFunction(() => navigator.serviceWorker.controller)

    say('a new version is offered, and the page stays as it is')
    await page.evaluate(() => (window.here = true))
    await fetch(`${front}/next-build`)
    await update()
    const offer = page.getByRole('button', { name: 'Update' })
    await offer.waitFor()
    want(await page.evaluate(() => window.here), 'the page was not loaded again')

    say('it is taken when the person says so')
    await offer.click()
    await page.waitForFunction(() => !window.here)
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    want((await offer.count()) === 0, 'nothing more is offered')

    say('the next one is taken while nobody looks')
    await page.evaluate(() => (window.here = true))
    await fetch(`${front}/next-build`)
    await update()
    await offer.waitFor()
    await hide('hidden')
    await page.waitForFunction(() => !window.here)
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    want(
      (await page.evaluate(() => caches.keys())).filter((k) => k.startsWith('homeroom-app-files-')).length === 1,
      'one build is kept',
    )
  })
}
