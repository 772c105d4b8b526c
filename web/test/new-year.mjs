// The turn of the year: what is carried over, a trial that names what is missing, a plan, and the way back.
import { accessible, inWindow, signIn, visit, want } from './browser.mjs'

async function walk({ page, url, email, password, student, say }) {
  const look = async (name) => {
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${page.viewportSize().width}.png`, fullPage: true })
  }
  const part = (name) => page.getByRole('region', { name })
  await signIn(page, url, email, password)

  say('what is carried over')
  await visit(page, '/years')
  await page.getByRole('link', { name: 'Turn of the year' }).click()
  await page.getByLabel('Raise fees by percent').fill('10')
  await page.getByLabel('Students who stay in their class').fill(student)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `Remove ${student}` }).waitFor()
  await accessible(page, 'the choices of a new year')
  await look('new-year-choices')

  say('a trial says what will happen, and what is missing')
  await page.getByRole('button', { name: 'See what will happen' }).click()
  await part('Students').getByText('Class 5: 1 to Class 6, 1 stay').waitFor()
  await part('Fees')
    .getByText(/1,100\.00 instead of .*1,000\.00/)
    .waitFor()
  await part('Teachers').getByText('Without a class teacher: Class 5 A, Class 6 A').waitFor()
  await accessible(page, 'a trial of a new year')
  await look('new-year-trial')

  say('the plan waits for its day, and can be taken back')
  await page.getByRole('button', { name: 'Confirm the plan…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page
    .getByRole('status')
    .getByText(/begins automatically on/)
    .waitFor()
  await accessible(page, 'a plan of a new year')
  await look('new-year-plan')
  await page.reload()
  await page.getByRole('button', { name: 'Take the plan back…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click()
  await page.getByRole('button', { name: 'See what will happen' }).waitFor()
  want((await page.getByRole('status').count()) === 0, 'no plan is left')
}

export default async function (stage) {
  const { url, story } = stage
  await inWindow({ url, story }, ({ page }) => walk({ ...stage, page }))
  stage.say('the same on a phone')
  const how = { width: 390, height: 844, touch: true }
  await inWindow({ url, story: `${story} on a phone`, how }, ({ page }) => walk({ ...stage, page }))
}
