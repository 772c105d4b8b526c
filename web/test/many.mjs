// A school of 2,100 students: lists, searches and files have all of them, and what shows a part says so.
import { readFile } from 'node:fs/promises'
import { accessible, inWindow, search, signIn, visit, want } from './browser.mjs'

const all = 2100

export default async function ({ url, story, say, email, password }) {
  await inWindow({ url, story }, async ({ page }) => {
    await signIn(page, url, email, password)
    await visit(page, '/students')
    const names = page.locator('table.list .row-name')
    await names.first().waitFor()

    say('the pages have every student once')
    await page.getByRole('combobox', { name: 'Rows per page' }).click()
    await page.getByRole('option', { name: '100 rows' }).click()
    const seen = new Set()
    for (let at = 1; at <= all / 100; at++) {
      const first = new Intl.NumberFormat('en-IN').format((at - 1) * 100 + 1)
      const last = new Intl.NumberFormat('en-IN').format(at * 100)
      await page.getByText(`${first}–${last} of 2,100 students`).waitFor()
      await page.waitForFunction(() => !document.querySelector('[data-stale]'))
      for (const name of await names.allInnerTexts()) seen.add(name)
      if (at < all / 100) await page.getByRole('button', { name: 'Next page' }).click()
    }
    want(seen.size === all, `${seen.size} students are on the pages`)
    want(await page.getByRole('button', { name: 'Next page' }).isDisabled(), 'the last page is the last')

    say('anybody is found by name')
    await search(page, 'Students', 'child2077')
    await page.getByRole('button', { name: 'Child2077 Rao' }).waitFor()
    want((await names.count()) === 1, 'nobody else is')

    say('the file has them all')
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText(/of 2,100 students/).waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ])
    const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/).slice(1)
    const numbers = new Set(lines.map((line) => /M-\d{4}/.exec(line)?.[0]))
    want(lines.length === all, `${lines.length} lines`)
    want(numbers.size === all, `${numbers.size} students in the file`)

    say('the finder of the fees shows a few, says that there are more, and finds the last')
    await visit(page, '/fees/collect')
    const box = page.getByRole('combobox', { name: 'Student' })
    await box.fill('rao')
    await page.getByRole('option').first().waitFor()
    await page.getByText('There are more: type more of the name.').waitFor()
    await accessible(page, 'a few of many')
    await box.fill('child2100')
    await page.getByRole('option', { name: /Child2100 Rao.*M-2100/ }).waitFor()
    await page.getByText('There are more: type more of the name.').waitFor({ state: 'detached' })
    await box.press('Enter')
    await page.getByText('Child2100 Rao').first().waitFor()

    say('so does the search of everything')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    const finder = page.getByRole('combobox', { name: 'Search people, receipts, books and pages' })
    await finder.fill('rao')
    await page.getByText('There are more: type more of the name.').waitFor()
    await finder.fill('m-1999')
    await page.getByRole('option', { name: /Child1999 Rao/ }).waitFor()
  })
}
