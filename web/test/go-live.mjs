// A school goes live by the console alone: a year, its children, arrears and registers from the office's own workbooks; and in the
// second part its fees, whose next instalment is charged.
import { accessible, inWindow, signIn, until, visit, want } from './browser.mjs'

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

async function files({ page, url, say, from, to, children, arrears, registers }) {
  const dialog = page.getByRole('dialog')
  const take = async (kind, name, book, many, before = async () => {}) => {
    await page.goto(`${url}/console/import?kind=${kind}`)
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a file', exact: true }).click(),
    ])
    await chooser.setFiles({ name, mimeType: xlsx, buffer: Buffer.from(book, 'base64') })
    const go = page.getByRole('button', { name: `Import ${many}` })
    await before(go)
    await go.click()
    await page.getByText('Done', { exact: true }).waitFor()
  }

  say('the academic year')
  await visit(page, '/years?open=new')
  await dialog.getByLabel('Name').fill('This year')
  await dialog.getByLabel('First day').fill(from)
  await dialog.getByLabel('Last day').fill(to)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Make it the active year' }).click()
  await page.getByRole('button', { name: 'Make it active' }).click()
  await page.getByText("This is the school's active year").waitFor()

  say('600 children, with the classes they sit in')
  await take('STUDENT', 'Admission register.xlsx', children, '600 students', async (go) => {
    await page.getByLabel('Create the classes and divisions that do not exist yet').click()
    await page.getByText('600 new').waitFor()
    want(await go.isDisabled(), 'a column that is not read needs a yes')
    await page.getByLabel(/^Leave out Sl\. No\., House/).check()
    await accessible(page, 'import of a whole school')
  })
  want((await page.getByText('Guardians', { exact: true }).count()) === 1, 'the guardians are counted')

  say('what 150 families owe since last year')
  await take('OPENING_BALANCE', 'Arrears.xlsx', arrears, '150 opening balances', async () => {
    await page.getByLabel(/^Leave out Name/).check()
  })

  say('the registers of three months')
  await take('ATTENDANCE', 'Attendance.xlsx', registers, '39,000 marks')
}

async function charges({ page, say, due }) {
  const dialog = page.getByRole('dialog')
  say('what is paid for, and how much by each class')
  await visit(page, '/fees/heads?open=new')
  await dialog.getByLabel('Name').fill('Tuition')
  await dialog.getByLabel('Code').fill('TUI')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Tuition' }).waitFor()
  // What the page asks for when the first class is charged arrives when the second structure is saved, and does not have it.
  const late = {}
  const saved = new Promise((resolve) => {
    late.comes = resolve
  })
  const hold = () =>
    page.route(
      (at) => at.pathname.endsWith('/fee/structure/list') && at.searchParams.get('limit') === '100',
      async (route) => {
        const response = await route.fetch()
        await saved
        await route.fulfill({ response }).catch(() => {}) // nobody waits for it any more
        late.came = true
      },
      { times: 1 },
    )
  for (const name of ['Class 1', 'Class 2', 'Class 3', 'Class 4', 'Class 5']) {
    say(`${name} is charged the whole of its next instalment`)
    await visit(page, '/fees/structures?open=new')
    await dialog.getByLabel('Name', { exact: true }).fill(`${name} fees`)
    await dialog.getByLabel('Class', { exact: true }).selectOption({ label: name })
    await dialog.getByLabel('Fee head 1', { exact: true }).selectOption({ label: 'Tuition' })
    await dialog.getByLabel('Amount 1').fill('24000')
    for (const n of [1, 2]) await dialog.getByLabel(`Instalment ${n} is due on`).fill(due[n - 1])
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('link', { name: 'Charge this class' }).waitFor()
    if (name === 'Class 2') {
      late.comes()
      await until(() => late.came, 'the late answer is there')
    }
    await page.getByRole('link', { name: 'Charge this class' }).click()
    await page.getByLabel('Instalment', { exact: true }).selectOption('2')
    await page.getByRole('button', { name: 'See who is charged what' }).click()
    await page.getByText('120 students').first().waitFor()
    want((await page.getByText('joined during the year').count()) === 0, 'nobody pays a part')
    await page.getByRole('button', { name: 'Charge 120 students…' }).click()
    if (name === 'Class 1') await hold()
    await dialog.getByRole('button', { name: /^Charge ₹14,40,000/ }).click()
    await page.getByText('120 students charged').waitFor()
  }
}

export default async function (stage) {
  const { url, story, email, password, due } = stage
  await inWindow({ url, story }, async ({ page }) => {
    await signIn(page, url, email, password)
    await (due ? charges : files)({ ...stage, page })
  })
}
