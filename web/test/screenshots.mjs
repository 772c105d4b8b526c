// Pictures of the main pages, light, dark, on a phone and right to left, in web/screenshots/. PAGES and LOOKS choose some of them.
import { mkdirSync } from 'node:fs'
import { caller, open, signIn, until } from './browser.mjs'
import { stage } from './stage.mjs'
import { stageBuses } from './stage-bus.mjs'
import { stageDay } from './stage-day.mjs'
import { stageMoney } from './stage-money.mjs'

const out = new URL('../screenshots/', import.meta.url).pathname
mkdirSync(out, { recursive: true })
const { PAGES: only, LOOKS: some } = process.env
const looks = {
  light: { scheme: 'light' },
  dark: { scheme: 'dark' },
  phone: { scheme: 'light', width: 390, height: 844, touch: true },
  // In Arabic nothing is found by its English label: these are the pages as they open.
  rtl: { scheme: 'dark', width: 1280, language: 'ar' },
  'rtl-phone': { scheme: 'dark', width: 390, height: 844, touch: true, language: 'ar' },
}
const head =
  'admissionNumber,firstName,lastName,class,division,dateOfBirth,guardian1Relation,guardian1FirstName,guardian1Phone'

// Days of the week just past, whenever the pictures are taken.
const back = (weekday) => {
  const d = new Date()
  d.setUTCDate(d.getUTCDate() - ((d.getUTCDay() - weekday + 7) % 7 || 7))
  return d.toISOString().slice(0, 10)
}
const [friday, sunday] = [back(5), back(0)]

const firstRow = (page) => page.locator('.row-name').first()
const fiveA = async (page) => {
  await page.getByLabel('Division').selectOption({ label: 'Class 5 A' })
  await page.locator('.mark').first().waitFor()
}
const officePages = {
  home: ['/', async (page) => page.locator('.recharts-surface').first().waitFor()],
  register: [`/register?date=${friday}`, (page) => fiveA(page)],
  'register-unsaved': [
    `/register?date=${friday}`,
    async (page) => {
      await fiveA(page)
      await page.locator('.mark').first().focus()
      for (const k of 'PALP') await page.keyboard.press(k)
    },
  ],
  'register-off': [
    `/register?date=${sunday}`,
    async (page) => {
      await page.getByLabel('Division').selectOption({ label: 'Class 5 A' })
      await page.getByText('No school').waitFor()
    },
  ],
  'register-month': [
    '/register?view=month',
    async (page) => {
      await page.getByLabel('Division').selectOption({ label: 'Class 5 A' })
      await page.getByText('Total', { exact: true }).waitFor()
    },
  ],
  'attendance-summary': [
    `/register/summary?date=${friday}`,
    async (page) => page.getByRole('row', { name: /^School/ }).waitFor(),
  ],
  'attendance-summary-month': [
    '/register/summary?by=month',
    async (page) => page.getByRole('row', { name: /^School/ }).waitFor(),
  ],
  holidays: ['/register/holidays', (page) => firstRow(page).waitFor()],
  leave: ['/leave', (page) => firstRow(page).waitFor()],
  'leave-drawer': [
    '/leave?status=PENDING',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('Note').waitFor()
    },
  ],
  'leave-balances': ['/leave/balances', async (page) => page.getByText('Casual').first().waitFor()],
  exams: ['/exams', (page) => firstRow(page).waitFor()],
  'exam-papers': [
    '/exams',
    async (page) => {
      await page.getByRole('link', { name: 'Half-yearly' }).click()
      await page
        .getByLabel(/^Day of/)
        .first()
        .waitFor()
    },
  ],
  'exam-marks': [
    '/exams',
    async (page) => {
      await page.getByRole('link', { name: 'Half-yearly' }).click()
      await page.getByRole('tab', { name: 'Marks' }).click()
      await page
        .getByLabel(/Mathematics of/)
        .first()
        .fill('101')
    },
  ],
  'exam-results': [
    '/exams',
    async (page) => {
      await page.getByRole('link', { name: 'Half-yearly' }).click()
      await page.getByRole('tab', { name: 'Results' }).click()
      await page.locator('.results-sheet').waitFor()
    },
  ],
  'report-card': [
    '/exams',
    async (page) => {
      await page.getByRole('link', { name: 'Half-yearly' }).click()
      await page.getByRole('tab', { name: 'Results' }).click()
      await page.locator('.results-sheet .who a').first().click()
      await page.locator('.report-card').waitFor()
    },
  ],
  terms: ['/exams/terms', (page) => firstRow(page).waitFor()],
  'grade-scale': [
    '/exams/scales?open=new',
    (page) => page.getByRole('textbox', { name: 'Name', exact: true }).waitFor(),
  ],
  events: ['/events', (page) => firstRow(page).waitFor()],
  'event-drawer': [
    '/events',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('Title', { exact: true }).waitFor()
    },
  ],
  'student-attendance': [
    '/students',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('tab', { name: 'Attendance' }).click()
      await page.locator('.moments').waitFor()
    },
  ],
  students: ['/students', (page) => firstRow(page).waitFor()],
  'students-selected': [
    '/students',
    async (page) => {
      await firstRow(page).waitFor()
      for (const i of [1, 2, 3]) await page.locator('tbody input[type=checkbox]').nth(i).check({ force: true })
    },
  ],
  'student-drawer': [
    '/students',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('First name').waitFor()
    },
  ],
  'student-guardians': [
    '/students',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('tab', { name: /Guardians/ }).click()
      await page.waitForTimeout(300)
    },
  ],
  'student-timeline': [
    '/students',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.getByText('What happened').waitFor()
    },
  ],
  'import-file': ['/students/import', async () => {}],
  'import-check': [
    '/students/import',
    async (page) => {
      await page.locator('input[type=file]').setInputFiles({
        name: 'june.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          [
            head,
            'N-1,Anu,Iyer,Class 5,A,2016-05-01,MOTHER,Meera,+919812345601',
            'N-2,Bala,Nair,Class 5,A,2016-02-30,FATHER,Anil,+919812345602',
            'N-3,Chitra,Das,Class 99,A,2016-07-09,MOTHER,Rina,12345',
          ].join('\n'),
        ),
      })
      await page.getByText('Errors in').waitFor()
    },
  ],
  promote: ['/students/promote', async () => {}],
  employees: ['/employees', async () => {}],
  'employee-assignments': [
    '/employees?employeeType=TEACHER',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('tab', { name: 'Assignments' }).click()
      await page.getByText('A line without').waitFor()
    },
  ],
  classes: ['/classes', async () => {}],
  years: ['/years', (page) => firstRow(page).waitFor()],
  'year-drawer': [
    '/years',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('First day').waitFor()
    },
  ],
  periods: ['/timetable/periods', (page) => firstRow(page).waitFor()],
  'employee-drawer': [
    '/employees',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('First name').waitFor()
    },
  ],
  'employees-import': ['/employees/import', async () => {}],
  'register-unmarked': ['/register?view=unmarked', async () => {}],
  'register-on-paper': [
    `/register?date=${friday}`,
    async (page) => {
      await fiveA(page)
      await page.emulateMedia({ media: 'print' })
    },
  ],
  'timetable-on-paper': [
    '/timetable',
    async (page) => {
      await page.locator('.cell').first().waitFor()
      await page.emulateMedia({ media: 'print' })
    },
  ],
  leaving: [
    '/students',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('Allergies').fill('Peanuts')
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    },
  ],
  fault: [
    '/subjects',
    async (page) => {
      await page.route(/subject\/list/, (r) =>
        r.fulfill({
          status: 500,
          headers: { 'X-Request-Id': '01JD3Z8Q9K' },
          contentType: 'application/json',
          body: '{"statusCode":500,"message":"Something went wrong on our side. Try again in a moment.","error":"Internal Server Error"}',
        }),
      )
      await page.reload()
      await page.getByText('Try again').first().waitFor()
    },
  ],
  nowhere: ['/nowhere', (page) => page.getByText('There is no such page').waitFor()],
  'class-drawer': [
    '/classes',
    async (page) => {
      await firstRow(page).click()
      await page.getByText('Subjects of the class').waitFor()
    },
  ],
  subjects: ['/subjects', async () => {}],
  timetable: ['/timetable', async () => {}],
  'teacher-week': ['/timetable/teacher', (page) => page.locator('.cell').first().waitFor()],
  substitution: ['/timetable/substitution', (page) => page.getByText('Lessons without a teacher').waitFor()],
  groups: ['/groups', async () => {}],
  permissions: ['/permissions', async (page) => page.getByText('Attendance').first().waitFor()],
  settings: ['/settings', async () => {}],
  'settings-notices': ['/settings/notices', async () => {}],
  'settings-fields': ['/settings/fields', async () => {}],
  'fees-rules': ['/fees/rules', async () => {}],
  account: ['/account', async () => {}],
  live: [
    '/live',
    async (page) => {
      await page.locator('.map-bus').nth(2).waitFor()
      await page.waitForTimeout(2500)
    },
  ],
  'live-bus': [
    '/live',
    async (page) => {
      await page.getByRole('button', { name: /Station/ }).click()
      await page.waitForTimeout(2500)
    },
  ],
  'live-stale': [
    '/live',
    async (page) => {
      await page.locator('.map-bus').nth(2).waitFor()
      await page.clock.setFixedTime(Date.now() + 240_000)
      await page
        .getByText(/Last seen/)
        .nth(2)
        .waitFor()
    },
  ],
  trips: ['/transport', (page) => firstRow(page).waitFor()],
  'trip-riders': [
    '/transport',
    async (page) => {
      await page
        .getByRole('button', { name: /Lake Side/ })
        .first()
        .click()
      await page.getByText('Post Office').first().waitFor()
    },
  ],
  'trip-replay': [
    '/transport?tab=way',
    async (page) => {
      await page
        .getByRole('button', { name: /Lake Side/ })
        .first()
        .click()
      await page.getByRole('tab', { name: /Where it was/ }).click()
      await page.getByRole('slider').waitFor()
      await page.waitForTimeout(500)
    },
  ],
  'trip-schedule': ['/transport?open=new', (page) => page.getByLabel('Starts at').waitFor()],
  buses: ['/transport/buses', (page) => firstRow(page).waitFor()],
  'bus-drawer': [
    '/transport/buses',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('Seats').waitFor()
    },
  ],
  routes: ['/transport/routes', (page) => firstRow(page).waitFor()],
  route: [
    '/transport/routes',
    async (page) => {
      await page.getByRole('link', { name: /Lake Side/ }).click()
      await page.locator('.map-stop').nth(2).waitFor()
      await page.getByLabel('Name of stop 2').focus()
    },
  ],
  'route-new': ['/transport/routes/new', (page) => page.getByText('No stops yet').waitFor()],
  riders: [
    '/transport/routes',
    async (page) => {
      await page.getByRole('link', { name: /Lake Side/ }).click()
      await page.getByRole('tab', { name: /Riders/ }).click()
      await page.getByText('3. Post Office').waitFor()
    },
  ],
  incidents: [
    '/transport/incidents',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('How it ended').waitFor()
    },
  ],
  audit: ['/audit', (page) => firstRow(page).waitFor()],
  'audit-entry': [
    '/audit?entity=route+riders',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('button', { name: /^All by / }).waitFor()
    },
  ],
  notifications: [
    '/',
    async (page) => {
      await page.getByRole('button', { name: /^Notifications/ }).click()
      await page.waitForTimeout(400)
    },
  ],
  palette: [
    '/',
    async (page) => {
      await page.locator('.search-button').click()
      await page.getByRole('combobox', { name: /^Search people/ }).fill('a')
      await page.waitForTimeout(500)
    },
  ],
}
const pickStudent = async (page, words) => {
  await page.getByRole('combobox', { name: 'Student' }).fill(words)
  await page.getByRole('option').first().click()
  await page.waitForTimeout(400)
}
Object.assign(officePages, {
  'fees-collect-empty': ['/fees/collect', async () => {}],
  'fees-collect': ['/fees/collect', (page) => pickStudent(page, 'Diya')],
  'fees-receipt': [
    '/fees/receipts',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('link', { name: 'Open', exact: true }).click()
      await page.locator('.paper').waitFor()
    },
  ],
  'fees-receipts': ['/fees/receipts', (page) => firstRow(page).waitFor()],
  'fees-receipt-drawer': [
    '/fees/receipts',
    async (page) => {
      await firstRow(page).click()
      await page.getByText('Admission no.').last().waitFor()
    },
  ],
  'fees-dues': ['/fees/dues', (page) => firstRow(page).waitFor()],
  'fees-remind': [
    '/fees/dues',
    async (page) => {
      await page.getByRole('button', { name: 'Send reminders…' }).click()
      await page.waitForTimeout(600)
    },
  ],
  'fees-ledger': ['/fees/ledger', (page) => pickStudent(page, 'Diya')],
  'fees-structures': ['/fees/structures', (page) => firstRow(page).waitFor()],
  'fees-structure': [
    '/fees/structures',
    async (page) => {
      await firstRow(page).click()
      await page.getByLabel('Amount 1').waitFor()
    },
  ],
  'fees-heads': ['/fees/heads', (page) => firstRow(page).waitFor()],
  'fees-charge': [
    '/fees/charge',
    async (page) => {
      await page.getByLabel('Class', { exact: true }).selectOption({ index: 1 })
      await page.getByLabel('Instalment', { exact: true }).selectOption('3')
      await page.getByRole('button', { name: 'See who is charged what' }).click()
      await page.getByText('To pay').first().waitFor()
    },
  ],
  'fees-concessions': ['/fees/concessions', (page) => firstRow(page).waitFor()],
  'fees-grant': ['/fees/concessions?do=grant', (page) => page.getByRole('dialog').waitFor()],
  'fees-closing': ['/fees/accounts', (page) => page.locator('.paper').waitFor()],
  'fees-balance': ['/fees/accounts?tab=balance', (page) => page.locator('.paper').waitFor()],
  'student-ledger': [
    '/students',
    async (page) => {
      await page.goto(`${page.url().split('?')[0]}?q=Diya`)
      await firstRow(page).click()
      await page.getByRole('tab', { name: 'Ledger' }).click()
      await page.getByText('Outstanding').or(page.getByText('Advance')).first().waitFor()
    },
  ],
  library: [
    '/library',
    async (page) => {
      await page.getByRole('combobox').fill('Aarav')
      await page.keyboard.press('Enter')
      await page.getByRole('region', { name: 'Borrower' }).waitFor()
      await page.getByRole('combobox').fill('L-011')
      await page.keyboard.press('Enter')
      await page.getByRole('region', { name: 'Copy' }).waitFor()
    },
  ],
  'library-books': ['/library/books', (page) => firstRow(page).waitFor()],
  'library-book': [
    '/library/books',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('region', { name: 'Copies' }).waitFor()
      await page.waitForTimeout(300)
    },
  ],
  'library-loans': ['/library/loans', async () => {}],
  'library-overdue': ['/library/overdue', async () => {}],
  'library-reservations': ['/library/reservations', async () => {}],
  'library-import': ['/library/import', async () => {}],
  announcements: ['/announcements', (page) => firstRow(page).waitFor()],
  announcement: [
    '/announcements',
    async (page) => {
      await page.getByRole('button', { name: 'Sports day' }).click()
      await page.getByText('It reaches').waitFor()
    },
  ],
  'announcement-new': [
    '/announcements?open=new',
    async (page) => {
      await page.getByLabel('Only of some classes').check({ force: true })
      await page.waitForTimeout(300)
    },
  ],
  messages: [
    '/messages',
    async (page) => {
      await page.locator('.thread').first().waitFor()
    },
  ],
  'messages-thread': [
    '/messages',
    async (page) => {
      await page.locator('.thread').first().click()
      await page.locator('.bubble').first().waitFor()
    },
  ],
  'messages-new': ['/messages?thread=new', (page) => page.getByLabel('Find a person').waitFor()],
  dispatch: ['/dispatch', (page) => firstRow(page).waitFor()],
  'dispatch-drawer': [
    '/dispatch',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('region', { name: 'Delivery' }).waitFor()
      await page.waitForTimeout(400)
    },
  ],
  'dispatch-new': ['/dispatch/new', async () => {}],
  'dispatch-templates': ['/dispatch/templates', async () => {}],
})
const platformPages = {
  schools: ['/schools', (page) => firstRow(page).waitFor()],
  'school-drawer': [
    '/schools',
    async (page) => {
      await firstRow(page).click()
      await page.getByText('Time zone').last().waitFor()
    },
  ],
  onboard: ['/schools/new', async () => {}],
  'school-edit': [
    '/schools',
    async (page) => {
      await firstRow(page).click()
      await page.getByRole('tab', { name: 'Details' }).click()
      await page.getByLabel('Address').waitFor()
    },
  ],
  overview: ['/overview', (page) => page.waitForTimeout(800)],
  migrations: ['/migrations', (page) => page.locator('tbody tr').first().waitFor()],
  admins: ['/admins', (page) => firstRow(page).waitFor()],
  'admin-new': ['/admins?open=new', (page) => page.getByLabel('First name').waitFor()],
  accounts: ['/accounts?q=admin', (page) => page.locator('tbody tr').first().waitFor()],
  deliveries: ['/deliveries', async () => {}],
  'platform-audit': ['/audit', async () => {}],
  nodes: ['/nodes', (page) => firstRow(page).waitFor()],
  'node-drawer': [
    '/nodes',
    async (page) => {
      await page.getByRole('button', { name: 'main' }).click()
      await page.getByText('Schools can leave').waitFor()
    },
  ],
  'node-new': ['/nodes?open=new', (page) => page.getByLabel("Pooler's address").waitFor()],
  'school-moved': [
    '/schools',
    async (page) => {
      await page.getByRole('button', { name: 'Lake Academy' }).click()
      await page.getByText('rows compared').waitFor()
    },
  ],
  'platform-palette': [
    '/schools',
    async (page) => {
      await page.locator('.search-button').click()
      await page.getByRole('combobox', { name: /Search pages/ }).fill('hill')
      await page.getByRole('option', { name: /Hill/ }).waitFor()
    },
  ],
}
// A school on its first day: every page says what it is for.
const emptyPages = Object.fromEntries(
  [
    '/',
    '/live',
    '/register',
    '/register?view=month',
    '/register?view=unmarked',
    '/register/summary',
    '/register/holidays',
    '/leave',
    '/leave/balances',
    '/students',
    '/students/promote',
    '/employees',
    '/classes',
    '/subjects',
    '/years',
    '/timetable',
    '/timetable/teacher',
    '/timetable/substitution',
    '/timetable/periods',
    '/groups',
    '/exams',
    '/exams/terms',
    '/exams/scales',
    '/events',
    '/fees/receipts',
    '/fees/dues',
    '/fees/ledger',
    '/fees/structures',
    '/fees/heads',
    '/fees/charge',
    '/fees/concessions',
    '/fees/accounts',
    '/fees/accounts?tab=balance',
    '/library',
    '/library/books',
    '/library/loans',
    '/library/overdue',
    '/library/reservations',
    '/announcements',
    '/messages',
    '/dispatch',
    '/dispatch/new',
    '/dispatch/templates',
    '/transport',
    '/transport/buses',
    '/transport/routes',
    '/transport/incidents',
    '/audit',
  ].map((path) => [`empty${path.replaceAll(/[/?=]+/g, '-')}`, [path, async () => {}]]),
)

/** A second database node, with a school that has moved there. */
async function stageNodes(url, password, address) {
  const { accessToken } = await caller(url)('POST', '/auth/login', { email: 'super@homeroom.local', password })
  const desk = caller(url, accessToken)
  const [lake] = (await desk('GET', '/super-admin/school/list?filters[search]=lake')).items
  if (lake.node === 'south') return
  await desk('POST', '/super-admin/node/create', { name: 'south', url: address })
  await desk('POST', `/super-admin/school/${lake.id}/move`, { node: 'south' })
  await until(
    async () => (await desk('GET', `/super-admin/school/${lake.id}/move`)).state === 'MOVED',
    'the school has moved',
  )
}

export default async function ({ url, password, say, south }) {
  await stage(url, 'admin@green-valley.local', password)
  await stageDay(url, 'admin@green-valley.local', password)
  await stageMoney(url, 'admin@green-valley.local', password)
  await stageNodes(url, password, south)
  const road = await stageBuses(url, 'admin@green-valley.local', password)
  const { accessToken } = await caller(url)('POST', '/auth/login', { email: 'admin@green-valley.local', password })
  const first = async (list) =>
    (await caller(url, accessToken)('GET', `/school-admin/${list}/list?limit=1`)).items[0].id
  const linkedPages = {
    'linked-marks': [`/exams/${await first('exam')}?tab=marks`, async () => {}],
    'linked-collect': [`/fees/collect?student=${await first('student')}`, async () => {}],
    'linked-student': [`/students?open=${await first('student')}`, async () => {}],
  }
  for (const [look, { language, ...how }] of Object.entries(looks)) {
    if (some && !some.split(',').includes(look)) continue
    for (const [email, pages] of [
      ['admin@green-valley.local', { ...officePages, ...linkedPages }],
      ['accounts@green-valley.local', { 'home-accountant': ['/', async () => {}] }],
      ['super@homeroom.local', platformPages],
      ['head@hill.local', emptyPages],
    ]) {
      const chosen = Object.entries(pages).filter(([name]) => !only || only.split(',').includes(name))
      if (chosen.length === 0) continue
      const b = await open(url, how)
      try {
        const first = b.page
        if (email.startsWith('admin')) {
          await first.goto(`${url}/console/`)
          await first.getByLabel('E-mail').waitFor()
          await first.screenshot({ path: `${out}sign-in-${look}.png` })
        }
        await signIn(first, url, email, password)
        if (language) await first.evaluate((l) => localStorage.setItem('homeroom.language', l), language)
        for (const [name, [path, act]] of chosen) {
          const page = await b.context.newPage() // what is unsaved on one keeps nobody from leaving it
          await page.goto(`${url}/console${path}`)
          await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {}) // a live page is never idle
          await page
            .waitForFunction(
              () => document.querySelector('h1, .empty') && !document.querySelector('.mantine-Skeleton-root'),
              undefined,
              { timeout: 15_000 },
            )
            .catch(() => {})
          if (!language) await act(page).catch((e) => say(`${name}, ${look}: ${e.message.split('\n')[0]}`))
          await page.waitForTimeout(250)
          await page.screenshot({ path: `${out}${name}-${look}.png` })
          await page.close()
        }
        if (look === 'phone' && email.startsWith('admin')) {
          await first.goto(`${url}/console/`)
          await first.getByRole('button', { name: 'Navigation' }).click()
          await first.waitForTimeout(250)
          await first.screenshot({ path: `${out}navigation-${look}.png` })
        }
        say(`${look}: ${chosen.length} pages of ${email}${b.faults.length ? `; faults: ${b.faults.join('; ')}` : ''}`)
      } finally {
        await b.close()
      }
    }
  }
  road.stop()
}
