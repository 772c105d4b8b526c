// Days are typed and shown as the school writes them, in a browser that writes them otherwise, on a line of 300 ms.
import { accessible, inWindow, lineTo, signIn, visit, want } from './browser.mjs'

export default async function ({ url: server, story, say, email, password }) {
  const { url, cut } = await lineTo(server, 300)
  await inWindow({ url, story }, async ({ page }) => {
    await signIn(page, url, email, password)
    await visit(page, '/years?open=new')
    const drawer = page.getByRole('dialog')
    const from = drawer.getByLabel('First day')
    say('3/4/27 is in the school’s order')
    await from.fill('3/4/27')
    await from.press('Tab')
    want((await from.inputValue()) === '3 Apr 2027', `it is read as ${await from.inputValue()}`)

    say('what is no date is said so')
    await from.fill('31/2/2027')
    await from.press('Tab')
    await drawer.getByText('Enter a date like 30 Nov').waitFor()
    await from.fill('4 apr 2027')
    await from.press('Tab')
    want((await from.inputValue()) === '4 Apr 2027', 'a month by its name')

    say('the calendar goes by keys')
    await drawer.getByRole('button', { name: 'Open the calendar' }).first().click()
    const calendar = page.getByRole('dialog', { name: 'First day' })
    await calendar.getByRole('button', { name: 'Sunday, 4 April 2027' }).waitFor()
    await accessible(page, 'the calendar')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('PageDown')
    await page.keyboard.press('Enter')
    await calendar.waitFor({ state: 'hidden' })
    want((await from.inputValue()) === '11 May 2027', `a week and a month on: ${await from.inputValue()}`)
    want((await page.locator('input[type=date]').count()) === 0, 'no field is the browser’s own')
  })
  await cut()
}
