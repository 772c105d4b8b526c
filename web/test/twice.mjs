// An impatient clerk on a slow line: a payment that is submitted twice is one receipt.
import { caller, inWindow, signIn, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, stage }) {
  const { accessToken } = await caller(url)('POST', '/auth/login', { email, password })
  const receipts = async () => (await caller(url, accessToken)('GET', '/school-admin/fee/collection/list')).items

  await inWindow({ url, story }, async ({ page, context }) => {
    await signIn(page, url, email, password)
    const line = await context.newCDPSession(page)
    await line.send('Network.enable')
    await line.send('Network.setCacheDisabled', { cacheDisabled: true }) // the receipt's page is loaded when it is shown
    let paid = 0
    for (const gap of [250, 500, 750]) {
      for (const again of ['click', 'Enter']) {
        say(`${again} again after ${gap} ms`)
        await page.goto(`${url}/console/fees/collect?student=${stage.student}`)
        await page.getByLabel('Amount', { exact: true }).fill('100')
        const receive = page.getByRole('button', { name: 'Receive ₹100.00' })
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
  })
}
