// What a page needs first is asked for before its script is there: who is signed in, and what was read at this address last. The
// page takes the answers and asks for none of it again; what was asked by who signed out is forgotten.
import { phoneSized, signInByCode } from './app.mjs'
import { inWindow, signIn, until, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, phones }) {
  await inWindow({ url, story }, async ({ page, context, forgive }) => {
    forgive(/status of 401/)
    say('the console')
    await signIn(page, `${url}/console`, email, password)
    const read = '/school-admin/dashboard/summary'
    await opensBeforeItsScript({
      context,
      url,
      path: '/console/',
      reads: 'homeroom.reads',
      read,
      there: '.figure .big',
    })

    say('formatters are made once, however many parts of a page write dates and amounts')
    const again = await context.newPage()
    await again.addInitScript(() => {
      window.formatters = []
      for (const kind of ['DateTimeFormat', 'NumberFormat', 'RelativeTimeFormat'])
        Intl[kind] = new Proxy(Intl[kind], {
          construct(made, how) {
            window.formatters.push(JSON.stringify([kind, ...how]))
            return new made(...how)
          },
        })
    })
    await again.goto(`${url}/console/`)
    await again.locator('.figure .big').first().waitFor()
    const made = await again.evaluate(() => window.formatters)
    want(made.length > 3 && made.length <= 24, `the overview makes few formatters, not ${made.length}: ${made}`)

    say('nothing of it stays after signing out')
    await again.getByRole('button', { name: 'Account' }).click()
    await again.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await again.getByLabel('E-mail').waitFor()
    want((await again.evaluate(() => localStorage.getItem('homeroom.reads'))) === null, 'no address stays')
  })
  await inWindow({ url, story: `${story} of the app`, how: phoneSized }, async ({ page, context }) => {
    say('the app')
    await signInByCode(page, url, phones.mother)
    const account = await page.evaluate(() => localStorage.getItem('homeroom-app.account'))
    const reads = `homeroom-app.of.${account}.reads`
    await opensBeforeItsScript({
      context,
      url,
      path: '/app/fees',
      reads,
      read: '/parent/fee/dues',
      there: 'main .amount',
    })
  })
}

/** Opens a page for the second time, with its script held back until its first read is answered. */
async function opensBeforeItsScript({ context, url, path, reads, read, there }) {
  const page = await context.newPage()
  await page.goto(url + path)
  await page.locator(there).first().waitFor()
  const kept = () => page.evaluate((key) => localStorage.getItem(key) ?? '', reads)
  await until(async () => (await kept()).includes(read), `${read} is kept for the next time`)

  await page.goto(`${url}${path.slice(0, path.indexOf('/', 1))}/icon.svg`)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'cache_storage,service_workers' })
  let release
  const released = new Promise((done) => (release = done))
  await page.route(/\/(console\/console|app\/app)-[\w-]{8}\.js$/, (route) => released.then(() => route.continue()))
  const asked = []
  page.on('request', (r) => asked.push(new URL(r.url()).pathname))
  const answered = page.waitForResponse((r) => new URL(r.url()).pathname === read)
  await page.goto(url + path, { waitUntil: 'commit' })
  await answered
  want((await page.locator('#root > *').count()) === 0, 'the script is not there yet')
  release()
  await page.locator(there).first().waitFor()
  const times = (what) => asked.filter((a) => a === what || a.endsWith(what)).length
  want(times(read) === 1, `${read} is asked for once, not ${times(read)} times`)
  want(times('/refresh') === 1, `the session is renewed once, not ${times('/refresh')} times`)
  await page.close()
}
