// A parent on a phone: signs in by code, sees the children's day, sets a PIN, reads without a line, changes the language and the
// account, signs out, and is back by PIN.

import { look, phoneSized, placesOf, signInAt } from './app.mjs'
import { appIsKept } from './app-wait.mjs'
import { inWindow, lineTo, until, want } from './browser.mjs'
import { asPictured } from './pictured.mjs'

export default async function ({ url: server, story, say, phone, school, other }) {
  const { url, cut, mend } = await lineTo(server)
  await inWindow({ url, story, how: phoneSized }, async ({ page, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch/)
    const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor()
    const card = (name) => page.getByRole('region', { name, exact: true })
    const place = placesOf(page)

    say('signs in by a code')
    await page.goto(`${url}/app/`)
    await page.getByLabel('Phone number').waitFor()
    await look(page, 'sign-in')
    await signInAt(page, url, phone, school, server)

    say('sees where each child is, and what is to be paid')
    await heading('Today')
    await card('Asha Rao').getByText('At school').waitFor()
    await asPictured(page, '/app/')
    await card('Ravi Rao').getByText('Absent').waitFor()
    await page.getByRole('link', { name: /Fees to pay/ }).waitFor()
    await look(page, 'today')

    say('puts the app on the home screen, where the browser can')
    await page.evaluate(() => {
      const offer = new Event('beforeinstallprompt', { cancelable: true })
      offer.prompt = async () => {
        window.isInstalled = offer.defaultPrevented
      }
      window.dispatchEvent(offer)
    })
    await page.getByRole('button', { name: 'Install', exact: true }).click()
    await page.waitForFunction(() => window.isInstalled)
    await page.getByRole('button', { name: 'Install', exact: true }).waitFor({ state: 'detached' })

    say('sets a PIN')
    await page.getByRole('button', { name: 'Set a PIN' }).click()
    await page.getByLabel('New PIN').fill('1234')
    await page.getByRole('button', { name: 'Save PIN' }).click()
    await page.getByText('This PIN is easily guessed').waitFor()
    await look(page, 'pin')
    await page.getByLabel('New PIN').fill('4826')
    await page.getByRole('button', { name: 'Save PIN' }).click()
    await heading('More')
    await look(page, 'more')

    say('locks the app on this phone')
    const enterPin = async (pin, act) => {
      await page.getByLabel('PIN', { exact: true }).fill(pin)
      await page.getByRole('button', { name: act, exact: true }).click()
    }
    await page.getByRole('link', { name: /^App lock/ }).click()
    await enterPin('4827', 'Turn on')
    await page.getByText('This PIN is wrong').waitFor()
    await enterPin('4826', 'Turn on')
    await page.getByText('On', { exact: true }).waitFor()
    await look(page, 'lock')
    await page.goto(`${url}/app/`)
    await heading('Enter your PIN')
    want((await page.getByText('Rao').count()) === 0, 'nothing is shown before the PIN')
    await look(page, 'locked')
    await enterPin('4827', 'Unlock')
    await page.getByText('This PIN is wrong').waitFor()
    await enterPin('4826', 'Unlock')
    await card('Asha Rao').getByText('At school').waitFor()

    say('reads the month, and the sibling’s')
    const schoolLine = (name) => page.getByRole('region', { name: 'School' }).getByRole('link', { name })
    await place('School').click()
    await schoolLine(/^Attendance/).click()
    await page.getByRole('img', { name: /: Present$/ }).waitFor()
    await look(page, 'attendance')
    await page.getByRole('link', { name: 'Ravi', exact: true }).click()
    await page.getByRole('img', { name: /: Absent$/ }).waitFor()
    want((await page.getByRole('img', { name: /: Present$/ }).count()) === 0, "nothing of Asha stays under Ravi's name")
    await page.getByRole('button', { name: 'Previous month' }).click()
    await until(async () => /month=/.test(page.url()), 'the month is in the address')

    say('reads the timetable')
    await page.getByRole('link', { name: 'Back' }).click()
    await schoolLine(/^Timetable/).click()
    await page.getByText('Mathematics').waitFor()
    await page.getByText('Room 12').waitFor()
    await look(page, 'timetable')

    say('reads what is owed, the account and a receipt')
    await place('Fees').click()
    await page.getByText('Partly paid').waitFor()
    await page.getByText(/^As of/).waitFor()
    await look(page, 'fees')
    await page.getByRole('link', { name: 'Account and receipts' }).last().click()
    const statement = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Statement (PDF)' }).click()
    want((await (await statement).failure()) === null, 'the statement is kept')
    await page.getByRole('link', { name: /Payment/ }).click()
    await heading('Receipt')
    await page.getByText('Tuition').waitFor()
    await look(page, 'receipt')
    const paper = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Receipt (PDF)' }).click()
    await paper

    say('without a line the last state is there with its time, also after the app was closed')
    await place('Today').click()
    await appIsKept(page)
    await cut()
    await page.goto(`${url}/app/`)
    await enterPin('4826', 'Unlock')
    await card('Asha Rao').getByText('At school').waitFor()
    await page.getByText('No connection. You see what was last known.').waitFor()
    await page
      .getByText(/^As of/)
      .first()
      .waitFor()
    await look(page, 'offline')
    await place('More').click()
    await page.getByRole('link', { name: /^App lock/ }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await place('Fees').click()
    await page.getByText('Partly paid').waitFor()
    await place('School').click()
    await schoolLine(/^Attendance/).click()
    await page.getByRole('button', { name: 'Previous month' }).click()
    await page.getByRole('button', { name: 'Previous month' }).click()
    await page.getByText('this has not been opened on this phone before').waitFor()
    await mend()
    await page.getByText('No connection. You see what was last known.').waitFor({ state: 'detached' })
    await page.getByText('Nothing is marked in this month.').or(page.getByRole('img').first()).first().waitFor()

    say('reads in Arabic, from right to left, and in Hindi and Swahili')
    for (const [code, today, more] of [
      ['ar', 'اليوم', 'المزيد'],
      ['hi', 'आज', 'और'],
      ['sw', 'Leo', 'Zaidi'],
    ]) {
      await page.goto(`${url}/app/more`)
      await page.getByRole('combobox').selectOption(code)
      await heading(more)
      want(
        (await page.evaluate(() => document.documentElement.dir)) === (code === 'ar' ? 'rtl' : 'ltr'),
        `${code} direction`,
      )
      await look(page, `more-${code}`)
      for (const [path, name] of [
        ['/', today],
        ['/fees', undefined],
        ['/school', undefined],
      ]) {
        await page.goto(`${url}/app${path}`)
        if (name) await heading(name)
        await page
          .getByText(/Rao|Ravi/)
          .first()
          .waitFor()
        await page.waitForLoadState('networkidle')
        await look(page, `${path === '/' ? 'today' : path.slice(1)}-${code}`)
      }
    }
    await page.goto(`${url}/app/more`)
    await page.getByRole('combobox').selectOption('en')
    await heading('More')

    say('goes on as the other account of the phone, and back')
    const row = (name) => page.getByRole('listitem').filter({ hasText: name })
    await row(other).getByRole('button', { name: 'Switch' }).click()
    await page.getByText(other).first().waitFor()
    await page.getByText('The school has linked no child').waitFor()
    want((await page.getByText('Asha').count()) === 0, 'nothing of one account is on the page of another')
    await page.goto(`${url}/app/more`)
    await row(school).getByRole('button', { name: 'Switch' }).click()
    await card('Asha Rao').getByText('At school').waitFor()

    say('signs out, which leaves nothing of the account, and is back by PIN')
    await place('More').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('PIN', { exact: true }).waitFor()
    const left = await page.evaluate(() => Object.entries(localStorage).filter(([, v]) => v.includes('Asha')).length)
    want(left === 0, 'nothing of the children is kept after signing out')
    await page.getByLabel('PIN', { exact: true }).fill('4827')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The phone number or the PIN is wrong').waitFor()
    await page.getByLabel('PIN', { exact: true }).fill('4826')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await card('Asha Rao').getByText('At school').waitFor()
  })
}
