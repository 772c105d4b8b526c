// A new version of the app comes while it is open: it is offered, and taken over when the person says so or does not look, never
// under their hands, nor while something is typed. A second window goes on with the old one as far as its files are there.
import { phoneSized, signInByCode } from './app.mjs'
import { inWindow, want } from './browser.mjs'

export default async function ({ front, url: server, story, say, phone, ashaId }) {
  await inWindow({ url: front, story, how: phoneSized }, async ({ page, context }) => {
    const update = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update())
    const show = (state) =>
      page.evaluate((is) => {
        Object.defineProperty(document, 'visibilityState', { value: is, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, state)
    const stays = (at = page) => at.evaluate(() => (window.here = true))
    const isNew = (at = page) => at.waitForFunction(() => !window.here)
    const today = (at = page) => at.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    const offer = page.getByRole('button', { name: 'Update' })
    await signInByCode(page, front, phone, server)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.waitForFunction(() => navigator.serviceWorker.controller)

    say('a new version is offered, and the page stays as it is')
    await stays()
    await fetch(`${front}/next-build`)
    await update()
    await offer.waitFor()
    want(await page.evaluate(() => window.here), 'the page was not loaded again')

    say('it is taken when the person says so')
    await offer.click()
    await isNew()
    await today()
    want((await offer.count()) === 0, 'nothing more is offered')

    say('the next one is not taken while something is typed, though nobody looks')
    await page.goto(`${front}/app/school/${ashaId}/leave/new`)
    await page.getByLabel('Reason').fill('A wedding')
    await stays()
    await fetch(`${front}/next-build`)
    await update()
    await offer.waitFor()
    await page.evaluate(() => {
      window.asked = 0
      const { postMessage } = ServiceWorker.prototype
      ServiceWorker.prototype.postMessage = function (...message) {
        window.asked++
        return postMessage.apply(this, message)
      }
    })
    await show('hidden')
    want((await page.evaluate(() => window.asked)) === 0, 'the new version is not asked for')
    await show('visible')
    want((await page.getByLabel('Reason').inputValue()) === 'A wedding', 'what was typed is there')

    say('and is when that is gone')
    await page.getByLabel('Reason').fill('')
    await show('hidden')
    await isNew()
    await page.getByLabel('Reason').waitFor()
    want(
      (await page.evaluate(() => caches.keys())).filter((k) => k.startsWith('homeroom-app-files-')).length === 1,
      'one build is kept',
    )

    say('one window takes a version over: the other stays as it is, and is offered it')
    await page.goto(`${front}/app/`)
    const other = await context.newPage()
    await other.goto(`${front}/app/`)
    await today(other)
    await stays(other)
    await fetch(`${front}/next-build?without=part-library-`)
    await update()
    await offer.click()
    await today()
    await other.getByRole('button', { name: 'Update' }).waitFor()
    want(await other.evaluate(() => window.here), 'the other window was not loaded again')

    say('a page whose old files are gone comes from the new version')
    await (await context.newCDPSession(other)).send('Network.clearBrowserCache')
    await other.evaluate((to) => {
      window.history.pushState(null, '', to)
      window.dispatchEvent(new PopStateEvent('popstate'))
    }, `/app/school/${ashaId}/library`)
    await other.getByText('This page could not be loaded').waitFor()
    await fetch(`${front}/next-build?whole`)
    await other.getByRole('button', { name: 'Try again' }).click()
    await isNew(other)
    await other.getByText('Nothing was borrowed.').waitFor()
    want((await other.getByRole('button', { name: 'Update' }).count()) === 0, 'it is the new version')
  })
}
