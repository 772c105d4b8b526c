// An office has what happened since a day sent to a webhook again, and then one fact alone.
import { accessible, inWindow, signIn, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, receiver }) {
  const got = async () => (await fetch(receiver)).json()
  const [first, second] = await got()
  const day = (ago) =>
    new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(new Date(Date.now() - ago * 86_400_000))
  await inWindow({ url, story }, async ({ page }) => {
    await signIn(page, url, email, password)
    await visit(page, '/integrations/webhooks')
    await page
      .getByRole('button', { name: 'Payroll' })
      .or(page.getByRole('link', { name: 'Payroll' }))
      .first()
      .click()
    const drawer = page.getByRole('dialog').filter({ has: page.getByRole('heading', { name: 'Deliveries' }) })
    const delivered = (n) =>
      drawer
        .getByText('Delivered')
        .nth(n - 1)
        .waitFor()
    await delivered(2)

    const since = async (from, answer) => {
      await drawer.getByRole('button', { name: 'Send again…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Send again' })
      await dialog.getByLabel('From').fill(from)
      await dialog.getByRole('button', { name: 'Send again' }).click()
      await dialog.getByRole('status').filter({ hasText: answer }).waitFor()
      await accessible(page, `facts sent again: ${answer}`)
      await dialog.getByRole('button', { name: 'Close' }).first().click()
      await dialog.waitFor({ state: 'detached' })
    }
    say('what happened since yesterday: the second fact')
    await since(day(1), '1 fact is sent again.')
    await until(async () => (await got()).length === 3, 'the receiver is told again')
    want((await got())[2] === second, `the second fact came again, and not ${(await got())[2]}`)

    say('since the day before: both')
    await since(day(2), '2 facts are sent again.')
    await until(async () => (await got()).length === 5, 'the receiver is told both again')
    want((await got()).slice(3).sort().join() === [first, second].sort().join(), 'both facts came again')

    say('one alone')
    await page.reload()
    await delivered(2)
    await drawer.getByRole('button', { name: 'Send again: class.changed' }).last().click() // the oldest
    await until(async () => (await got()).length === 6, 'the receiver is told once more')
    want((await got())[5] === first, 'the chosen fact came')
  })
}
