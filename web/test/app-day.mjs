// A school's day, from the first sign-in to the last notice, by the hands of its people: two parents, a teacher and a driver on
// their phones, the office in the console. Each phone has a line of its own, which is cut for parts of the day. Nobody calls the
// API; when the day is over, the office asks it what has arrived.
import { look, phoneSized, signInByCode } from './app.mjs'
import { appIsKept, nothingWaits } from './app-wait.mjs'
import { caller, inWindow, lineTo, signIn, until, visit, want } from './browser.mjs'

// The bus drives towards the first stop, at 12.97, no faster than a bus does: a leap is not believed.
const outside = 12.9685
const roy = (roll) => `Child${String(roll).padStart(2, '0')} Roy`
const between = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => roy(first + i))

/** A person with a phone, and what is on its screen. */
function personOf({ page, context }, line) {
  const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const card = (name) => page.getByRole('region', { name, exact: true })
  const place = (name) => page.getByRole('navigation', { name: 'Main pages' }).getByRole('link', { name })
  const button = (name) => page.getByRole('button', { name, exact: true })
  const tap = (name) => button(name).click()
  const openNotices = async () => {
    const answered = page.waitForResponse((r) => r.url().includes('/delivered-notifications') && r.ok())
    await page.goto(`${line.url}/app/messages/notices`)
    await (await answered).finished()
    await page.locator('.skeleton').waitFor({ state: 'detached' })
  }
  const notices = (text) => page.locator('main button.line').filter({ hasText: text })
  /** Opens the notices until one says so. */
  const isTold = (text) =>
    until(async () => {
      await openNotices()
      return (await notices(text).count()) > 0
    }, `a notice says ${text}`)
  return { ...line, page, context, heading, card, place, button, tap, isTold, openNotices, notices }
}

/** Opens a phone for each name, one inside of the other, so that every one is looked after. */
async function withPhones(stage, names, work, people = {}) {
  const [name, ...others] = names
  if (!name) return work(people)
  const line = await lineTo(stage.url)
  await inWindow({ url: line.url, story: `${stage.story}-${name}`, how: phoneSized }, async (b) => {
    b.forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch|WebSocket/)
    await withPhones(stage, others, work, { ...people, [name]: personOf(b, line) })
  })
}

export default async function (stage) {
  const { url, story, say } = stage
  await inWindow({ url, story }, (office) =>
    withPhones(stage, ['mother', 'father', 'teacher', 'driver'], (people) =>
      day({ ...stage, ...people, desk: office.page }),
    ),
  )
  say('the office asks what has arrived')
  await ask(stage)
}

async function day(people) {
  const { url: server, say, phones, email, password, desk, mother, father, teacher, driver } = people

  say('everybody signs in')
  await driver.context.grantPermissions(['geolocation'], { origin: driver.url })
  await driver.context.setGeolocation({ latitude: outside, longitude: 77.59, accuracy: 5 })
  await signIn(desk, server, email, password)
  for (const name of ['mother', 'father', 'teacher', 'driver'])
    await signInByCode(people[name].page, people[name].url, phones[name], server)

  await beforeSchool(people)
  await busToSchool(people)
  await register(people)
  await money(people)
  await marks(people)
  await evaluation(people)
  await afternoon(people)
  await busHome(people)
  await lastNotices(people)
  await Promise.all([mother, father, teacher, driver].map((p) => appIsKept(p.page)))
}

async function beforeSchool({ say, today, mother, father, teacher, asha }) {
  say('06:40 Dev will not ride today')
  await mother.card('Dev Rao').getByRole('link', { name: 'Bus' }).click()
  await mother.tap('Not riding today')
  await mother.card('To school').getByText('Not riding the bus today').waitFor()

  say('and Ravi is to have two days of leave, asked for where there is no line')
  await appIsKept(father.page)
  await father.card('Ravi Das').getByRole('link', { name: 'Leave' }).click()
  await father.page.getByText('No leave was asked for.').waitFor()
  await father.page.getByRole('link', { name: 'Ask for leave' }).click()
  await father.cut()
  const days = father.page.locator('.month button')
  const date = Number(today.slice(8))
  await days.nth(date - 1).click()
  if (date < (await days.count())) await days.nth(date).click()
  else {
    await father.tap('Next month')
    await days.first().click()
  }
  await father.page.getByLabel('Reason').fill('A wedding')
  await father.tap('Send request')
  await father.card('Not sent yet').getByText('Waiting to be sent').waitFor()
  await father.mend()
  await nothingWaits(father.page)
  await teacher.isTold('Leave is asked for Ravi Das')

  say("another family's child is not found")
  await father.page.goto(`${father.url}/app/bus/${asha}`)
  await father.page.getByText('This child was not found.').waitFor()
}

async function busToSchool({ say, driver, mother, father, desk, phones }) {
  const { page, tap, button } = driver
  const next = page.getByRole('region', { name: 'Next stop' })
  const at = (name) => next.getByRole('heading', { name }).waitFor()
  const moveTo = (lat) => driver.context.setGeolocation({ latitude: lat, longitude: 77.59, accuracy: 5 })

  say('06:55 the driver has a PIN from now on')
  await page.goto(`${driver.url}/app/more/pin`)
  await page.getByLabel('New PIN').fill('4826')
  await tap('Save PIN')
  await driver.heading('More')
  await tap('Sign out')
  const pin = page.getByLabel('PIN', { exact: true })
  await pin.fill('4826')
  await tap('Sign in')
  await driver.heading('Today')
  want((await page.getByText(phones.driver).count()) === 0, 'no phone number is on the first page')

  say('starts the trip, by two taps')
  await driver.card('Hill Road, pickup').getByRole('link', { name: 'Open trip' }).click()
  await button('Start trip').waitFor()
  await button('Start trip').evaluate((b) => {
    b.click()
    b.click()
  })
  await at('Temple')
  await next.getByRole('listitem', { name: 'Dev Rao' }).getByText('Not riding').waitFor()
  await nothingWaits(page)

  say('07:12 the mother and the office watch the bus; 07:18 it is near her stop')
  await mother.page.goto(`${mother.url}/app/`)
  await mother.card('Asha Rao').getByRole('link', { name: 'Bus' }).click()
  await visit(desk, '/live')
  const on = (watching, lat) =>
    until(
      async () => Number((await watching.locator('[data-bus="7"]').getAttribute('data-at'))?.split(',')[0]) === lat,
      `the bus is at ${lat}`,
    )
  await moveTo(12.9687)
  await on(mother.page, 12.9687)
  await on(desk, 12.9687)
  await mother.isTold(/Asha Rao's bus is near Temple/)
  await nothingWaits(page)

  say('07:20 thirty children get on without a line; one is tapped twice, one is not there')
  await appIsKept(page)
  await driver.cut()
  await button('Boarded: Asha Rao').evaluate((b) => {
    b.click()
    b.click()
  })
  await next.getByRole('listitem', { name: 'Asha Rao' }).getByText('Aboard').waitFor()
  for (const name of ['Kiran Das', ...between(6, 13)]) await tap(`Boarded: ${name}`)
  await tap(`No-show: ${roy(5)}`)
  for (const [stop, first] of [
    ['Market', 14],
    ['Lake', 24],
  ]) {
    await at(stop)
    for (const name of between(first, first + 9)) await tap(`Boarded: ${name}`)
  }
  await at('School')
  await page.getByRole('link', { name: 'Report an incident' }).click()
  await page.getByLabel('Description').fill('Market Street is closed')
  await tap('Report')
  await at('School')
  await page.reload()
  await at('School')
  await moveTo(12.9689)

  say('07:50 the trip does not end with a child aboard')
  for (const name of ['Asha Rao', 'Kiran Das', ...between(6, 13), ...between(14, 32)]) await tap(`Got off: ${name}`)
  await tap('End trip')
  await page
    .getByRole('alert')
    .getByText(`Still aboard: ${roy(33)}`)
    .waitFor()
  await tap(`Got off: ${roy(33)}`)
  await next.waitFor({ state: 'detached' })
  await tap('End trip')
  await page.getByText('The trip ends as soon as everything is sent.').waitFor()
  await driver.mend()
  await nothingWaits(page)
  await page.getByText('Completed').waitFor()
  await mother.isTold('Asha Rao has left the bus')
  await father.isTold('The bus is held up in traffic. Market Street is closed')
}

const student = (of, name) => of.page.getByRole('group', { name: new RegExp(`^\\d+ ${name}$`) })
const mark = (of, name, status) => student(of, name).getByRole('radio', { name: status, exact: true })

async function register({ say, teacher, father, mother, desk }) {
  const { page, tap } = teacher
  say('08:05 the teacher approves the leave, and marks forty in a dead spot')
  await page.goto(`${teacher.url}/app/`)
  await page.getByRole('link', { name: '1 leave request to decide' }).click()
  await teacher.card('Ravi Das').getByRole('button', { name: 'Approve leave' }).click()
  await page.getByText('No leave request waits for you.').waitFor()
  await nothingWaits(page)
  await teacher.place('Register').click()
  await page.getByRole('link', { name: /Class 5 · A.*39 not marked/ }).click()
  await student(teacher, 'Ravi Das').getByText('On approved leave').waitFor()
  await appIsKept(page)
  await teacher.cut()
  await tap('The other 39 are present')
  await mark(teacher, 'Kiran Das', 'Absent').check()
  await mark(teacher, 'Asha Rao', 'Late').check()
  await student(teacher, 'Asha Rao').locator('..').getByRole('button', { name: '10 min' }).click()
  await tap('Save register')
  await page.getByText('Waiting to be sent').waitFor()
  await page.reload()
  await page.getByText('Waiting to be sent').waitFor()
  await teacher.mend()
  await page.getByText('Register done').waitFor()

  say('08:06 a child who came by bus is marked absent: the office is told, and the family')
  await until(async () => {
    await desk.reload()
    await desk.getByRole('button', { name: /^Notifications/ }).click()
    await desk.getByRole('button', { name: 'Mark all as read' }).or(desk.getByText('Nothing')).first().waitFor()
    return (await desk.getByRole('button', { name: /Came by bus, absent in class/ }).count()) > 0
  }, 'the office is told of the mismatch')
  await father.isTold('Kiran Das was marked absent')
  await mother.isTold('Asha Rao came late')

  say('08:10 the teacher corrects it')
  await mark(teacher, 'Kiran Das', 'Present').check()
  await tap('Save register')
  await nothingWaits(page)
  await father.isTold('Correction: Kiran Das was present')
  await father.place('Today').click()
  await father.card('Kiran Das').getByText('At school since').waitFor()
  await father.card('Ravi Das').getByText('On leave').waitFor()
}

async function money({ say, desk, mother, asha }) {
  say('09:00 the office charges the term and takes cash, by two clicks')
  const dialog = desk.getByRole('dialog')
  await visit(desk, '/fees/structures')
  await desk.getByRole('button', { name: 'Class 5 fees' }).click()
  await desk.getByRole('link', { name: 'Charge this class' }).click()
  await desk.getByLabel('Instalment', { exact: true }).selectOption('1')
  await desk.getByRole('button', { name: 'See who is charged what' }).click()
  await desk.getByRole('button', { name: 'Charge 40 students…' }).click()
  await dialog.getByRole('button', { name: /^Charge ₹/ }).click()
  await desk.getByText('40 students charged').waitFor()
  await visit(desk, `/fees/collect?student=${asha}`)
  await desk.getByLabel('Amount', { exact: true }).fill('2000')
  await desk.getByRole('button', { name: 'Receive ₹2,000.00' }).dblclick()
  await dialog.getByRole('button', { name: 'Receive', exact: true }).dblclick()
  await desk.getByRole('article', { name: /^Receipt/ }).waitFor()
  await mother.isTold(/2,000.*was received for Asha Rao/)
  await mother.place('Fees').click()
  await mother.page.getByText('Partly paid').waitFor()
}

async function marks({ say, teacher, desk, mother, father, exam, asha }) {
  const { page, tap } = teacher
  const field = (name) => page.getByLabel(`Marks of ${name}`, { exact: true })
  say('11:00 the teacher enters forty marks without a line; one above the maximum is refused')
  await teacher.place('Marks').click()
  await page.getByRole('link', { name: /Hindi · Class 5 · A/ }).click()
  await page.getByText(/^40 without marks: Asha Rao/).waitFor()
  await teacher.cut()
  await field('Asha Rao').fill('51')
  await page.getByText('Marks must be from 0 to 50: Asha Rao').waitFor()
  await field('Asha Rao').fill('45.5')
  for (const [i, name] of ['Dev Rao', 'Ravi Das', 'Kiran Das', ...between(5, 40)].entries())
    await field(name).fill(String(10 + i))
  await tap('Save marks')
  await page.getByText('Waiting to be sent').waitFor()
  await page.reload()
  await page.getByText('Waiting to be sent').waitFor()
  await teacher.mend()
  await nothingWaits(page)

  say('the office publishes them')
  await visit(desk, `/exams/${exam}`)
  await desk.getByRole('button', { name: 'Publish results' }).click()
  await desk.getByRole('dialog').getByRole('button', { name: 'Publish the results' }).click()
  await desk.getByText('Results published').waitFor()
  await mother.isTold('The results of Half-yearly are published for Asha.')
  await mother.notices('published for Asha.').click()
  await mother.card('Half-yearly').getByText('45.5 / 50').waitFor()
  want(mother.page.url().endsWith(`/school/${asha}/results`), 'the notice opens the results')
  await father.isTold('published for Ravi.')
}

async function evaluation({ say, desk, teacher, division }) {
  say('12:00 in evaluation mode teachers read; what was marked meanwhile is kept and sent afterwards')
  const setMode = async (isOn) => {
    await visit(desk, '/settings')
    const mode = desk.getByRole('switch', { name: 'Evaluation mode' })
    await mode.waitFor({ state: 'attached' })
    await mode.setChecked(isOn, { force: true })
    if (isOn) await desk.getByLabel('Reason', { exact: true }).fill('Inspection')
    await desk.getByRole('button', { name: 'Save', exact: true }).click()
    await desk.getByText('Saved', { exact: true }).first().waitFor()
  }
  await setMode(true)
  const { page, tap } = teacher
  await page.goto(`${teacher.url}/app/register/day/${division}`)
  await mark(teacher, roy(40), 'Late').check()
  await tap('Save register')
  await teacher
    .card('Not accepted')
    .getByText(/in evaluation mode/)
    .waitFor()
  await setMode(false)
  await tap('Send again')
  await nothingWaits(page)
}

async function afternoon({ say, desk, mother, father, teacher }) {
  const dialog = desk.getByRole('dialog')
  say('14:00 an announcement to class 5')
  await visit(desk, '/announcements')
  await desk.getByRole('button', { name: 'Write an announcement' }).first().click()
  await dialog.getByLabel('Title').fill('Sports day')
  await dialog.getByLabel('Text').fill('Bring water.')
  await dialog.getByLabel('Parents', { exact: true }).check()
  await dialog.getByLabel('Only of some classes').check({ force: true })
  await dialog.getByRole('checkbox', { name: 'Class 5', exact: true }).check()
  await desk.getByRole('button', { name: 'Publish…' }).click()
  await dialog.getByRole('button', { name: /^Send to 38 people/ }).click()
  await desk.getByRole('button', { name: 'Withdraw…' }).waitFor()
  for (const parent of [mother, father]) {
    await parent.isTold('Sports day')
    await parent.notices('Sports day').click()
    await parent.page.getByText('Bring water.').waitFor()
  }

  say('a parent writes to the teacher, who answers')
  await mother.place('Messages').click()
  await mother.page.getByRole('link', { name: 'New message' }).click()
  await mother.page.getByLabel('To', { exact: true }).selectOption({ label: 'Latha Iyer · Asha Rao' })
  await mother.page.getByLabel('Message', { exact: true }).fill('What was the homework?')
  await mother.tap('Send')
  await teacher.isTold('What was the homework?')
  await teacher.notices('What was the homework?').click()
  await teacher.page.getByLabel('Write a message').fill('Page 12')
  await teacher.tap('Send')
  await teacher.page.getByText(/Sent$/).waitFor()
  await mother.isTold('Page 12')
  await mother.notices('Page 12').click()
  await mother.page.getByText('What was the homework?').waitFor()

  say('a book comes back late, and its fine is on the account')
  await visit(desk, '/library')
  await desk.getByRole('heading', { name: 'Library desk' }).waitFor()
  await desk.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox')
  await desk.keyboard.type('L-1')
  await desk.keyboard.press('Enter')
  await desk.getByText(/goes to the fee account/).waitFor()
  await desk.keyboard.press('Enter')
  await desk.getByText(/₹10.00 is on the fee account/).waitFor()
  await father.isTold('Library fine: Malgudi Days, 5 days late for Ravi Das')
}

async function busHome({ say, driver, mother, father }) {
  const { page, tap, button } = driver
  const next = page.getByRole('region', { name: 'Next stop' })
  say('15:30 the children are driven home')
  // On a slow machine the bus would else be near the stop for as long as the driver taps.
  await driver.context.setGeolocation({ latitude: outside, longitude: 77.59, accuracy: 5 })
  await page.goto(`${driver.url}/app/`)
  await driver.card('Hill Road, dropoff').getByRole('link', { name: 'Open trip' }).click()
  await tap('Start trip')
  await next.getByRole('heading', { name: 'School' }).waitFor()
  for (const name of ['Asha Rao', 'Kiran Das']) await tap(`Boarded: ${name}`)
  await next.getByRole('heading', { name: 'Temple' }).waitFor()
  await mother.page.goto(`${mother.url}/app/`)
  await mother.card('Asha Rao').getByText('On bus 7').waitFor()
  for (const name of ['Asha Rao', 'Kiran Das']) await tap(`Got off: ${name}`)
  await next.waitFor({ state: 'detached' })
  await button('End trip').click()
  await page.getByText('Completed').waitFor()
  await until(async () => {
    await mother.openNotices()
    return (await mother.notices('Asha Rao has left the bus').count()) === 2
  }, 'the mother is told that Asha is home')
  await father.isTold('Kiran Das has left the bus')
}

/** What each parent was told of the day: everything once, and nothing of others. */
async function lastNotices({ say, mother, father, teacher, driver }) {
  say('the last notices: everything once')
  const isToldOnce = async (who, texts) => {
    await who.openNotices()
    for (const [text, times = 1] of texts) {
      const n = await who.notices(text).count()
      want(n === times, `${text} is said ${times} times, not ${n}`)
    }
  }
  await isToldOnce(mother, [
    [/Asha Rao's bus is on its way: pickup/],
    [/Asha Rao's bus is on its way: dropoff/],
    ["Asha Rao's bus is near Temple"],
    ['Asha Rao is on the bus', 2],
    ['Asha Rao has left the bus', 2],
    ['Asha Rao came late'],
    ['was received for Asha Rao'],
    ['published for Asha.'],
    ['published for Dev.'],
    ['Sports day'],
    ['Page 12'],
    [/Dev Rao's bus|Dev Rao is on the bus/, 0],
    [/Das|Roy/, 0],
  ])
  await isToldOnce(father, [
    ['The leave of Ravi Das'],
    ['Kiran Das was marked absent'],
    ['Correction: Kiran Das was present'],
    ['Ravi Das was marked', 0],
    ['Kiran Das is on the bus', 2],
    ['Kiran Das has left the bus', 2],
    ['Market Street is closed'],
    ['Sports day'],
    [/Rao|Roy/, 0],
  ])
  for (const [name, who] of Object.entries({ mother, father, teacher, driver })) {
    await who.openNotices()
    await look(who.page, `day-${name}-notices`)
  }
}

/** The office asks the API what the phones have sent. */
async function ask({ url, token, trips, division, today, exam, asha }) {
  const get = (path) => caller(url, token)('GET', `/school-admin${path}`)
  const { status, students } = await get(`/transport/trip/${trips.morning}`)
  want(status === 'completed', `the morning's trip is completed, not ${status}`)
  const of = (state) => students.filter((s) => s.status === state)
  want(of('alighted').length === 30, `30 got off, not ${of('alighted').length}`)
  want(of('no_show').length === 1 && of('absent').length === 1, 'one was not there, one does not ride')
  const tapped = ['Asha', 'Kiran', ...between(6, 33).map((n) => n.split(' ')[0])]
  for (const when of ['boardedAt', 'alightedAt']) {
    const inOrder = of('alighted')
      .sort((a, b) => Date.parse(a[when]) - Date.parse(b[when]))
      .map((s) => s.firstName)
    want(inOrder.join() === tapped.join(), `${when} is in the order of the taps: ${inOrder}`)
  }
  want((await get(`/transport/trip/${trips.afternoon}`)).status === 'completed', "the afternoon's trip is completed")
  want((await get('/transport/incident/list')).total === 1, 'one incident was reported')

  const sheet = (await get(`/attendance/register?divisionId=${division}&date=${today}`)).students
  const marked = (state) => sheet.filter((s) => s.status === state).map((s) => s.firstName)
  want(marked('PRESENT').length === 37, `37 are present, not ${marked('PRESENT').length}`)
  want(marked('LATE').join() === 'Asha,Child40' && marked('LEAVE').join() === 'Ravi', 'two were late, one is on leave')
  for (const s of sheet) {
    const times = ['Kiran', 'Child40'].includes(s.firstName) ? 2 : 1
    want(s.version === times, `${s.firstName} was marked ${times} times, not ${s.version}`)
  }
  const results = (await get(`/exam/${exam}/results?limit=100`)).students.flatMap((s) => s.results)
  want(results.length === 40, `40 results are there, not ${results.length}`)
  want(
    results.every((r) => r.version === 1),
    'every result was written once',
  )
  const receipts = (await get('/fee/collection/list')).items
  want(receipts.length === 1 && receipts[0].studentId === asha, 'there is one receipt')
}
