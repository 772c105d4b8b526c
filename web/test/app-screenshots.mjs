// Pictures of every page of the app, by role, in its four languages, light and dark, in web/screenshots/app/. ROLES, LANGUAGES and
// PAGES choose some of them.
import { mkdirSync } from 'node:fs'
import { phoneSized, signInByCode } from './app.mjs'
import { isThere, pagesOf } from './app-pages.mjs'
import { inWindow, until } from './browser.mjs'

const out = new URL('../screenshots/app/', import.meta.url).pathname
mkdirSync(out, { recursive: true })
const { ROLES, LANGUAGES = 'en,hi,ar,sw', PAGES } = process.env

export default async function ({ url, story, say, phones, values }) {
  for (const [role, phone] of Object.entries(phones)) {
    if (ROLES && !ROLES.includes(role)) continue
    await inWindow({ url, story: `${story}-${role}`, how: phoneSized }, async ({ page }) => {
      await signInByCode(page, url, phone)
      const pages = pagesOf(role, values).filter(({ at }) => !PAGES || PAGES.split(',').includes(at))
      for (const language of LANGUAGES.split(',')) {
        say(`${role}: ${pages.length} pages, ${language}`)
        await page.goto(`${url}/app/more`)
        await page.getByRole('combobox').selectOption(language)
        await until(() => page.evaluate((l) => document.documentElement.lang === l, language), language)
        for (const { at, path } of pages) {
          await page.goto(`${url}/app${path}`)
          await page.waitForFunction(isThere)
          for (const colorScheme of ['light', 'dark']) {
            await page.emulateMedia({ colorScheme })
            const name = [role, at.replaceAll(/\W+/g, '-').replace(/^-|-$/g, '') || 'today', language, colorScheme]
            await page.screenshot({ path: `${out}${name.join('.')}.png`, fullPage: true })
          }
        }
      }
    })
  }
}
