// A parent says that a child will not ride and takes it back, watches the bus drive on the map, sees how old its position is where
// there is no line, and who got on and off.

import { look, phoneSized, placesOf, signInAt } from './app.mjs'
import { caller, inWindow, lineTo, until, want, withOwnClock } from './browser.mjs'

export default async function ({ url: server, story, say, phone, school, ashaId, driverToken, trip, otherStudent }) {
  const { url, cut, mend } = await lineTo(server)
  const driver = caller(server, driverToken)
  const drive = (lat) =>
    driver('POST', `/driver/bus-tracking/trips/${trip}/locations`, {
      locations: [{ lat, lng: 77.59, speed: 8, heading: 0, timestamp: new Date().toISOString() }],
    })
  const tap = (status) => driver('POST', '/driver/student/board', { tripId: trip, studentId: ashaId, status })
  await inWindow({ url, story, how: phoneSized }, async ({ page, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch|WebSocket/)
    const card = (name) => page.getByRole('region', { name, exact: true })
    const place = placesOf(page)
    const at = async () => (await page.locator('[data-bus="7"]').getAttribute('data-at'))?.split(',').map(Number) ?? []
    const isAt = (lat) => until(async () => (await at())[0] === lat, `the bus is at ${lat} on the map`)
    const sockets = []
    page.on('websocket', (ws) => sockets.push(ws.url()))

    await signInAt(page, url, phone, school, server)

    say('sees when the bus comes, and that the time has changed')
    await card('Asha Rao').getByText('Bus 7 comes to Market at').waitFor()
    await card('Asha Rao').getByText(/^was /).waitFor()
    want(
      (await card('Ravi Rao').getByRole('link', { name: 'Bus' }).count()) === 0,
      'who rides no bus has no page of one',
    )
    await card('Asha Rao').getByRole('link', { name: 'Bus' }).click()
    await card('To school').getByText(/^was /).waitFor()
    await card('To school').getByText('The bus has not started yet').waitFor()
    want(sockets.length === 0, 'nothing is listened to while no bus drives')
    await look(page, 'bus-waiting')

    say('will not ride today, and rides after all')
    await page.getByRole('button', { name: 'Not riding today' }).click()
    await card('To school').getByText('Not riding the bus today').waitFor()
    await look(page, 'bus-not-riding')
    await page.getByRole('button', { name: 'Rides after all' }).click()
    await card('To school').getByText('The bus has not started yet').waitFor()

    say('will not ride on a day to come, which is there after the app was closed, and takes it back')
    await page.getByRole('button', { name: 'Another day' }).click()
    await page.getByRole('button', { name: 'Next month' }).click()
    await look(page, 'bus-another-day')
    await card('Not riding').getByRole('button', { name: /\b2\b/ }).first().click()
    await page.getByRole('button', { name: 'Rides after all' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Rides after all' }).click()
    await page.getByRole('button', { name: 'Rides after all' }).waitFor({ state: 'detached' })

    say('the driver starts: the map shows the bus as it drives')
    await driver('POST', `/driver/bus-tracking/trips/${trip}/start`)
    await drive(12.965)
    await page.reload()
    await isAt(12.965)
    await page.getByText('Bus 7 is on its way', { exact: true }).waitFor()
    await until(() => sockets.some((s) => s.includes('/socket.io/')), 'the page listens')
    const held = [] // nothing that is asked for is answered meanwhile: the bus moves by what is heard
    await page.route(/bus-tracking\/bus/, (route) => void held.push(route))
    await drive(12.9652)
    await isAt(12.9652)
    await drive(12.9654)
    await isAt(12.9654)
    await page.unroute(/bus-tracking\/bus/)
    for (const route of held) await route.continue().catch(() => {}) // the page has given it up
    await page.getByText(/At Market in \d+ to \d+ minutes/).waitFor()
    await card('Stops').getByText('Your stop').waitFor()
    await look(page, 'bus-live')

    say('the page of today has the same in words')
    await place('Today').click()
    await card('Asha Rao')
      .getByText(/At Market in \d+ to \d+ minutes/)
      .waitFor()
    await card('Asha Rao').getByRole('link', { name: 'Bus' }).click()

    say('gets on')
    await tap('boarded')
    await card('To school').getByText('Boarded at').waitFor()
    await place('Today').click()
    await card('Asha Rao').getByText('On bus 7').waitFor()
    await look(page, 'today-aboard')
    await card('Asha Rao').getByRole('link', { name: 'Bus' }).click()
    await isAt(12.9654)

    say('without a line the position is there with its age, and is not shown as live')
    await withOwnClock(page)
    await isAt(12.9654)
    await drive(12.9656)
    await isAt(12.9656)
    await cut()
    await page.clock.fastForward(20_000)
    await page.getByText(/^Position of \d+ seconds ago$/).waitFor()
    await page.locator('.map-bus[data-faded]').waitFor()
    await page.clock.fastForward(60_000)
    await page.getByText(/^Last seen at .* near Temple$/).waitFor()
    await look(page, 'bus-last-seen')

    say('when the line is back the bus moves again')
    await mend()
    await page.clock.fastForward(10_000)
    await until(async () => {
      await page.clock.fastForward(5_000)
      return (await page.getByText('No connection. You see what was last known.').count()) === 0
    }, 'the line is back')
    await drive(12.9658)
    await isAt(12.9658)

    say('gets off')
    await tap('alighted')
    await card('To school').getByText('Got off at').waitFor()
    await look(page, 'bus-got-off')

    say('without the live channel the position is asked for')
    await page.routeWebSocket(/socket\.io/, (ws) => ws.close())
    await page.route('**/socket.io/**', (r) => r.abort())
    await page.reload()
    await page.getByText('No live connection.').waitFor()
    await drive(12.966)
    await until(async () => {
      await page.clock.fastForward(10_000)
      return (await at())[0] === 12.966
    }, 'the bus moves by asking')

    say("another family's child has no bus here")
    await page.goto(`${url}/app/bus/${otherStudent}`)
    await page.getByText('This child was not found.').waitFor()

    for (const code of process.env.SHOTS ? ['ar', 'hi', 'sw'] : ['ar']) {
      await page.goto(`${url}/app/more`)
      await page.getByRole('combobox').selectOption(code)
      await until(() => page.evaluate((l) => document.documentElement.lang === l, code), code)
      await page.goto(`${url}/app/bus/${ashaId}`)
      await page.locator('[data-bus="7"]').waitFor({ state: 'attached' })
      await look(page, `bus-${code}`)
    }
  })
}
