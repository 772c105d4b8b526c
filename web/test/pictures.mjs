// The README's five pictures, light and dark, of the demo as `make run` shows it, in docs/pictures/. What is written on each page
// is kept beside them: still.mjs and app-parent.mjs hold the pages against it.
import { writeFileSync } from 'node:fs'
import { phoneSized } from './app.mjs'
import { caller, open, signIn, want } from './browser.mjs'
import { pictured, pictures, titlesOf } from './pictured.mjs'

export default async function ({ url, say, email, password, phone, pin }) {
  const { accessToken } = await caller(url)('POST', '/auth/login', { email, password })
  const dues = await caller(url, accessToken)('GET', '/school-admin/fee/dues?limit=1')
  const debtor = dues.items[0]
  const ready = {
    overview: (page) => page.locator('.recharts-surface').first().waitFor(),
    register: async (page) => {
      await page.getByLabel('Division').selectOption({ label: 'Class 5 A' })
      await page.locator('.mark').first().focus()
      for (const key of 'PPPALPPPP') await page.keyboard.press(key)
    },
    collect: async (page) => {
      await page.getByRole('combobox', { name: 'Student' }).fill(debtor.admissionNumber)
      await page.getByRole('option').first().click()
      await page.getByText('Balance').or(page.getByText('Outstanding')).first().waitFor()
    },
    live: (page) => page.locator('.map-bus').first().waitFor(),
  }
  const titles = {}
  const take = async (page, name, look) => {
    const whole = () => !document.querySelector('.mantine-Skeleton-root, [data-stale]')
    await page.waitForFunction(whole, undefined, { timeout: 5_000 }).catch(() => {}) // a live page is never
    await page.waitForTimeout(700) // a map draws itself
    await page.screenshot({ path: `${pictures}${name}${look === 'dark' ? '-dark' : ''}.png` })
    titles[name] = { at: pictured[name], ...(await titlesOf(page)) }
  }
  for (const look of ['light', 'dark']) {
    const office = await open(url, { scheme: look })
    await signIn(office.page, `${url}/console`, email, password)
    for (const [name, act] of Object.entries(ready)) {
      const page = await office.context.newPage()
      await page.goto(`${url}/console${pictured[name]}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await act(page)
      await take(page, name, look)
      await page.close()
    }
    want(office.faults.length === 0, office.faults.join('; '))
    await office.close()

    const parent = await open(url, { ...phoneSized, scheme: look })
    const { page } = parent
    await page.goto(`${url}/app/`)
    await page.getByLabel('Phone number').fill(phone)
    await page.getByRole('button', { name: 'Use a PIN instead' }).click()
    await page.getByLabel('PIN', { exact: true }).fill(pin)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    await page.getByRole('link', { name: /Fees/ }).first().waitFor()
    await take(page, 'phone', look)
    await parent.close()
    say(`${look} ones are taken`)
  }
  writeFileSync(`${pictures}titles.json`, `${JSON.stringify(titles, null, 2)}\n`)
}
