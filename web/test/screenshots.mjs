// Pictures of the main pages, light, dark and on a phone, in web/screenshots/. PAGES and LOOKS choose some of them.
import { mkdirSync } from 'node:fs'
import { open, say, signIn, url } from './browser.mjs'
import { stageDay } from './stage-day.mjs'
import { stage } from './stage.mjs'

const out = new URL('../screenshots/', import.meta.url).pathname
mkdirSync(out, { recursive: true })
const { PASSWORD: password, PAGES: only, LOOKS: some } = process.env
const looks = {
  light: { scheme: 'light' },
  dark: { scheme: 'dark' },
  phone: { scheme: 'light', width: 390, height: 844, touch: true },
}
const head = 'admissionNumber,firstName,lastName,class,division,dateOfBirth,guardian1Relation,guardian1FirstName,guardian1Phone'

// Days of the week just past, whenever the pictures are taken.
const back = (weekday) => { const d = new Date(); d.setUTCDate(d.getUTCDate() - ((d.getUTCDay() - weekday + 7) % 7 || 7)); return d.toISOString().slice(0, 10) }
const [friday, sunday] = [back(5), back(0)]

const firstRow = (page) => page.locator('.row-name').first()
const fiveA = async (page) => { await page.getByLabel('Division').selectOption({ label: 'Class 5 A' }); await page.locator('.mark').first().waitFor() }
const officePages = {
  home: ['/', async (page) => page.locator('.recharts-surface').first().waitFor()],
  register: [`/register?date=${friday}`, (page) => fiveA(page)],
  'register-unsaved': [`/register?date=${friday}`, async (page) => { await fiveA(page); await page.locator('.mark').first().focus(); for (const k of 'PALP') await page.keyboard.press(k) }],
  'register-off': [`/register?date=${sunday}`, async (page) => { await page.getByLabel('Division').selectOption({ label: 'Class 5 A' }); await page.getByText('No school').waitFor() }],
  'register-month': ['/register?view=month', async (page) => { await page.getByLabel('Division').selectOption({ label: 'Class 5 A' }); await page.getByText('All together').waitFor() }],
  holidays: ['/register/holidays', (page) => firstRow(page).waitFor()],
  leave: ['/leave', (page) => firstRow(page).waitFor()],
  'leave-drawer': ['/leave?status=PENDING', async (page) => { await firstRow(page).click(); await page.getByLabel('Note').waitFor() }],
  'leave-balances': ['/leave/balances', async (page) => page.getByText('Casual').first().waitFor()],
  exams: ['/exams', (page) => firstRow(page).waitFor()],
  'exam-papers': ['/exams', async (page) => { await page.getByRole('link', { name: 'Half-yearly' }).click(); await page.getByLabel(/^Day of/).first().waitFor() }],
  'exam-marks': ['/exams', async (page) => { await page.getByRole('link', { name: 'Half-yearly' }).click(); await page.getByRole('tab', { name: 'Marks' }).click(); await page.getByLabel(/Mathematics of/).first().fill('101') }],
  'exam-results': ['/exams', async (page) => { await page.getByRole('link', { name: 'Half-yearly' }).click(); await page.getByRole('tab', { name: 'Results' }).click(); await page.locator('.results-sheet').waitFor() }],
  'report-card': ['/exams', async (page) => { await page.getByRole('link', { name: 'Half-yearly' }).click(); await page.getByRole('tab', { name: 'Results' }).click(); await page.locator('.results-sheet .who a').first().click(); await page.locator('.report-card').waitFor() }],
  terms: ['/exams/terms', (page) => firstRow(page).waitFor()],
  'grade-scale': ['/exams/scales?open=new', (page) => page.getByLabel('Name', { exact: true }).waitFor()],
  events: ['/events', (page) => firstRow(page).waitFor()],
  'event-drawer': ['/events', async (page) => { await firstRow(page).click(); await page.getByLabel('Title', { exact: true }).waitFor() }],
  'student-attendance': ['/students', async (page) => { await firstRow(page).click(); await page.getByRole('tab', { name: 'Attendance' }).click(); await page.locator('.moments').waitFor() }],
  students: ['/students', (page) => firstRow(page).waitFor()],
  'students-selected': ['/students', async (page) => { await firstRow(page).waitFor(); for (const i of [1, 2, 3]) await page.locator('tbody input[type=checkbox]').nth(i).check({ force: true }) }],
  'student-drawer': ['/students', async (page) => { await firstRow(page).click(); await page.getByLabel('First name').waitFor() }],
  'student-guardians': ['/students', async (page) => { await firstRow(page).click(); await page.getByRole('tab', { name: /Guardians/ }).click(); await page.waitForTimeout(300) }],
  'student-timeline': ['/students', async (page) => { await firstRow(page).click(); await page.getByRole('tab', { name: 'Timeline' }).click(); await page.getByText('What happened').waitFor() }],
  'import-file': ['/students/import', async () => {}],
  'import-check': ['/students/import', async (page) => {
    await page.locator('input[type=file]').setInputFiles({ name: 'june.csv', mimeType: 'text/csv', buffer: Buffer.from([head, 'N-1,Anu,Iyer,Class 5,A,2016-05-01,MOTHER,Meera,+919812345601', 'N-2,Bala,Nair,Class 5,A,2016-02-30,FATHER,Anil,+919812345602', 'N-3,Chitra,Das,Class 99,A,2016-07-09,MOTHER,Rina,12345'].join('\n')) })
    await page.getByText('cannot be read yet').waitFor()
  }],
  promote: ['/students/promote', async () => {}],
  employees: ['/employees', async () => {}],
  'employee-assignments': ['/employees?employeeType=TEACHER', async (page) => { await firstRow(page).click(); await page.getByRole('tab', { name: 'Assignments' }).click(); await page.getByText('A line without').waitFor() }],
  classes: ['/classes', async () => {}],
  'class-drawer': ['/classes', async (page) => { await firstRow(page).click(); await page.getByText('Subjects of the class').waitFor() }],
  subjects: ['/subjects', async () => {}],
  timetable: ['/timetable', async () => {}],
  permissions: ['/permissions', async (page) => page.getByText('Attendance').first().waitFor()],
  settings: ['/settings', async () => {}],
  account: ['/account', async () => {}],
  palette: ['/', async (page) => { await page.locator('.search-button').click(); await page.getByRole('combobox', { name: /Search pages/ }).fill('a'); await page.waitForTimeout(500) }],
}
const platformPages = {
  schools: ['/schools', (page) => firstRow(page).waitFor()],
  'school-drawer': ['/schools', async (page) => { await firstRow(page).click(); await page.getByText('Time zone').last().waitFor() }],
  onboard: ['/schools/new', async () => {}],
}

await stage('admin@green-valley.local', password)
await stageDay('admin@green-valley.local', password)
for (const [look, how] of Object.entries(looks)) {
  if (some && !some.split(',').includes(look)) continue
  for (const [email, pages] of [['admin@green-valley.local', officePages], ['super@homeroom.local', platformPages]]) {
    const chosen = Object.entries(pages).filter(([name]) => !only || only.split(',').includes(name))
    if (chosen.length === 0) continue
    const b = await open(how)
    try {
      const { page } = b
      if (email.startsWith('admin')) {
        await page.goto(`${url}/console/`)
        await page.getByLabel('E-mail').waitFor()
        await page.screenshot({ path: `${out}sign-in-${look}.png` })
      }
      await signIn(page, email, password)
      for (const [name, [path, act]] of chosen) {
        await page.goto(`${url}/console${path}`)
        await page.waitForLoadState('networkidle')
        await act(page)
        await page.waitForTimeout(250)
        await page.screenshot({ path: `${out}${name}-${look}.png` })
      }
      if (look === 'phone' && email.startsWith('admin')) {
        await page.goto(`${url}/console/`)
        await page.getByRole('button', { name: 'Navigation' }).click()
        await page.waitForTimeout(250)
        await page.screenshot({ path: `${out}navigation-${look}.png` })
      }
      say(`${look}: ${chosen.length} pages of ${email}${b.faults.length ? `; faults: ${b.faults.join('; ')}` : ''}`)
    } finally {
      await b.close()
    }
  }
}
