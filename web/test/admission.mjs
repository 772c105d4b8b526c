// A child is admitted on one sheet, a sibling by the family's phone, and all parents get an SMS: each in few clicks.
import { accessible, clicks, inWindow, signIn, visit } from './browser.mjs'

async function walk({ page, url, email, password, say, photo, phone, child, sibling, sends }) {
  const press = clicks()
  const look = async (name) => {
    if (process.env.LOOK)
      await page.screenshot({ path: `${process.env.LOOK}/${name}-${page.viewportSize().width}.png`, fullPage: true })
  }
  const sheet = page.getByRole('dialog')
  const guardian = (n) => sheet.getByRole('group', { name: `Guardian ${n}` })
  await signIn(page, url, email, password)

  if (sends) {
    say('the school wants to know the house of each student')
    await visit(page, '/settings/fields')
    await page.getByRole('button', { name: 'Add a field' }).first().click()
    await sheet.getByLabel('Name').fill('House')
    await sheet.getByLabel('Kind').selectOption({ label: 'Choice' })
    await sheet.getByLabel('Options').fill('Blue\nRed')
    await sheet.getByLabel('Shown in the list').focus()
    await page.keyboard.press('Space')
    await accessible(page, 'a custom field')
    await look('custom-field')
    await sheet.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'House' }).waitFor()
    await look('custom-fields')
    await visit(page, '/')
  }

  say('a child with class, photo, guardian, bus and lunch')
  await press(page.getByRole('link', { name: 'Admit a student' }))
  await sheet.getByLabel('First name').fill(child)
  await sheet.getByLabel('Division').selectOption({ label: 'Class 5 A' })
  await guardian(1).getByLabel("Guardian's name").fill('Sunita')
  await guardian(1).getByLabel("Guardian's phone").fill(phone)
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    press(sheet.getByRole('button', { name: 'Choose a picture' })),
  ])
  await chooser.setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from(photo, 'base64') })
  await sheet.getByRole('img', { name: 'Photo' }).waitFor()
  await sheet.getByLabel('Route to school').selectOption({ label: 'Hill Road' })
  await sheet.getByLabel('Stop to school').selectOption({ label: 'Mill' })
  await sheet.getByLabel('Lunch').focus()
  await page.keyboard.press('Space')
  await sheet.getByLabel('House').selectOption({ label: 'Blue' })
  await accessible(page, 'an admission')
  await look('admission')
  await press(sheet.getByRole('button', { name: 'Admit', exact: true }))
  await page.getByRole('heading', { name: `${child} is admitted` }).waitFor()
  press.atMost(3, 'admitting')
  await accessible(page, 'a student who is admitted')
  await look('admitted')

  say('a sibling has the same family, found by the phone')
  await sheet.getByRole('button', { name: 'Admit another' }).click()
  await sheet.getByLabel('First name').fill(sibling)
  await guardian(1).getByLabel("Guardian's phone").fill(phone)
  await guardian(1).getByText(`${child}, Class 5 A has a guardian with this phone.`).waitFor()
  await guardian(1).getByRole('button', { name: 'Same family' }).click()
  await guardian(1).getByText(`as for ${child}`).waitFor()
  await accessible(page, 'a family that is known')
  await look('family')
  await sheet.getByRole('button', { name: 'Admit', exact: true }).click()
  await page.getByRole('heading', { name: `${sibling} is admitted` }).waitFor()
  await sheet.getByText('Sunita').waitFor()
  await sheet.getByRole('button', { name: `Open ${sibling}` }).click()
  await sheet.getByRole('tab', { name: /Guardians/ }).waitFor()
  if (sends) {
    say('the house is a column and a filter of the list')
    await visit(page, '/students')
    await page.getByRole('button', { name: sibling }).waitFor()
    await page.getByRole('row', { name: new RegExp(`${child} .* Blue`) }).waitFor()
    await page.getByRole('button', { name: 'Filter by house' }).click()
    await page.getByRole('menuitem', { name: 'Blue' }).click()
    await page.getByRole('button', { name: sibling }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: child, exact: true }).waitFor()
    await look('students')
  }

  say('an SMS to all parents, without a word of cost where no price is set')
  await visit(page, '/')
  await look('overview')
  press.count = 0
  await press(page.getByRole('link', { name: 'Write an SMS or e-mail' }))
  await press(page.getByRole('checkbox', { name: 'All parents of the school' }))
  await page.getByLabel('Text').fill('School is closed tomorrow.')
  await look('sms')
  await press(page.getByRole('button', { name: 'Preview recipients' }))
  await page.getByText(/^It reaches \d+ (person|people)$/).waitFor()
  await accessible(page, 'an SMS to all parents, checked')
  await look('sms-checked')
  if (!sends) return
  await press(page.getByRole('button', { name: /^Send to \d+ (person|people)$/ }))
  await page.getByText(/^All \d+ sent$/).waitFor()
  press.atMost(4, 'an SMS to all parents')
}

export default async function (stage) {
  const { url, story } = stage
  await inWindow({ url, story }, ({ page }) =>
    walk({ ...stage, page, phone: '+919848012345', child: 'Asha', sibling: 'Bala', sends: true }),
  )
  stage.say('the same on a phone')
  const how = { width: 390, height: 844, touch: true }
  await inWindow({ url, story: `${story} on a phone`, how }, ({ page }) =>
    walk({ ...stage, page, phone: '+919848054321', child: 'Chitra', sibling: 'Dev' }),
  )
}
