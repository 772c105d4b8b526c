// A school from nothing to its first marked register, all in the browser: the super-admin onboards it, the invited administrator
// sets a password, a year, a class and a division up, imports the students, and the first register is marked and seen.
import { accessible, clicks, inWindow, outbox, search, signIn, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, superEmail, superPassword }) {
  const stamp = Date.now().toString(36)
  const school = `Hill School ${stamp}`
  const email = `head-${stamp}@test.local`
  const password = 'a long enough secret'

  await inWindow({ url, story }, async ({ page, context, forgive }) => {
    forgive(/ERR_FAILED/)
    say('nobody is asked to sign in')
    await page.goto(`${url}/`)
    await page.getByRole('heading', { name: 'Sign in to Homeroom' }).waitFor()
    want(page.url().startsWith(`${url}/console/`), '/ leads to the console')
    await accessible(page, 'sign-in')
    await page.getByLabel('E-mail').fill(superEmail)
    await page.getByLabel('Password', { exact: true }).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The e-mail or the password is wrong').waitFor()

    say('the super-admin signs in and onboards a school')
    await page.getByLabel('Password', { exact: true }).fill(superPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Schools' }).waitFor()
    const press = clicks()
    await press(page.getByRole('link', { name: 'Onboard a school' }).first())
    await press(page.getByRole('button', { name: 'Continue' }))
    await page.getByText('The school needs a name').waitFor()
    await page.getByLabel('Name', { exact: true }).fill(school)
    want((await page.getByLabel('Code').inputValue()) === `hill-school-${stamp}`, 'the code follows from the name')
    await page.getByRole('combobox', { name: 'Currency' }).or(page.getByLabel('Currency')).first().fill('INR')
    await press(page.getByRole('option', { name: /^INR/ }))
    await page.getByLabel('Language and region').fill('en-IN')
    await accessible(page, 'onboarding, the school')
    await press(page.getByRole('button', { name: 'Continue' }))
    await page.getByLabel('First name').fill('Asha <script>alert(1)</script>')
    await page.getByLabel('Last name').fill('Rao')
    await page.getByLabel('E-mail').fill(email)
    await until(
      () => page.evaluate(() => Object.keys(localStorage).some((k) => k.endsWith('.onboard'))),
      'what was typed is kept',
    )
    await page.close() // and outlives the tab
    page = await context.newPage()
    await page.goto(`${url}/console/schools/new?step=admin`)
    await page.getByRole('button', { name: 'Put back' }).click()
    await page.getByLabel('E-mail').waitFor()
    want((await page.getByLabel('E-mail').inputValue()) === email, 'what was typed is back')
    await press(page.getByRole('button', { name: 'Continue' }))
    await page.getByText(`A database schema is made for ${school}`).waitFor()
    await accessible(page, 'onboarding, the review')
    await press(page.getByRole('button', { name: 'Onboard the school' }))
    say('it ends on the new school’s page')
    await page.getByRole('heading', { name: school }).waitFor()
    press.atMost(8, 'onboarding a school')
    await accessible(page, 'onboarding, ready')
    await page.getByRole('button', { name: 'Close' }).first().click()
    await search(page, 'Schools', stamp)
    await page.getByRole('button', { name: school }).click()
    await page.getByRole('heading', { name: school }).waitFor()
    await until(
      () => page.url().includes('open=') && page.url().includes('q='),
      'the drawer and the search are in the address',
    )
    await accessible(page, 'schools with a drawer')
    await page.goBack()
    await page.getByRole('heading', { name: school }).waitFor({ state: 'hidden' })

    say('a long name’s code is taken, and a set-up that stopped says so and can be tried again')
    await visit(page, '/schools/new')
    await page.getByLabel('Name', { exact: true }).fill(`St. Mary's Girls' Secondary School, Kakamega ${stamp}`)
    const code = await page.getByLabel('Code').inputValue()
    want(code === 'st-marys-girls-secondary-school', `the code is of whole words: ${code}`)
    await page.getByLabel('Code').fill(`st-marys-${stamp}`)
    await page.getByRole('combobox', { name: 'Currency' }).or(page.getByLabel('Currency')).first().fill('KES')
    await page.getByRole('option', { name: /^KES/ }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('First name').fill('Wanjiru')
    await page.getByLabel('E-mail').fill(`w-${stamp}@test.local`)
    await page.getByRole('button', { name: 'Continue' }).click()
    const stopped = {
      status: 'FAILED',
      percent: 40,
      error: '',
      steps: [{ name: 'schema', attempts: 3, startedAt: '2026-01-01T00:00:00Z', error: 'SQLSTATE 53100' }],
    }
    await page.route('**/provisioning/stream', (r) => r.abort())
    await page.route('**/provisioning', (r) => r.fulfill({ json: { data: stopped, message: 'OK' } }))
    await page.route('**/retry', (r) => r.fulfill({ json: { data: {}, message: 'OK' } }))
    await page.getByRole('button', { name: 'Onboard the school' }).click()
    await page.getByText('It stopped at “Make the database schema”').waitFor()
    want((await page.getByText('You can leave this page').count()) === 0, 'it does not say that it goes on')
    await accessible(page, 'onboarding, stopped')
    await page.unroute('**/provisioning')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: /^St. Mary's Girls/ }).waitFor()
    await visit(page, '/schools')
    await search(page, 'Schools', `Hill School ${stamp}`)

    say('suspending asks first, and opening again works')
    await page.getByRole('button', { name: school }).click()
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog', { name: 'Suspend this school?' }).getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('button', { name: 'Activate' }).click()
    await page
      .getByRole('dialog', { name: 'Activate this school again?' })
      .getByRole('button', { name: 'Activate' })
      .click()
    await page.getByRole('button', { name: 'Suspend' }).waitFor()
  })

  await inWindow({ url, story }, async ({ page }) => {
    say('the administrator sets a password from the invitation')
    const [mail] = await until(async () => {
      const sent = await outbox(url, email)
      return sent.length > 0 && sent
    }, 'the invitation is sent')
    await page.goto(/https?:\S+token=[\w-]+/.exec(mail.text)[0].replace(/^https?:\/\/[^/]+/, url))
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await accessible(page, 'choosing a password')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByText('Your password is set').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail').waitFor()
    await signIn(page, url, email, password)
    await page.getByRole('heading', { name: school }).waitFor()
    await page.getByText('Set up the school').waitFor()
    await accessible(page, 'home')

    say('adds a year, a class and a division')
    await page.getByRole('link', { name: 'Add a year' }).click()
    const drawer = page.getByRole('dialog') // the list behind it has fields of the same names
    const year = new Date().getUTCFullYear()
    await drawer.getByLabel('Name').fill(`${year}`)
    await drawer.getByLabel('First day').fill(`${year - 1}-12-25`)
    await drawer.getByLabel('Last day').fill(`${year + 1}-01-10`)
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'Make it the active year' }).click()
    await page.getByRole('button', { name: 'Make it active' }).click()
    await page.getByText("This is the school's active year").waitFor()
    await accessible(page, 'a year')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Classes' }).click()
    await page.getByRole('button', { name: 'Add a class' }).first().click()
    await drawer.getByLabel('Name', { exact: true }).fill('Class 5')
    await drawer.getByLabel('Level').fill('5')
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'Add a division' }).click()
    await page.getByRole('region', { name: 'Divisions' }).getByLabel('Name').fill('A')
    await page.getByRole('button', { name: 'Add division' }).click()
    await page.getByText('Class 5 A').waitFor()
    await accessible(page, 'a class')
    await page.getByRole('button', { name: 'Close' }).click()

    say('the school says which days are off: none, so that today is one of school')
    const nav = page.getByRole('navigation', { name: 'Main' })
    await nav.getByRole('link', { name: 'Settings' }).click()
    const off = page.getByRole('group', { name: 'Days off' })
    await off.waitFor()
    for (const day of await off.locator('input:checked + label').allInnerTexts())
      await off.getByText(day, { exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await accessible(page, 'settings')

    say('imports students from a file with a bad row')
    await nav.getByRole('link', { name: 'Students' }).click()
    await page.getByText('No students yet').waitFor()
    await accessible(page, 'students, empty')
    await page.getByRole('link', { name: 'Import from a file' }).click()
    const head =
      'admissionNumber,firstName,lastName,class,division,rollNumber,dateOfBirth,guardian1Relation,guardian1FirstName,guardian1Phone'
    const phone = (n) => `+9197${String(Date.now()).slice(-7)}${n}` // the tests in Go have 98
    const rows = [
      `H-1,"<script>alert(1)</script>",Iyer,Class 5,A,1,2016-05-01,MOTHER,Meera,${phone(1)}`,
      `H-2,Bala,Nair,Class 5,A,2,2016-02-30,FATHER,Anil,${phone(2)}`,
      `H-3,Chitra,Das,Class 5,A,3,2016-07-09,MOTHER,Rina,${phone(3)}`,
    ]
    const file = (lines) => ({
      name: 'students.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from([head, ...lines].join('\r\n')),
    })
    await page.locator('input[type=file]').setInputFiles(file(rows))
    await page.getByText('Errors in 1 of 3 rows of students.csv').waitFor()
    const first = page.getByRole('region', { name: 'Rows of the file' }).locator('tbody tr').first()
    want(
      (await first.innerText()).includes('Bala') && (await first.locator('.why').count()) === 1,
      'the bad row comes first, with its reason',
    )
    await accessible(page, 'import, a bad row')
    await page.getByRole('button', { name: 'Choose the file again' }).click()
    await page
      .locator('input[type=file]')
      .setInputFiles(file([rows[0], rows[1].replace('2016-02-30', '2016-02-28'), rows[2]]))
    await page.getByText('3 rows of students.csv are ready').waitFor()
    await page.getByRole('button', { name: 'Import 3 students' }).click()
    await page.getByText('See the students').waitFor()
    await page.reload()
    await page.getByText('See the students').waitFor() // found again by its address
    await accessible(page, 'import, done')
    await page.getByRole('link', { name: 'See the students' }).click()
    await page.getByRole('button', { name: 'Chitra Das' }).waitFor()
    await page.getByText('<script>alert(1)</script> Iyer').waitFor() // as text

    say('the first register is marked by keyboard')
    await nav.getByRole('link', { name: 'Register' }).click()
    await page.getByRole('button', { name: '<script>alert(1)</script> Iyer: Present' }).focus()
    for (const key of 'pap') await page.keyboard.press(key)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()

    say('and seen: in the register, on the overview, and by the student')
    await page.reload()
    await page.getByRole('button', { name: 'Bala Nair: Absent', pressed: true }).waitFor()
    want((await page.getByRole('button', { name: /: Present$/, pressed: true }).count()) === 2, 'two are present')
    await nav.getByRole('link', { name: 'Overview' }).click()
    await until(async () => {
      if ((await page.getByText('66.7 % at school, 1 absent').count()) > 0) return true
      const refresh = page.getByRole('button', { name: 'Refresh' }) // a school's figures are some seconds old
      if ((await refresh.count()) > 0) await refresh.click()
    }, 'the overview says that two of three came')
    await accessible(page, 'the overview of a young school')
    await page.getByText('Every register is finished').first().waitFor()
    await visit(page, '/students?q=bala')
    await page.getByRole('button', { name: 'Bala Nair' }).click()
    await page.getByRole('tab', { name: 'Attendance' }).click()
    await page.locator('.moments').getByText('Absent').waitFor()
  })
}
