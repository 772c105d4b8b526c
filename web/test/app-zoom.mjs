// Every page of the app at 200 %: a phone of 390 px has 195 then. Nothing is cut off, nothing stands outside of the screen, nothing
// covers the page, and axe finds nothing, in the dark and from right to left too. The pages are those of src/app/roles.tsx, so that a new one is looked at as well.
import { signInByCode } from './app.mjs'
import { isThere, pagesOf } from './app-pages.mjs'
import { accessible, inWindow, until, want } from './browser.mjs'

const zoomed = { width: 195, height: 422, touch: true }

/** What is to be read and is not to be seen: cut off, outside of the screen, or behind what stands still. */
const lost = () => {
  const shown = [...document.querySelectorAll('body *')].filter(
    (e) => e.checkVisibility() && e.textContent.trim() && !e.closest('.hidden, .app-map, option'),
  )
  const scrolls = (e) => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement))
  const nameOf = (e) => `${e.nodeName.toLowerCase()}.${e.className} "${e.textContent.trim().slice(0, 40)}"`
  const wrong = []
  for (const e of shown) {
    const box = e.getBoundingClientRect()
    const style = getComputedStyle(e)
    const clips = /hidden|clip/.test(style.overflowX + style.overflowY)
    if (clips && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1))
      wrong.push(`cut off: ${nameOf(e)}`)
    if ((box.right > window.innerWidth + 1 || box.left < -1) && !scrolls(e.parentElement))
      wrong.push(`outside, from ${Math.round(box.left)} to ${Math.round(box.right)}: ${nameOf(e)}`)
  }
  const still = shown.filter((e) => /fixed|sticky/.test(getComputedStyle(e).position))
  const covered = still.reduce((sum, e) => sum + e.getBoundingClientRect().height, 0)
  if (covered > window.innerHeight / 2) wrong.push(`covered: ${covered} px of ${window.innerHeight}`)
  return wrong.slice(0, 8)
}

export default async function ({ url, story, say, phones, values }) {
  const wrong = []
  for (const [role, phone] of Object.entries(phones)) {
    await inWindow({ url, story: `${story}-${role}`, how: zoomed }, async ({ page }) => {
      const see = async (name) => {
        await page.waitForFunction(isThere)
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/${name.replaceAll(/\W+/g, '-')}.png`, fullPage: true })
        wrong.push(...(await page.evaluate(lost)).map((w) => `${name}: ${w}`))
      }
      await page.goto(`${url}/app/`)
      await page.getByLabel('Phone number').waitFor()
      await see('sign-in')
      await signInByCode(page, url, phone)
      const pages = pagesOf(role, values)
      say(`${role}: ${pages.length} pages`)
      for (const [language, colorScheme] of [
        ['en', 'light'],
        ['ar', 'dark'],
      ]) {
        await page.emulateMedia({ colorScheme })
        await page.goto(`${url}/app/more`)
        await page.getByRole('combobox').selectOption(language)
        await until(() => page.evaluate((l) => document.documentElement.lang === l, language), language)
        for (const { at, path } of pages) {
          await page.goto(`${url}/app${path}`)
          await see(`${role} ${at} ${language}`)
          await accessible(page, `${role} ${at} ${language} at 200 %`)
        }
      }
    })
  }
  want(wrong.length === 0, `nothing is lost at 200 %:\n  ${wrong.join('\n  ')}`)
}
