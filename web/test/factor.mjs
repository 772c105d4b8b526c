// An operator's second factors: set up at the first sign-in, used, lost, recovered; and a proof before what hurts.
import { createHmac } from 'node:crypto'
import { accessible, inWindow, search, until, visit, want } from './browser.mjs'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an authenticator app shows (RFC 6238). Every code is good once: asked again, it waits for the next one. */
function appOf(secret) {
  const bits = [...secret.replace(/\s/g, '')].map((c) => letters.indexOf(c).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2)))
  let last = 0
  return async () => {
    // One step ahead is taken too, so that the wait is short.
    const step = await until(() => {
      const now = Math.floor(Date.now() / 30_000)
      return [now, now + 1].find((s) => s > last)
    }, 'the app shows another code')
    last = step
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(step))
    const sum = createHmac('sha1', key).update(counter).digest()
    return String((sum.readUInt32BE(sum[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
  }
}

export default async function ({ url, story, say, email, password, other, age }) {
  let recovery = []
  let shows
  await inWindow({ url, story }, async ({ page, context }) => {
    const devices = await context.newCDPSession(page)
    await devices.send('WebAuthn.enable')
    const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const inside = page.getByRole('button', { name: 'Account', exact: true })
    const begin = async () => {
      await page.goto(`${url}/`)
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      const next = page.getByRole('button', { name: 'Start again' })
      const full = page.getByText('Many people are signing in')
      await until(async () => {
        await page.getByRole('button', { name: 'Sign in' }).click()
        await next.or(full).first().waitFor()
        return (await next.count()) > 0
      }, 'the password is taken')
    }
    const signOut = async () => {
      await inside.click()
      await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
      await page.getByLabel('Password', { exact: true }).waitFor()
    }

    say('the first sign-in sets a second factor up')
    await begin()
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    await accessible(page, 'setting up')
    shows = appOf(await page.getByTestId('secret').innerText())
    await page.getByLabel('Code that the app shows').fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('This is not what the app shows now').waitFor()
    await page.getByLabel('Code that the app shows').fill(await shows())
    await page.getByRole('button', { name: 'Confirm' }).click()
    const list = page.getByRole('list', { name: 'Recovery codes' })
    await list.waitFor()
    recovery = await list.getByRole('listitem').allInnerTexts()
    want(recovery.length === 10, `ten recovery codes, not ${recovery.length}`)
    await accessible(page, 'recovery codes')
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await inside.waitFor()

    say('a passkey is added')
    await visit(page, '/account')
    await page.getByRole('button', { name: 'Add a passkey…' }).click()
    await page.getByLabel('Name').fill('Office laptop')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Office laptop').waitFor()
    await page.getByText('10 are left.').waitFor()
    await accessible(page, 'second factors')

    say('a sign-in by passkey')
    await signOut()
    await begin()
    await accessible(page, 'the second half of a sign-in')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await inside.waitFor()

    say('a sign-in by code')
    await signOut()
    await begin()
    await page.getByRole('button', { name: 'Use a code of the authenticator app' }).click()
    await page.getByLabel('Code of the authenticator app').fill(await shows())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await inside.waitFor()

    say('a proof is asked for before another operator is disabled, and the call goes on')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operators' }).click()
    await search(page, 'Operators', other)
    await accessible(page, 'operators')
    await page.getByRole('button', { name: 'Test' }).first().click()
    await page.getByRole('button', { name: 'Disable…' }).click()
    want((await fetch(age)).ok, 'the proof grows old')
    await page
      .getByRole('dialog', { name: /^Disable/ })
      .getByRole('button', { name: 'Disable' })
      .click()
    const prove = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await prove.getByLabel('Code of the authenticator app').fill('000000')
    await prove.getByRole('button', { name: 'Confirm' }).click()
    await prove.getByText('This code is wrong or was used before').waitFor()
    await accessible(page, 'a proof')
    await prove.getByRole('button', { name: 'Use a passkey' }).click()
    await prove.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable…' }).waitFor()

    say('the phone and the laptop are lost: a recovery code lets them in, once')
    await page.keyboard.press('Escape')
    await signOut()
    await devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    for (const again of [false, true]) {
      await begin()
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await page.getByLabel('Recovery code').fill(recovery[0])
      await page.getByRole('button', { name: 'Sign in' }).click()
      if (again) {
        await page.getByText('The code is wrong or was used before').waitFor()
        break
      }
      await inside.waitFor()
      await visit(page, '/account')
      await page.getByText('9 are left.').waitFor()
      await page.getByRole('button', { name: 'Remove the passkey Office laptop' }).click()
      await page.getByRole('dialog', { name: 'Remove this passkey?' }).getByRole('button', { name: 'Remove' }).click()
      await page.getByText('Office laptop').waitFor({ state: 'hidden' })
      await signOut()
    }
  })
}
