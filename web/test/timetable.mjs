// A week is filled in by keyboard, and a teacher who is booked twice is shown in the cell.
import { accessible, caller, inWindow, signIn, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, token }) {
  const post = (path, data) => caller(url, token)('POST', path, data)
  const year = new Date(Date.now() + 5.5 * 3_600_000).getUTCFullYear() // at the school
  const made = await post('/school-admin/academic-year/create', {
    name: `${year}`,
    startDate: `${year}-01-01`,
    endDate: `${year}-12-31`,
  })
  await post(`/school-admin/academic-year/${made.id}/activate`, {})
  const next = await post('/school-admin/class/create', { name: 'Class 6', level: 6 })
  const five = await post('/school-admin/class/create', { name: 'Class 5', level: 5, nextClassId: next.id })
  await post('/school-admin/academic-year/create', {
    name: `${year + 1}`,
    startDate: `${year + 1}-01-01`,
    endDate: `${year + 1}-12-31`,
  })
  const seats = []
  for (const name of ['A', 'B']) {
    seats.push(await post('/school-admin/division/create', { classId: five.id, name }))
    await post('/school-admin/division/create', { classId: next.id, name })
  }
  for (const firstName of ['Anu', 'Bala'])
    await post('/school-admin/student/create', { firstName, divisionId: seats[0].id })
  await post('/school-admin/subject/create', { name: 'Mathematics', code: 'MATH' })
  await post('/school-admin/employee/create', {
    firstName: 'Ravi',
    lastName: 'Menon',
    employeeType: 'TEACHER',
    phone: `+9197${String(Date.now()).slice(-8)}`,
  })

  await inWindow({ url, story }, async ({ page }) => {
    await signIn(page, url, email, password)
    const dialog = page.getByRole('dialog')
    say('a day without periods teaches how to begin')
    await page.getByRole('navigation').getByRole('link', { name: 'Timetable' }).click()
    await page.getByText('The day has no periods yet').waitFor()
    await page.getByRole('link', { name: 'Add periods' }).click()
    for (const [name, from, to] of [
      ['1st period', '08:30', '09:15'],
      ['2nd period', '09:15', '10:00'],
    ]) {
      await page.getByRole('button', { name: 'Add a period' }).first().click()
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByLabel('From').fill(from)
      await dialog.getByLabel('To', { exact: true }).fill(to)
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('button', { name, exact: true }).waitFor()
    }
    await page.getByRole('link', { name: 'Classes and groups' }).click()

    say('the week is filled in by keyboard')
    const fill = async () => {
      await page.keyboard.press('Enter')
      await dialog.getByLabel('Teacher').selectOption({ label: 'Ravi Menon' })
      await dialog.getByRole('button', { name: 'Add lesson' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await page.waitForFunction(() => document.activeElement?.classList.contains('cell')) // where the keys go on
    }
    await page.getByRole('button', { name: 'Monday, 1st period: no lesson' }).focus()
    await fill()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await fill()
    await page.getByRole('button', { name: /Tuesday, 2nd period: Mathematics\s*Ravi Menon/ }).waitFor()
    want((await page.locator('.cell[data-dirty]').count()) === 2, 'unsaved cells are marked')
    await page.getByRole('button', { name: 'Save the week' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()

    say('a teacher who is booked twice is shown in the cell')
    await page.getByLabel('Division').selectOption({ label: 'Class 5 B' })
    await page.getByRole('button', { name: 'Monday, 1st period: no lesson' }).focus()
    await fill()
    await page.getByRole('button', { name: 'Save the week' }).click()
    await page
      .locator('.cell[data-bad]')
      .getByText(/Ravi Menon/)
      .first()
      .waitFor()
    await accessible(page, 'a timetable with a clash')
    await page.getByRole('button', { name: 'Monday, 1st period: Mathematics' }).focus()
    await page.keyboard.press('Delete')
    await page.getByRole('button', { name: 'Monday, 1st period: no lesson' }).waitFor()

    say('a class is promoted, and that is undone')
    await visit(page, '/students/promote')
    await page.getByLabel('Class', { exact: true }).selectOption({ label: 'Class 5' })
    await page.getByRole('button', { name: 'See who goes where' }).click()
    await page.getByText('2 promoted').waitFor()
    await page.getByLabel('Bala stays').check({ force: true })
    await page.getByText('1 promoted, 1 stay').waitFor()
    await accessible(page, 'who goes where')
    await page.getByRole('button', { name: 'Promote…' }).click()
    await dialog.getByRole('button', { name: 'Promote', exact: true }).click()
    await page.getByText('Class 5 is promoted').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('main').getByText('Undone').waitFor()

    say('a role that may only read sees no button that writes')
    await page.getByRole('navigation').getByRole('link', { name: 'Permissions' }).click()
    await page.getByRole('tab', { name: /School admin/ }).click()
    await page.getByLabel('Write: Subjects').uncheck({ force: true })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Subjects' }).click()
    await page.getByRole('button', { name: 'Mathematics' }).waitFor()
    await page.getByRole('button', { name: 'Add a subject' }).waitFor({ state: 'hidden' })
  })
}
