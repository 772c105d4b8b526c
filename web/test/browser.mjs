// A real browser for the tests: the system's Chromium, with a fresh profile, that reports what the console must never do.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const url = process.env.HOMEROOM_URL
export const say = (text) => console.log(`· ${text}`)

export function want(ok, text) {
  if (!ok) throw new Error(`not so: ${text}`)
}

/** Opens a browser; faults lists what went wrong in its pages without anybody looking. */
export async function open({ width = 1360, height = 860, scheme = 'light', touch = false } = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'homeroom-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    viewport: { width, height },
    colorScheme: scheme,
    hasTouch: touch,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Asia/Kolkata',
    acceptDownloads: true,
  })
  context.setDefaultTimeout(20_000)
  const faults = []
  const watch = (page) => {
    page.on('console', (m) => {
      if (m.type() === 'error' && !/status of 4\d\d/.test(m.text())) faults.push(`console: ${m.text()}`)
    })
    page.on('pageerror', (e) => faults.push(`page: ${e.message}`))
    page.on('request', (r) => {
      if (!r.url().startsWith(url) && !/^(data|blob):/.test(r.url())) faults.push(`asked elsewhere: ${r.url()}`)
    })
    page.on('dialog', (d) => {
      faults.push(`dialog: ${d.message()}`)
      void d.dismiss()
    })
  }
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (e) => console.error(`CSP ${e.violatedDirective} ${e.blockedURI} ${e.sample}`))
  })
  context.pages().forEach(watch)
  context.on('page', watch)
  const close = async () => {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }
  return { context, page: context.pages()[0] ?? (await context.newPage()), faults, close }
}

/** Every page is checked for what keeps people with a screen reader or weak sight out. */
export async function accessible(page, name) {
  await page.evaluate(axeSource)
  let violations = []
  // What fades in or is being fetched again is faint for a moment: it is looked at once more when it stands still.
  for (let look = 0; look < 3; look++) {
    await page.waitForFunction(() => !document.querySelector('[data-stale]') && document.getAnimations().every((a) => a.playState !== 'running' || a.effect?.getComputedTiming().iterations === Infinity))
    violations = await page.evaluate(async () => {
      const result = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], rules: { region: { enabled: false } } })
      return result.violations.map((v) => `${v.id}: ${v.help}\n      ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${n.failureSummary?.split('\n').slice(1, 2).join('').trim()}`).join('\n      ')}`)
    })
    if (violations.length === 0) return
  }
  want(false, `${name} is accessible:\n    ${violations.join('\n    ')}`)
}

/** What was sent to an address, newest first. */
export async function outbox(to) {
  const answer = await fetch(`${url}/dev/outbox?to=${encodeURIComponent(to)}`)
  return (await answer.json()).data.items
}

export async function signIn(page, email, password) {
  await page.goto(`${url}/`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Account' }).waitFor()
}
