// The office at work when things go wrong: two who change the same, a line that breaks, a slow or broken answer, a session that ends.
import { accessible, caller, choose, clicks, inWindow, search, signIn, undo, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, token }) {
  await inWindow({ url, story }, async ({ page, context, forgive }) => {
    const nav = page.getByRole('navigation', { name: 'Main' })
    const drawer = page.getByRole('dialog') // the list behind it has fields of the same names
    const close = () => page.getByRole('button', { name: 'Close' }).click()
    await signIn(page, url, email, password)

    say('filters and search are in the address')
    await nav.getByRole('link', { name: 'Students' }).click()
    await page.getByRole('button', { name: 'Bala Nair' }).waitFor()
    await accessible(page, 'students')
    await search(page, 'Students', 'chitra')
    await page.getByRole('button', { name: 'Bala Nair' }).waitFor({ state: 'hidden' })
    want(page.url().includes('q=chitra'), 'the search is in the address')
    await page.reload()
    await page.getByRole('button', { name: 'Chitra Das' }).waitFor()
    want((await page.getByRole('button', { name: 'Bala Nair' }).count()) === 0, 'the search survives a reload')

    say('a table is taken along as a file, and a name that begins like a formula is text in it')
    await nav.getByRole('link', { name: 'Subjects' }).click()
    await page.getByRole('button', { name: '=1+1' }).waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ])
    const text = await new Response(await file.createReadStream()).text()
    want(
      file.suggestedFilename() === 'subjects.csv' && text.includes("'=1+1") && text.trim().split('\n').length === 2,
      `the file has a head and a line: ${text}`,
    )
    await page.goBack()
    await page.getByRole('button', { name: 'Chitra Das' }).waitFor() // with the search that was left

    say('a second tab shares the session; of two who change a student the second sees both versions')
    const here = page.url()
    await page.getByRole('button', { name: 'Chitra Das' }).click()
    await drawer.getByLabel('Last name').fill('Dasgupta')
    const second = await context.newPage()
    await second.goto(here)
    await second.getByRole('button', { name: 'Chitra Das' }).click()
    await second.getByLabel('Last name').fill('Devi')
    await second.getByRole('button', { name: 'Save' }).click()
    await second.getByText('Saved', { exact: true }).waitFor()
    await page.bringToFront() // a tab behind another is given little time
    await page.getByRole('button', { name: 'Save' }).click()
    const conflict = page.getByRole('dialog', { name: 'Somebody else changed this meanwhile' })
    await conflict.getByText('Devi').waitFor()
    await accessible(page, 'a conflict')
    await conflict.getByRole('button', { name: 'Save mine over it' }).click()
    await page.getByRole('heading', { name: 'Chitra Dasgupta' }).waitFor()

    say('what was saved is undone for ten seconds: theirs is back')
    await page.getByRole('status').getByText('Changed: Last name').waitFor()
    await accessible(page, 'an offer to undo')
    await undo(page)
    await page.getByRole('heading', { name: 'Chitra Devi' }).waitFor()
    await drawer.getByLabel('Last name').and(page.locator('[value="Devi"]')).waitFor()

    say('what was typed is not lost by a click')
    await drawer.getByLabel('Allergies').fill('Peanuts')
    await close()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    want((await drawer.getByLabel('Allergies').inputValue()) === 'Peanuts', 'it is still there')
    await page.goBack() // the back button asks, too
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    want((await drawer.getByLabel('Allergies').inputValue()) === 'Peanuts', 'it is still there')

    say('nor by a line that breaks, nor by an answer that is a fault')
    forgive(/ERR_INTERNET_DISCONNECTED|status of 500/)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await context.setOffline(true)
    await save.click()
    await page.getByText('No connection to Homeroom').waitFor()
    await context.setOffline(false)
    const student = /\/school-admin\/student\/[\w-]{36}$/
    const broken = (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({
            status: 500,
            headers: { 'X-Request-Id': 'req-4711' },
            contentType: 'application/json',
            body: '{"statusCode":500,"message":"Something went wrong on our side","error":"Internal Server Error"}',
          })
        : route.continue()
    await page.route(student, broken)
    await save.click()
    await page.getByText('Request req-4711').waitFor() // to be told to whoever helps
    await accessible(page, 'a fault while saving')
    want((await drawer.getByLabel('Allergies').inputValue()) === 'Peanuts', 'what was typed is there')
    await page.unroute(student, broken)

    say('a slow answer is waited for, and asked for once')
    let asked = 0
    let answer
    const slow = async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      asked++
      await new Promise((r) => (answer = r))
      return route.continue()
    }
    await page.route(student, slow)
    await save.dblclick()
    await until(() => answer, 'it is asked for')
    await page.locator('.savebar button[data-loading]').waitFor() // the button says that it works
    answer()
    await page.getByText('Saved', { exact: true }).waitFor()
    want(asked === 1, `a double click saves once, not ${asked} times`)
    await page.unroute(student, slow)
    await page.getByRole('tab', { name: /Guardians/ }).click()
    await page.getByText('Rina').waitFor()
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.getByText('What happened').waitFor()
    await accessible(page, "a student's timeline")
    await close()

    say('a list that cannot be read says so, with the request, and is read again')
    let faults = 0
    const list = /employee\/list/
    const late = async (route) => {
      if (++faults === 1)
        return route.fulfill({
          status: 500,
          headers: { 'X-Request-Id': 'req-4712' },
          contentType: 'application/json',
          body: '{"statusCode":500,"message":"Something went wrong on our side","error":"Internal Server Error"}',
        })
      await page.locator('tbody [class*=Skeleton]').first().waitFor() // what is waited for has its shape already
      return route.continue()
    }
    await page.route(list, late)
    await nav.getByRole('link', { name: 'Employees' }).click()
    await page.getByRole('alert').getByText('Request req-4712').waitFor()
    await accessible(page, 'a list that cannot be read')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No employees yet').waitFor()
    await page.unroute(list, late)

    say('an act whose answer was lost is one act, though it is sent again')
    const keys = []
    const lose = async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      const response = await route.fetch()
      return keys.length === 1 ? route.abort('connectionreset') : route.fulfill({ response })
    }
    forgive(/ERR_CONNECTION_RESET/)
    await page.route(/event\/create/, lose)
    await visit(page, '/events?open=new')
    await drawer.getByLabel('Title').fill('Sports day')
    await drawer.getByLabel('Day', { exact: true }).fill('2030-12-12')
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('No connection to Homeroom').waitFor()
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await drawer.getByRole('heading', { name: 'Sports day' }).waitFor()
    await close()
    await page.unroute(/event\/create/, lose)
    want(keys.length === 2 && keys[0] && keys[0] === keys[1], `both tries have one key: ${keys}`)
    const made = async () => {
      const { accessToken } = await caller(url)('POST', '/auth/login', { email, password })
      return (await caller(url, accessToken)('GET', '/school-admin/event/list')).total
    }
    want((await made()) === 1, 'one event is made')

    say('a wrong field is marked and says why')
    await visit(page, '/students')
    await page.getByRole('button', { name: 'Admit a student' }).click()
    await drawer.getByLabel('First name').fill('Dev')
    await drawer.getByLabel('Phone', { exact: true }).fill('12')
    await page.getByRole('button', { name: 'Admit', exact: true }).click()
    await page.locator('[aria-invalid=true]').waitFor()
    await accessible(page, 'a form with an error')
    await drawer.getByLabel('Phone', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Admit', exact: true }).click()
    await page.getByRole('heading', { name: 'Dev' }).waitFor()
    await close()

    say('Ctrl-K finds pages and students')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search people, receipts, books and pages' }).fill('import')
    await page.getByRole('option', { name: 'Import students', selected: true }).waitFor()
    await accessible(page, 'the palette')
    await page.getByRole('combobox', { name: 'Search people, receipts, books and pages' }).fill('Bala')
    await page.keyboard.press('Enter') // before the answer is there
    await page.getByRole('heading', { name: 'Bala Nair' }).waitFor()
    await close()

    say('a student leaves in sight of the dues, and a certificate is made: four clicks from the overview')
    const ask = caller(url, token)
    const { items } = await ask('GET', '/school-admin/student/list?filters[search]=Dev') // and Devi
    await ask('POST', '/school-admin/fee/fine', {
      studentId: items.find((s) => s.firstName === 'Dev').id,
      amount: 90_000,
      reason: 'Window',
    })
    await visit(page, '/')
    const press = clicks()
    await press(nav.getByRole('link', { name: 'Students' }))
    await press(page.getByRole('button', { name: 'Dev', exact: true }))
    await press(drawer.getByRole('button', { name: 'Mark as left…' }))
    const leaves = page.getByRole('dialog', { name: 'Mark Dev as left' })
    await leaves.getByText('Fees: ₹900.00 outstanding').waitFor()
    await leaves.getByLabel('Reason').fill('Moves to another town')
    await accessible(page, 'leaving')
    const [certificate] = await Promise.all([
      page.waitForEvent('popup'),
      press(leaves.getByRole('button', { name: 'Issue leaving certificate' })),
    ])
    press.atMost(4, 'a leaving certificate')
    await certificate.close()
    await drawer.getByText('Transferred').first().waitFor()
    await close()

    say('what was deleted is back by Ctrl Z')
    await visit(page, '/subjects')
    await page.getByRole('button', { name: '=1+1' }).click()
    await drawer.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog', { name: 'Delete =1+1?' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No subjects yet').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByRole('button', { name: '=1+1' }).waitFor()

    say('the other pages open and are accessible')
    for (const [link, ready] of [
      ['Subjects', '=1+1'],
      ['Timetable', 'The day has no periods yet'],
      ['Academic years', 'now'],
      ['Permissions', 'Attendance'],
    ]) {
      await nav.getByRole('link', { name: link, exact: true }).click()
      await page.getByRole('heading', { name: link, level: 1 }).waitFor()
      await page.getByText(ready).first().waitFor()
      await accessible(page, link)
    }
    await visit(page, '/account')
    await page.getByText('this one').waitFor()
    await accessible(page, 'account')

    say('a token that expires in the background is renewed once, and nobody notices')
    let renewals = 0
    let refused = 0
    let old
    page.on('request', (r) => (renewals += r.url().endsWith('/auth/console/refresh') ? 1 : 0))
    const expired = (route) => {
      const token = route.request().headers().authorization
      old ??= token
      if (token !== old) return route.continue()
      refused++
      return route.fulfill({
        status: 401,
        contentType: 'application/json',
        body: '{"statusCode":401,"message":"expired","error":"Unauthorized"}',
      })
    }
    await page.route(/\/school-admin\//, expired)
    await visit(page, '/classes')
    await page.getByRole('button', { name: 'Class 5' }).waitFor()
    want(refused > 0 && renewals === 1, `one renewal for ${refused} refusals, not ${renewals}`)
    await page.unroute(/\/school-admin\//, expired)

    say('a session that ends elsewhere asks for the password over the page, and goes on')
    await second.close()
    const { accessToken } = await caller(url)('POST', '/auth/login', { email, password })
    await visit(page, '/students?open=new')
    await drawer.getByLabel('First name').fill('Esha')
    await page.getByRole('button', { name: 'Bala Nair' }).waitFor({ state: 'attached' }) // everything is read by now
    await fetch(`${url}/auth/logout-all`, { method: 'POST', headers: { Authorization: `Bearer ${accessToken}` } })
    await page.getByRole('button', { name: 'Admit', exact: true }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.waitFor()
    await accessible(page, 'signing in again')
    await again.getByLabel('Password', { exact: true }).fill(password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await again.waitFor({ state: 'hidden' })
    want((await drawer.getByLabel('First name').inputValue()) === 'Esha', 'what was typed is there')
    await page.getByRole('button', { name: 'Admit', exact: true }).click()
    await page.getByRole('heading', { name: 'Esha' }).waitFor()

    say('signing out in one tab signs out the other')
    const third = await context.newPage()
    await third.goto(`${url}/console/students`)
    await third.getByRole('button', { name: 'Bala Nair' }).waitFor()
    await page.bringToFront()
    const cookies = await context.cookies(`${url}/auth/console/refresh`)
    want(
      cookies.some((c) => c.name === 'homeroom_console' && c.httpOnly && c.sameSite === 'Strict'),
      'the refresh token is an HttpOnly cookie',
    )
    want(
      (await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }))).includes(
        'eyJ',
      ) === false,
      'no token is where a script finds it',
    )
    await close()
    await choose(page, 'Account', 'Sign out')
    await page.getByRole('heading', { name: 'Sign in to Homeroom' }).waitFor()
    await third.getByRole('heading', { name: 'Sign in to Homeroom' }).waitFor()
    await third.close()
    await page.goto(`${url}/console/students?q=bala`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Bala Nair' }).waitFor() // a link leads where it led, after signing in
  })
}
