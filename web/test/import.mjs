// An office's own workbook is imported: a column is left out, classes are created, a file with bad rows is fixed and sent again, and
// another import is taken back.
import { readFile } from 'node:fs/promises'
import { accessible, inWindow, signIn, until, want } from './browser.mjs'

async function walk({ page, url, email, password, say, book }) {
  const look = async (name) => {
    if (process.env.LOOK)
      await page.screenshot({ path: `${process.env.LOOK}/${name}-${page.viewportSize().width}.png`, fullPage: true })
  }
  const choose = async (file) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a file', exact: true }).click(),
    ])
    await chooser.setFiles(file)
  }
  await signIn(page, url, email, password)

  say('an example of a file, with the classes of the school')
  await page.goto(`${url}/console/import?kind=SUBJECT`)
  await until(async () => {
    const [example] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Get an example' }).click(),
    ])
    return /Class 9/.test(await readFile(await example.path(), 'utf8')) // once the classes are read
  }, 'the example has classes of the school')
  await page.goto(`${url}/console/students/import`)

  say('a workbook whose columns are found, with one to leave out and classes to create')
  await choose({
    name: 'students.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: Buffer.from(book, 'base64'),
  })
  const columns = page.getByRole('region', { name: 'Columns of the file' })
  await columns.getByText('Father Contact No', { exact: true }).waitFor()
  want(
    (await columns.getByLabel('Father Contact No is read as').inputValue()) === 'fatherPhone',
    'the phone of the father is found',
  )
  await page.getByLabel('Create the classes and divisions that do not exist yet').click()
  const go = page.getByRole('button', { name: 'Import 100 students' })
  await go.waitFor()
  want(await go.isDisabled(), 'nothing is imported before a yes to what is left out')
  await page.getByLabel(/^Leave out/).check()
  await accessible(page, 'import, columns')
  await look('import-columns')
  await go.click()
  await page.getByText('Done', { exact: true }).waitFor()

  say('a file with bad rows, which are downloaded, fixed and sent again')
  await page.getByRole('button', { name: 'Import another file' }).click()
  await choose({
    name: 'late.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Name;Class;DOB;Father Name;Father Mobile\r\nZara Khan;5-A;31/02/2015;Imran Khan;98123\r\n'),
  })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the rows with errors' }).click(),
  ])
  await accessible(page, 'import, bad rows')
  await look('import-bad-rows')
  const bad = await readFile(await download.path(), 'utf8')
  want(bad.includes('What to change') && bad.includes('DOB must be a date'), `the file says what to change: ${bad}`)
  const fixed = bad.replace('"31/02/2015"', '"28/02/2015"').replace('"98123"', '"9812345678"')
  await page.getByRole('button', { name: 'Choose the file again' }).click()
  await choose({ name: 'fixed.csv', mimeType: 'text/csv', buffer: Buffer.from(fixed) })
  await page.getByRole('button', { name: 'Import 1 students' }).click()
  await page.getByText('Done', { exact: true }).waitFor()

  say('subjects on the page for all kinds of files, found among earlier imports and taken back')
  await page.goto(`${url}/console/import?kind=SUBJECT`)
  await choose({
    name: 'subjects.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Subject,Code,Class\r\nMathematics,MATH,Class 9\r\n'),
  })
  await page.getByRole('button', { name: 'Import 1 subjects' }).click()
  await page.getByText('Done', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Import another file' }).click()
  const earlier = page.getByRole('region', { name: 'Earlier imports' })
  await earlier.getByText('subjects.csv').waitFor()
  await accessible(page, 'import, history')
  await look('import-history')
  await earlier.getByRole('button', { name: 'Take the import back…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take the import back', exact: true }).click()
  await earlier.getByText('Taken back').waitFor()
}

export default async function (stage) {
  const { url, story } = stage
  await inWindow({ url, story }, ({ page }) => walk({ ...stage, page }))
}
