// The office makes a bus and a route on the map; a driver drives it over a real socket, and the office watches.
import { io } from 'socket.io-client'
import { accessible, caller, choose, inWindow, signIn, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, token, driverToken }) {
  const office = caller(url, token)
  const driver = caller(url, driverToken)
  const child = await office('POST', '/school-admin/student/create', { firstName: 'Anu', lastName: 'Iyer' })

  const closing = []
  await inWindow({ url, story }, async ({ page }) => {
    // The page's socket goes through here, so that it can be cut as a bad line would, and its token can end.
    let line
    let mended = Promise.resolve()
    let tokenEnded = false
    const sent = []
    await page.routeWebSocket(/socket\.io/, async (ws) => {
      line = ws
      await mended
      const service = ws.connectToServer()
      ws.onMessage((packet) => {
        sent.push(String(packet))
        service.send(packet)
      })
      service.onMessage((packet) => {
        if (!tokenEnded || !String(packet).startsWith('40')) return ws.send(packet)
        tokenEnded = false
        ws.send(
          '44{"message":"The token is invalid or has expired","data":{"ok":false,"statusCode":401,"error":"Unauthorized"}}',
        )
      })
    })
    await signIn(page, url, email, password)
    const nav = page.getByRole('navigation', { name: 'Main' })
    const drawer = page.getByRole('dialog') // the list behind it has fields of the same names

    say('what there is to be told is told by the bell')
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
    await page.getByRole('button', { name: /Came by bus/ }).waitFor()
    await accessible(page, 'notifications')
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
    await page.keyboard.press('Escape')

    say('the driver is among those who work here')
    await nav.getByRole('link', { name: 'Employees' }).click()
    await page.getByText('Ravi Kumar').first().waitFor()
    await accessible(page, 'employees')

    say('the office adds a bus with its driver')
    await nav.getByRole('link', { name: 'Transport' }).click()
    await page.getByText('No trips today').waitFor()
    await accessible(page, 'trips, none yet')
    const area = page.getByRole('navigation', { name: 'Transport' })
    await area.getByRole('link', { name: 'Buses' }).click()
    await page.getByRole('button', { name: 'Add a bus' }).first().click()
    await drawer.getByLabel('Number').fill('7')
    await drawer.getByLabel('Seats').fill('400')
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await drawer.locator('[aria-invalid=true]').waitFor() // the field is marked
    await drawer.getByLabel('Seats').fill('40')
    await drawer.getByLabel('Driver').selectOption({ label: 'Ravi Kumar' })
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: 'Bus 7' }).waitFor()
    await accessible(page, 'a bus')
    await page.getByRole('button', { name: 'Close' }).click()

    say('and draws a route on the map')
    await area.getByRole('link', { name: 'Routes' }).click()
    await page.getByRole('link', { name: 'Add a route' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Hill Road, morning')
    await page.getByLabel('Bus', { exact: true }).selectOption({ label: 'Bus 7' })
    const map = page.getByRole('region', { name: 'Map of the stops' })
    await map.locator('.paper-tile').first().waitFor()
    await map.click({ position: { x: 300, y: 200 } })
    await page.getByLabel('Name of stop 1').fill('Temple')
    await page.getByLabel('Latitude').fill('12.97') // known from a list, typed without the map
    await page.getByLabel('Longitude').fill('77.59')
    await page.getByLabel('Planned time of stop 1').fill('07:00')
    const inSight = async () => {
      const [all, one] = [await map.boundingBox(), await map.locator('.map-stop').boundingBox()]
      return (
        one &&
        one.x > all.x &&
        one.x + one.width < all.x + all.width &&
        one.y > all.y &&
        one.y + one.height < all.y + all.height
      )
    }
    await until(inSight, 'the map goes where the stop is')
    await map.click({ position: { x: 400, y: 120 } })
    await page.getByLabel('Name of stop 2').fill('Market')
    await map.click({ position: { x: 480, y: 300 } })
    await page.getByLabel('Name of stop 3').fill('Lake')
    await map.locator('.map-stop').nth(2).waitFor()
    want((await map.locator('.map-stop').count()) === 3, 'three stops are on the map')
    const lng = Number(await page.getByLabel('Longitude').inputValue())
    want(Math.abs(lng - 77.59) < 0.1, `a stop that was clicked is where the map shows it: ${lng}`)
    const third = await map.locator('.map-stop', { hasText: '3' }).boundingBox()
    await page.mouse.move(third.x + 12, third.y + 12)
    await page.mouse.down()
    await page.mouse.move(third.x + 92, third.y + 12, { steps: 5 })
    await page.mouse.up()
    await page.waitForFunction(
      (was) =>
        [...document.querySelectorAll('input')].some((i) => Number(i.value) > was && Number(i.value) < was + 0.1),
      lng,
    )
    await page.getByRole('button', { name: /^Stop 3, Lake/ }).press('ArrowUp')
    want((await page.getByLabel('Name of stop 2').inputValue()) === 'Lake', 'an arrow key changes the order')
    await page.getByRole('button', { name: /^Stop 2, Lake/ }).press('ArrowDown')
    await accessible(page, 'a route on the map')
    await page.getByRole('button', { name: 'Add the route' }).click()
    await page.getByRole('tab', { name: 'Stops (3)' }).waitFor()
    const routeId = /routes\/([\w-]+)/.exec(page.url())[1]

    say('somebody rides it')
    await page.getByRole('tab', { name: /Riders/ }).click()
    await page.getByRole('combobox', { name: 'Student' }).fill('Anu')
    await page.getByRole('option', { name: /Anu Iyer/ }).click()
    await page.getByRole('region', { name: 'Temple' }).getByText('Anu Iyer').waitFor()
    await nav.getByRole('link', { name: 'Students' }).click() // leaving with changes asks
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Save the riders' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await accessible(page, 'riders')

    say('a trip is scheduled')
    await page.getByRole('link', { name: 'Schedule a trip' }).click()
    await page.getByText('Every week').click()
    await page.getByText('Choose until when.').waitFor()
    await page.getByText('One day').click()
    await drawer.getByText('To school').waitFor() // the route it is for was read
    await page.getByLabel('Starts at').fill('07:00')
    await accessible(page, 'scheduling')
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByRole('heading', { name: 'Hill Road, morning' }).waitFor()
    await page.getByRole('tab', { name: 'Riders (1)' }).waitFor()
    await accessible(page, 'a trip')
    const tripId = /open=([\w-]+)/.exec(page.url())[1]
    const { busId } = await office('GET', `/school-admin/transport/route/${routeId}`)

    say('the driver starts and the bus is on the map')
    await driver('POST', `/driver/bus-tracking/trips/${tripId}/start`, {})
    const phone = io(url, {
      path: '/socket.io/',
      transports: ['websocket'],
      auth: { token: driverToken },
      forceNew: true,
    })
    closing.push(() => phone.disconnect())
    await new Promise((ok, bad) => phone.on('connect', ok).on('connect_error', bad))
    const drive = async (lat, long) => {
      const answer = await phone.emitWithAck('update-location', {
        lat,
        lng: long,
        speed: 9,
        heading: 0,
        timestamp: Date.now(),
      })
      want(answer.ok, `the position is taken: ${JSON.stringify(answer)}`)
    }
    await drive(12.97, 77.59)
    await page.getByRole('button', { name: 'Close' }).click()
    await nav.getByRole('link', { name: 'Live buses' }).click()
    const marker = page.locator('[data-bus="7"]')
    const sign = marker.locator('.map-bus')
    await sign.waitFor() // the last position, on joining
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('1 waiting').waitFor()
    const before = await sign.boundingBox()
    const at = await marker.getAttribute('data-at')
    await drive(12.9708, 77.5908)
    await page.waitForFunction((was) => document.querySelector('[data-bus="7"]').dataset.at !== was, at)
    await until(async () => {
      const after = await sign.boundingBox()
      return after && Math.hypot(after.x - before.x, after.y - before.y) > 5
    }, 'the marker moves')
    await accessible(page, 'the live map')

    say('who boards and what goes wrong is seen at once')
    await driver('POST', '/driver/student/board', { tripId, studentId: child.id, status: 'boarded' })
    await page.getByText('1 aboard · 0 waiting').waitFor()
    const incident = await driver('POST', '/driver/incident/report', {
      busId,
      type: 'traffic_jam',
      description: 'A lorry lies across',
    })
    await page.getByText(/Held up in traffic: A lorry lies across/).waitFor()
    await page.locator('.map-bus[data-trouble]').waitFor()
    await page.getByRole('button', { name: /Hill Road/ }).click()
    await page.getByRole('region', { name: 'Bus 7' }).waitFor()
    want(page.url().includes(`bus=${busId}`), 'the bus is in the address')
    await accessible(page, 'one bus')

    say('a line that is cut is said and mended')
    let mend
    mended = new Promise((r) => (mend = r))
    await line.close({ code: 1001 })
    await page.getByText('Connection lost').waitFor()
    mend()
    await page.getByText('Live', { exact: true }).waitFor()
    const cut = await marker.getAttribute('data-at')
    await drive(12.9712, 77.5912)
    await page.waitForFunction((was) => document.querySelector('[data-bus="7"]').dataset.at !== was, cut)

    say('a token that is about to end is renewed on the line, one that has ended by coming back')
    line.send(`42["token-expiring",{"expiresAt":"${new Date(Date.now() + 60_000).toISOString()}"}]`)
    await until(
      () => sent.some((packet) => packet.startsWith('42') && packet.includes('"renew"')),
      'the page renews its token',
    )
    tokenEnded = true
    const refreshed = page.waitForResponse('**/auth/console/refresh')
    await line.close({ code: 1001 })
    await page.getByText('Connection lost').waitFor()
    await refreshed
    await page.getByText('Live', { exact: true }).waitFor()
    const back = await marker.getAttribute('data-at')
    await drive(12.9716, 77.5916)
    await page.waitForFunction((was) => document.querySelector('[data-bus="7"]').dataset.at !== was, back)

    say('a bus that is not heard of is grey and says how old it is')
    // Where the bus is may be told once more after the clock was set: it is set again until the bus is old.
    let later = 0
    await until(async () => {
      later += 100_000
      await page.clock.setFixedTime(Date.now() + later)
      return page
        .getByText(/Last seen .+ ago/)
        .first()
        .isVisible()
    }, 'the page says when the bus was last seen')
    await page.locator('.map-bus[data-stale]').waitFor()
    await page.clock.setFixedTime(Date.now())
    await page.clock.resume().catch(() => {})

    say('the trip ends, and its way is shown again')
    await driver('POST', '/driver/student/board', { tripId, studentId: child.id, status: 'alighted' })
    await driver('POST', `/driver/bus-tracking/trips/${tripId}/end`, {})
    await page.goto(`${url}/console/transport?open=${tripId}&tab=way`)
    const slider = page.getByRole('slider', { name: 'Moment of the trip' })
    await slider.waitFor()
    const end = await page.locator('[data-bus="7"]').getAttribute('data-at')
    await slider.press('Home')
    await page.waitForFunction((was) => document.querySelector('[data-bus="7"]').dataset.at !== was, end)
    await accessible(page, 'a replay')

    say('where the office is first, it tells the riders of an incident')
    await office('PUT', '/school-admin/setting', { incidentsTo: 'OFFICE' })
    const waits = await driver('POST', '/driver/incident/report', {
      busId,
      type: 'other',
      description: 'A door sticks',
    })
    await visit(page, `/transport/incidents?release=WAITING&open=${waits.id}`)
    await drawer.getByText('have not been notified yet').waitFor()
    await accessible(page, 'an incident that waits')
    await page.getByRole('button', { name: 'Notify the riders' }).click()
    await drawer.getByText('have not been notified yet').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Close' }).click()

    say('the incident is resolved')
    await visit(page, `/transport/incidents?open=${incident.id}`)
    await drawer.getByLabel('How it ended').fill('Moved away')
    await page.getByRole('button', { name: 'Resolve' }).click()
    await drawer.locator('dd').getByText('Moved away').waitFor()
    await accessible(page, 'incidents')

    say('the audit log shows before and after')
    await page.getByRole('button', { name: 'Close' }).click()
    await nav.getByRole('link', { name: 'Audit' }).click()
    await choose(page, 'Filter by what', 'Incident')
    await page.getByRole('button', { name: 'Changed incident' }).first().click()
    await page.locator('ins', { hasText: 'Moved away' }).waitFor()
    await accessible(page, 'audit')
    await page.getByRole('button', { name: 'All by Asha Rao' }).click()
    await page.getByRole('button', { name: 'Added bus' }).waitFor()
  }).finally(() => {
    for (const end of closing) end()
  })
}
