// A parent reads what the school has of a child, is told things, writes to a teacher where there is no line, chooses how to be
// told, and finds nothing of another family.

import { look, phoneSized, placesOf, signInAt } from './app.mjs'
import { appIsKept, nothingWaits } from './app-wait.mjs'
import { caller, inWindow, lineTo, until, want } from './browser.mjs'

export default async function (stage) {
  const { url: server, story, say, phone, school, ashaId, teacherToken, otherStudent, otherThread } = stage
  const { url, cut, mend } = await lineTo(server)
  const teacher = caller(server, teacherToken)
  await inWindow({ url, story, how: { ...phoneSized, full: true } }, async ({ page, context, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch/)
    const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor()
    const card = (name) => page.getByRole('region', { name, exact: true })
    const place = placesOf(page)
    const back = () => page.getByRole('link', { name: 'Back' }).click()
    const opened = async (button) => {
      const [tab] = await Promise.all([page.waitForEvent('popup'), button.click()])
      await until(() => tab.isClosed() || tab.url().startsWith('blob:'), 'the paper is opened')
      await tab.close()
    }

    await signInAt(page, url, phone, school, server)
    await card('Asha Rao').getByText('At school since').waitFor()
    await look(page, 'today-more')

    say('the School place has a line of meaning for everything')
    await place('School').click()
    await heading('School')
    const line = (name) => card('School').getByRole('link', { name })
    await line(/^Attendance.*Present/).waitFor()
    await line(/^Timetable.*1 lesson today/).waitFor()
    await line(/^Exams.*Next: Mathematics/).waitFor()
    await line(/^Results.*Unit test 1/).waitFor()
    await line(/^Leave.*No leave planned/).waitFor()
    await line(/^Library.*1 book, due/).waitFor()
    await line(/^Events.*Sports day/).waitFor()
    want((await line(/^Bus/).count()) === 0, 'who rides no bus has no line for one')
    await look(page, 'school')

    say('reads the exam dates')
    await line(/^Exams/).click()
    await heading('Exams')
    await card('Half-yearly').getByText('Room 4').waitFor()
    await look(page, 'exams')

    say('reads the results with their time, and last year’s')
    await back()
    await line(/^Results/).click()
    await card('Unit test 1').getByText('86 / 100').waitFor()
    await page.getByText(/^As of/).waitFor()
    await look(page, 'results')
    await opened(page.getByRole('button', { name: 'Open the report card' }))
    await page.getByRole('link', { name: 'Last year' }).click()
    await card('Final exam').getByText('71 / 100').waitFor()
    want((await page.getByText('86 / 100').count()) === 0, "this year's marks are not under last year's name")
    await opened(page.getByRole('button', { name: 'Open the report card' }))
    await page.getByRole('link', { name: 'Ravi', exact: true }).click()
    await page.getByText('No results have been published.').waitFor()
    want((await page.getByText('/ 100').count()) === 0, "nothing of Asha stays under Ravi's name")
    await page.getByRole('link', { name: 'Asha', exact: true }).click()

    say('reads what is borrowed')
    await back()
    await line(/^Library/).click()
    await card('Borrowed now').getByText('Malgudi Days').waitFor()
    await look(page, 'library')

    say('opens what the school has certified, also of what was paid')
    await back()
    await line(/^Certificates.*1 issued/).click()
    await card('Bonafide certificate').getByText('Passport application').waitFor()
    await look(page, 'certificates')
    await opened(page.getByRole('button', { name: 'Open the certificate' }))
    await page.getByRole('link', { name: 'Ravi', exact: true }).click()
    await opened(card('Fee certificate').getByRole('button', { name: 'Open the certificate' }))
    want((await card('Bonafide certificate').count()) === 0, "nothing of Asha stays under Ravi's name")
    await page.getByRole('link', { name: 'Asha', exact: true }).click()

    say('signs up for an event, and takes it back')
    await back()
    await line(/^Events/).click()
    await card('Sports day').getByText('2 places left').waitFor()
    await look(page, 'events')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await card('Sports day').getByText('1 place left').waitFor()
    await card('Sports day').getByText('Signed up').waitFor()
    await page.getByRole('button', { name: 'Cancel the sign-up' }).click()
    await card('Sports day').getByText('2 places left').waitFor()

    say('reads an announcement with its file, which is then no longer new')
    const unread = async () => Number(/(\d+) unread/.exec(await place('Messages').textContent())?.[1] ?? 0)
    await until(unread, 'something is unread')
    await place('Messages').click()
    await page.getByText('There are no messages yet.').waitFor()
    await look(page, 'messages-none')
    await page.getByRole('link', { name: 'Announcements' }).click()
    const early = page.getByRole('link', { name: /School closes early/ })
    await early.getByText('New').waitFor()
    await look(page, 'announcements')
    await page.getByText('Old news 49').waitFor()
    await page.getByRole('button', { name: 'Earlier announcements' }).click()
    await page.getByText('Old news 50').waitFor()
    want((await page.getByText('For class 6').count()) === 0, "another class's announcement is not here")
    await early.click()
    await page.getByText('At noon on Friday.').waitFor()
    await look(page, 'announcement')
    await opened(page.getByRole('button', { name: 'File 1' }))
    await back()
    await early.waitFor()
    await early.getByText('New').waitFor({ state: 'detached' })

    say('writes to the teacher; what is typed survives a closed app')
    await place('Messages').click()
    await page.getByRole('link', { name: 'New message' }).click()
    await page.getByLabel('To', { exact: true }).selectOption({ label: 'Ravi Iyer · Asha Rao' })
    await page.getByLabel('Subject (optional)').fill('Homework')
    await page.getByLabel('Message', { exact: true }).fill('What was it?')
    await page.reload()
    await until(
      async () => (await page.getByLabel('Message', { exact: true }).inputValue()) === 'What was it?',
      'the draft is kept',
    )
    await look(page, 'write')
    await page.getByRole('button', { name: 'Send' }).click()
    await heading('Messages')
    await page.getByRole('link', { name: /Ravi Iyer.*What was it/ }).click()
    await heading('Ravi Iyer')
    await page.getByText(/Sent$/).waitFor()
    const threads = await teacher('GET', '/teacher/message/list')
    want(threads.total === 1 && threads.items[0].subject === 'Homework', 'the teacher has one thread')
    const thread = threads.items[0].id

    say('the teacher reads and answers; the parent sees both')
    await teacher('POST', '/teacher/message/read', { threadId: thread })
    await teacher('POST', '/teacher/message/send', { threadId: thread, body: 'Page 12' })
    await place('Messages').click()
    await page
      .getByRole('link', { name: /Ravi Iyer.*Page 12/ })
      .getByText('1 new')
      .waitFor()
    await look(page, 'messages')
    await page.getByRole('link', { name: /Ravi Iyer/ }).click()
    await page.getByText('Page 12').waitFor()
    await page.getByText(/Read$/).waitFor()
    await look(page, 'thread')

    say('what is written without a line waits, survives a closed app, and is sent once')
    await appIsKept(page)
    await cut()
    await page.getByLabel('Write a message').fill('Thank you')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Waiting for a connection').waitFor()
    await look(page, 'thread-waiting')
    await page.reload()
    await page.getByText('Waiting for a connection').waitFor()
    await page.getByLabel('Write a message').fill('Until tomorrow')
    await page.getByRole('button', { name: 'Send' }).click()
    await until(async () => (await page.getByText('Waiting for a connection').count()) === 2, 'both wait')

    say('so does what is written to the office')
    await place('Messages').click()
    await page.getByRole('link', { name: 'New message' }).click()
    await page.getByLabel('To', { exact: true }).selectOption({ label: 'The school office' })
    await page.getByLabel('Message', { exact: true }).fill('Is there school on Friday?')
    await page.getByRole('button', { name: 'Send' }).click()
    await card('Not sent yet').getByText('Is there school on Friday?').waitFor()
    await look(page, 'messages-waiting')

    say('all of it is sent once when the line is back, in order, though the person is on another page')
    await place('Fees').click()
    await mend()
    await nothingWaits(page)
    const all = (await teacher('GET', `/teacher/message/thread/${thread}`)).messages.map((m) => m.body)
    want(all.join() === 'What was it?,Page 12,Thank you,Until tomorrow', `the teacher has each once: ${all}`)
    await place('Messages').click()
    await page.getByRole('link', { name: /Is there school on Friday/ }).waitFor()
    await page.getByRole('link', { name: /Ravi Iyer/ }).click()
    await until(async () => (await page.getByText(/Sent$/).count()) === 2, 'both are sent')

    say('reads the notices; a tap opens what one is about')
    await place('Messages').click()
    await page.getByRole('link', { name: 'Notices', exact: true }).click()
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor()
    await look(page, 'notices')
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await until(async () => (await unread()) === 0, 'nothing is unread')
    await page
      .getByRole('button', { name: /School closes early/ })
      .first()
      .click()
    await page.getByText('At noon on Friday.').waitFor()

    say('chooses how to be told')
    await place('More').click()
    await page.getByRole('link', { name: /Notifications/ }).click()
    const sms = card('Fees').getByRole('checkbox', { name: 'SMS' })
    await sms.waitFor()
    await look(page, 'choices')
    const kept = page.waitForResponse((r) => r.request().method() === 'PUT' && r.ok())
    await sms.check()
    await kept
    await page.reload()
    await until(() => sms.isChecked(), 'the choice is kept')
    await page.getByRole('link', { name: 'Ravi', exact: true }).click()
    const forRavi = card('Fees').getByRole('checkbox', { name: 'On the phone' })
    await forRavi.uncheck()
    await card('Fees').getByRole('button', { name: 'Same as for all children' }).waitFor()
    want((await card('Announcements').count()) === 0, 'an announcement is about no child')
    await look(page, 'choices-child')
    await page.getByRole('link', { name: 'All children', exact: true }).click()
    want(await forRavi.isChecked(), 'the choice for one child is not that for all')

    say('has the timetable in a calendar; a new address ends the one before')
    await place('School').click()
    await line(/^Timetable/).click()
    await page.getByRole('link', { name: /^Timetable in your calendar/ }).click()
    await heading('Timetable in your calendar')
    await look(page, 'calendar')
    const shown = card('Calendar address').getByText(/\.ics$/)
    const make = async () => {
      const made = page.waitForResponse((r) => r.url().endsWith('/parent/timetable/feed') && r.ok())
      await page.getByRole('button', { name: 'Make a new address' }).click()
      const address = (await (await made).json()).data.url
      await card('Calendar address').getByText(address, { exact: true }).waitFor()
      return address
    }
    const feed = (address) => fetch(`${server}${new URL(address).pathname}`)
    const first = await make()
    want(/Mathematics/.test(await (await feed(first)).text()), 'a calendar program reads the lessons')
    await look(page, 'calendar-address')
    const link = page.getByRole('link', { name: 'Open in a calendar' })
    want((await link.getAttribute('href')) === first.replace(/^https?/, 'webcal'), 'a calendar of the phone opens it')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    want((await page.evaluate(() => navigator.clipboard.readText())) === first, 'the address is copied')
    const second = await make()
    want((await feed(first)).status === 404, 'the address before has ended')
    want((await feed(second)).status === 200, 'the new one is read')
    await page.getByRole('link', { name: 'Ravi', exact: true }).click()
    await shown.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Asha', exact: true }).click()
    await page.getByRole('button', { name: 'End the address' }).click()
    await look(page, 'calendar-end')
    await page.getByRole('button', { name: 'Keep' }).click()
    await page.getByRole('button', { name: 'End the address' }).click()
    await card('End the address').getByRole('button', { name: 'End the address' }).click()
    await page.getByText('The address has ended.').waitFor()
    want((await feed(second)).status === 404, 'it is read no more')

    say('opens the paper of a refund')
    await place('Fees').click()
    await card('Asha Rao').getByRole('link', { name: 'Account and receipts' }).click()
    await page.getByRole('link', { name: /^Refund/ }).click()
    await heading('Refund')
    await page.getByText('Paid twice').waitFor()
    await look(page, 'refund')
    const returned = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Refund receipt (PDF)' }).click()
    want((await (await returned).failure()) === null, 'the paper is kept')

    say('finds nothing of another family')
    for (const path of [
      '',
      '/attendance',
      '/timetable',
      '/calendar',
      '/exams',
      '/results',
      '/leave',
      '/leave/new',
      '/library',
      '/events',
      '/certificates',
    ]) {
      await page.goto(`${url}/app/school/${otherStudent}${path}`)
      await page.getByText('This child was not found.').waitFor()
    }
    for (const path of [
      `/fees/${otherStudent}`,
      `/receipt/${otherStudent}`,
      `/refund/${otherStudent}`,
      `/messages/thread/${otherThread}`,
      `/messages/announcement/${stage.otherAnnouncement}`,
    ]) {
      await page.goto(`${url}/app${path}`)
      await page.getByText('This was not found. It may have been removed.').waitFor()
      want((await page.getByText(/A secret|Only them/).count()) === 0, `${path} shows nothing`)
    }
    await look(page, 'not-found')

    say('every page in Arabic; pictures are in every language')
    for (const code of process.env.SHOTS ? ['ar', 'hi', 'sw'] : ['ar']) {
      await page.goto(`${url}/app/more`)
      const sent = page.waitForResponse(
        (r) => r.url().endsWith('/language') && r.request().method() === 'PUT' && r.ok(),
      )
      await page.getByRole('combobox').selectOption(code)
      await until(() => page.evaluate((l) => document.documentElement.lang === l, code), code)
      await sent // messages come in it too
      for (const [name, path] of [
        ['today', '/'],
        ['school', '/school'],
        ['exams', `/school/${ashaId}/exams`],
        ['results', `/school/${ashaId}/results`],
        ['library', `/school/${ashaId}/library`],
        ['events', `/school/${ashaId}/events`],
        ['certificates', `/school/${ashaId}/certificates`],
        ['calendar', `/school/${ashaId}/calendar`],
        ['messages', '/messages'],
        ['thread', `/messages/thread/${thread}`],
        ['announcements', '/messages/announcements'],
        ['notices', '/messages/notices'],
        ['choices', '/more/notifications'],
      ]) {
        await page.evaluate((to) => {
          window.history.pushState(null, '', to)
          window.dispatchEvent(new PopStateEvent('popstate'))
        }, `/app${path}`)
        await page.locator('main .card, main .bubble').first().waitFor()
        await page.locator('.skeleton').waitFor({ state: 'detached' })
        await look(page, `more-${name}-${code}`)
      }
    }
  })
}
