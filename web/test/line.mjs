// A bad line: 300 ms, then none. Pages that were opened stay readable, a part that cannot be loaded is tried again by hand,
// and what was typed is there after a crash. Nothing of it stays after signing out.
import { caller, inWindow, lineTo, signIn, until, visit, want } from './browser.mjs'

export default async function ({ url: server, story, say, email, password, token, division, exam }) {
  const ask = caller(server, token)
  const { url, cut, mend } = await lineTo(server, 300)
  await inWindow({ url, story }, async ({ page: first, context, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch|WebSocket/)
    let page = first
    // The power goes: no page is asked whether it may be left.
    const crash = async (path) => {
      await page.close()
      page = await context.newPage()
      await page.goto(`${url}/console${path}`)
    }
    const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor()

    say('signs in on a line of 300 ms')
    await signIn(page, url, email, password)
    await page.evaluate(() => navigator.serviceWorker.ready)

    say('a page is loaded again without asking for its parts')
    await visit(page, '/students')
    await page.getByText('Child 05').waitFor()
    await page.reload()
    await page.getByText('Child 05').waitFor()
    const asked = []
    page.on('response', (r) => {
      if (/\.(js|css)$/.test(r.url()) && !r.fromServiceWorker()) asked.push(r.url())
    })
    await page.reload()
    await page.getByText('Child 05').waitFor()
    want(asked.length === 0, `the second reload asks for no part: ${asked}`)
    await visit(page, `/register?division=${division}`)
    await page.getByRole('button', { name: 'Child 01: Present' }).waitFor()
    await visit(page, `/exams/${exam}?tab=marks`)
    await page.getByLabel('Marks of').waitFor()

    say('a page that was never opened cannot be loaded without a line, and says so; nothing is loaded anew')
    await page.evaluate(() => (window.here = true))
    await cut()
    await visit(page, '/subjects')
    await page.getByText('This could not be loaded').waitFor()
    want(await page.evaluate(() => window.here), 'the console was not loaded again')
    await mend()
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await heading('Subjects')
    want(await page.evaluate(() => window.here), 'the console was not loaded again')

    say('without a line, opened pages and lists are read, also after a reload')
    await cut()
    await visit(page, '/students')
    await page.getByText('Child 05').waitFor()
    await page.reload()
    await page.getByText('Child 05').waitFor()
    await page.getByText('No connection. You are reading what was here').waitFor()
    await mend()
    await page.getByText('No connection.').waitFor({ state: 'detached' })

    say('a register survives a crash without a line, and is saved when it is back')
    await visit(page, `/register?division=${division}`)
    await page.getByRole('button', { name: 'Child 01: Present' }).focus()
    await page.keyboard.press('a')
    await page.keyboard.press('p')
    await until(
      () => page.evaluate(() => Object.keys(localStorage).some((k) => k.startsWith('homeroom.kept.'))),
      'the marks are kept',
    )
    await cut()
    await crash(`/register?division=${division}`)
    await page.getByText('Marks of this register were typed').waitFor()
    await page.getByRole('button', { name: 'Put back' }).click()
    want((await page.locator('tr[data-dirty]').count()) === 2, 'both marks are back')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('No connection to Homeroom').first().waitFor()
    await mend()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const marks = (await ask('GET', `/school-admin/attendance/register?divisionId=${division}`)).students
    want(marks[0].status === 'ABSENT' && marks[1].status === 'PRESENT', `the marks arrived: ${marks[0].status}`)
    const kept = () => page.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith('homeroom.kept.')))
    await until(async () => (await kept()).length === 0, 'what was sent is not kept any more')

    say('so do marks of an exam and a half-filled form')
    await visit(page, `/exams/${exam}?tab=marks`)
    const cell = () => page.getByRole('textbox', { name: /Child 01/ })
    await cell().fill('77')
    await until(async () => (await kept()).length === 1, 'the marks are kept')
    await crash(`/exams/${exam}?tab=marks`)
    await page.getByRole('button', { name: 'Put back' }).click()
    want((await cell().inputValue()) === '77', 'the mark is back')
    await page.getByRole('button', { name: 'Discard' }).click()
    await until(async () => (await kept()).length === 0, 'what was discarded is not kept any more')
    await visit(page, `/exams/${exam}?tab=papers`)
    const room = () => page.getByRole('textbox', { name: /Room/ }).first()
    await room().fill('Hall 7')
    await until(async () => (await kept()).length === 1, 'the papers are kept')
    await crash(`/exams/${exam}?tab=papers`)
    await page.getByText('Papers of this exam were typed').waitFor()
    await page.getByRole('button', { name: 'Put back' }).click()
    want((await room().inputValue()) === 'Hall 7', 'the room is back')
    await page.getByRole('button', { name: 'Discard' }).click()
    await until(async () => (await kept()).length === 0, 'papers that were discarded are not kept any more')
    await visit(page, '/subjects?open=new')
    await page.getByRole('dialog').getByLabel('Name').fill('Astronomy')
    await until(async () => (await kept()).length === 1, 'the form is kept')
    await crash('/subjects?open=new')
    await page.getByRole('dialog').getByRole('button', { name: 'Put back' }).click()
    want((await page.getByRole('dialog').getByLabel('Name').inputValue()) === 'Astronomy', 'the form is back')

    say('so does a half-filled payment, until it is received')
    const student = marks[0].studentId
    const counter = `/fees/collect?student=${student}`
    const amount = () => page.getByRole('form', { name: 'Payment' }).getByLabel('Amount')
    await crash(counter)
    await amount().fill('250')
    await page.getByLabel('Cheque', { exact: true }).check()
    await page.getByLabel('Cheque number').fill('000417')
    await until(async () => (await kept()).some((k) => k.includes('.payment.')), 'the payment is kept')
    await crash(counter)
    await page.getByText('A payment was typed').waitFor()
    await page.getByRole('button', { name: 'Put back' }).click()
    want((await amount().inputValue()).startsWith('250'), 'the amount is back')
    want((await page.getByLabel('Cheque number').inputValue()) === '000417', 'the cheque is back')
    await page.getByRole('button', { name: /^Receive/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Receive', exact: true }).click()
    await page.waitForURL(/fees\/receipt/)
    await until(async () => !(await kept()).some((k) => k.includes('.payment.')), 'what was received is not kept')

    say('nothing stays after signing out, though the line is down')
    await cut()
    await page.close()
    page = await context.newPage()
    await page.goto(`${url}/console/students`)
    await page.getByText('Child 05').waitFor()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await page.getByText('Child 05').waitFor({ state: 'detached' })
    const left = () =>
      page.evaluate(async () => [
        ...Object.keys(localStorage).filter((k) => /kept|session/.test(k)),
        ...(await caches.keys()).filter((k) => k.includes('answers')),
      ])
    await until(async () => (await left().catch(() => ['?'])).length === 0, `nothing stays`)
    await mend()
    await page.goto(`${url}/console/students`)
    await page.getByLabel('E-mail').waitFor()
    want((await page.getByText('Child 05').count()) === 0, 'whoever comes next is asked for a password')
  })
  await cut()
}
