// What a driver's phone does beside the taps: it says when it may not tell its position, and goes on when it may; it keeps the
// screen on, and says so where it cannot; it shows the riders' photos. A trip that another device paused is resumed here.
import { look, phoneSized, signInByCode } from './app.mjs'
import { appIsKept, nothingWaits } from './app-wait.mjs'
import { caller, inWindow, lineTo, until, want } from './browser.mjs'

/** Runs in the page: the screen's wake lock, as a test holds it. */
const holdWakeLocks = () => {
  const wake = { refuses: false, locks: [] }
  wake.held = () => wake.locks.filter((lock) => !lock.released).length
  const request = async () => {
    if (wake.refuses) throw new DOMException('The battery is low', 'NotAllowedError')
    const lock = new EventTarget()
    lock.release = async () => {
      lock.released = true
      lock.dispatchEvent(new Event('release'))
    }
    wake.locks.push(lock)
    return lock
  }
  window.wake = wake
  Object.defineProperty(navigator, 'wakeLock', { value: { request } })
}

export default async function ({ url: server, story, say, phone, trip }) {
  const { url, cut, mend } = await lineTo(server)
  await inWindow({ url, story, how: phoneSized }, async ({ page, context, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch/)
    await page.addInitScript(holdWakeLocks)
    let token
    page.on('request', (r) => {
      token = r.headers().authorization?.replace('Bearer ', '') ?? token
    })
    const button = (name) => page.getByRole('button', { name, exact: true })
    const rider = (name) => page.getByRole('listitem', { name })
    const comesBack = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    const held = (n) => page.waitForFunction((n) => window.wake.held() === n, n)
    const notAwake = page.getByText('This browser cannot keep the screen on.')

    say('shows who rides, with their photos')
    await signInByCode(page, url, phone, server)
    await page.getByRole('link', { name: 'Open trip' }).click()
    await button('Start trip').waitFor()
    const photo = rider('Asha Rao').locator('img')
    await photo.waitFor()
    await until(() => photo.evaluate((img) => img.complete && img.naturalWidth > 0), 'the photo is drawn')
    want((await rider('Dev Rao').locator('img').count()) === 0, 'who has no photo has letters')

    say('says that it may not tell where the bus is, and goes on when it may')
    await button('Start trip').click()
    await page.getByText('Not allowed: allow location').waitFor()
    await look(page, 'driver-denied')
    await context.setGeolocation({ latitude: 12.965, longitude: 77.59, accuracy: 5 })
    await context.grantPermissions(['geolocation'], { origin: url })
    await comesBack()
    await page.getByText(/^Sent from/).waitFor()

    say('keeps the screen on, and says so where it cannot')
    await until(() => page.evaluate(() => window.wake.held() > 0), 'the screen is kept on')
    want((await notAwake.count()) === 0, 'nothing is said while the screen is kept on')
    const release = () => page.evaluate(() => Promise.all(window.wake.locks.map((lock) => lock.release())))
    await release()
    await notAwake.waitFor()
    await comesBack()
    await notAwake.waitFor({ state: 'detached' })
    await page.evaluate(() => (window.wake.refuses = true))
    await release()
    await comesBack()
    await notAwake.waitFor()
    await look(page, 'driver-not-awake')

    say('a trip that was paused elsewhere says so, and riders are tapped all the same')
    await nothingWaits(page, 'the start is sent')
    await caller(server, token)('POST', `/driver/bus-tracking/trips/${trip}/pause`)
    await appIsKept(page)
    await page.reload()
    await page.getByText('The trip is paused').waitFor()
    await held(0)
    want((await page.getByText('Position of the bus').count()) === 0, 'no position is sent in a pause')
    await look(page, 'driver-paused')
    await button('Boarded: Asha Rao').click()
    await rider('Asha Rao').getByText('Aboard').waitFor()
    await button('End trip').click()
    await page.getByRole('alert').getByText('Still aboard: Asha Rao').waitFor()

    say('is resumed without a line, and once')
    await nothingWaits(page, 'the tap is sent')
    await cut()
    await button('Resume trip').click()
    await page.getByText('Under way').waitFor()
    await held(1)
    await page.reload()
    await page.getByText('Under way').waitFor()
    want((await button('Resume trip').count()) === 0, 'it is not offered again')
    await mend()
    await nothingWaits(page)

    say('the screen may go off when the trip is over')
    await button('Boarded: Dev Rao').click()
    await button('Got off: Asha Rao').click()
    await button('Got off: Dev Rao').click()
    await held(1)
    await button('End trip').click()
    await page.getByText('Completed').waitFor()
    await held(0)
  })
}
