// Filters and fields that choose from a list longer than a page of it: what is typed is searched for on the server.
import { accessible, inWindow, signIn, visit, want } from './browser.mjs'

/** Opens a filter, types into it and chooses what it finds. */
async function find(page, chip, words, option, filter) {
  await page.getByRole('button', { name: `Filter by ${chip}` }).click()
  await page.getByRole('option').first().waitFor()
  await page.getByLabel(`Find ${chip}`, { exact: true }).fill(words)
  const asked = page.waitForResponse((r) => new URL(r.url()).searchParams.has(`filters[${filter}]`))
  await page.getByRole('option', { name: option, exact: true }).click()
  await asked
}

export default async function ({ url, story, say, email, superEmail, password, school, entry }) {
  await inWindow({ url, story: `${story} platform` }, async ({ page }) => {
    await signIn(page, url, superEmail, password)
    say('a filter says that it does not show every school, and finds the last one')
    await visit(page, '/audit')
    await page.getByRole('button', { name: 'Filter by school' }).click()
    await page.getByText(/more: type a part of the name/).waitFor()
    await accessible(page, 'a filter that searches')
    if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/choosers.png` })
    await page.keyboard.press('Escape')
    for (const [at, title] of [
      ['/audit', 'Audit'],
      ['/deliveries', 'Deliveries'],
      ['/admins', 'Administrators'],
    ]) {
      await visit(page, at)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await find(page, 'school', school, school, 'schoolId')
      await page.reload()
      await page.getByRole('button', { name: `School is ${school}` }).waitFor()
      if (at !== '/audit') await page.getByRole('cell', { name: school, exact: true }).first().waitFor()
    }

    say('who did it is searched for as well')
    await visit(page, '/audit')
    await find(page, 'person', superEmail, superEmail, 'actorId')

    say('so is the school of a new administrator')
    await visit(page, '/admins')
    await page.getByRole('button', { name: 'Add an administrator' }).first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('combobox', { name: 'School' }).fill(school)
    await page.getByRole('option', { name: school, exact: true }).click()
    want((await drawer.getByRole('combobox', { name: 'School' }).inputValue()) === school, 'the school is chosen')
  })
  await inWindow({ url, story: `${story} office` }, async ({ page }) => {
    await signIn(page, url, email, password)
    say('somebody whose only change was long ago is found in the audit of a school')
    await visit(page, '/audit')
    await find(page, 'person', 'quent', 'Quentin', 'actorId')
    await page.getByText('Added subject').first().waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('button', { name: 'Filter by what' }).click()
    await page.getByRole('menuitem', { name: 'Subject', exact: true }).waitFor()

    say('a link to its oldest entry shows it')
    await visit(page, `/audit?open=${entry}`)
    await page.getByRole('dialog').getByRole('heading', { name: 'Added subject Art' }).waitFor()
  })
}
