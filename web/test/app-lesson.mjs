// A teacher of a school that marks by lesson: stands in for a colleague, marks the lesson in a dead spot, corrects it, is told when
// the office was faster, and pastes a column of marks.
import { look, phoneSized, signInByCode } from './app.mjs'
import { appIsKept, nothingWaits } from './app-wait.mjs'
import { caller, inWindow, lineTo, until, want } from './browser.mjs'

export default async function ({ url: server, story, say, phone, token, division, today, exam }) {
  const office = caller(server, token)
  const lesson = async () => (await office('GET', `/school-admin/attendance/lessons?divisionId=${division}`)).lessons[0]
  const counts = async () => {
    const { present, absent, late } = await lesson()
    return [present, absent, late].join()
  }
  const { url, cut, mend } = await lineTo(server)
  await inWindow({ url, story, how: phoneSized }, async ({ page, context, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch/)
    const card = (name) => page.getByRole('region', { name, exact: true })
    const place = (name) => page.getByRole('navigation', { name: 'Main pages' }).getByRole('link', { name })
    const student = (name) => page.getByRole('group', { name: new RegExp(`^\\d+ ${name} Rao$`) })
    const mark = (name, status) => student(name).getByRole('radio', { name: status, exact: true })
    const tap = (name) => page.getByRole('button', { name, exact: true }).click()
    const calls = new Set()
    context.on('request', (r) => {
      if (r.url().endsWith('/teacher/attendance/lesson/mark')) calls.add(r.headers()['idempotency-key'])
    })

    say('the register of the lesson is a tap away')
    await signInByCode(page, url, phone, server)
    await card('Lesson now').getByText('Instead of Anil Iyer').waitFor()
    await card('Lesson now').getByText('40 not marked').waitFor()
    await place('Register').click()
    await page.getByRole('link', { name: /Class 5 · A.*Mathematics.*40 not marked/ }).click()
    await page.getByText(/^Mathematics, /).waitFor()
    await look(page, 'teacher-lesson-open')

    say('is marked without a line, and arrives once')
    await appIsKept(page)
    await cut()
    await tap('All present')
    await mark('Child3', 'Absent').check()
    await mark('Child7', 'Late').check()

    say('or by keys, as with a screen reader, which says what was marked')
    await mark('Child11', 'Present').focus()
    await page.keyboard.press('ArrowRight')
    want(await mark('Child11', 'Absent').isChecked(), 'an arrow marks')
    await page.locator('[aria-live=polite]').getByText('Child11 Rao: Absent').waitFor({ state: 'attached' })
    await tap('Undo')
    want(await mark('Child11', 'Present').isChecked(), 'and it is undone')
    await tap('Save register')
    await page.getByText('Waiting to be sent').waitFor()
    await page.reload()
    await page.getByText('Waiting to be sent').waitFor()
    want(await mark('Child3', 'Absent').isChecked(), 'what waits is shown in the register')
    await look(page, 'teacher-lesson-waiting')
    want((await lesson()).state !== 'MARKED', 'the school has none of it yet')
    await mend()
    await page.getByText('Register done').waitFor()
    await nothingWaits(page)
    want((await counts()) === '38,1,1', `38 are present, one is absent, one late: ${await counts()}`)
    want(calls.size === 1, `all tries were one call, not ${calls.size}`)

    say('is corrected')
    await mark('Child3', 'Present').check()
    await tap('Save register')
    await nothingWaits(page)
    want((await counts()) === '39,0,1', `Child3 is present: ${await counts()}`)

    say('what the office marked meanwhile is not overwritten unseen')
    await page.getByText('Register done').waitFor()
    await cut()
    const { slotId } = await lesson()
    const before = await office('GET', `/school-admin/attendance/lesson?slotId=${slotId}&date=${today}`)
    await office('POST', '/school-admin/attendance/lesson/mark', {
      slotId,
      date: today,
      records: before.students.map((s) => ({ studentId: s.studentId, status: 'PRESENT' })),
    })
    await mark('Child9', 'Absent').check()
    await tap('Save register')
    await page.getByText('Waiting to be sent').waitFor()
    await mend()
    await card('Not accepted').waitFor()
    want((await counts()) === '40,0,0', `the office's marks stand: ${await counts()}`)
    await look(page, 'teacher-lesson-refused')

    say('a column of marks is pasted')
    await place('Marks').click()
    await page.getByRole('link', { name: /Hindi · Class 5 · A/ }).click()
    const marks = (n) => page.getByLabel(`Marks of Child${n} Rao`, { exact: true })
    await marks(2).evaluate((field, text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', text)
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, '41\nAB\n\nNina\t12,5\nEX\n')
    await page.getByText(/^36 without marks: Child1 Rao, Child4 Rao, Child7 Rao/).waitFor()
    want((await marks(2).inputValue()) === '41' && (await marks(5).inputValue()) === '12.5', 'they are in their fields')
    await look(page, 'teacher-marks-pasted')
    await tap('Save marks')
    const wanted = JSON.stringify([
      ['Child2', false, false, 41],
      ['Child3', true, false, null],
      ['Child5', false, false, 12.5],
      ['Child6', false, true, null],
    ])
    await until(async () => {
      const { students } = await office('GET', `/school-admin/exam/${exam}/results?limit=100`)
      const said = students.flatMap((s) => s.results.map((r) => [s.firstName, r.isAbsent, r.isExempt, r.marksObtained]))
      return JSON.stringify(said.sort()) === wanted
    }, `the school has ${wanted}`)
  })
}
