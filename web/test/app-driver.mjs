// A driver on a phone: signs in by code, starts the trip, boards and drops thirty children in a dead spot, over a reload, is
// refused the end while a child is aboard, and ends the trip. The phone's position goes along.
import { look, phoneSized, placesOf, signInByCode } from './app.mjs'
import { appIsKept, nothingWaits } from './app-wait.mjs'
import { inWindow, lineTo, until, want } from './browser.mjs'

const child = (i) => `Child${String(i).padStart(2, '0')} Rao`

export default async function ({ url: server, story, say, phone, guardian }) {
  const { url, cut, mend } = await lineTo(server)
  await inWindow({ url, story, how: phoneSized }, async ({ page, context, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch/)
    await context.grantPermissions(['geolocation'], { origin: url })
    const moveTo = (lat) => context.setGeolocation({ latitude: lat, longitude: 77.59, accuracy: 5 })
    await moveTo(12.9618)
    const place = placesOf(page)
    const next = page.getByRole('region', { name: 'Next stop' })
    const button = (name) => page.getByRole('button', { name, exact: true })
    const row = (name) => next.getByRole('listitem', { name })

    say('signs in and sees the trip')
    await signInByCode(page, url, phone, server)
    await page.getByText('30 riders').waitFor()
    await page.getByText('To school · Bus 7').waitFor()
    await look(page, 'driver-today')
    await page.getByRole('region', { name: 'Hill Road' }).getByRole('link', { name: 'Open trip' }).click()
    await button('Start trip').waitFor()
    await look(page, 'driver-trip-scheduled')

    say('starts it, and the bus is seen')
    await button('Start trip').click()
    await next.getByRole('heading', { name: 'Temple' }).waitFor()
    await page.getByText(/^Sent from/).waitFor()
    await moveTo(12.962)
    await nothingWaits(page, 'the start and the first positions are sent')
    await look(page, 'driver-trip')

    say('calls a family, whose number is nowhere on the phone')
    await button(`Call the family: ${child(0)}`).click()
    const number = row(child(0)).getByRole('link', { name: 'Meera Rao' })
    await number.waitFor()
    const tel = await number.getAttribute('href')
    want(tel === `tel:${guardian}`, `a tap calls ${guardian}: ${tel}`)
    await look(page, 'driver-call')
    const keeps = await page.evaluate((phone) => JSON.stringify(Object.entries(localStorage)).includes(phone), guardian)
    want(!keeps, 'the number is in memory only')
    await button(`Call the family: ${child(1)}`).click()
    await row(child(1)).getByText('No phone number is known.').waitFor()

    say('takes a tap back')
    await button(`Boarded: ${child(0)}`).click()
    await row(child(0)).getByText('Aboard').waitFor()
    await button(`Take back: ${child(0)}`).click()
    await button(`Boarded: ${child(0)}`).waitFor()
    await nothingWaits(page, 'that is sent')

    say('boards thirty children without a line')
    await appIsKept(page)
    const isKept = (lat) =>
      page.evaluate(
        (lat) =>
          new Promise((done) => {
            const opening = indexedDB.open('homeroom-app.queue')
            opening.onsuccess = () => {
              const all = opening.result.transaction('items').objectStore('items').getAll()
              all.onsuccess = () => {
                opening.result.close()
                const kept = JSON.stringify([all.result, Object.entries(localStorage)])
                done(new RegExp(`lat\\\\?":${lat}\\b`).test(kept))
              }
            }
          }),
        lat,
      )
    await cut()
    for (const [i, stop] of ['Temple', 'Market', 'Lake'].entries()) {
      await next.getByRole('heading', { name: stop }).waitFor()
      const lat = [12.9635, 12.9645, 12.9655][i] // no leap, which is not believed, and no stop's
      await moveTo(lat)
      await until(() => isKept(lat), 'the position is kept on the phone')
      for (let n = i * 10; n < i * 10 + 10; n++) await button(`Boarded: ${child(n)}`).click()
    }
    await next.getByRole('heading', { name: 'School' }).waitFor()
    await page
      .getByText(/not sent/)
      .first()
      .waitFor()
    await look(page, 'driver-offline')

    say('the taps are still there after the app was closed')
    await page.reload()
    await next.getByRole('heading', { name: 'School' }).waitFor()
    for (let n = 0; n < 29; n++) await button(`Got off: ${child(n)}`).click()

    say('cannot end with a child aboard')
    await button('End trip').click()
    await page
      .getByRole('alert')
      .getByText(`Still aboard: ${child(29)}`)
      .waitFor()
    await look(page, 'driver-still-aboard')
    await button(`Got off: ${child(29)}`).click()
    await next.waitFor({ state: 'detached' })

    say('reports a jam')
    await page.getByRole('link', { name: 'Report an incident' }).click()
    await page.getByLabel('Description').fill('Market Street is closed')
    await look(page, 'driver-incident')
    await button('Report').click()
    await button('End trip').waitFor()
    await place('History').click()
    await page.getByText('Market Street is closed').or(page.getByText('Traffic jam')).first().waitFor()
    await look(page, 'driver-history')

    say('the report waits among the incidents')
    await page.getByRole('link', { name: /^Incidents/ }).click()
    const incident = page.getByRole('region', { name: 'Traffic jam', exact: true })
    await page.getByRole('region', { name: 'Not sent yet' }).getByText('Report an incident').waitFor()
    await look(page, 'driver-incidents-waiting')

    say('the line is back: everything is sent, and the trip ends')
    await mend()
    await nothingWaits(page)
    await incident.getByText('Market Street is closed').waitFor()
    await incident.getByText('Open', { exact: true }).waitFor()
    await incident.getByText(/Hill Road · Bus 7/).waitFor()

    say('says how the incident ended')
    await incident.getByRole('button', { name: 'Mark as resolved' }).click()
    await incident.getByLabel('How it ended (optional)').fill('By Temple Road')
    await look(page, 'driver-incident-resolve')
    await incident.getByRole('button', { name: 'Mark as resolved' }).click()
    await incident.getByText('Resolved', { exact: true }).waitFor()
    await nothingWaits(page, 'the end is sent')
    await page.reload()
    await incident.getByText('How it ended: By Temple Road').waitFor()
    await look(page, 'driver-incidents')
    await place('Today').click()
    await page.getByRole('link', { name: 'Continue trip' }).click()
    await button('End trip').click()
    await page.getByText('Completed').waitFor()

    say('hands the next trip over to a colleague')
    await place('Today').click()
    await page.getByRole('region', { name: 'Lake Road' }).getByRole('link', { name: 'Open trip' }).click()
    await button('Start trip').click()
    await page.getByRole('link', { name: 'Hand over the trip' }).click()
    await page.getByLabel('To whom').selectOption('Meena Das')
    await page.getByLabel('Reason (optional)').fill('Unwell')
    await look(page, 'driver-hand-over')
    await button('Hand over the trip').click()
    await page.getByText('All trips of today are done.').waitFor()
    want((await page.getByText('Lake Road').count()) === 0, 'it is no trip of this driver any more')
    await nothingWaits(page, 'nothing was refused')

    say('reads in Arabic')
    await page.goto(`${url}/app/more`)
    await page.getByRole('combobox').selectOption('ar')
    await page.goto(`${url}/app/history`)
    await page.getByText('Hill Road').waitFor()
    await look(page, 'driver-history-ar')
    await page.getByRole('link', { name: /Hill Road/ }).click()
    await page.getByText('مكتملة').waitFor()
    await look(page, 'driver-trip-ar')
    await page.goto(`${url}/app/incidents`)
    await page.getByText('Market Street is closed').waitFor()
    await look(page, 'driver-incidents-ar')
    want((await page.evaluate(() => document.documentElement.dir)) === 'rtl', 'it is from right to left')
  })
}
