// Electives are set up with their members, taught at one time, and an absent teacher's lesson is given to another.
import { accessible, caller, clicks, inWindow, signIn, undo, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, token, pictures = process.env.PICTURES }) {
  const call = caller(url, token)
  const post = (path, data) => call('POST', path, data)
  const isoDay = new Date(Date.now() + 5.5 * 3_600_000).getUTCDay() || 7 // at the school
  const subjects = {}
  for (const name of ['French', 'Sanskrit'])
    subjects[name] = await post('/school-admin/subject/create', { name, code: name, type: 'ELECTIVE' })
  await post('/school-admin/timetable/period/create', {
    name: '1st period',
    startTime: '08:30',
    endTime: '09:15',
  })
  for (const [i, name] of ['Meera', 'Nila', 'Omar'].entries())
    await post('/school-admin/employee/create', {
      firstName: name,
      employeeType: 'TEACHER',
      phone: `+9197${i}${String(Date.now()).slice(-7)}`,
    })
  const list = async (path) => (await call('GET', path)).items
  const divisions = await list('/school-admin/division/list')
  const teachers = await list('/school-admin/employee/list')
  await post('/school-admin/group/create', {
    name: 'Sanskrit, class 9',
    subjectId: subjects.Sanskrit.id,
    divisionIds: divisions.map((d) => d.id),
  })
  const shot = async (page, name) => {
    if (!pictures) return
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      if (width === 390)
        say(`${name}: ${await page.evaluate(() => document.scrollingElement.scrollWidth)} px wide of ${width}`)
      await page.screenshot({ path: `${pictures}/${name}-${width}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 1360, height: 860 })
  }

  await inWindow({ url, story }, async ({ page, context }) => {
    await signIn(page, url, email, password)
    const dialog = page.getByRole('dialog')
    say('a group gets its divisions, then its members')
    await page.getByRole('navigation').getByRole('link', { name: 'Subjects' }).click()
    await page.getByRole('link', { name: 'Electives and groups' }).click()
    await page.getByRole('button', { name: 'Add a group' }).click()
    await dialog.getByLabel('Name').fill('French, class 9')
    await dialog.getByLabel('Subject').selectOption({ label: 'French' })
    for (const name of ['Class 9 A', 'Class 9 B']) await dialog.getByLabel(name, { exact: true }).check({ force: true })
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Members (0)').waitFor()
    await dialog.getByLabel('Asha Rao').check({ force: true })
    await dialog.getByLabel('Chitra Das').check({ force: true })
    await dialog.getByLabel(/Already since the year began/).waitFor()
    await dialog.getByRole('button', { name: 'Save members' }).click()
    await dialog.getByText('Members saved').waitFor()
    await dialog.getByText('Members (2)').waitFor()
    await accessible(page, 'a group')
    await shot(page, 'group')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'French, class 9' }).waitFor()
    await accessible(page, 'the groups')
    await shot(page, 'groups')

    say('two electives are taught at one time, on a Sunday too')
    await page.getByRole('navigation').getByRole('link', { name: 'Timetable' }).click()
    const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(
      Date.UTC(2024, 0, isoDay),
    )
    for (const [group, teacher] of [
      ['French, class 9', 'Meera'],
      ['Sanskrit, class 9', 'Nila'],
    ]) {
      await page.getByLabel('Division').selectOption({ label: group })
      await page.getByText('Sunday', { exact: true }).waitFor()
      await page.getByRole('button', { name: `${weekday}, 1st period: no lesson` }).click()
      await dialog.getByLabel('Teacher').selectOption({ label: teacher })
      await dialog.getByRole('button', { name: 'Add lesson' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Save the week' }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
    }
    await page.getByLabel('Division').selectOption({ label: 'Class 9 A' })
    await page.getByRole('button', { name: new RegExp(`${weekday}, 1st period:.*French.*Sanskrit`) }).waitFor()
    await accessible(page, 'a week with groups')
    await shot(page, 'week')
    await page.getByRole('link', { name: "A teacher's week" }).click()
    await page.getByLabel('Teacher').selectOption({ label: 'Nila' })
    await page.getByRole('main').getByText('Sanskrit, class 9').waitFor()
    await accessible(page, "a teacher's week")
    await shot(page, 'teacher')

    say('an absent teacher: from the overview to a substitute in four clicks')
    await call('PUT', '/school-admin/timetable/cover', {
      date: new Date(Date.now() + 5.5 * 3_600_000).toISOString().slice(0, 10),
      absentTeacherIds: [teachers.find((t) => t.firstName === 'Meera').id],
      substitutions: [],
    })
    await visit(page, '/')
    const press = clicks()
    await press(page.getByRole('link', { name: /^Lessons without a teacher/ }))
    const held = page.getByLabel('Who holds French, class 9, 1st period')
    await held.waitFor()
    await accessible(page, 'a lesson without a teacher')
    await shot(page, 'substitution')
    want((await held.locator('option').count()) === 2, 'only Omar is free: Nila teaches Sanskrit then')
    await held.selectOption({ index: 1 })
    press.count += 2 // the menu, and the teacher in it
    await until(
      () => page.evaluate(() => Object.keys(localStorage).some((k) => k.includes('.substitution.'))),
      'the choice is kept',
    )
    const other = await context.newPage() // as after a crash
    await other.goto(`${url}/console/timetable/substitution`)
    await other.getByRole('button', { name: 'Put back' }).click()
    await other.getByText('1 chosen').waitFor()
    await other.close()
    await press(page.getByRole('button', { name: 'Save substitutions' }))
    await page.getByText('Omar in place of Meera').waitFor()
    press.atMost(4, 'a substitution')
    await accessible(page, 'a lesson that another holds')
    await page.getByRole('button', { name: /^Take back/ }).click()
    await held.waitFor()
    await undo(page)
    await page.getByText('Omar in place of Meera').waitFor()
    await shot(page, 'substituted')
    await page.getByLabel('Absent teacher').selectOption({ label: 'Omar' })
    await page.getByText('Omar, absent').waitFor()
    await held.waitFor()
  })
}
