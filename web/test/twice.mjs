// An impatient clerk on a slow line: a payment that is submitted twice is one receipt.
import { accessible, caller, inWindow, signIn, visit, want, withOwnClock } from './browser.mjs'

export default async function ({ url, story, say, email, password, stage }) {
  const { accessToken } = await caller(url)('POST', '/auth/login', { email, password })
  const receipts = async () => (await caller(url, accessToken)('GET', '/school-admin/fee/collection/list')).items

  await inWindow({ url, story }, async ({ page, context }) => {
    await signIn(page, url, email, password)
    const line = await context.newCDPSession(page)
    await line.send('Network.enable')
    await line.send('Network.setCacheDisabled', { cacheDisabled: true }) // the receipt's page is loaded when it is shown
    const dialog = page.getByRole('dialog')
    let paid = 0
    for (const gap of [250, 500, 750]) {
      for (const again of ['click', 'Enter']) {
        say(`${again} again after ${gap} ms`)
        await page.goto(`${url}/console/fees/collect?student=${stage.student}`)
        await page.getByLabel('Amount', { exact: true }).fill(`${100 + paid}`)
        await page.getByRole('button', { name: `Receive ₹${100 + paid}.00` }).click()
        const receive = dialog.getByRole('button', { name: 'Receive', exact: true, disabled: false })
        await receive.waitFor()
        const box = await receive.boundingBox()
        await line.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 300,
          downloadThroughput: -1,
          uploadThroughput: -1,
        })
        await receive.click()
        await page.waitForTimeout(gap) // the pause between the two is what is tested
        if (again === 'Enter') await page.keyboard.press('Enter')
        else await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
        await page.getByRole('article', { name: /^Receipt/ }).waitFor()
        await line.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 0,
          downloadThroughput: -1,
          uploadThroughput: -1,
        })
        paid++
        const found = (await receipts()).length
        want(found === paid, `${paid} payments made ${found} receipts`)
      }
    }

    say('Enters in a row pick the student, and no more than ask')
    await withOwnClock(page, `${url}/console/fees/collect`)
    await page.getByRole('combobox', { name: 'Student' }).fill(stage.number)
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.closest('.money-input'))
    await page.keyboard.type(`${99 + paid}`)
    await page.clock.pauseAt(Date.now() + 60_000) // the half second in which an Enter is no answer waits for all four
    for (let i = 0; i < 4; i++) await page.keyboard.press('Enter')
    await page.clock.resume()
    await dialog.getByRole('heading', { name: `Receive ₹${99 + paid}.00 in cash for Ravi Iyer?` }).waitFor()
    want((await receipts()).length === paid, 'nothing is received before the question is answered')

    say('the same amount again within a minute is asked about, with the earlier receipt')
    await dialog.getByRole('button', { name: 'Receive', exact: true, disabled: false }).waitFor()
    await caller(url, accessToken)('POST', '/school-admin/fee/collection/record', {
      studentId: stage.student,
      amount: (99 + paid) * 100,
      paymentMode: 'CASH',
      confirmRepeat: true,
    }) // a minute may have passed since the last one
    paid++
    await page.keyboard.press('Enter')
    await dialog.getByRole('heading', { name: 'Receive again?' }).waitFor()
    await dialog.getByText(new RegExp(`R-${String(paid).padStart(6, '0')}`)).waitFor()
    want((await receipts()).length === paid, 'nothing is received before it is confirmed')
    await dialog.getByRole('button', { name: 'Receive again', disabled: false }).waitFor()
    await accessible(page, 'a payment that was made before')
    await page.keyboard.press('Enter')
    await page.getByRole('article', { name: /^Receipt/ }).waitFor()
    want((await receipts()).length === paid + 1, 'confirmed, it is received again')

    say('one payment for a family: the oldest dues first, a receipt for each child')
    await visit(page, `/fees/collect?student=${stage.student}`)
    await page.getByRole('link', { name: 'Pay for the family (2 children)' }).click()
    await page.getByRole('heading', { name: 'Collect for a family' }).waitFor()
    await page.getByLabel('Amount', { exact: true }).fill('450')
    await page
      .getByRole('row', { name: /Mira Iyer/ })
      .getByText('₹400.00')
      .last()
      .waitFor()
    await accessible(page, 'the counter of a family')
    await page.getByLabel('Enter the amount of each child').check()
    await page.getByLabel('Amount for Ravi Iyer').fill('60')
    await accessible(page, 'the amounts of each child')
    await page.getByRole('button', { name: 'Receive ₹460.00' }).click()
    await dialog.getByText('Mira Iyer ₹400.00').waitFor()
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await page.getByRole('button', { name: new RegExp(`R-${String(paid + 3).padStart(6, '0')}`) }).waitFor()
    want((await page.locator('tbody tr').count()) === 2, 'the receipts of the family are listed')

    say('a cheque in clearing bounces, and is charged for')
    await visit(page, `/fees/collect?student=${stage.student}`)
    await page.getByLabel('Amount', { exact: true }).fill('80')
    await page.getByLabel('Cheque', { exact: true }).check()
    await page.getByLabel('Cheque number').fill('004712')
    await page.getByLabel('In clearing').check()
    await page.getByRole('button', { name: 'Receive ₹80.00' }).click()
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await page.getByText('in clearing: valid once the bank has paid it').waitFor()
    await page.getByRole('button', { name: 'Bounced…' }).click()
    await dialog.getByLabel('Reason').fill('Insufficient funds')
    await dialog.getByLabel('Charge for it').fill('25')
    await accessible(page, 'a cheque that bounced')
    await dialog.getByRole('button', { name: 'Bounced', exact: true }).click()
    await page.locator('.paper-void').getByText('Insufficient funds').waitFor()

    say('a payment of yesterday is entered today, and yesterday is closed after its drawer was counted')
    await visit(page, `/fees/collect?student=${stage.student}`)
    await page.getByLabel('Amount', { exact: true }).fill('70')
    await page.getByLabel('Received on').fill(stage.yesterday)
    await accessible(page, 'a payment of yesterday')
    await page.getByRole('button', { name: 'Receive ₹70.00' }).click()
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await page.getByRole('article', { name: /^Receipt/ }).waitFor()
    await visit(page, `/fees/accounts?from=${stage.yesterday}`)
    await page.getByRole('button', { name: 'Close the day…' }).click()
    await dialog.getByLabel('Cash counted').fill('65')
    await dialog.getByText('₹5.00 missing').waitFor()
    await dialog.getByLabel('Reason').fill('Wrong change')
    await accessible(page, 'a day to be closed')
    await dialog.getByRole('button', { name: 'Close the day', exact: true }).click()
    await page.getByText('₹5.00 missing: Wrong change').waitFor()
    await accessible(page, 'a closed day')
  })
}
