// The office's day: a register by keyboard, a leave request, marks, a report card; and the same on a phone.
import { accessible, caller, clicks, inWindow, signIn, undo, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, token, division, exam, group }) {
  const ask = caller(url, token)
  const register = async (query = '') => ask('GET', `/school-admin/attendance/register?divisionId=${division}${query}`)
  const of = (r, name) => r.students.find((s) => s.firstName === name)

  await inWindow({ url, story }, async ({ page }) => {
    const nav = page.getByRole('navigation')
    const drawer = page.getByRole('dialog') // the list behind it has fields of the same names
    await signIn(page, url, email, password)

    say('the overview says what is still to be marked, and leads there')
    await page.getByRole('link', { name: /Mark Class 5 A/ }).waitFor()
    await page.getByText('Nothing is planned in the next 30 days').waitFor()
    await page.getByRole('link', { name: /Mark Class 5 A/ }).click()

    say('sixty students are marked by keyboard')
    await page.getByRole('button', { name: 'Anu Iyer: Present' }).focus()
    await page.keyboard.press('p')
    await page.keyboard.press('a')
    // Whoever types fast, or at a slow screen, types the minutes before it is drawn again: they are asked for at once.
    const asked = await page.evaluate(() => {
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'l', bubbles: true, cancelable: true }))
      return document.activeElement.getAttribute('aria-label')
    })
    want(asked === 'Minutes Chitra Das was late', `L asks for the minutes, not for ${asked}`)
    await page.keyboard.type('15')
    await page.keyboard.press('p') // after the minutes a letter is for the next one
    want(
      (await page.getByLabel('Minutes Chitra Das was late').inputValue()) === '15',
      'minutes are typed where L was pressed',
    )
    want((await page.locator('tr[data-dirty]').count()) === 4, 'unsaved lines are marked')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Delete')
    want((await page.locator('tr[data-dirty]').count()) === 3, 'Delete takes a mark back')
    await page.keyboard.press('a')
    await page.getByRole('button', { name: 'The rest present' }).click()
    await accessible(page, 'a register')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    let now = await register()
    want(
      now.unmarked === 0 &&
        of(now, 'Anu').status === 'PRESENT' &&
        of(now, 'Bala').status === 'ABSENT' &&
        of(now, 'Chitra').lateMinutes === 15,
      `the marks are in the books: ${JSON.stringify(now.students.slice(0, 4))}`,
    )

    say('a correction meets somebody else’s, and is made in sight of it')
    await page.getByRole('button', { name: 'Bala Nair: Absent' }).focus()
    await page.keyboard.press('p')
    await ask('POST', '/school-admin/attendance/mark', {
      divisionId: division,
      date: now.date,
      records: [{ studentId: of(now, 'Bala').studentId, status: 'LATE' }],
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Somebody marked late meanwhile').waitFor()
    want(of(await register(), 'Bala').status === 'LATE', 'nothing was overwritten')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    now = await register()
    want(of(now, 'Bala').status === 'PRESENT' && of(now, 'Bala').version === 3, 'the correction is in the books')

    say('a day past wants a reason')
    const today = await page.locator('table.sheet').getAttribute('aria-label')
    await page.getByRole('button', { name: 'The day before' }).click()
    await page.waitForFunction(
      (was) => (document.querySelector('table.sheet')?.getAttribute('aria-label') ?? was) !== was,
      today,
    )
    await page.getByRole('button', { name: 'Anu Iyer: Present' }).focus()
    await page.keyboard.press('Shift+P')
    want(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), 'no Save without a reason')
    await page.getByLabel('Reason for changing a day past').fill('The teacher was ill')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()

    say('the month, what is not marked, and the days off')
    await page.getByRole('tab', { name: 'Month' }).click()
    await page.getByText('Total', { exact: true }).waitFor()
    await accessible(page, 'a month')
    await page.getByRole('tab', { name: 'Not yet marked' }).click()
    await page.getByText('Everything is marked').waitFor()
    await page.getByRole('tab', { name: 'Days off' }).click()
    await page.getByRole('button', { name: 'Add a day off' }).first().click()
    const next = Number(now.date.slice(0, 4)) + 1
    await drawer.getByLabel('Name', { exact: true }).fill('Founder’s day')
    await drawer.getByLabel('First day').fill(`${next}-01-05`)
    await drawer.getByLabel('Last day').fill(`${next}-01-04`)
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await drawer.locator('[aria-invalid=true]').first().waitFor()
    await accessible(page, 'a day off with a wrong field')
    await drawer.getByLabel('Last day').fill('')
    await drawer.getByLabel('Class 5 A').check()
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('row', { name: /Founder’s day.*Class 5 A/ }).waitFor()

    say('an event is added')
    await nav.getByRole('link', { name: 'Events' }).click()
    await page.getByRole('button', { name: 'Add an event' }).first().click()
    await drawer.getByLabel('Title', { exact: true }).fill('Sports day')
    const soon = new Date(Date.parse(now.date) + 5 * 86_400_000).toISOString().slice(0, 10)
    await drawer.getByLabel('Day', { exact: true }).fill(soon)
    await drawer.getByLabel('Where').fill('School ground')
    await drawer.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('tab', { name: 'Signed up' }).click()
    await page.getByText('Nobody is signed up yet').waitFor()
    await accessible(page, 'an event')
    await page.getByRole('button', { name: 'Close' }).click()

    say('a leave that a parent asked for is approved')
    await nav.getByRole('link', { name: 'Leave' }).click()
    await page.getByRole('button', { name: 'Dev Khan' }).click()
    await page.getByText('Family wedding').last().waitFor()
    await drawer.getByLabel('Note').fill('Enjoy the feast')
    await accessible(page, 'a leave request')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('No requests are waiting').waitFor()
    const [leave] = (await ask('GET', '/school-admin/leave/list')).items
    want(leave.status === 'APPROVED' && leave.decisionNote === 'Enjoy the feast', 'the decision is in the books')
    await page.getByRole('tab', { name: 'Balances' }).click()
    await page.getByRole('button', { name: 'Days a year' }).click()
    await page.getByLabel('Casual', { exact: true }).fill('12')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.waitFor({ state: 'hidden' })

    say('two papers at one time are refused, naming both')
    await nav.getByRole('link', { name: 'Exams' }).click()
    await page.getByRole('link', { name: 'Half-yearly' }).click()
    const day = page.getByLabel('Day of Class 5 Science')
    await day.fill(await page.getByLabel('Day of Class 5 Mathematics').inputValue())
    await page.getByRole('button', { name: 'Save the papers' }).click()
    await page
      .locator('tr[data-bad] .why')
      .getByText(/Mathematics.*Science|Science.*Mathematics/)
      .first()
      .waitFor()
    want((await page.locator('tr[data-bad]:not(.clash)').count()) === 2, 'both papers are marked')
    await accessible(page, 'papers that clash')
    await page.getByRole('button', { name: 'Discard' }).click()

    say('a mark above the maximum is refused in its cell')
    await page.getByRole('tab', { name: 'Marks' }).click()
    await page.getByLabel('Mathematics of Anu Iyer').fill('101')
    await page.getByText('At most 100').waitFor()
    want(await page.getByRole('button', { name: 'Save the marks' }).isDisabled(), 'it cannot be saved')
    await accessible(page, 'marks with a fault')
    await page.getByLabel('Mathematics of Anu Iyer').fill('91')
    await page.keyboard.press('Enter')
    await page.keyboard.type('AB')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.type('74.5')
    await page.getByLabel('Science of Anu Iyer').fill('88')
    await page.getByRole('button', { name: 'Save the marks' }).click()
    await page.getByText(/Saved/).waitFor()
    const results = await ask('GET', `/school-admin/exam/${exam}/results`)
    const maths = (name) => of(results, name).results.find((r) => r.subjectName === 'Mathematics')
    want(
      maths('Anu').marksObtained === 91 && maths('Bala').isAbsent && maths('Chitra').marksObtained === 74.5,
      'the marks are in the books',
    )

    say('marks of an elective are entered by its group, and a correction is undone')
    await page.getByLabel('Division or group').selectOption(group)
    const french = page.getByLabel('French of Dev Khan')
    const inGroup = async () => (await ask('GET', `/school-admin/exam/${exam}/results?groupId=${group}`)).students
    for (const mark of ['40', '44']) {
      await french.fill(mark)
      await page.getByRole('button', { name: 'Save the marks' }).click()
      await page.getByText('1 of 2 entered. Saved').waitFor()
    }
    want((await page.getByLabel('French of Anu Iyer').count()) === 0, 'who does not take it is not there')
    await undo(page)
    await page.getByText('Undone').waitFor()
    await page.waitForFunction((i) => i.value === '40', await french.elementHandle())
    const members = await inGroup()
    want(
      members.length === 2 && of({ students: members }, 'Dev').results[0].marksObtained === 40,
      'the marks of the group are in the books',
    )

    say('a file of marks with a bad row is refused row by row')
    await page.getByRole('button', { name: 'From a file' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'marks.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('admissionNumber,subject,marks\r\nD-2,Science,66\r\nD-3,Science,500\r\n'),
    })
    await page.getByText('Errors in 1 of 2 rows').waitFor()
    await drawer.getByRole('button', { name: 'Cancel' }).click()

    say('results are published, and the report card shows them')
    await page.getByRole('button', { name: 'Publish results' }).click()
    await drawer.getByText('4 students have results').waitFor()
    await drawer.getByRole('button', { name: 'Publish as incomplete' }).click()
    await page.getByText('Results published').waitFor()
    want((await ask('GET', `/school-admin/exam/${exam}`)).status === 'PUBLISHED', 'they are published')
    await page.getByRole('tab', { name: 'Results' }).click()
    await page.getByRole('link', { name: 'Anu Iyer' }).waitFor()
    await accessible(page, 'results')
    await page.getByRole('link', { name: 'Anu Iyer' }).click()
    await page.getByRole('article', { name: 'Report card of Anu Iyer' }).getByText('1 of 1', { exact: true }).waitFor()
    await accessible(page, 'a report card')
    const [pdf] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PDF' }).click()])
    want(pdf.suggestedFilename() === 'report-card-D-1.pdf', 'the card is there to print')
    await visit(page, '/')
    const press = clicks()
    await press(nav.getByRole('link', { name: 'Exams' }))
    await page.getByRole('heading', { name: 'Exams', level: 1 }).waitFor()
    await press(page.getByRole('button', { name: 'More' }))
    await press(page.getByRole('menuitem', { name: 'Report cards…' }))
    await drawer.getByLabel('Division').selectOption({ label: 'Class 5 A' })
    await accessible(page, 'the dialog of report cards')
    const [cards] = await Promise.all([
      page.waitForEvent('popup'),
      page.waitForResponse((r) => /\/report-cards\?/.test(r.url()) && r.ok()),
      press(drawer.getByRole('button', { name: 'Print' })),
    ])
    press.atMost(4, "a class's report cards")
    await cards.close()

    say('the summary counts the school, its classes and divisions')
    await visit(page, '/register/summary')
    const came = (now.present + now.late) / now.students.length
    const share = `${Math.round(came * 1000) / 10} %`
    await page.getByRole('row', { name: new RegExp(`^Class 5 A .* 60 ${now.present} ${now.absent} `) }).waitFor()
    await page.getByRole('row', { name: new RegExp(`^School ${share.replace('.', '\\.')} 60 .* 60 0$`) }).waitFor()
    await accessible(page, 'an attendance summary')
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
    want(/^attendance-summary-.*\.csv$/.test(csv.suggestedFilename()), 'it is there for a spreadsheet')
    await page.getByRole('radiogroup', { name: 'Day or month' }).getByText('Month').click()
    await page.getByText('days of students not marked').waitFor()

    say('the overview at noon')
    await nav.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Every register is finished').waitFor()
    await until(async () => {
      if ((await page.getByRole('link', { name: /Sports day/ }).count()) > 0) return true
      await page.getByRole('button', { name: 'Refresh' }).click() // a school's figures are some seconds old
    }, 'the event stands on the overview')
    await page.getByRole('link', { name: new RegExp(`Marked today.*${share.replace('.', '\\.')}`) }).waitFor()
    await page.getByText(`% at school, ${now.absent} absent`).waitFor()
    await page.locator('.recharts-surface').first().waitFor()
    await accessible(page, 'the overview at noon')

    say("a student's drawer has their days and results")
    await visit(page, `/students?open=${of(now, 'Bala').studentId}&tab=attendance`)
    await page.getByText('Before: Late').waitFor()
    await accessible(page, "a student's days")
    await page.getByRole('tab', { name: 'Results' }).click()
    await page.getByRole('link', { name: 'Report card' }).waitFor()

    say('where the school marks by period, a lesson has a register of its own')
    await visit(page, '/settings')
    await page.getByLabel('Attendance is marked').selectOption('PERIOD')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).first().waitFor()
    await page.goto(`${url}/console/register`) // the register is told how the school marks
    await page.getByLabel('Register of').selectOption({ label: 'Period 1, 09:00: Mathematics' })
    await page.getByText('60 not marked').waitFor()
    await page.getByRole('button', { name: 'Anu Iyer: Absent' }).click()
    await page.getByText('mark everybody to save the lesson').waitFor()
    await page.getByRole('button', { name: 'The rest present' }).click()
    await accessible(page, 'the register of a lesson')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByLabel('Register of').getByText('(marked)').waitFor({ state: 'attached' })
    const [lesson] = (await ask('GET', `/school-admin/attendance/lessons?divisionId=${division}`)).lessons
    want(lesson.present === 59 && lesson.absent === 1, 'the lesson is in the books')
    want(of(await register(), 'Anu').status === 'PRESENT', 'what was marked for the day itself stays')

    say('on a phone every page fits, and a register is marked by thumb')
    await page.setViewportSize({ width: 390, height: 844 })
    for (const [name, path, text] of [
      ['overview', '/', 'Marked today'],
      ['leave', '/leave?status=APPROVED', 'Dev Khan'], // what was shown before does not say this
      ['month', '/register?view=month', 'Percent below 75'],
      ['summary', '/register/summary', 'School'],
      ['exams', '/exams', 'Half-yearly'],
      ['marks', `/exams/${exam}?tab=marks`, 'Anu Iyer'],
      ['events', '/events?status=UPCOMING', 'Sports day'],
      ['settings', '/settings', 'Time and place'],
      ['register', '/register', 'Anu Iyer'],
    ]) {
      await visit(page, path)
      await page.getByText(text).first().waitFor()
      const [wide, seen] = await page.evaluate(() => [document.scrollingElement.scrollWidth, window.innerWidth])
      want(wide <= seen, `${name} fits a phone: ${wide} of ${seen}`)
      if (name !== 'settings') continue
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('main input.mantine-TextInput-input, main select')]
          .filter((i) => i.offsetWidth > 0 && i.offsetWidth < 250)
          .map((i) => `${i.labels?.[0]?.innerText ?? i.name} ${i.offsetWidth}`),
      )
      want(cut.length === 0, `fields of the settings have the width of a phone, not ${cut.join(', ')}`)
    }
    await accessible(page, 'a register on a phone')
    await page.getByRole('button', { name: 'Anu Iyer: Absent' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    want(of(await register(), 'Anu').status === 'ABSENT', 'a tap is in the books')
  })
}
