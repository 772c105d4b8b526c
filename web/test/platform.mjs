// The super-admin's desk: overview, a school's record, administrators, accounts, migrations, deliveries, audit.
import { accessible, choose, inWindow, outbox, search, signIn, until, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, school }) {
  const stamp = Date.now().toString(36)
  await inWindow({ url, story }, async ({ page }) => {
    await signIn(page, url, email, password)
    const nav = page.getByRole('navigation', { name: 'Main' })
    const drawer = page.getByRole('dialog') // the list behind it has fields of the same names

    say('the platform at a glance')
    await nav.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('region', { name: 'How much is asked' }).locator('svg').first().waitFor()
    await accessible(page, 'overview')

    say('two schools from a file, whose faults are shown first')
    await nav.getByRole('link', { name: 'Schools' }).click()
    await page.getByRole('button', { name: 'From a file' }).click()
    const batch = (zone) =>
      drawer.locator('input[type=file]').setInputFiles({
        name: 'schools.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          `Name,Code,Time zone,Currency,First name,E-mail
Hill,hill-${stamp},Asia/Kolkata,INR,Asha,asha-${stamp}@test.local
Lake,lake-${stamp},${zone},KES,Juma,juma-${stamp}@test.local
`,
        ),
      })
    await batch('Mars/Crater')
    await drawer.getByText('must be a time zone like Asia/Kolkata').waitFor()
    want(await drawer.getByRole('button', { name: 'Onboard all' }).isDisabled(), 'a file with a fault is not taken')
    await batch('Africa/Nairobi')
    await page.getByText('2 schools are ready to be onboarded').waitFor()
    await accessible(page, 'schools of a file')
    await drawer.getByRole('button', { name: 'Onboard all' }).click()
    await page.getByText('2 schools are being set up.').waitFor()
    await search(page, 'Schools', stamp)
    for (const name of ['Hill', 'Lake']) await page.getByRole('button', { name, exact: true }).waitFor()

    say("a school's numbers and record")
    await search(page, 'Schools', school)
    await page.getByRole('button', { name: school }).click()
    await page.getByText('Signed in', { exact: true }).waitFor()
    await accessible(page, 'a school now')
    await page.getByRole('tab', { name: 'Details' }).click()
    await drawer.getByLabel('Address').fill('1 Hill Road')
    await drawer.getByLabel('E-mail', { exact: true }).fill('nowhere')
    await page.getByRole('button', { name: 'Save' }).click()
    await drawer.locator('[aria-invalid=true]').waitFor()
    await drawer.getByLabel('E-mail', { exact: true }).fill(`office-${stamp}@test.local`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await accessible(page, "a school's record")

    say('the whole school as one file')
    await page.getByRole('tab', { name: 'Now' }).click()
    const archives = drawer.getByRole('region', { name: 'Export' })
    await archives.getByRole('button', { name: 'Make an archive' }).click()
    await archives.getByRole('button', { name: /^Download/ }).waitFor()
    await archives.getByText(/kept until/).waitFor()
    await accessible(page, "a school's archives")
    if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/exports.png` })
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      archives.getByRole('button', { name: /^Download/ }).click(),
    ])
    want(file.suggestedFilename().endsWith('.tar.gz'), `the archive is ${file.suggestedFilename()}`)

    say('an administrator is added, disabled and let in again')
    await page.getByRole('tab', { name: 'Now' }).click()
    await page.getByRole('link', { name: 'Its administrators' }).click()
    await page.getByRole('button', { name: 'Add an administrator' }).first().click()
    await drawer.getByLabel('First name').fill('Mira')
    await drawer.getByLabel('E-mail', { exact: true }).fill(`mira-${stamp}@test.local`)
    await accessible(page, 'a new administrator')
    await page.getByRole('button', { name: 'Add and invite' }).click()
    await page.getByRole('heading', { name: 'Mira' }).waitFor()
    await until(async () => (await outbox(url, `mira-${stamp}@test.local`)).length === 1, 'they are invited')
    await page.getByRole('button', { name: 'Invite again' }).click()
    await page.getByText('The invitation is on its way').waitFor()
    await page.getByRole('button', { name: 'Disable…' }).click()
    await page
      .getByRole('dialog', { name: /Disable Mira/ })
      .getByRole('button', { name: 'Disable' })
      .click()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable…' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()

    say('somebody is found and signed out')
    await nav.getByRole('link', { name: 'Accounts' }).click()
    await page.getByText('Find somebody who cannot sign in').waitFor()
    await accessible(page, 'accounts, nothing typed')
    await page.getByRole('searchbox').fill(email)
    await page.getByRole('button', { name: `End sessions of ${email}` }).waitFor()
    await accessible(page, 'accounts')

    say('the fleet is migrated')
    await nav.getByRole('link', { name: 'Migrations' }).click()
    await page.getByRole('region', { name: 'The fleet' }).getByText('up to date').waitFor()
    await search(page, 'Migrations', school)
    await page.getByRole('cell', { name: school, exact: true }).waitFor()
    await accessible(page, 'migrations')
    await page.getByRole('checkbox', { name: `Select ${school}` }).check({ force: true })
    await Promise.all([
      page.waitForResponse(/migration\/run$/),
      page.getByRole('button', { name: 'Migrate these' }).click(),
    ])
    await page.getByRole('toolbar', { name: 'For the selected rows' }).waitFor({ state: 'hidden' }) // that one was asked for
    await page.getByText(/^Done/).waitFor()

    say('what could not be delivered, and what was done')
    await nav.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    await page.getByText('Everything was delivered').or(page.getByRole('row').nth(1)).first().waitFor()
    await accessible(page, 'deliveries')
    await nav.getByRole('link', { name: 'Audit' }).click()
    await choose(page, 'Filter by what', 'School')
    await page.getByRole('button', { name: 'Changed school' }).first().click()
    await page.locator('ins', { hasText: '1 Hill Road' }).waitFor()
    await accessible(page, 'what was done')
  })
}
