// A teacher on a phone: sees the next lesson, decides leave, marks a register of forty in a dead spot, which arrives once, corrects
// it, and reads the timetable, the class and the own leave.
import { codeOf, look, phoneSized, placesOf, signInByCode } from './app.mjs'
import { caller, inWindow, lineTo, until, want } from './browser.mjs'

export default async function ({ url: server, story, say, phone, parentPhone, token, division, today, exam }) {
  const office = caller(server, token)
  const register = async () =>
    (await office('GET', `/school-admin/attendance/register?divisionId=${division}&date=${today}`)).students
  const statusOf = async (name) => (await register()).find((s) => s.firstName === name)
  await askForLeave(server, parentPhone, await register(), today)

  const { url, cut, mend } = await lineTo(server)
  await inWindow({ url, story, how: phoneSized }, async ({ page, context, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch/)
    const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor()
    const card = (name) => page.getByRole('region', { name, exact: true })
    const place = placesOf(page)
    const student = (name) => page.getByRole('group', { name: new RegExp(`^\\d+ ${name} Rao$`) })
    const mark = (name, status) => student(name).getByRole('radio', { name: status, exact: true })
    const calls = []
    context.on('request', (r) => {
      if (r.url().endsWith('/teacher/attendance/mark')) calls.push(r.headers()['idempotency-key'])
    })

    say('sees the next lesson and its register, and leave to decide')
    await signInByCode(page, url, phone, server)
    const now = card('Lesson now')
    await now.getByText('Mathematics').waitFor()
    await now.getByText('Class 5 · A · Room 12').waitFor()
    await now.getByText('Instead of Anil Iyer').waitFor()
    await now.getByText('40 not marked').waitFor()
    await page.getByRole('link', { name: '2 leave requests to decide' }).waitFor()
    await page.waitForFunction(() => navigator.serviceWorker.controller)
    await look(page, 'teacher-today')

    say('approves one leave and rejects the other with a reason')
    await page.getByRole('link', { name: '2 leave requests to decide' }).click()
    await card('Child1 Rao').waitFor()
    await look(page, 'teacher-leave-requests')
    await card('Child1 Rao').getByRole('button', { name: 'Approve leave' }).click()
    await card('Child1 Rao').waitFor({ state: 'detached' })
    await card('Child2 Rao').getByRole('button', { name: 'Reject leave' }).click()
    await card('Child2 Rao').getByLabel('Reason').fill('There is a test on that day')
    await card('Child2 Rao').getByRole('button', { name: 'Reject leave' }).click()
    await page.getByText('No leave request waits for you.').waitFor()
    await until(async () => (await statusOf('Child1')).status === 'LEAVE', 'the register shows the leave')

    say('opens the register, where the leave is shown')
    await place('Register').click()
    await page.getByRole('link', { name: /Class 5 · A.*39 not marked/ }).click()
    await student('Child1').getByText('On approved leave').waitFor()
    want(await mark('Child1', 'Leave').isChecked(), 'who is on leave is so already')
    await look(page, 'teacher-register-open')

    say('without a line: one act for all, then who is not')
    await cut()
    await page.getByRole('button', { name: 'The other 39 are present' }).click()
    want(await mark('Child40', 'Present').isChecked(), 'all others are present')
    await mark('Child3', 'Absent').check()
    await page.getByText('Child3 Rao: Absent').waitFor({ state: 'attached' })
    await mark('Child5', 'Absent').check()
    await page.getByRole('button', { name: 'Undo' }).click()
    want(await mark('Child5', 'Present').isChecked(), 'the last tap is undone')
    await mark('Child7', 'Late').check()
    await student('Child7').locator('..').getByRole('button', { name: '10 min' }).click()
    await student('Child3').getByRole('button').click()
    await page.getByLabel('Remark').fill('Mother called')
    await look(page, 'teacher-register-marked')

    say('a tap is on the screen within a frame or two')
    const slowest = await page.evaluate(async () => {
      let worst = 0
      for (const status of ['ABSENT', 'PRESENT', 'ABSENT', 'PRESENT']) {
        const input = document.querySelectorAll(`.mark-choices [data-mark=${status}] input`)[20]
        const began = performance.now()
        input.click()
        await new Promise((r) => requestAnimationFrame(() => setTimeout(r)))
        if (!input.checked) throw new Error('not marked')
        worst = Math.max(worst, performance.now() - began)
      }
      return worst
    })
    say(`the slowest tap took ${Math.round(slowest)} ms`)

    say('what was tapped survives a reload, and so does what was saved')
    await page.reload()
    await mark('Child3', 'Absent').waitFor()
    want(await mark('Child3', 'Absent').isChecked(), 'the taps are kept before they are saved')
    await page.getByRole('button', { name: 'Save register' }).click()
    await page.getByText('Waiting to be sent').waitFor()
    await page.reload()
    await page.getByText('Waiting to be sent').waitFor()
    want(await mark('Child3', 'Absent').isChecked(), 'what waits is shown in the register')
    want(await mark('Child7', 'Late').isChecked(), 'and who is late')
    want(await page.getByRole('button', { name: 'Save register' }).isDisabled(), 'there is nothing to save again')
    await look(page, 'teacher-register-waiting')
    want((await register()).filter((s) => s.status !== null).length === 1, 'the school has none of it yet')

    say('with the line back it arrives, once')
    await mend()
    await page.getByText('Register done').waitFor()
    const there = await register()
    const those = (status) => there.filter((s) => s.status === status)
    want(those('PRESENT').length === 37, `37 are present, not ${those('PRESENT').length}`)
    const [absent, ...others] = those('ABSENT')
    want(absent?.firstName === 'Child3' && others.length === 0, 'one is absent')
    want(absent.remark === 'Mother called', 'with its remark')
    want(those('LATE').length === 1 && those('LATE')[0].lateMinutes === 10, 'one came ten minutes late')
    want(those('LEAVE').length === 1 && those('LEAVE')[0].firstName === 'Child1', 'one is on leave')
    want(
      there.every((s) => s.version === 1),
      'every mark was written once',
    )
    want(new Set(calls).size === 1, `all tries were one call, not ${new Set(calls).size}`)

    say('corrects it; what the office changed meanwhile is not overwritten unseen')
    await mark('Child3', 'Late').check()
    await page.getByRole('button', { name: 'Save register' }).click()
    await until(async () => (await statusOf('Child3')).status === 'LATE', 'the correction is there')
    await page.getByText('Register done').waitFor()
    await cut()
    await office('POST', '/school-admin/attendance/mark', {
      divisionId: division,
      date: today,
      records: [{ studentId: (await statusOf('Child9')).studentId, status: 'ABSENT' }],
    })
    await mark('Child9', 'Late').check()
    await page.getByRole('button', { name: 'Save register' }).click()
    await page.getByText('Waiting to be sent').waitFor()
    await mend()
    await page.getByText('Somebody else marked 1 of these students meanwhile; nothing was saved').waitFor()
    await student('Child9').getByText('Recorded so far: Absent').waitFor()
    want((await statusOf('Child9')).status === 'ABSENT', "the office's mark stands")
    await look(page, 'teacher-register-refused')
    await page.getByRole('button', { name: 'Save register' }).click()
    await until(
      async () => (await statusOf('Child9')).status === 'LATE',
      'now that it was seen, the teacher has the last word',
    )
    await page.getByText('Register done').waitFor()

    say('enters the marks of a paper without a line; who is missing is named, too much is refused')
    await place('Marks').click()
    await page.getByRole('link', { name: /Hindi · Class 5 · A/ }).click()
    await page.getByText(/^40 without marks: Child1 Rao/).waitFor()
    await cut()
    const marks = (n) => page.getByLabel(`Marks of Child${n} Rao`, { exact: true })
    await marks(1).fill('51')
    await page.getByText('Marks must be from 0 to 50: Child1 Rao').waitFor()
    await marks(1).fill('45.5')
    for (let i = 2; i <= 38; i++) {
      await marks(i - 1).press('Enter')
      await page.keyboard.type(String(i))
    }
    await page.getByRole('group', { name: 'Child39 Rao', exact: true }).getByRole('button', { name: 'Absent' }).click()
    await page.getByText('1 without marks: Child40 Rao').waitFor()
    await look(page, 'teacher-marks')
    await page.getByRole('button', { name: 'Save marks' }).click()
    await page.getByText('Waiting to be sent').waitFor()
    await page.reload()
    await page.getByText('Waiting to be sent').waitFor()
    want((await marks(1).inputValue()) === '45.5', 'what waits is shown among the marks')
    await mend()
    await page.getByText('Waiting to be sent').waitFor({ state: 'detached' })
    const { students } = await office('GET', `/school-admin/exam/${exam}/results?limit=100`)
    const results = students.flatMap((s) => s.results)
    want(results.length === 39, `39 results are there, not ${results.length}`)
    want(results.filter((r) => r.isAbsent).length === 1, 'one was absent')
    want(
      results.some((r) => r.marksObtained === 45.5),
      'with halves',
    )
    want(
      results.every((r) => r.version === 1),
      'every result was written once',
    )

    say('writes remarks on the report cards, one student after the other')
    const studentRow = (name) => card('Class 5 · A').getByRole('link', { name: new RegExp(`^${name} Rao`) })
    const remark = page.getByLabel('Remark', { exact: true })
    const named = (name) => page.getByRole('heading', { name: `${name} Rao`, level: 2, exact: true }).waitFor()
    const saveNext = page.getByRole('button', { name: 'Save, then the next student' })
    await place('More').click()
    await page.getByRole('link', { name: 'Report card remarks' }).click()
    await card('Class 5 · A').getByText('40 without a remark').waitFor()
    await studentRow('Child1').click()
    await named('Child1')
    want(await saveNext.isDisabled(), 'there is nothing to save yet')
    await remark.fill('Works hard')
    await page.reload()
    await named('Child1')
    want((await remark.inputValue()) === 'Works hard', 'what is typed survives a reload')
    await look(page, 'teacher-remark')
    await saveNext.click()
    await named('Child2')

    say('what the office wrote meanwhile is not overwritten unseen')
    await remark.fill('Reads well')
    const { studentId: second } = await statusOf('Child2')
    await office('PUT', `/school-admin/exam/report-card/${second}/remark`, { remark: 'Of the office' })
    await saveNext.click()
    await page.getByText('Somebody else changed this remark meanwhile.').waitFor()
    await page.getByText('The card now says: Of the office').waitFor()
    want((await remark.inputValue()) === 'Reads well', 'what was typed is still there')
    await look(page, 'teacher-remark-meanwhile')
    await saveNext.click()
    await named('Child3')

    say('without a line nothing typed is lost')
    await cut()
    await remark.fill('Is kind to all')
    await saveNext.click()
    await page.getByText('No connection. Check the network; nothing was lost.').waitFor()
    await page.getByRole('link', { name: 'Back' }).click()
    await studentRow('Child3').getByText('Not saved').waitFor()
    await mend()
    await studentRow('Child3').click()
    await named('Child3')
    want((await remark.inputValue()) === 'Is kind to all', 'it is kept')
    await saveNext.click()
    await named('Child4')

    say('takes a remark off')
    await page.getByRole('link', { name: 'Back' }).click()
    await studentRow('Child1').getByText('Works hard').waitFor()
    await studentRow('Child2').getByText('Reads well').waitFor()
    await studentRow('Child3').getByText('Is kind to all').waitFor()
    await card('Class 5 · A').getByText('37 without a remark').waitFor()
    await look(page, 'teacher-remarks')
    await studentRow('Child1').click()
    await remark.fill('')
    await saveNext.click()
    await named('Child2')
    await page.getByRole('link', { name: 'Back' }).click()
    await studentRow('Child1').getByText('No remark yet').waitFor()

    say('reads the week, the class and the own leave')
    await place('More').click()
    await page.getByRole('link', { name: 'Classes' }).click()
    await page.getByRole('link', { name: /Class 5 · A/ }).click()
    await page.getByText('Child40 Rao').waitFor()
    want((await page.locator('a[href^="tel:"]').count()) === 40, 'the class teacher can call the guardians')
    await look(page, 'teacher-class')

    say('reads the month of the class, and the days of a student')
    await page.getByRole('link', { name: /^Attendance/ }).click()
    await heading('Attendance')
    const figure = (name) => page.locator('.figures div').filter({ hasText: name })
    await figure('Present').getByText('36', { exact: true }).waitFor()
    await figure('Late').getByText('3', { exact: true }).waitFor()
    const child3 = page.getByRole('button', { name: /^Child3 Rao Late: 1/ })
    await child3.click()
    await page.getByRole('img', { name: /: Late$/ }).waitFor()
    await look(page, 'teacher-class-month')
    await page.getByRole('button', { name: 'Previous month' }).click()
    await page.getByText('Nothing is marked in this month.').waitFor()
    want((await page.getByRole('img', { name: /: Late$/ }).count()) === 0, 'nothing of one month stays under another')
    await place('More').click()
    await page.getByRole('link', { name: 'Timetable' }).click()
    await page.getByText('Instead of Anil Iyer').waitFor()
    await look(page, 'teacher-timetable')
    await place('More').click()
    await page.getByRole('link', { name: 'My leave' }).click()
    await page.getByText('No leave was asked for.').waitFor()
    await page.getByRole('link', { name: 'Ask for leave' }).click()
    await page.getByRole('button', { name: 'Next month' }).click()
    await page.getByLabel('Reason').fill('A wedding')
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByText('Waiting', { exact: true }).waitFor()
    await look(page, 'teacher-leave')

    say('finds a book of the library')
    await place('More').click()
    await page.getByRole('link', { name: 'Library' }).click()
    await page.getByText('Malgudi Days').waitFor()
    await page.getByLabel('Title, author or ISBN').fill('train')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('Malgudi Days').waitFor({ state: 'detached' })
    const found = page.getByRole('listitem').filter({ hasText: 'Train to Pakistan' })
    await found.getByText('None available').waitFor()
    await page.reload()
    await found.waitFor()
    await look(page, 'teacher-library-none')
    await page.getByLabel('Title, author or ISBN').fill('narayan')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Malgudi Days' }).getByText('1 available').waitFor()
    await look(page, 'teacher-library')
    await page.getByLabel('Title, author or ISBN').fill('zebra')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('No book was found.').waitFor()

    say('has messages and announcements')
    await place('Messages').click()
    await page.getByRole('link', { name: 'Announcements' }).waitFor()
    await look(page, 'teacher-messages')

    say('announces something to the parents of the class, without a line; it arrives once')
    await page.getByRole('link', { name: 'Announcements' }).click()
    await page.getByRole('link', { name: 'New announcement' }).click()
    await page.getByLabel('Title').fill('A trip to the museum')
    await page.getByLabel('Text').fill('On Friday. Bring water.')
    await page.getByLabel('Class 5 · A').uncheck()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Choose a class').waitFor()
    await page.getByLabel('Class 5 · A').check()
    await look(page, 'teacher-announce')
    await cut()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Waiting to be sent').waitFor()
    await page.reload()
    await page.getByText('Waiting to be sent').waitFor()
    await mend()
    await page.getByRole('link', { name: /A trip to the museum.*From you/ }).waitFor()
    await look(page, 'teacher-announcements')
    const { items: news } = await office('GET', '/school-admin/announcement/list')
    want(news.length === 1, `one announcement is there, not ${news.length}`)
    want(
      news[0].targetAudience === 'PARENTS' && news[0].divisionIds[0] === division,
      'it is for the parents of the class',
    )

    say('reads in Arabic, from right to left, and in Hindi and Swahili')
    for (const [code, today, more] of [
      ['ar', 'اليوم', 'المزيد'],
      ['hi', 'आज', 'और'],
      ['sw', 'Leo', 'Zaidi'],
    ]) {
      await page.goto(`${url}/app/more`)
      await page.getByRole('combobox').selectOption(code)
      await heading(more)
      await page.goto(`${url}/app/`)
      await heading(today)
      await page.getByText('Mathematics').first().waitFor()
      await look(page, `teacher-today-${code}`)
      await page.goto(`${url}/app/register/day/${division}`)
      await page.getByText('Child40 Rao').first().waitFor()
      await look(page, `teacher-register-${code}`)
      await page.goto(`${url}/app/marks`)
      await page.getByText('Half-yearly').first().waitFor()
      await look(page, `teacher-exams-${code}`)
      await page.goto(`${url}/app/classes/${division}/attendance`)
      await page.getByRole('button', { name: /^Child3 Rao/ }).click()
      await look(page, `teacher-class-month-${code}`)
      await page.goto(`${url}/app/library`)
      await page.getByText('Malgudi Days').waitFor()
      await look(page, `teacher-library-${code}`)
      await page.goto(`${url}/app/remarks`)
      await page.getByText('Reads well').waitFor()
      await look(page, `teacher-remarks-${code}`)
      await page.getByRole('link', { name: /Child2 Rao/ }).click()
      await page.locator('textarea').waitFor()
      await look(page, `teacher-remark-${code}`)
    }
  })
}

/** The parent of the first two children asks for leave of both: of one today, of the other some other day. */
async function askForLeave(url, phone, students, today) {
  const nobody = caller(url)
  await nobody('POST', '/parent/user-auth/send-otp', { phone })
  const session = await nobody('POST', '/parent/user-auth/verify-otp', { phone, otp: await codeOf(url, phone) })
  const parent = caller(url, session.accessToken ?? session.token)
  const later = new Date(Date.parse(today) + 7 * 86_400_000).toISOString().slice(0, 10)
  for (const [name, day] of [
    ['Child1', today],
    ['Child2', later],
  ])
    await parent('POST', '/parent/leave/apply', {
      studentId: students.find((s) => s.firstName === name).studentId,
      leaveType: 'CASUAL',
      fromDate: day,
      toDate: day,
      reason: 'A wedding',
    })
}
