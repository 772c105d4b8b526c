// Twenty-five students are moved at once on a line of 300 ms: all of them, or nobody when the line is cut.
import { caller, inWindow, lineTo, signIn, visit, want } from './browser.mjs'

export default async function ({ url: server, story, say, email, password, token, division }) {
  const { url, cut, mend } = await lineTo(server, 300)
  const seated = async () =>
    (await caller(server, token)('GET', `/school-admin/division/${division}/students`)).students.length
  await inWindow({ url, story }, async ({ page, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET|WebSocket/)
    await signIn(page, url, email, password)
    await visit(page, '/students')
    await page.getByText('Child 05').waitFor()
    await page.getByLabel('Select all on this page').check()
    await page.getByRole('toolbar').getByRole('button', { name: 'Move to…' }).click()
    await page.getByRole('menuitem', { name: 'Class 6 A' }).click()

    say('the dry run says what is lost')
    const dialog = page.getByRole('dialog', { name: 'Move 25 students?' })
    await dialog.getByText('25 lose the roll number').waitFor()

    say('without a line nobody is moved')
    await cut()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await dialog.getByText('No connection to Homeroom').waitFor()
    want((await seated()) === 30, 'nobody is moved')

    say('with one, all are')
    await mend()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await page.getByText('25 moved to Class 6 A').waitFor()
    want((await seated()) === 5, `five are left: ${await seated()}`)
  })
  await cut()
}
