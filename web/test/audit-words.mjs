// In another language the audit of a school has no English: what was used is said in words, also of a call that is no more.
import { accessible, inWindow, signIn, visit } from './browser.mjs'

export default async function ({ url, story, say, email, password }) {
  await inWindow({ url, story }, async ({ page }) => {
    await signIn(page, url, email, password)
    await page.evaluate(() => localStorage.setItem('homeroom.language', 'hi'))
    await visit(page, '/audit')
    await page.reload()
    say('what was used')
    await page.getByText('उपयोग: शुल्क लगाना').first().waitFor()
    say('what is used no more, by the part of the service it was in')
    await page.getByText('उपयोग: फ़ीस', { exact: true }).first().waitFor()
    await accessible(page, 'the audit in Hindi')
  })
}
