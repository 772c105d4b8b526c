// The demo school as a newcomer meets it: each sign-in of the start page finds a school at work, and who looks around changes nothing
// that others see.
import { phoneSized } from './app.mjs'
import { isThere } from './app-pages.mjs'
import { inWindow, signIn, visit, want } from './browser.mjs'

const people = ['/students', '/employees', '/classes', '/subjects', '/exams', '/announcements', '/library/books']
const money = ['/fees/dues', '/fees/receipts', '/fees/structures']
const console = { 'School admin': [...people, ...money], Accountant: money, 'Super-admin': ['/schools'] }
const app = { Parent: ['/', '/school', '/fees'], Teacher: ['/classes', '/marks'], Driver: ['/'] }

// A list may be asked for by POST; a phone says its language when it signs in.
const own = /^\/auth\/|\/list$|\/notification\/language$/

export default async function ({ url, story, say, accounts }) {
  for (const { Role: role, Email: email, Password: password, Phone: phone, PIN: pin } of accounts)
    await inWindow({ url, story: `${story} ${role}`, how: phone ? phoneSized : {} }, async ({ page }) => {
      say(`${role} ${email || phone}`)
      const writes = []
      page.on('request', (r) => {
        if (r.method() !== 'GET' && !own.test(new URL(r.url()).pathname)) writes.push(`${r.method()} ${r.url()}`)
      })
      const full = async (path) => {
        const nothing = await page.locator('main .empty').allInnerTexts()
        want(nothing.length === 0, `${path} of a ${role} has something: ${nothing.join('; ')}`)
      }
      if (phone) {
        await page.goto(`${url}/app/`)
        await page.getByLabel('Phone number').fill(phone)
        await page.getByRole('button', { name: 'Use a PIN instead' }).click()
        await page.getByLabel('PIN', { exact: true }).fill(pin)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
        for (const path of app[role]) {
          await page.evaluate((to) => {
            window.history.pushState(null, '', to)
            window.dispatchEvent(new PopStateEvent('popstate'))
          }, `/app${path}`)
          await page.waitForFunction(isThere)
          if (role !== 'Driver') await full(path) // on some days nothing drives
        }
        if (role === 'Parent') {
          await page.getByRole('link', { name: 'School', exact: true }).click()
          await page.getByRole('link', { name: /^Results/ }).click()
          await page.getByRole('button', { name: 'Open the report card' }).waitFor()
        }
      } else {
        await signIn(page, `${url}/console`, email, password)
        for (const path of console[role]) {
          await visit(page, path)
          await page.getByRole('heading', { level: 1 }).waitFor()
          await page.locator('main tbody tr').or(page.locator('main .empty')).first().waitFor()
          await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root, [data-stale]'))
          await full(path)
        }
      }
      want(writes.length === 0, `a ${role} who looks around writes nothing: ${writes.join('; ')}`)
    })
}
