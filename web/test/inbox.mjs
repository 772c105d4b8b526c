// The office's inbox: what a parent wrote to the office is found, and answered, by a clerk.
import { accessible, inWindow, signIn, visit } from './browser.mjs'

export default async function ({ url, story, say, email, password }) {
  for (const width of [390, 1280]) {
    await inWindow({ url, story, how: { width } }, async ({ page }) => {
      await signIn(page, url, email, password)
      say(`a parent's question is in the inbox, ${width} px wide`)
      await visit(page, '/messages')
      await page.getByRole('button', { name: 'To the office', exact: true }).click()
      const thread = page
        .getByRole('list', { name: 'Threads' })
        .getByRole('button', { name: /Meera Rao.*To the office, Fees/ })
      await thread.waitFor()
      await accessible(page, 'the inbox')
      await thread.click()
      await page.getByText('Anybody of the office may answer').waitFor()
      await page.getByText('What is due in January?').last().waitFor()
      if (width === 1280) {
        say('a clerk answers, and nothing waits any more')
        await page.getByLabel('Message', { exact: true }).fill('The fourth instalment.')
        await page.getByRole('button', { name: 'Send', exact: true }).click()
        await page.getByRole('log').getByText('The fourth instalment.').waitFor()
        await page.getByRole('button', { name: 'Not answered', exact: true }).click()
        await page.getByText('Nothing matches.').waitFor()
      }
      await accessible(page, 'a thread with the office')
    })
  }
}
