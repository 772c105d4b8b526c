// What the stories of the people's app share: a phone, signing in, and looking at a page in all its forms.
import { accessible, outbox, until, want } from './browser.mjs'

export const phoneSized = { width: 390, height: 844, touch: true }

/** The code that was sent to a phone last. */
export const codeOf = async (url, phone) => {
  const found = await until(async () => (await outbox(url, phone))[0], `a code is sent to ${phone}`)
  return /\d{6}/.exec(found.text ?? found.body ?? JSON.stringify(found))[0]
}

export async function signInByCode(page, url, phone, server = url) {
  await page.goto(`${url}/app/`)
  await page.getByLabel('Phone number').fill(phone)
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = page.getByLabel('Code', { exact: true })
  await code.waitFor()
  await code.fill(await codeOf(server, phone))
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
}

/** The links at the foot of the page. */
export const placesOf = (page) => (name) =>
  page.getByRole('navigation', { name: 'Main pages' }).getByRole('link', { name })

/** Signs in, and goes on with the account at a school: the phone may have others, and one of those was opened. */
export async function signInAt(page, url, phone, school, server = url) {
  const place = placesOf(page)
  await signInByCode(page, url, phone, server)
  await place('More').click()
  const account = page.getByRole('listitem').filter({ hasText: school })
  const change = account.getByRole('button', { name: 'Switch' })
  await account.getByText('In use').or(change).waitFor()
  if ((await change.count()) > 0) await change.click()
  else await place('Today').click()
  await page.getByText(`${school} · `).waitFor()
}

/** Everything that can be tapped, a box with its label, is at least 44 px, and nothing is wider than the phone. */
export async function thumbSized(page, name) {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll('a[href], button, select, input, textarea, summary')]
      .filter((e) => e.checkVisibility())
      .map((e) => [e.textContent.trim().slice(0, 30) || e.id, (e.closest('label') ?? e).getBoundingClientRect()])
      .filter(([, r]) => r.height < 44 || r.width < 44)
      .map(([text, r]) => `${text} ${Math.round(r.width)} × ${Math.round(r.height)}`),
  )
  want(small.length === 0, `${name} has targets of 44 px: ${small.join('; ')}`)
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  want(wide <= 0, `${name} fits the phone, not ${wide} px more`)
}

/** A page, light and dark, is for everybody and for a thumb. SHOTS=folder keeps pictures of it. */
export async function look(page, name) {
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme })
    await accessible(page, `${name}, ${colorScheme}`)
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${colorScheme}.png`, fullPage: true })
  }
  await thumbSized(page, name)
}
