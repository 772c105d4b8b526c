// A real browser for the tests: the system's Chromium, one for all stories, a window of its own for each.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const patience = Number(process.env.PATIENCE ?? 120_000) // the tests' one limit, which web/browser_test.go says
// SLOW=1500 holds every call back for up to so many milliseconds, each for another time, and pages run at a quarter of their
// speed: what a story takes for granted shows. What a story routes itself goes as fast as ever.
const slow = Number(process.env.SLOW ?? 0)

// Without a window's own parts the browser takes a third less of the processor. It has no notifications and shows no PDF: stories
// that need them ask for the whole one. scripts/need knows the same names.
const whole = ['chromium', 'chromium-browser', 'google-chrome']
const find = (names) =>
  names
    .flatMap((name) => ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].map((folder) => join(folder, name)))
    .find((path) => existsSync(path))

// Posts of the API that are no sign-in: each carries a key, but for files.
const writes = /^\/(school-admin|super-admin|teacher|parent|student|driver)\//
const has = (r, header, type) => r.headers()[header] || r.headers()['content-type']?.startsWith(type)

const browsers = new Map()
const launched = (names) => {
  const executablePath = process.env.CHROMIUM ?? find(names)
  if (!browsers.has(executablePath))
    browsers.set(
      executablePath,
      chromium.launch({
        executablePath,
        headless: true,
        args: [
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          // A page lives for seconds: what the optimising compiler makes of its scripts comes too late to be used. Benchmarks
          // measure what a user's browser does.
          ...(process.env.MEASURES ? [] : ['--js-flags=--no-opt']),
        ],
      }),
    )
  return browsers.get(executablePath)
}

export async function closeBrowser() {
  for (const browser of browsers.values()) await (await browser).close()
}

export function want(ok, text) {
  if (!ok) throw new Error(`not so: ${text}`)
}

/** Waits for something that no page shows, or that has to be asked for again and again. */
export async function until(is, what) {
  for (const end = Date.now() + patience; ; await new Promise((r) => setTimeout(r, 100))) {
    const found = await is()
    if (found) return found
    want(Date.now() < end, `${what}, in ${patience / 1000} s`)
  }
}

/** Takes back what was done last; the offer before it may be on its way out. */
export async function undo(page) {
  const offers = page.getByRole('status').getByRole('button', { name: 'Undo' })
  await until(async () => (await offers.count()) === 1, 'one thing can be undone')
  await offers.click()
}

/** Opens a window with cookies of its own; faults lists what went wrong in its pages without anybody looking. */
export async function open(url, { width = 1360, height = 860, scheme = 'light', touch = false, full = false } = {}) {
  const context = await (await launched(full ? whole : ['chromium-headless-shell', ...whole])).newContext({
    viewport: { width, height },
    colorScheme: scheme,
    hasTouch: touch,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Asia/Kolkata',
    acceptDownloads: true,
  })
  context.setDefaultTimeout(patience)
  if (slow > 0) {
    await context.route('**', async (route) => {
      await new Promise((r) => setTimeout(r, Math.random() * slow))
      await route.continue().catch(() => {}) // the page is gone
    })
    context.on('page', (page) => {
      const throttle = async () =>
        (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: 4 })
      throttle().catch(() => {}) // the page is gone
    })
  }
  const faults = []
  context.on('page', (page) => {
    page.on('console', (m) => {
      if (m.type() === 'error' && !/status of 4\d\d/.test(m.text())) faults.push(`console: ${m.text()}`)
    })
    page.on('pageerror', (e) => faults.push(`page: ${e.message}`))
    page.on('request', (r) => {
      if (!r.url().startsWith(url) && !/^(data|blob|chrome|chrome-extension):/.test(r.url()))
        faults.push(`asked elsewhere: ${r.url()}`)
      if (r.method() === 'POST' && writes.test(new URL(r.url()).pathname) && !has(r, 'idempotency-key', 'multipart/'))
        faults.push(`posted without an Idempotency-Key: ${r.url()}`)
    })
    page.on('dialog', (d) => {
      faults.push(`dialog: ${d.message()}`)
      void d.dismiss()
    })
  })
  await context.addInitScript(() => {
    document.addEventListener('focusin', (e) =>
      e.target.closest?.('[aria-modal="true"]')?.setAttribute('data-had-focus', ''),
    )
    document.addEventListener('securitypolicyviolation', (e) =>
      console.error(`CSP ${e.violatedDirective} ${e.blockedURI} ${e.sample}`),
    )
  })
  const page = await context.newPage()
  steadyFill(page)
  return { context, page, faults, close: () => context.close() }
}

/**
 * Locator.fill focuses a field, then types: a dialog that takes the focus when it opens, or gives it back when it closes,
 * may come between the two, and the text is lost. So the first field of a dialog waits a while for it to take the focus
 * (not all do), and what left a field as it was is filled in again.
 */
function steadyFill(page) {
  const locator = Object.getPrototypeOf(page.locator('body'))
  if (locator.steady) return
  const fill = locator.fill
  const value = (field) => field.inputValue({ timeout: 500 }).catch(() => undefined) // it may be gone, its page with it
  locator.steady = true
  locator.fill = async function (text, options) {
    await this.waitFor()
    const ready = (field) => field.closest('[aria-modal="true"]')?.hasAttribute('data-had-focus') ?? true
    const isReady = () => this.evaluate(ready, undefined, { timeout: 500 }).catch(() => false)
    for (const end = Date.now() + 2_000; !(await isReady()) && Date.now() < end; );
    for (let tries = 0; tries < 3; tries++) {
      const before = await value(this)
      await fill.call(this, text, options)
      if (before === text || before === undefined || (await value(this)) !== before) return
    }
  }
}

/**
 * Does something in a window, and sees that nothing went wrong there unseen: no script's error, no dialog, nothing that
 * the pages' policy forbids, no request to anybody else. What a story brings about on purpose it forgives.
 */
export async function inWindow({ url, story, how = {} }, work) {
  const b = await open(url, how)
  const forgiven = []
  try {
    await work({ ...b, forgive: (fault) => forgiven.push(fault) })
    const left = b.faults.filter((f) => !forgiven.some((x) => x.test(f)))
    want(left.length === 0, `the pages are quiet:\n  ${left.join('\n  ')}`)
  } catch (e) {
    const picture = join(tmpdir(), `console-${story}.png`)
    const shown = b.page
    await shown?.screenshot({ path: picture, timeout: 5_000 }).catch(() => {})
    const part = shown?.locator('[role=dialog], main, body').last() // the picture stays where the test ran
    const seen = await part?.ariaSnapshot({ timeout: 5_000 }).catch(() => '')
    if (seen) e.message += `\nthe page said:\n${seen.slice(0, 3000)}`
    e.message += `\n(at ${shown?.url()}, seen in ${picture}${b.faults.length ? `; faults: ${b.faults.join('; ')}` : ''})`
    throw e
  } finally {
    await b.close()
  }
}

/**
 * Every page is looked at for what keeps people with a screen reader or weak sight out, or for some rules of axe only. Of a long
 * table the first lines stand for the rest.
 */
export async function accessible(page, name, only = undefined) {
  const lost = () => document.querySelector('[aria-invalid=true]') && document.activeElement === document.body
  want(!(await page.evaluate(lost)), `${name}: a form that was refused keeps the keyboard's place`)
  if (await page.evaluate(() => !window.axe)) await page.evaluate(axeSource)
  let violations = []
  // What fades in or is being fetched again is faint for a moment: it is looked at once more when it stands still.
  for (let look = 0; look < 3; look++) {
    await page.waitForFunction(
      () =>
        !document.querySelector('[data-stale]') &&
        document
          .getAnimations()
          .every((a) => a.playState !== 'running' || a.effect?.getComputedTiming().iterations === Infinity),
    )
    violations = await page.evaluate(async (only) => {
      const result = await window.axe.run(
        { exclude: ['tbody tr:nth-child(n+9)'] },
        {
          runOnly: only
            ? { type: 'rule', values: only }
            : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
          rules: { region: { enabled: false } },
          resultTypes: ['violations'],
          preload: false,
        },
      )
      return result.violations.map(
        (v) =>
          `${v.id}: ${v.help}\n      ${v.nodes
            .slice(0, 3)
            .map((n) => `${n.target.join(' ')} ${n.failureSummary?.split('\n').slice(1, 2).join('').trim()}`)
            .join('\n      ')}`,
      )
    }, only)
    if (violations.length === 0) return
  }
  want(false, `${name} is accessible:\n    ${violations.join('\n    ')}`)
}

/**
 * Types into the search of a list and waits for what it finds: until then the rows may move away under a click. The page
 * before may have a search of its own, so that the list's heading is waited for.
 */
export async function search(page, list, text) {
  await page.getByRole('heading', { name: list, level: 1 }).waitFor()
  const found = page.waitForResponse((r) => new URL(r.url()).searchParams.get('filters[search]') === text)
  await page.getByRole('searchbox').fill(text)
  await found
  await page.waitForFunction(() => !document.querySelector('[data-stale]'))
}

/** Chooses from a menu of a page, or of a part of one. Whoever does not see it open, since the page was still busy, clicks once more. */
export async function choose(where, menu, item) {
  const entry = (where.page?.() ?? where).getByRole('menuitem', { name: item, exact: true })
  for (const end = Date.now() + patience; Date.now() < end; ) {
    await where.getByRole('button', { name: menu }).click()
    const open = await entry.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    )
    if (open) break
  }
  await entry.click()
}

/** Runs in a page before anything else: adds up how much it moves by itself. */
export const watchShifts = () => {
  window.shift = 0
  new PerformanceObserver((l) => {
    for (const e of l.getEntries()) if (!e.hadRecentInput) window.shift += e.value
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Clicks, and counts them: from one page to an end, typing not counted. */
export function clicks() {
  const press = (what) => {
    press.count++
    return what.click()
  }
  press.count = 0
  press.atMost = (most, what) => want(press.count <= most, `${what} takes at most ${most} clicks, not ${press.count}`)
  return press
}

/** Gives a window a clock of the story's own and opens a page in it: put into one at work, it may meet a frame that just began. */
export async function withOwnClock(page, url = page.url()) {
  await page.goto('about:blank')
  await page.clock.install()
  await page.goto(url)
}

/** Goes to a page as a link of the console does: what is loaded stays loaded. A link from outside is page.goto. */
export async function visit(page, path) {
  await page.evaluate((to) => window.history.pushState(null, '', to), `/console${path}`)
  // The page before it is gone, and a page that shows another part of itself does.
  await page.waitForFunction(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            const at = document.querySelector('main')?.dataset.at
            done(at === undefined || window.location.pathname.endsWith(at))
          }),
        ),
      ),
  )
}

/**
 * A line to the instance that can be slow, and cut: everything a browser sends passes it, also what a service worker sends,
 * which the browser's own emulation leaves out.
 */
export async function lineTo(url, latency = 0) {
  const to = new URL(url)
  const open = new Set()
  const pass = (from, into) => {
    from.on('data', (bytes) => setTimeout(() => into.writable && into.write(bytes), latency / 2))
    from.on('close', () => setTimeout(() => into.destroy(), latency / 2))
    from.on('error', () => from.destroy())
    open.add(from)
    from.on('close', () => open.delete(from))
  }
  let server
  let port = 0
  const mend = () =>
    new Promise((done) => {
      server = createServer((from) => {
        const into = connect(Number(to.port), to.hostname)
        pass(from, into)
        pass(into, from)
      })
      server.listen(port, '127.0.0.1', () => {
        port = server.address().port
        done()
      })
    })
  const cut = () =>
    new Promise((done) => {
      server.close(done)
      for (const socket of open) socket.destroy()
    })
  await mend()
  return { url: `http://127.0.0.1:${port}`, cut, mend }
}

/** Calls the API as the holder of a token, or as nobody. */
export const caller = (url, token) => async (method, path, data) => {
  const flat = /^\/auth\/|\/user-auth\//.test(path)
  const answer = await fetch(url + path, {
    method,
    headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), 'Content-Type': 'application/json' },
    body: data && JSON.stringify(flat ? data : { data }),
  })
  const body = await answer.json()
  want(answer.ok, `${method} ${path} works: ${answer.status} ${JSON.stringify(body)}`)
  return body.data ?? body
}

/** What was sent to an address, newest first. */
export const outbox = async (url, to) => (await caller(url)('GET', `/dev/outbox?to=${encodeURIComponent(to)}`)).items

export async function signIn(page, url, email, password) {
  await page.goto(`${url}/`)
  await signInHere(page, email, password)
}

/** Signs in at the page that asks for it. */
export async function signInHere(page, email, password) {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  const inside = page.getByRole('button', { name: 'Account' })
  const full = page.getByText('Many people are signing in') // on a machine that is busy with other tests
  for (let tries = 0; tries < 10; tries++) {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await inside.or(full).first().waitFor()
    if ((await inside.count()) > 0) return
  }
  await inside.waitFor()
}
