// Notices on a parent's phone: asked for by a tap, encrypted by the service for this browser, shown by the worker, and a tap on
// one opens its page as the account it is for. The browser's push service is ours: what it decrypted is delivered by the
// browser's protocol, as the vendor's would.
import { look, phoneSized, placesOf, signInAt } from './app.mjs'
import { inWindow, until, want } from './browser.mjs'

export default async function ({ url, story, say, phone, school, other, subscription, received, token, ashaId }) {
  await inWindow({ url, story, how: { ...phoneSized, full: true } }, async ({ page, context }) => {
    await context.grantPermissions(['notifications'], { origin: url })
    await page.addInitScript((made) => {
      let current = null
      const subscribed = {
        options: { applicationServerKey: null },
        toJSON: () => made,
        unsubscribe: async () => {
          current = null
          localStorage.setItem('test.unsubscribed', '1')
          return true
        },
      }
      PushManager.prototype.getSubscription = async () => current
      PushManager.prototype.subscribe = async (how) => {
        if (!how.userVisibleOnly || how.applicationServerKey.length !== 65) throw new Error('no key')
        current = subscribed
        return current
      }
    }, subscription)
    const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor()
    const place = placesOf(page)
    const mark = async (status) => {
      const response = await fetch(`${url}/school-admin/attendance/mark`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ data: status }),
      })
      want(response.ok, `the mark is taken: ${response.status} ${await response.clone().text()}`)
    }

    say('turns notices on')
    await signInAt(page, url, phone, school)
    await place('More').click()
    await page.getByRole('link', { name: /Notices on this phone/ }).click()
    await heading('Notices on this phone')
    await look(page, 'notices')
    await page.goto(`${url}/app/more`)
    await page.getByRole('combobox').selectOption('ar')
    await page.getByRole('link', { name: /الإشعارات على هذا الهاتف/ }).click()
    await page.getByRole('button', { name: 'تفعيل' }).waitFor()
    await look(page, 'notices-ar')
    await page.goto(`${url}/app/more`)
    await page.getByRole('combobox').selectOption('en')
    await page.getByRole('link', { name: /Notices on this phone/ }).click()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('On', { exact: true }).waitFor()

    say('a changed mark is pushed, and the worker shows it')
    await mark(subscription.mark)
    const pushed = await until(async () => (await (await fetch(received)).json())[0], 'the push service has a message')
    want(!pushed.includes('Asha'), `the lock screen names nobody: ${pushed}`)
    await page.evaluate(() => navigator.serviceWorker.ready)
    const protocol = await context.newCDPSession(page)
    const registered = new Promise((resolve) =>
      protocol.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const ours = registrations.find((r) => r.scopeURL === `${url}/app/`)
        if (ours) resolve(ours.registrationId)
      }),
    )
    await protocol.send('ServiceWorker.enable')
    const registrationId = await registered
    // The browser drops a message when its worker does not start in time; a push service sends it again, and it is shown once.
    let asked = 0
    const shown = await until(async () => {
      if (asked++ % 300 === 0)
        await protocol.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data: pushed })
      return page.evaluate(async () => {
        const [n] = await (await navigator.serviceWorker.ready).getNotifications()
        return n && { title: n.title, body: n.body, data: n.data }
      })
    }, 'the notice is shown')
    want(shown.title !== '' && shown.body === JSON.parse(pushed).body, `it says ${JSON.stringify(shown)}`)
    want(
      shown.data.studentId === ashaId && shown.data.type === 'ATTENDANCE',
      `it is about ${JSON.stringify(shown.data)}`,
    )

    say('a tap opens the page of it, also from the other account of the phone')
    await page.goto(`${url}/app/more`)
    await page.getByRole('listitem').filter({ hasText: other }).getByRole('button', { name: 'Switch' }).click()
    await page.getByText('The school has linked no child').waitFor()
    const worker = context.serviceWorkers().find((w) => w.url() === `${url}/app/sw.js`)
    want(worker, 'the worker runs')
    await worker.evaluate(async () => {
      const [notification] = await self.registration.getNotifications()
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
    })
    await page.waitForURL(`${url}/app/school/${ashaId}/attendance`)
    await page.getByRole('heading', { name: /Asha Rao/ }).waitFor()
    want(
      (await page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).length)) === 0,
      'the notice is gone',
    )

    say('signing out ends them')
    await place('More').click()
    await page.evaluate(() => localStorage.removeItem('test.unsubscribed'))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Phone number').waitFor()
    await until(
      async () => (await (await fetch(`${received}?subscriptions`)).text()) === '0',
      'the service has no subscription',
    )
  })
}
