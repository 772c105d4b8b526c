// Records are found by keyboard: by a parent's name, a receipt's number, an employee's code, a book's title.
import { accessible, inWindow, search, signIn, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, receipt }) {
  await inWindow({ url, story, how: { width: 1280, height: 720 } }, async ({ page }) => {
    const box = page.getByRole('combobox', { name: 'Search people, receipts, books and pages' })
    const find = async (text, option) => {
      await page.keyboard.press('/')
      await box.fill(text)
      await page.getByRole('option', { name: option, selected: true }).waitFor()
    }
    const look = async (name) => {
      if (process.env.LOOK)
        await page.screenshot({ path: `${process.env.LOOK}/${name}-${page.viewportSize().width}.png` })
    }
    await signIn(page, url, email, password)

    say("a child by the mother's name")
    await find('lakshmi iyer', /Aarav Das.*Lakshmi Iyer.*Class 5 A/)
    await accessible(page, 'what was found')
    await look('found')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Aarav Das' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    say('a receipt, an employee and a book')
    await find(receipt, new RegExp(`Receipt ${receipt}.*Aarav Das`))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText(receipt).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await find('w-77', /Gopal Nair.*W-77/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Gopal Nair' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await find('malgudi', /Malgudi Days.*Narayan/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Malgudi Days' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    say('what was opened last is offered first')
    await page.keyboard.press('/')
    await page.getByRole('option', { name: /Malgudi Days/, selected: true }).waitFor()
    const offered = await page.getByRole('option').allInnerTexts()
    const order = ['Malgudi Days', 'Gopal Nair', `Receipt ${receipt}`, 'Aarav Das']
    want(
      order.every((o, i) => offered[i]?.includes(o)),
      `opened last: ${offered.slice(0, 4)}`,
    )
    await accessible(page, 'what was opened last')
    await look('opened')
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })

    say('? shows the keys; in a field both are what they are')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Search people, receipts, books and pages').waitFor()
    await accessible(page, 'the keys')
    await look('keys')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await visit(page, '/students')
    await page.getByRole('heading', { name: 'Students', level: 1 }).waitFor()
    await page.getByRole('searchbox').pressSequentially('a/?')
    want((await page.getByRole('searchbox').inputValue()) === 'a/?', 'a field takes / and ?')
    want((await page.getByRole('dialog').count()) === 0, 'nothing opens over a field')

    say('where a child is chosen, parent and class are there')
    await visit(page, '/fees/collect')
    await page.getByRole('combobox', { name: 'Student' }).fill('lakshmi')
    await page.getByRole('option', { name: /Aarav Das.*Lakshmi Iyer.*Class 5 A/ }).waitFor()
    await accessible(page, 'a child to be chosen')

    say('the navigation fits 720 px, and a group that is opened stays open')
    const nav = page.getByRole('navigation', { name: 'Main' })
    for (const path of ['/', '/fees/receipts', '/settings']) {
      await visit(page, path)
      await nav.locator('[aria-current=page]').waitFor()
      const [high, seen] = await nav
        .locator('> div')
        .first()
        .evaluate((d) => [d.scrollHeight, d.clientHeight])
      want(high <= seen, `at ${path} the navigation has ${high} px in ${seen}`)
      await look(`nav${path.replaceAll('/', '-')}`)
    }
    await visit(page, '/')
    await nav.getByRole('link', { name: 'Receipts' }).waitFor({ state: 'detached' })
    await nav.getByRole('button', { name: 'Money' }).click()
    await nav.getByRole('link', { name: 'Receipts' }).waitFor()
    await page.reload()
    await nav.getByRole('link', { name: 'Receipts' }).waitFor()
    await accessible(page, 'a group that is pinned')

    say('the audit is searched by a name, and says names')
    await visit(page, '/audit')
    await search(page, 'Audit', 'aarav')
    await page.getByRole('row', { name: new RegExp(`Added fee receipt ${receipt}, Aarav Das`) }).waitFor()
    await page.getByRole('row', { name: /Added student Aarav Das/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'All changes of Aarav Das' }).waitFor()
    await accessible(page, 'an entry of the audit')
    await look('audit')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    say("the audit's acts, things and fields are in the reader's language")
    const speak = async (language) => {
      await page.evaluate((l) => localStorage.setItem('homeroom.language', l), language)
      await page.reload()
    }
    await speak('hi')
    await page
      .getByRole('row', { name: /Aarav Das/ })
      .last()
      .click()
    const fields = page.getByRole('dialog').locator('tbody td:first-child')
    await fields.first().waitFor()
    const english = (await fields.allInnerTexts()).filter((text) => /^[A-Za-z ,]+$/.test(text))
    want(english.length === 0, `fields in English: ${english}`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await speak('en')
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()

    say('who signs out leaves nothing behind')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await page.getByLabel('E-mail').waitFor()
    const left = await page.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith('homeroom.opened.')))
    want(left.length === 0, `opened records are forgotten: ${left}`)
  })
}
