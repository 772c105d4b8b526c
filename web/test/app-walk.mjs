// Every page of the app at the size of a phone, light, dark and in Arabic, with a trip under way: axe finds nothing, everything
// that is tapped is 44 px, and nothing is wider than the phone. Signing in and the lock screen are looked at as well. On the way
// each type of notice is tapped in each role. The pages are those of src/app/roles.tsx, the types those of the service.
import { readFileSync } from 'node:fs'
import { codeOf, phoneSized, thumbSized } from './app.mjs'
import { isThere, pagesOf } from './app-pages.mjs'
import { accessible, inWindow, until, want } from './browser.mjs'

const source = readFileSync(new URL('../../modules/notification/notification.go', import.meta.url), 'utf8')
const types = /json:"type" enum:"([^"]+)"/.exec(source)[1].split(',')

const list = '/messages/notices'
const opensAt = {
  parent: {
    ANNOUNCEMENT: '/messages/announcement/:id',
    ATTENDANCE: '/school/:student/attendance',
    RESULT: '/school/:student/results',
    FEE: '/fees/:student',
    LEAVE_REQUEST: '/school/:student/leave',
    MESSAGE: '/messages/thread/:id',
    TRANSPORT: '/bus/:student',
    LIBRARY: '/school/:student/library',
    TIMETABLE: '/school/:student/timetable',
    EXAM: '/school/:student/exams',
    EVENT: '/school/:student/events',
  },
  teacher: {
    ANNOUNCEMENT: '/messages/announcement/:id',
    ATTENDANCE: list,
    RESULT: list,
    FEE: list,
    LEAVE_REQUEST: '/leave/requests',
    MESSAGE: '/messages/thread/:id',
    TRANSPORT: list,
    LIBRARY: list,
    TIMETABLE: '/timetable',
    EXAM: '/marks',
    EVENT: '/events',
  },
  // A driver's messages are the notices.
  driver: { ...Object.fromEntries(types.map((type) => [type, list])), TRANSPORT: '/trip/:id', MESSAGE: '/messages' },
}

/** Goes to a page as a link of the app does. */
const visit = (page, path) =>
  page.evaluate((to) => {
    window.history.pushState(null, '', to)
    window.dispatchEvent(new PopStateEvent('popstate'))
  }, `/app${path}`)

const goTo = async (page, path) => {
  await visit(page, path)
  await page.waitForFunction(isThere)
}

async function speak(page, language) {
  await page.getByRole('combobox').last().selectOption(language)
  await until(() => page.evaluate((l) => document.documentElement.lang === l, language), language)
}

export default async function ({ url, story, say, phones, values, trip }) {
  const wrong = []
  const note = (work) => work.catch((e) => wrong.push(e.message))
  /** As it is, and in the dark, where only colours differ. */
  const see = async (page, name) => {
    await note(thumbSized(page, name))
    await note(accessible(page, name))
    await page.emulateMedia({ colorScheme: 'dark' })
    await note(accessible(page, `${name}, dark`, ['color-contrast']))
    await page.emulateMedia({ colorScheme: 'light' })
  }

  for (const role of ['driver', 'parent', 'teacher']) {
    const how = { url, story: `${story}-${role}`, how: phoneSized }
    await inWindow(how, async ({ page, context }) => {
      await context.grantPermissions(['geolocation'], { origin: url })
      await context.setGeolocation({ latitude: 12.965, longitude: 77.59, accuracy: 5 })
      const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor()

      const phone = page.locator('input[type=tel]')
      const code = page.locator('input[autocomplete="one-time-code"]')
      await page.goto(`${url}/app/`)
      await phone.waitFor()
      if (role === 'parent') {
        say('the screens before signing in')
        for (const language of ['ar', 'en']) {
          await speak(page, language)
          await see(page, `sign-in, ${language}`)
        }
      }
      await phone.fill(phones[role])
      await page.getByRole('button', { name: 'Send code' }).click()
      await code.waitFor()
      if (role === 'parent') await see(page, 'code')
      await code.fill(await codeOf(url, phones[role]))
      await heading('Today')

      if (role === 'driver') {
        say('a trip is under way, with a child aboard')
        await goTo(page, `/trip/${trip}`)
        await see(page, 'driver /trip/:id, scheduled')
        await page.getByRole('button', { name: 'Start trip' }).click()
        await page.getByText(/^Sent from/).waitFor()
        await page.getByRole('button', { name: 'Boarded: Asha Rao' }).click()
        await page.getByRole('button', { name: 'Take back: Asha Rao' }).waitFor()
      }

      const pages = pagesOf(role, values)
      say(`${role}: ${pages.length} pages`)
      for (const language of ['en', 'ar']) {
        await goTo(page, '/more')
        await speak(page, language)
        for (const { at, path } of pages) {
          await goTo(page, path)
          if (at === '/bus/:student') await page.locator('.map-bus').waitFor()
          if (at === '/trip/:id') await page.locator('.taps').first().waitFor()
          if (language === 'en') await see(page, `${role} ${at}`)
          else {
            await note(thumbSized(page, `${role} ${at}, ar`))
            await note(accessible(page, `${role} ${at}, ar`))
          }
        }
      }

      say(`${role}: a tap on each type of notice`)
      const ids = { id: values['/messages/thread/:id'].id, student: values.student }
      const leadsTo = async (type, student, to) => {
        await visit(page, `/notice?${new URLSearchParams({ account: '', type, id: ids.id, student })}`)
        await page.waitForFunction(() => window.location.pathname !== '/app/notice')
        const got = new URL(page.url()).pathname
        const expected = `/app${to.replace(':id', ids.id).replace(':student', ids.student)}`
        if (got !== expected) wrong.push(`${role}: a notice of ${type} opens ${got}, not ${expected}`)
      }
      for (const type of types) {
        const to = opensAt[role][type]
        want(to, `the page of a notice of ${type} is known for a ${role}`)
        await leadsTo(type, ids.student, to)
      }
      if (role === 'teacher') await leadsTo('LEAVE_REQUEST', '', '/leave') // one's own was decided

      if (role !== 'parent') return
      say('the lock screen')
      await goTo(page, '/more/pin')
      const pin = page.locator('input[type=password]')
      await pin.last().fill('4826')
      await page.locator('button[type=submit]').click()
      await page.waitForURL(`${url}/app/more`)
      await goTo(page, '/more/lock')
      await pin.fill('4826')
      await page.locator('button[type=submit]').click()
      await pin.waitFor({ state: 'detached' })
      for (const language of ['ar', 'en']) {
        await page.goto(`${url}/app/more`)
        await page.locator('main.welcome input').waitFor()
        await see(page, `locked, ${language}`)
        if (language === 'en') break
        await pin.fill('4826')
        await page.locator('button[type=submit]').click()
        await speak(page, 'en')
      }
      await page.getByRole('button', { name: 'Use a code instead' }).click()
      await code.waitFor()
      await see(page, 'locked, by code')
    })
  }
  want(wrong.length === 0, `every page is for everybody and for a thumb:\n  ${wrong.join('\n  ')}`)
}
