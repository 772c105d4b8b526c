// A clerk's day: a class is charged, money is taken and taken back, books go and come, and people are told.
import { accessible, caller, choose, inWindow, signIn, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, stage }) {
  const { accessToken } = await caller(url)('POST', '/auth/login', { email, password }) // the same person: threads are their own
  const call = caller(url, accessToken)
  const receipts = async () => (await call('GET', '/school-admin/fee/collection/list')).items

  await inWindow({ url, story }, async ({ page, context, forgive }) => {
    const heading = (name) => page.getByRole('heading', { name, exact: true }).waitFor()
    const go = (path) => visit(page, path)
    const look = async (pages) => {
      for (const [path, title, ready] of pages) {
        await go(path)
        await heading(title)
        await page.getByText(ready).first().waitFor()
        await accessible(page, title)
      }
    }
    const dialog = page.getByRole('dialog')
    const boxHasFocus = () => page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox')
    forgive(/ERR_CONNECTION_RESET|net::ERR_FAILED/)
    await signIn(page, url, email, password)

    say('a fee head that somebody else changed meanwhile shows both')
    await go(`/fees/heads?open=${stage.head}`)
    await dialog.getByLabel('Name', { exact: true }).waitFor()
    await accessible(page, 'a fee head')
    await call('PUT', `/school-admin/fee/head/${stage.head}`, { name: 'Tuition fee' })
    await dialog.getByLabel('Name', { exact: true }).fill('Teaching')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const both = page.getByRole('dialog', { name: 'Somebody else changed this meanwhile' })
    await both.getByRole('cell', { name: 'Tuition fee' }).waitFor()
    await both.getByRole('cell', { name: 'Teaching' }).waitFor()
    await both.getByRole('button', { name: 'Take theirs' }).click()
    await both.waitFor({ state: 'hidden' })

    say('a class is charged, after the amounts were seen')
    await go('/fees/structures')
    await page.getByRole('button', { name: 'Class 5 fees' }).click()
    await dialog.getByLabel('Amount 1').waitFor()
    await accessible(page, 'a fee structure')
    await page.getByRole('link', { name: 'Charge this class' }).click()
    await page.getByLabel('Instalment', { exact: true }).selectOption('1')
    await page.getByRole('button', { name: 'See who is charged what' }).click()
    await page.getByText('3 students').first().waitFor()
    want(
      (await receipts()).length === 0 && (await call('GET', '/school-admin/fee/dues')).total === 0,
      'looking charges nobody',
    )
    await accessible(page, 'the charge, checked')
    await page.reload() // the step is in the address
    await page.getByRole('checkbox', { name: 'Charge Zoe Das' }).uncheck()
    await page.getByRole('button', { name: 'Charge 2 students…' }).click()
    await dialog.getByRole('button', { name: /^Charge ₹/ }).click()
    await page.getByText('2 students charged').waitFor()
    await accessible(page, 'charged')

    say('a payment by keyboard alone, with a double click, is one receipt')
    await go('/fees/collect')
    await page.getByRole('combobox', { name: 'Student' }).waitFor()
    await accessible(page, 'the counter, empty')
    await boxHasFocus()
    await page.keyboard.type(stage.ashaNumber)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '<script>alert(1)</script> Rao' }).waitFor() // a name is text
    await page.getByText('This pays').waitFor()
    await page.waitForFunction(() => document.activeElement?.closest('.money-input'))
    await page.keyboard.type('2000.50')
    await page.keyboard.press('Tab')
    await accessible(page, 'the counter')
    let sent = 0
    page.on('request', (r) => (sent += r.url().endsWith('/fee/collection/record') ? 1 : 0))
    await page.getByRole('button', { name: 'Receive ₹2,000.50' }).dblclick()
    await dialog
      .getByRole('heading', { name: 'Receive ₹2,000.50 in cash for <script>alert(1)</script> Rao, Class 5 A?' })
      .waitFor()
    await dialog.getByRole('button', { name: 'Receive', exact: true, disabled: false }).waitFor()
    await accessible(page, 'the question before a payment')
    await dialog.getByRole('button', { name: 'Receive', exact: true }).dblclick()
    await page.getByRole('article', { name: /^Receipt/ }).waitFor()
    let all = await receipts()
    want(
      sent === 1 && all.length === 1 && all[0].amount === 200050,
      `asked for once and one receipt, not ${sent} and ${all.length}`,
    )
    await accessible(page, 'a receipt')

    say('the receipt says heads, words and balance, and what is printed is the paper of the service')
    const paper = await page.getByRole('article', { name: /^Receipt/ }).innerText()
    for (const word of [
      stage.school,
      all[0].receiptNumber,
      '₹2,000.50',
      'Two thousand rupees and fifty paise only',
      'Cash',
      'Term 1',
      '<script>alert(1)</script> Rao',
      'Class 5',
    ])
      want(paper.includes(word), `the receipt says ${word}:\n${paper}`)
    const [tab, asked] = await Promise.all([
      page.waitForEvent('popup'),
      page.waitForResponse((r) => r.url().includes('/fee/receipt/') && r.url().includes('format=pdf')),
      page.getByRole('button', { name: 'Print' }).click(),
    ])
    want(asked.headers()['content-type'] === 'application/pdf', 'the service made it')
    await tab.close()
    const [pdf] = await Promise.all([page.waitForEvent('download'), choose(page, 'More', 'Download as PDF')])
    want(pdf.suggestedFilename().endsWith('.pdf'), 'it can be kept, too')

    say('the line breaks while a cheque is taken: nothing is lost and it is posted once')
    await go(`/fees/collect?student=${stage.ravi}`)
    await page.getByLabel('Amount', { exact: true }).fill('3000')
    await page.getByLabel('Cheque', { exact: true }).check()
    await page.getByLabel('Cheque number').fill('004711')
    let reached = 0
    await page.route('**/fee/collection/record', async (route) => {
      reached++
      if (reached === 1) {
        await route.fetch() // the server has it, the answer is lost
        return route.abort('connectionreset')
      }
      return route.continue()
    })
    await page.getByRole('button', { name: 'Receive ₹3,000.00' }).click()
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await page.getByText('The answer did not arrive').waitFor()
    await accessible(page, 'a lost answer')
    want((await page.getByLabel('Cheque number').inputValue()) === '004711', 'what was typed is there')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('article', { name: /^Receipt/ }).waitFor()
    await page.unroute('**/fee/collection/record')
    all = await receipts()
    want(reached === 2 && all.length === 2, `tried twice, received once: ${reached}, ${all.length}`)

    say('the cheque bounces and is reversed')
    await choose(page, 'More', 'Reverse…')
    await dialog.getByLabel('Reason').fill('The cheque bounced')
    await page.getByRole('menu').waitFor({ state: 'hidden' }) // the menu it was opened from fades
    await accessible(page, 'a reversal')
    await dialog.getByRole('button', { name: 'Reverse' }).click()
    await page.locator('.paper-void').getByText('The cheque bounced').waitFor()
    await go('/fees/receipts?reversed=true')
    await page.getByRole('button', { name: /R-000002/ }).waitFor()
    want((await page.locator('tbody tr').count()) === 1, 'only the reversed one is listed')
    await accessible(page, 'receipts')

    say('the dues, a reminder, and the account')
    await go('/fees/dues')
    await page.getByText('2 students owe').waitFor()
    await accessible(page, 'dues')
    await page.getByRole('button', { name: 'Send reminders…' }).click()
    await dialog.getByText('An SMS costs ₹0.25').waitFor()
    await dialog.getByRole('button', { name: 'Send 2' }).click()
    await page.getByText('2 families reminded').waitFor()
    await go(`/fees/ledger?student=${stage.ravi}`)
    await page.getByText(/Reversal of receipt/).waitFor()
    await accessible(page, 'an account')
    await choose(page, 'More', 'Grant a concession…')
    await dialog.getByLabel('Percent', { exact: true }).fill('10')
    await dialog.getByLabel('Reason').fill('Second child')
    await page.getByRole('menu').waitFor({ state: 'hidden' }) // the menu it was opened from fades
    await accessible(page, 'a concession to be')
    await dialog.getByRole('button', { name: 'Grant' }).click()
    await page.getByText(/taken off now/).waitFor()
    await page.reload()
    await choose(page, 'More', 'Write off…')
    await dialog.getByLabel('Amount', { exact: true }).fill('12.50')
    await dialog.getByLabel('Reason').fill('Not to be reached')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await accessible(page, 'a write-off to be')
    await dialog.getByRole('button', { name: 'Write off', exact: true }).click()
    await page.getByText('₹12.50 written off').waitFor()
    await page.getByText('Written off: Not to be reached').waitFor()
    await page.getByRole('button', { name: /WO-000001$/ }).waitFor()
    await go('/fees/write-offs')
    await heading('Write-offs') // the account before it has such a row too
    await page
      .getByRole('row', { name: /WO-000001/ })
      .getByRole('button')
      .first()
      .click()
    await dialog.getByText('Not to be reached').waitFor()
    await accessible(page, 'write-offs')

    say('an advance is given back, with a receipt of its own')
    await call('POST', '/school-admin/fee/collection/record', {
      studentId: stage.zoe,
      amount: 50_000,
      paymentMode: 'CASH',
    })
    await go(`/fees/ledger?student=${stage.zoe}`)
    await choose(page, 'More', 'Refund…')
    await dialog.getByLabel('Amount', { exact: true }).fill('200')
    await dialog.getByLabel('Reason').fill('Paid too much')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await accessible(page, 'a refund to be')
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    await heading('Refunds') // the form has the reason too
    await page.getByRole('dialog').getByText('Paid too much').waitFor()
    await accessible(page, 'refunds')
    await go(`/fees/ledger?student=${stage.zoe}`)
    await page.getByRole('link', { name: /RF-000001/ }).waitFor()
    await go('/fees/concessions')
    await page.getByRole('button', { name: 'Ravi Iyer' }).click()
    await page.getByRole('button', { name: 'End…' }).click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByText('what is due from that day on is charged whole').waitFor()
    await accessible(page, 'a concession that ended')
    for (const [tab, title] of [
      ['', 'Day closing'],
      ['?tab=balance', 'Trial balance'],
    ]) {
      await go(`/fees/accounts${tab}`)
      await page.getByRole('article', { name: title }).locator('tfoot').waitFor()
      await accessible(page, title)
    }

    say('a book goes out by two codes, a late one comes back and its fine is on the account')
    await go('/library')
    await heading('Library desk')
    await accessible(page, 'the desk')
    await boxHasFocus()
    // A scanner is faster than the list: what was found for the words before does not count.
    const other = page.waitForResponse((r) => r.url().includes('/school-admin/search') && r.url().includes('Nobody'))
    await page.keyboard.type('Nobody')
    await other
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(stage.ashaNumber)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Borrower' }).waitFor()
    await page.keyboard.type('B-L-2')
    await page.keyboard.press('Enter')
    await page.getByRole('main').getByText('Malgudi Days issued to').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.type('L-1')
    await page.keyboard.press('Enter')
    await page.getByText(/goes to the fee account/).waitFor()
    await accessible(page, 'a late copy')
    await page.keyboard.press('Enter')
    await page.getByText(/₹10.00 is on the fee account/).waitFor()
    want(
      (await call('GET', `/school-admin/fee/report/${stage.ravi}`)).entries.at(-1).narration.startsWith('Library fine'),
      'the fine is the last entry',
    )
    await look([
      ['/library/books', 'Books', 'Malgudi Days'],
      ['/library/loans', 'Loans', 'Malgudi Days'],
      ['/library/overdue', 'Overdue', 'No overdue books'],
      ['/library/reservations', 'Reservations', 'Nobody waits for a book'],
      ['/library/import', 'Import books', 'Choose a file'],
    ])
    await page.locator('input[type=file]').setInputFiles({
      name: 'books.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('title,author,isbn,accessionNumber\nGodan,Premchand,,L-9\n,Nobody,,L-10\n'),
    })
    await page.getByText('Errors in 1 of 2 rows of books.csv').waitFor()
    await accessible(page, 'books with a bad row')

    say('an announcement to one class: whom it reaches, then out')
    const hour = (h) =>
      new Date(Date.now() + h * 3600_000).toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata', timeStyle: 'short' })
    await call('PUT', '/school-admin/notification/setting', { quietFrom: hour(-2), quietTo: hour(2) })
    await go('/announcements')
    await page.getByRole('button', { name: 'Write an announcement' }).first().click()
    await dialog.getByLabel('Title').fill('Sports day')
    await dialog.getByLabel('Text').fill('Bring water. <b>No bags.</b>')
    await dialog.getByLabel('Parents', { exact: true }).check()
    await page.getByText('It reaches').getByText('2 parents of 4 students').waitFor()
    await dialog.getByLabel('Only of some classes').check({ force: true })
    await dialog.getByRole('checkbox', { name: 'Class 6', exact: true }).check()
    await page.getByText('1 parent of 1 student').waitFor()
    await accessible(page, 'an announcement')
    await page.getByRole('button', { name: 'Publish…' }).click()
    await dialog.getByText(/In quiet hours nobody is disturbed: they are notified on/).waitFor()
    want((await dialog.getByText(/Up to \d+ SMS/).count()) === 0, 'what goes by e-mail says no cost of SMS')
    await dialog.getByLabel('Urgent: notify them at once').check({ force: true })
    await dialog.getByText(/They are notified at once/).waitFor()
    await dialog
      .getByText(/Up to 1 SMS/)
      .last()
      .waitFor()
    await accessible(page, 'an announcement in quiet hours')
    await dialog.getByRole('button', { name: 'Send to 1 person' }).click()
    await page.getByRole('button', { name: 'Withdraw…' }).waitFor()
    await page.getByText('1 person', { exact: true }).waitFor()
    await accessible(page, 'a published announcement')
    await call('PUT', '/school-admin/notification/setting', { quietFrom: '', quietTo: '' })

    say('a parent answers, and is answered')
    const thread = await call('POST', '/school-admin/message/send', {
      recipientIds: [stage.parent],
      subject: 'Homework',
      body: 'Did it arrive?',
    })
    await caller(url, stage.parentToken)('POST', '/parent/message/send', {
      threadId: thread.threadId,
      body: 'Is <i>page 12</i> right?',
    })
    await until(
      async () => (await call('GET', '/school-admin/notification/unread-count')).unreadCount > 0,
      'the clerk is told',
    )
    await page.goto(`${url}/console/`)
    await page.getByRole('button', { name: /^Notifications, \d+ unread/ }).click() // the bell tells of it, and leads there
    await page.getByRole('button', { name: /Is <i>page 12<\/i> right/ }).click()
    await page.getByRole('button', { name: /Homework/ }).waitFor()
    await page.getByText('Is <i>page 12</i> right?').last().waitFor()
    await accessible(page, 'a thread')
    await page.getByLabel('Message', { exact: true }).fill('It is.')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('log').getByText('It is.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'New message' }).click()
    await page.getByLabel('Find a person').waitFor()
    await accessible(page, 'a new message')

    say('an SMS to a class: cost and words first, then its way')
    await go('/dispatch/new')
    await page.getByRole('checkbox', { name: 'Class 6', exact: true }).check()
    await page.getByLabel('Text').fill('Dear ')
    const next = await page.getByRole('button', { name: '{name}', exact: true }).evaluate((word) => {
      word.focus() // as the mouse does
      word.click()
      return document.activeElement.tagName // before anything is drawn again: the next key may come as soon
    })
    want(next === 'TEXTAREA', `after a placeholder one writes on, not at ${next}`)
    await page.keyboard.type(', closed tomorrow.')
    want(
      (await page.getByLabel('Text').inputValue()) === 'Dear {name}, closed tomorrow.',
      'the words are where they were written',
    )
    await accessible(page, 'an SMS')
    await page.getByRole('button', { name: 'Preview recipients' }).click()
    await page.getByText(/It reaches 1 person and costs/).waitFor()
    await page.getByText(/^Dear .*, closed tomorrow\.$/).waitFor()
    await accessible(page, 'an SMS, checked')
    await page.getByRole('button', { name: /^Send to/ }).click()
    await page.getByText('All 1 sent').waitFor()
    await accessible(page, 'an SMS on its way')
    await look([
      ['/dispatch', 'E-mail and SMS', 'closed tomorrow'],
      ['/dispatch/templates', 'Templates', 'No templates yet'],
      ['/fees/structures', 'Fee structures', 'Class 5 fees'],
    ])
    await go(`/students?open=${stage.ravi}&tab=ledger`)
    await page.getByRole('link', { name: 'Statement' }).waitFor()
    await accessible(page, "a student's ledger")

    say('the audit says in words what was used, and fits a phone')
    await go('/audit?entity=fee')
    await page.getByText('Used: charging fees').first().waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.waitForFunction(
      () => document.querySelector('.list').scrollWidth <= document.querySelector('.list-scroll').clientWidth,
    )
    await page.getByText('Used: charging fees').first().waitFor()
    want(context.pages().length === 1, 'no window opened')
  })
}
