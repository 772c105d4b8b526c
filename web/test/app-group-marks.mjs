// A teacher sees the photos of a class, and enters the marks of the group whose lessons they hold: in its own sheet, not in the
// division's.
import { look, phoneSized, placesOf, signInByCode } from './app.mjs'
import { nothingWaits } from './app-wait.mjs'
import { caller, inWindow, until, want } from './browser.mjs'

export default async function ({ url, story, say, token, phones, values }) {
  const { exam, paper, division, student } = values
  const office = caller(url, token)
  const hasMarks = async () => {
    const { students } = await office('GET', `/school-admin/exam/${exam}/results`)
    return /"marksObtained":41\b/.test(JSON.stringify(students.find((s) => s.studentId === student)))
  }
  await inWindow({ url, story, how: phoneSized }, async ({ page }) => {
    const place = placesOf(page)
    await signInByCode(page, url, phones.teacher)

    say('sees the photos of the class')
    await page.goto(`${url}/app/classes/${division}`)
    const photo = page.getByRole('listitem').filter({ hasText: 'Asha Rao' }).locator('img')
    await photo.waitFor()
    await until(() => photo.evaluate((img) => img.complete && img.naturalWidth > 0), 'the photo is drawn')
    const others = page.getByRole('listitem').filter({ hasText: 'Kiran Das' })
    want((await others.locator('img').count()) === 0, 'who has no photo has letters')
    await look(page, 'teacher-class-photos')

    say('enters the marks of the group')
    await place('Marks').click()
    await page.getByRole('link', { name: /Hindi · Early group/ }).click()
    await page.waitForURL(`${url}/app/marks/${exam}/${paper}/group/${values.group}`)
    const field = page.getByLabel('Marks of Asha Rao')
    await field.waitFor()
    want(
      (await page
        .getByRole('listitem')
        .filter({ has: page.getByRole('textbox') })
        .count()) === 1,
      'one student is in it',
    )
    await page
      .getByRole('listitem')
      .getByText('Class 5')
      .or(page.getByRole('listitem').getByText('A', { exact: true }))
      .first()
      .waitFor()
    await field.fill('51')
    await page.getByRole('alert').getByText('Asha Rao').waitFor()
    await field.fill('41')
    await look(page, 'teacher-group-marks')
    await page.getByRole('button', { name: 'Save marks' }).click()
    await nothingWaits(page)
    await until(hasMarks, 'the school has the marks')

    say('finds them there again')
    await page.reload()
    await field.waitFor()
    want((await field.inputValue()) === '41', 'the sheet has what was sent')
    want(await page.getByRole('button', { name: 'Save marks' }).isDisabled(), 'there is nothing to save')
  })
}
