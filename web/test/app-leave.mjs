// A parent asks for leave where there is no line: the request waits on the phone, over a reload, is sent once when the line is back
// however often it has to be tried, and can be taken back. What the school refuses says why.
import { look, phoneSized, signInAt } from './app.mjs'
import { caller, inWindow, lineTo, until, want } from './browser.mjs'

export default async function ({ url: server, story, say, phone, school, ashaId, token }) {
  const { url, cut, mend } = await lineTo(server)
  const atSchool = async () =>
    (await caller(server, token)('GET', '/school-admin/leave/list?limit=100')).items.filter(
      (l) => l.studentId === ashaId,
    )
  await inWindow({ url, story, how: phoneSized }, async ({ page, context, forgive }) => {
    forgive(/ERR_CONNECTION|ERR_FAILED|ERR_EMPTY|ERR_SOCKET|Failed to fetch|status of 503/)
    const days = page.getByRole('group', { name: 'Days' }).getByRole('button')
    const ask = async (first, last, reason) => {
      await page.getByRole('link', { name: 'Ask for leave' }).click()
      await page.getByRole('heading', { name: 'Ask for leave' }).waitFor()
      await page.getByRole('button', { name: 'Next month' }).click()
      await days.nth(first).click()
      await days.nth(last).click()
      await page.getByLabel('Reason').fill(reason)
    }
    const send = () => page.getByRole('button', { name: 'Send request' }).click()
    const unsent = page.getByRole('region', { name: 'Not sent yet' })

    await signInAt(page, url, phone, school, server)
    await page.waitForFunction(() => navigator.serviceWorker.controller)

    say('writes a request, which survives a reload')
    await page.goto(`${url}/app/school/${ashaId}/leave`)
    await page.getByText('No leave was asked for.').waitFor()
    await look(page, 'leave')
    await ask(6, 8, 'A wedding')
    want((await page.locator('[aria-pressed=true]').count()) === 3, 'three days are chosen')
    await look(page, 'leave-form')
    await cut()
    await page.reload()
    await page.getByLabel('Reason').waitFor()
    want((await page.getByLabel('Reason').inputValue()) === 'A wedding', 'what was written is there again')

    say('sent without a line it waits on the phone')
    await send()
    await unsent.getByText('Waiting to be sent').waitFor()
    await page.reload()
    await unsent.getByText('Waiting to be sent').waitFor()
    await page.getByText('1 entry is not sent yet.').waitFor()
    await look(page, 'leave-unsent')
    await page.getByRole('link', { name: /not sent yet/ }).click()
    await page.getByRole('heading', { name: 'Not sent yet' }).waitFor()
    await page.getByText('Asha Rao').waitFor()
    await look(page, 'waiting')

    say('signing out asks first')
    await page.goto(`${url}/app/more`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Signing out deletes what is not sent yet').waitFor()
    await page.getByRole('button', { name: 'Keep' }).click()

    say('answers are lost and the server is busy: it is sent once all the same, by two tabs')
    const tries = []
    await context.route('**/parent/leave/apply', async (route) => {
      tries.push(route.request().headers()['idempotency-key'])
      if (tries.length === 1) {
        await route.fetch()
        return route.abort()
      }
      if (tries.length === 2) return route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: {} })
      return route.continue()
    })
    const other = await context.newPage()
    await other.goto(`${url}/app/school/${ashaId}/leave`)
    await mend()
    await page.goto(`${url}/app/school/${ashaId}/leave`)
    await page.getByText('Waiting', { exact: true }).waitFor()
    await unsent.waitFor({ state: 'detached' })
    await other.getByText('Waiting', { exact: true }).waitFor()
    await other.close()
    want(tries.length >= 3 && new Set(tries).size === 1, `one key for all tries, not ${tries}`)
    want((await atSchool()).length === 1, 'the school has one request')

    say('what is refused says why, and can be changed and deleted')
    await ask(7, 9, 'Too much')
    await send()
    await unsent.getByText('Not accepted').waitFor()
    await unsent.getByText('There is an open leave on some of these days already').waitFor()
    await look(page, 'leave-refused')
    const asked = page.getByRole('region', { name: 'Leave', exact: true })
    want(
      (await unsent.boundingBox()).y > (await asked.boundingBox()).y,
      'what is not sent stands below: no button of the list moves when it goes',
    )

    say('in the language of the app')
    const speak = async (language) => {
      await page.evaluate((l) => localStorage.setItem('homeroom.language', l), language)
      await page.reload()
    }
    for (const [language, again, why] of [
      ['hi', 'फिर भेजें', 'इनमें से कुछ दिनों की छुट्टी पहले से माँगी हुई है'],
      ['ar', 'إرسال مرة أخرى', 'طُلبت إجازة لبعض هذه الأيام من قبل'],
    ]) {
      await speak(language)
      await page.getByRole('button', { name: again }).click()
      await page.getByText(why).waitFor()
      await look(page, `leave-refused-${language}`)
    }
    await speak('en')
    await unsent.getByRole('button', { name: 'Change' }).click()
    await page.getByRole('heading', { name: 'Ask for leave' }).waitFor()
    want((await page.getByLabel('Reason').inputValue()) === 'Too much', 'what was refused is there to be changed')
    await send()
    await unsent.getByText('Not accepted').waitFor()
    await unsent.getByRole('button', { name: 'Delete' }).click()
    await unsent.getByRole('button', { name: 'Delete' }).click()
    await unsent.waitFor({ state: 'detached' })

    say('and the first is taken back')
    await page.getByRole('button', { name: 'Cancel this leave' }).click()
    await page.getByText('Cancelled').waitFor()
    await until(async () => (await atSchool())[0]?.status === 'CANCELLED', 'the school knows')
  })
}
