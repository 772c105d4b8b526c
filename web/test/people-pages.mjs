// Photo, readmission, personal data and erasure of a student; roles and why somebody may do something; remarks on cards.
import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { accessible, choose, inWindow, signIn, visit, want } from './browser.mjs'

/** A picture of one colour, as a PNG file. */
function png(width, height) {
  const crc = (bytes) => {
    let c = ~0
    for (const b of bytes) {
      c ^= b
      for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
    }
    return ~c >>> 0
  }
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const out = Buffer.alloc(8 + body.length)
    out.writeUInt32BE(data.length)
    body.copy(out, 4)
    out.writeUInt32BE(crc(body), 4 + body.length)
    return out
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x99)])
  const lines = Buffer.concat(Array.from({ length: height }, () => line))
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([magic, chunk('IHDR', head), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))])
}

/** LOOK is a folder for pictures of the pages. */
const look = async (page, name) =>
  process.env.LOOK && page.screenshot({ path: `${process.env.LOOK}/${name}-${page.viewportSize().width}.png` })

const saved = (page, method, path) =>
  page.waitForResponse((r) => r.request().method() === method && r.url().includes(path) && r.ok())

async function addPhoto(page, drawer) {
  const chooser = page.waitForEvent('filechooser')
  await drawer.getByRole('button', { name: 'Choose a picture' }).click()
  const [, picker] = await Promise.all([
    saved(page, 'POST', '/file/upload'),
    chooser.then((c) =>
      c.setFiles({
        name: 'face.png',
        mimeType: 'image/png',
        buffer: png(60, 80),
      }),
    ),
  ])
  await drawer.getByRole('img', { name: 'Photo' }).waitFor()
  const kept = saved(page, 'PUT', '/school-admin/')
  await drawer.getByRole('button', { name: 'Save', exact: true }).click()
  await kept
  return picker
}

async function walk({ page, url, email, password, student, employee, left, number, say }) {
  const dialog = (name) => page.getByRole('dialog', { name })
  const drawer = page.getByRole('dialog', { name: 'student', exact: true })
  await signIn(page, url, email, password)

  say('the groups of a student')
  await visit(page, `/students?open=${student}&tab=groups`)
  const french = drawer.getByRole('checkbox', { name: 'French' })
  await french.waitFor()
  const was = await french.isChecked()
  await french.click()
  const joined = saved(page, 'PUT', '/groups')
  await drawer.getByRole('button', { name: 'Save groups' }).click()
  await joined
  await drawer.getByText('Groups saved').waitFor()
  want((await french.isChecked()) !== was, 'the group is as it was')
  await accessible(page, 'the groups of a student')
  await look(page, 'student-groups')

  say('a photo of a student and of an employee')
  for (const [list, id, panel] of [
    ['students', student, drawer],
    ['employees', employee, page.getByRole('dialog', { name: 'employee', exact: true })],
  ]) {
    await visit(page, `/${list}?open=${id}`)
    await panel.getByLabel('First name').waitFor()
    await addPhoto(page, panel)
    await accessible(page, `a photo in ${list}`)
    await look(page, `photo-${list}`)
    const kept = saved(page, 'PUT', '/school-admin/')
    await panel.getByRole('button', { name: 'Remove', exact: true }).click()
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await kept
    await panel.getByRole('button', { name: 'Choose a picture' }).waitFor()
  }

  say('a remark on a report card')
  await visit(page, `/exams/report-card/${student}`)
  for (const title of ["Class teacher's remark", "Principal's remark"]) {
    const part = page.getByRole('region', { name: title })
    await part.getByRole('button', { name: /^(Write a|Change the) remark/ }).click()
    const remark = `${title}: reads well (${page.viewportSize().width})`
    await part.getByRole('textbox', { name: title }).fill(remark)
    await accessible(page, 'the remark')
    await part.getByRole('button', { name: 'Save' }).click()
    await part.getByText(remark).waitFor()
  }
  await look(page, 'remark')

  say('a role is renamed, and a decision explained')
  await visit(page, '/permissions')
  await page.getByRole('button', { name: 'Rename this role…' }).click()
  const name = `Educator ${page.viewportSize().width}`
  await page.getByLabel('Name', { exact: true }).fill(name)
  await look(page, 'rename')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('tab', { name }).waitFor()
  await page.getByRole('button', { name: 'May somebody…?' }).click()
  const why = dialog('Who may do what, and why')
  await why.getByLabel('Employee').fill('Meera')
  await page.getByRole('option', { name: /Meera/ }).click()
  await why.getByLabel('Module').selectOption({ label: 'Fees' })
  await why.getByLabel('What they want to do').selectOption('write')
  await why.getByText('No: Meera Rao may not write Fees').waitFor()
  await why.getByText(`Role: ${name}`).waitFor()
  await accessible(page, 'an explanation')
  await look(page, 'explain')
  await why.getByRole('button', { name: 'Close' }).click()

  say('a student who left is readmitted, and their data handed over')
  await visit(page, `/students?open=${left}`)
  await choose(drawer, 'More', 'Readmit…')
  await dialog('Readmit Asha Rao').getByLabel('Division').selectOption({ label: 'Class 5 A' })
  await accessible(page, 'readmission')
  await look(page, 'readmit')
  await dialog('Readmit Asha Rao').getByRole('button', { name: 'Readmit' }).click()
  await drawer.getByText('Class 5 A').first().waitFor()
  await choose(drawer, 'More', 'Personal data…')
  const data = dialog('Personal data of Asha Rao')
  await data.getByText('once they are marked as left').waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    data.getByRole('button', { name: 'Download' }).click(),
  ])
  want(file.suggestedFilename() === `personal-data-${number}.json`, `the file is named (${file.suggestedFilename()})`)
  await data.getByRole('button', { name: 'Close' }).click()
}

async function erase({ page, url, email, password, gone, goneNumber, say }) {
  const drawer = page.getByRole('dialog', { name: 'student', exact: true })
  await signIn(page, url, email, password)
  say('a student who left is erased')
  await visit(page, `/students?open=${gone}`)
  await choose(drawer, 'More', 'Personal data…')
  const data = page.getByRole('dialog', { name: 'Personal data of Ravi Iyer' })
  await data.getByText('Erasing cannot be undone').waitFor()
  await data.getByLabel('Reason').fill('Asked by the family in writing')
  await data.getByLabel('Admission number').fill('nobody')
  await data.getByRole('button', { name: 'Erase permanently' }).click()
  await data.getByText("is not this student's").first().waitFor()
  await accessible(page, 'erasure')
  await look(page, 'erase')
  await data.getByLabel('Admission number').fill(goneNumber)
  await data.getByRole('button', { name: 'Erase permanently' }).click()
  await page.getByText('Erased. The records now say').waitFor()
}

/** The person's language: chosen in the menu, the pages are in it, from right to left. */
async function inArabic({ page, url, say }) {
  say('the console speaks Arabic, from right to left')
  const words = JSON.parse(await readFile(new URL('../src/messages/console/ar.json', import.meta.url), 'utf8'))
  await page.goto(`${url}/console/students`) // without the drawer
  await page.getByRole('heading', { name: 'Students' }).waitFor()
  await choose(page, 'Account', 'العربية')
  await page.locator('html[dir=rtl]').waitFor()
  for (const [path, heading] of [
    ['/students', 'Students'],
    ['/register', 'Register'],
    ['/fees/collect', 'Collect fee'],
    ['/settings', 'Settings'],
  ]) {
    await page.goto(`${url}/console${path}`)
    await page.getByRole('heading', { name: words[heading], level: 1, exact: true }).waitFor()
    want((await page.evaluate(() => document.documentElement.dir)) === 'rtl', `${heading} is read from the right`)
    await accessible(page, `${heading} in Arabic`)
    for (const width of process.env.LOOK ? [390, 1280] : []) {
      await page.setViewportSize({ width, height: 844 })
      await look(page, `arabic${path.replaceAll('/', '-')}`)
    }
  }
}

export default async function (stage) {
  const { url, story } = stage
  await inWindow({ url, story }, ({ page }) => walk({ ...stage, ...stage.wide, page }))
  stage.say('the same on a phone')
  const how = { width: 390, height: 844, touch: true }
  await inWindow({ url, story: `${story} on a phone`, how }, async ({ page }) => {
    await walk({ ...stage, ...stage.phone, page })
  })
  await inWindow({ url, story: `${story}, erased`, how: { width: 1280 } }, async ({ page }) => {
    await erase({ ...stage, page })
    await inArabic({ ...stage, page })
  })
}
