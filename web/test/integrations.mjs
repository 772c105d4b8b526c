// Integrations: an office makes an API key, sees it once, another program uses it, and the office revokes it; it adds a webhook,
// sees what was sent to it, and sends that again; it sets an identity provider up, and signs in by it.
import { createServer } from 'node:http'
import { accessible, caller, inWindow, signIn, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, token, issuer, domain }) {
  const ask = caller(url, token)
  const received = []
  const receiver = createServer((request, answer) => {
    received.push(request.headers['webhook-id'])
    request.resume()
    answer.end()
  })
  await new Promise((up) => receiver.listen(0, '127.0.0.1', up))
  const calls = async (key) =>
    (await fetch(`${url}/school-admin/event/list`, { headers: { Authorization: `Bearer ${key}` } })).status
  for (const [width, scheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ]) {
    await inWindow({ url, story: `${story} ${width}`, how: { width, scheme } }, async ({ page, forgive }) => {
      const fits = async (what) => {
        const [wide, seen] = await page.evaluate(() => [document.scrollingElement.scrollWidth, window.innerWidth])
        want(wide <= seen, `${what} fits the window: ${wide} of ${seen}`)
        await accessible(page, `${what}, ${width} px wide`)
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/${what.replaceAll(' ', '-')}-${width}.png` })
      }
      await signIn(page, url, email, password)
      await visit(page, '/integrations')
      const name = `Website ${width}`
      say('a key is made, and shown once')
      await page.getByRole('button', { name: 'Make a key' }).first().click()
      const drawer = page.getByRole('dialog')
      await drawer.getByLabel('Name').fill(name)
      await drawer.getByLabel('Read: Events').check()
      await fits('the form of a key')
      await drawer.getByRole('button', { name: 'Make the key' }).click()
      const shown = page.getByTestId('secret')
      await shown.waitFor()
      const key = (await shown.innerText()).trim()
      want(/^hrk_[a-z2-7]{96}$/.test(key), `a key is shown, not ${key.length} characters`)
      await fits('a key shown once')
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await page.getByRole('button', { name }).or(page.getByRole('link', { name })).first().waitFor()
      want(!(await page.content()).includes(key), 'the key is gone from the page')
      want((await calls(key)) === 200, 'the key reads what it may')

      say('it is revoked')
      await page.reload()
      await page.getByRole('button', { name }).or(page.getByRole('link', { name })).first().click()
      await drawer.getByText('Events').waitFor()
      await fits('a key')
      await drawer.getByRole('button', { name: 'Revoke…' }).click()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await drawer.getByText('Revoked', { exact: true }).first().waitFor()
      await until(async () => (await calls(key)) === 401, 'a revoked key is refused')
      forgive(/Failed to load resource/)
      if (width !== 1280) return

      say('a webhook is added, told of a class, and told again')
      await visit(page, '/integrations/webhooks')
      await page.getByRole('button', { name: 'Add a webhook' }).first().click()
      await drawer.getByLabel('Name').fill('Payroll')
      await drawer.getByLabel('Address').fill(`http://127.0.0.1:${receiver.address().port}/hook`)
      await drawer.getByLabel('Class', { exact: true }).check()
      await fits('the form of a webhook')
      await drawer.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByTestId('secret').waitFor()
      want((await page.getByTestId('secret').innerText()).startsWith('whsec_'), 'its secret is shown')
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await ask('POST', '/school-admin/class/create', { name: 'Class 1' })
      await until(async () => received.length === 1, 'the receiver is told')
      await page.reload()
      await page
        .getByRole('button', { name: 'Payroll' })
        .or(page.getByRole('link', { name: 'Payroll' }))
        .first()
        .click()
      await drawer.getByText('Delivered').waitFor()
      await fits('a webhook')
      await drawer.getByRole('button', { name: 'Send again: class.changed' }).click()
      await until(async () => received.length === 2, 'the receiver is told again')
      want(received[0] === received[1], 'it is the same fact')

      say('an identity provider is added')
      await visit(page, '/settings/sign-in')
      await page.getByRole('button', { name: 'Add a provider' }).first().click()
      await drawer.getByLabel('Provider').selectOption({ label: 'Another (OpenID Connect)' })
      await drawer.getByLabel('Address of the provider').fill(issuer)
      await drawer.getByLabel('Name on the button').fill('School accounts')
      await drawer.getByLabel('Client ID').fill('console')
      await drawer.getByLabel('Client secret').fill('a secret')
      await drawer.getByLabel('E-mail domains').fill(domain)
      await drawer.getByRole('button', { name: 'Check the address' }).click()
      await drawer.getByText('The provider answers and can be used.').waitFor()
      await fits('the form of an identity provider')
      await drawer.getByRole('button', { name: 'Add', exact: true }).click()
      const link = drawer.getByText('/console/?school=')
      await link.waitFor()
      const school = new URL((await link.innerText()).trim()).searchParams.get('school')
      await fits('an identity provider')

      say('its administrator signs in by it')
      await inWindow(
        { url, story: `${story} sign-in`, how: { width: 1280 } },
        async ({ page: fresh, forgive: forgiveHere }) => {
          forgiveHere(/401|Failed to load resource|asked elsewhere: .*authorize/)
          await fresh.goto(`${url}/console/?school=${school}`)
          await fresh.getByRole('button', { name: 'Sign in with School accounts' }).waitFor()
          await accessible(fresh, 'the sign-in page of a school')
          await fresh.getByRole('button', { name: 'Sign in with School accounts' }).click()
          const back = new URL(await fresh.getByRole('link', { name: `Continue as ${email}` }).getAttribute('href'))
          await fresh.goto(`${url}${back.pathname}${back.search}`) // the instance of the test has another port
          await fresh.getByRole('button', { name: 'Account' }).waitFor()
          want(!fresh.url().includes('code='), 'the code is not left in the address')
        },
      )
      await page.reload()
      await drawer.getByRole('button', { name: /^Remove the link of/ }).waitFor()
    })
  }
  receiver.close()
}
