// What the start page says to try in five minutes, each by its own words: its links, its sign-ins and its commands, in a demo school
// of the story's own.
import { phoneSized, placesOf } from './app.mjs'
import { caller, inWindow, outbox, signInHere, until, want } from './browser.mjs'

export default async function ({ url, story, say, password }) {
  const window = (name, work, how = {}) =>
    inWindow({ url, story: `${story} ${name}`, how }, async (at) => {
      say(name)
      await at.page.goto(`${url}/`)
      const step = at.page.getByRole('listitem').filter({ has: at.page.getByText(name, { exact: true }) })
      const said = await step.locator('code').allInnerTexts()
      await work({ ...at, step, said })
    })
  const inApp = async (page, step, [phone, pin]) => {
    await step.getByRole('link', { name: 'App' }).click()
    await page.getByLabel('Phone number').fill(phone)
    await page.getByRole('button', { name: 'Use a PIN instead' }).click()
    await page.getByLabel('PIN', { exact: true }).fill(pin)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
  }
  const inConsole = async (page, step, [email]) => {
    await step.getByRole('link', { name: 'Console' }).click()
    await signInHere(page, email, password)
  }

  // The bus stands for a while between two trips: who comes early need not wait for it.
  await window(
    'Watch the bus.',
    async ({ page, step, said }) => {
      await inApp(page, step, said)
      await page.getByRole('link', { name: 'Bus' }).first().click()
      await page.getByText('Bus 12 is on its way', { exact: true }).first().waitFor()
      const at = () => page.locator('[data-bus="12"]').getAttribute('data-at')
      const first = await at()
      await until(async () => (await at()) !== first, 'the bus moves on the map')
    },
    phoneSized,
  )

  await window(
    'Mark a register.',
    async ({ page, step, said }) => {
      await inApp(page, step, said)
      await placesOf(page)('Register').click()
      await page
        .getByRole('link', { name: /not marked/ })
        .first()
        .click()
      const students = page.getByRole('group', { name: /^\d+ / })
      const began = new Date().toISOString()
      await students.first().getByRole('radio', { name: 'Absent', exact: true }).check()
      await page.getByRole('button', { name: /^The other \d+ are present$/ }).click()
      await page.getByRole('button', { name: 'Save register' }).click()
      await page.getByText('Register done').waitFor()
      const told = (m) => m.subject === 'Absent from school' && m.createdAt > began
      await until(async () => (await outbox(url, '')).some(told), 'the parents are told')
      await page.goto(`${url}/`)
      await step.getByRole('link', { name: 'outbox' }).click()
      await page
        .getByText(/Absent from school/)
        .first()
        .waitFor()
    },
    phoneSized,
  )

  await window('Collect a fee.', async ({ page, step, said }) => {
    const { accessToken } = await caller(url)('POST', '/auth/login', { email: said[0], password })
    const owes = (await caller(url, accessToken)('GET', '/school-admin/fee/dues?limit=1')).items[0]
    await inConsole(page, step, said)
    await page.getByRole('combobox', { name: 'Student' }).fill(owes.admissionNumber)
    await page.getByRole('option').first().click()
    await page.getByLabel('Amount', { exact: true }).fill('100')
    await page.getByRole('button', { name: 'Receive ₹100.00' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Receive', exact: true }).click()
    await page.getByRole('article', { name: /^Receipt/ }).waitFor()
    const [tab, asked] = await Promise.all([
      page.waitForEvent('popup'),
      page.waitForResponse((r) => r.url().includes('/fee/receipt/') && r.url().includes('format=pdf')),
      page.getByRole('button', { name: 'Print' }).click(),
    ])
    want(asked.headers()['content-type'] === 'application/pdf', 'the receipt is printed')
    await tab.close()
  })

  await window('Onboard a school.', async ({ page, step, said }) => {
    await inConsole(page, step, said)
    await page.getByRole('link', { name: 'Onboard a school' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Sunrise School')
    await page.getByRole('combobox', { name: 'Currency' }).or(page.getByLabel('Currency')).first().fill('INR')
    await page.getByRole('option', { name: /^INR/ }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('First name').fill('Leela')
    await page.getByLabel('E-mail').fill('leela@sunrise.local')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Onboard the school' }).click()
    await page.getByRole('heading', { name: 'Sunrise School' }).waitFor()
  })

  await window('Call the API.', async ({ page, step }) => {
    const commands = (await step.locator('pre').innerText()).split(/\n(?=curl )/)
    want(commands.length === 2, `there are two commands, not ${commands.length}`)
    let token = ''
    for (const command of commands) {
      const [, address] = /(http:\S+)/.exec(command)
      const [, name, value] = /-H ["']([^:]+): ([^"']+)["']/.exec(command)
      const [, body] = /-d '([^']+)'/.exec(command) ?? []
      want(address.startsWith(url), `${address} is this server's`)
      const answer = await fetch(address, {
        method: body ? 'POST' : 'GET',
        body,
        headers: { [name]: value.replace('<accessToken of the answer>', token) },
      })
      want(answer.status === 200, `${command}: ${answer.status}`)
      const said = await answer.json()
      token ||= said.accessToken ?? said.data.accessToken
    }
    await step.getByRole('link', { name: 'documentation' }).click()
    await page.locator('body[data-ready]').waitFor()
  })

  await inWindow({ url, story: `${story} links` }, async ({ page }) => {
    say('every link leads somewhere')
    await page.goto(`${url}/`)
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => [...new Set(all.map((a) => a.getAttribute('href')))])
    want(links.length >= 5, `there are links: ${links}`)
    for (const link of links) {
      const { status } = await fetch(url + link)
      want(status === 200, `${link} is answered ${status}`)
    }
  })
}
