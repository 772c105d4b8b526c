// Every page of the office and of the platform on a phone, in the dark and from right to left: axe finds nothing, nothing is wider
// than the phone, and no page has trouble.
import { accessible, inWindow, signIn, until, visit, want } from './browser.mjs'
import { officePages, platformPages } from './console-pages.mjs'

const phone = { width: 390, height: 844, touch: true }

export default async function ({ url, story, say, email, password, token, superEmail, exam }) {
  const wrong = []
  const walk = (who, pages, email) =>
    inWindow({ url, story: `${story} ${who}`, how: phone }, async ({ page }) => {
      await page.emulateMedia({ colorScheme: 'dark' })
      await signIn(page, url, email, password)
      await page.evaluate(() => localStorage.setItem('homeroom.language', 'ar'))
      await page.reload()
      await until(
        () => page.evaluate(() => document.documentElement.dir === 'rtl'),
        'the page is read from right to left',
      )
      for (const path of pages) {
        await visit(page, path)
        await page.waitForFunction(
          () =>
            document.querySelector('main')?.textContent.trim() &&
            !document.querySelector('.mantine-Skeleton-root, [data-stale], [data-waiting]'),
        )
        await accessible(page, `${who} ${path}, dark, right to left`).catch((e) => wrong.push(e.message))
        const wide = await page.evaluate(() => document.scrollingElement.scrollWidth)
        if (wide > phone.width) wrong.push(`${who} ${path}: ${wide} px wide of ${phone.width}`)
        if (process.env.LOOK)
          await page.screenshot({ path: `${process.env.LOOK}/${who}${path.replaceAll(/\W+/g, '-')}.png` })
      }
      say(`${who}: ${pages.length} pages`)
    })
  await walk('office', await officePages({ url, token, exam }), email)
  await walk('platform', platformPages, superEmail)
  want(wrong.length === 0, `every page is for everybody:\n  ${wrong.join('\n  ')}`)
}
