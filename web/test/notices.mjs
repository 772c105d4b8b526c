// The rules of notifications: an office chooses channels, sees what they would cost, and what they did; whom they do not reach it
// reaches by another one.
import { accessible, caller, inWindow, signIn, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, token }) {
  const ask = caller(url, token)
  const fees = async () => (await ask('GET', '/school-admin/notification/rules')).rules.find((r) => r.type === 'FEE')
  for (const [width, scheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ]) {
    await inWindow({ url, story, how: { width, scheme } }, async ({ page }) => {
      await signIn(page, url, email, password)
      await visit(page, '/settings')
      await page.getByRole('link', { name: 'Notification rules', exact: true }).click()
      await page.getByText('1 of 1 parents have neither the app').waitFor()
      await accessible(page, `the rules of notifications, ${width} px wide`)
      const [wide, seen] = await page.evaluate(() => [document.scrollingElement.scrollWidth, window.innerWidth])
      want(wide <= seen, `the rules fit the window: ${wide} of ${seen}`)
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/notices-${width}-${scheme}.png`, fullPage: true })
      if (width !== 1280) return

      say('what an SMS costs is said before it is chosen')
      await page.getByText('An SMS costs').waitFor()
      const channels = page.getByLabel('Channels: Fees')
      want((await channels.inputValue()) === 'PUSH,EMAIL', 'fees go by push, then e-mail at first')
      await channels.selectOption({ label: 'Push, then SMS, then e-mail' })
      await page.getByText('With SMS: about 0 SMS').waitFor()
      await page.getByLabel('Next one if unread for: Fees').fill('90')
      await page.getByLabel('Can be turned off: Fees').uncheck()
      await page.getByLabel('When: Fees').selectOption({ label: 'Digest' })
      await page.getByText('is sent at 18:00').waitFor()
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/notices-changed.png`, fullPage: true })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await until(async () => (await fees()).ways.join() === 'PUSH,SMS,EMAIL', 'the rule is saved')
      const now = await fees()
      want(
        now.waitMinutes === 90 && !now.mayTurnOff && now.digest,
        `the rule is as it was entered, not ${JSON.stringify(now)}`,
      )
      await page.reload()
      await page.getByLabel('Next one if unread for: Fees').waitFor()
      want(
        (await page.getByLabel('Next one if unread for: Fees').inputValue()) === '90 min',
        'it is shown after a reload',
      )

      say('a parent who wrote STOP is among the blocked addresses, until the office sends again')
      await visit(page, '/dispatch')
      await page.getByRole('link', { name: 'Blocked addresses', exact: true }).click()
      await page.getByText('they wrote STOP').waitFor()
      await accessible(page, 'the blocked addresses')
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/notices-blocked.png`, fullPage: true })
      await page.getByRole('button', { name: /^Send again: / }).click()
      await page.getByText('No address is blocked').waitFor()

      say('a parent without an e-mail does not hear of an event, and gets it by SMS')
      await ask('PUT', '/school-admin/notification/rules', {
        rules: [{ type: 'EVENT', ways: ['EMAIL'], waitMinutes: null, mayTurnOff: true }],
      })
      const eventDate = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)
      const event = await ask('POST', '/school-admin/event/create', { title: 'Sports day', eventDate })
      await visit(page, `/events?open=${event.id}`)
      const delivery = page.getByRole('region', { name: 'Delivery' })
      await delivery.getByText('0 of 1 reached, 0 read, 1 not reached').waitFor()
      await accessible(page, 'an event and whom it reached')
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/notices-reach.png`, fullPage: true })
      await delivery.getByRole('button', { name: 'Send to the rest by SMS…' }).click()
      await page.getByText('1 person gets it, each once.').waitFor()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await delivery.getByText('1 of 1 reached').waitFor()

      say('a reminder of fees did not reach the parent either: the office sees it, and sends it by SMS')
      await ask('PUT', '/school-admin/notification/rules', {
        rules: [{ type: 'FEE', ways: ['EMAIL'], waitMinutes: null, mayTurnOff: true, digest: false }],
      })
      await visit(page, '/fees/dues')
      await page.getByRole('button', { name: 'Send reminders…' }).click()
      await page.getByRole('button', { name: 'Send 1', exact: true }).click()
      await page.getByText('1 family reminded').waitFor()
      await page.getByRole('link', { name: 'Reminders sent', exact: true }).click()
      await page.getByRole('row').filter({ hasText: 'Fee reminders' }).click()
      await delivery.getByText('0 of 1 reached, 0 read, 1 not reached').waitFor()
      await accessible(page, 'a batch of reminders and whom it reached')
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/notices-batch.png`, fullPage: true })
      await delivery.getByRole('button', { name: 'Send to the rest by SMS…' }).click()
      await page.getByText('1 person gets it, each once.').waitFor()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await delivery.getByText('1 of 1 reached').waitFor()
    })
  }
}
