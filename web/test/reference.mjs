// The API's reference: readable at once, every call found, samples in five languages, and a call tried out with the token of a
// sign-in that was tried out before it. The pages beside it fit a phone and the dark.
import { accessible, inWindow, want } from './browser.mjs'

export default async function ({ url, story, say, email, password }) {
  await inWindow({ url, story, how: { width: 1280 } }, async ({ page }) => {
    await page.goto(`${url}/api-docs`)
    await page.locator('body[data-ready]').waitFor()
    const ready = await page.evaluate(() => performance.now())
    say(`the reference is readable after ${Math.round(ready)} ms`)
    await accessible(page, 'the reference')

    await page.getByLabel('Search').fill('auth login post')
    const login = page.locator('#postAuthLogin')
    await login.locator('> summary').click()
    for (const [language, has] of [
      ['TypeScript', 'await fetch('],
      ['Go', 'http.NewRequest('],
      ['Kotlin', 'Request.Builder()'],
      ['Swift', 'URLRequest('],
      ['curl', 'curl -X POST'],
    ]) {
      await login.getByRole('button', { name: language, exact: true }).click()
      const sample = await login.locator('.sample').textContent()
      want(sample.includes(has) && sample.includes('/auth/login'), `a sample in ${language}, not ${sample}`)
    }
    await accessible(page, 'a call of the reference')
    await login.getByLabel('Body').fill(JSON.stringify({ email, password }))
    await login.getByRole('button', { name: 'Send', exact: true }).click()
    await login.getByText('200').last().waitFor()

    say('the token of the sign-in serves the call after it')
    await page.getByLabel('Search').fill('student list school-admin')
    const students = page.locator('#getSchoolAdminStudentList')
    await students.locator('> summary').click()
    await students.getByLabel('filters[search]').fill('asha')
    want(
      (await students.locator('.sample').textContent()).includes('filters[search]=asha'),
      'the sample has the filter',
    )
    await students.getByRole('button', { name: 'Send', exact: true }).click()
    await students.locator('.answer').getByText('"totalPages"').waitFor()

    say('a link leads to its call')
    await page.goto(`${url}/api-docs#putSchoolAdminClassById`)
    await page.reload()
    await page.locator('#putSchoolAdminClassById .call').waitFor()
  })
  for (const path of ['', '/live', '/push', '/files'])
    for (const [width, scheme] of [
      [390, 'dark'],
      [1280, 'light'],
    ])
      await inWindow({ url, story, how: { width, scheme } }, async ({ page }) => {
        await page.goto(`${url}/api-docs${path}`)
        if (path === '') await page.locator('body[data-ready]').waitFor()
        const [wide, seen] = await page.evaluate(() => [document.scrollingElement.scrollWidth, window.innerWidth])
        want(wide <= seen, `/api-docs${path} fits the window: ${wide} of ${seen}`)
        if (path === '') await accessible(page, `the reference, ${width} px wide`)
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/docs${path.replace('/', '-')}-${width}.png` })
      })
}
