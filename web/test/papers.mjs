// Class lists, ID cards, certificates, hall tickets and what pages show, printed where the office looks for it.
import { accessible, choose, inWindow, signIn, visit, want } from './browser.mjs'

/** Presses a button and looks whether the service makes a paper of it. LOOK is a folder for pictures of the dialogs. */
async function printed(page, name, path, press) {
  if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/${name}-${page.viewportSize().width}.png` })
  let answer
  // A slow browser may still show the page before, whose button makes another paper.
  for (let tries = 0; tries < 10 && !answer?.url().includes(path); tries++) {
    const [paper, made] = await Promise.all([
      page.waitForEvent('popup'),
      page.waitForResponse((r) => r.headers()['content-type'] === 'application/pdf'),
      press(),
    ])
    answer = made
    await paper.close()
  }
  want(answer.url().includes(path), `${name}: the service made ${path}, not ${answer.url()}`)
}

async function walk({ page, url, email, password, student, exam, say }) {
  const dialog = (name) => page.getByRole('dialog', { name })
  const print = (name) => () => dialog(name).getByRole('button', { name: 'Print' }).click()
  await signIn(page, url, email, password)

  say('a class list and ID cards of a division')
  await visit(page, '/students')
  await page.locator('.row-name').first().waitFor()
  await choose(page, 'More', 'Class list…')
  await dialog('Print a class list').getByLabel('Division').selectOption({ label: 'Class 5 A' })
  await accessible(page, 'the dialog of class lists')
  await printed(page, 'class-list', '/class-list', print('Print a class list'))
  await dialog('Print a class list').getByRole('button', { name: 'Close' }).last().click()
  await choose(page, 'More', 'ID cards…')
  await dialog('Print ID cards').getByLabel('Division').selectOption({ label: 'Class 5 A' })
  await printed(page, 'id-cards', '/student/id-cards', print('Print ID cards'))
  await dialog('Print ID cards').getByRole('button', { name: 'Close' }).last().click()

  say('certificates of a student')
  for (const [item, title] of [
    ['Bonafide certificate…', /^Bonafide certificates of/],
    ['Fee certificate…', /^Fee certificates of/],
  ]) {
    await visit(page, `/students?open=${student}`)
    const drawer = page.getByRole('dialog', { name: 'student', exact: true })
    await drawer.getByLabel('First name').waitFor()
    await choose(drawer, 'More', item)
    await dialog(title).getByLabel('Issued for').fill('Passport application')
    await accessible(page, item)
    await printed(page, item.split(' ')[0], 'format=pdf', async () => {
      await dialog(title).getByRole('button', { name: 'Issue and print' }).click()
      await dialog(title).getByText('Passport application').first().waitFor()
    })
    await printed(page, `${item.split(' ')[0]}-again`, 'format=pdf', () =>
      dialog(title)
        .getByRole('button', { name: /^Print no/ })
        .first()
        .click(),
    )
    await dialog(title).getByRole('button', { name: 'Close' }).last().click()
  }

  say('hall tickets of an exam')
  await visit(page, `/exams/${exam}`)
  await page.getByRole('heading', { name: 'Half-yearly', level: 1 }).waitFor()
  await choose(page, 'More', 'Hall tickets…')
  const tickets = 'Print hall tickets of Half-yearly'
  await dialog(tickets).getByLabel('Division').selectOption({ label: 'Class 5 A' })
  await dialog(tickets).getByLabel('Hold back tickets of students with dues').check()
  await accessible(page, 'the dialog of hall tickets')
  await printed(page, 'hall-tickets', 'holdBackDues=true', print(tickets))

  for (const [what, at, path] of [
    ["a month's register", '/register?view=month', '/attendance/report.pdf'],
    ['the attendance summary', '/register/summary', '/attendance/summary.pdf'],
    ['the day closing', '/fees/accounts', '/fee/collection.pdf'],
    ['the trial balance', '/fees/accounts?tab=balance', '/fee/trial-balance.pdf'],
    ["a division's week", '/timetable', '/week.pdf'],
    ["a teacher's week", '/timetable/teacher', '/week.pdf'],
    ["an exam's results", `/exams/${exam}?tab=results`, '/results.pdf'],
  ]) {
    say(`${what} on paper`)
    await visit(page, at)
    const button = page.getByRole('button', { name: 'Print', exact: true })
    await button.waitFor()
    await printed(page, what.replaceAll(' ', '-'), path, () => button.click())
  }
}

export default async function (stage) {
  const { url, story } = stage
  await inWindow({ url, story }, ({ page }) => walk({ ...stage, page }))
  stage.say('the same on a phone')
  const how = { width: 390, height: 844, touch: true }
  await inWindow({ url, story: `${story} on a phone`, how }, ({ page }) => walk({ ...stage, page }))
}
