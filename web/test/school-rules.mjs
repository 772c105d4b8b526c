// An office changes the rules of results and fees: each field says its default, and what is charged follows the new rule.
import { accessible, inWindow, signIn, until, visit, want } from './browser.mjs'

export default async function ({ url, story, say, email, password, stage }) {
  await inWindow({ url, story }, async ({ page }) => {
    await signIn(page, url, email, password)

    say('every rule says its default beside the field')
    await visit(page, '/settings')
    const field = (label) => page.getByLabel(label, { exact: true })
    await field('A year is passed by').waitFor()
    const saysDefaults = async (fields, chosen) => {
      const rules = await page.evaluate(() =>
        ['Attendance', 'Fees', 'Results', 'Notifications', 'Library'].flatMap((part) =>
          [...document.querySelectorAll(`section[aria-label="${part}"] :is(input:not([type=checkbox]), select)`)].map(
            (e) => ({
              label: e.labels?.[0]?.textContent ?? e.id,
              shown: e.selectedOptions?.[0]?.textContent ?? e.value,
              described: (e.getAttribute('aria-describedby') ?? '')
                .split(' ')
                .map((id) => document.getElementById(id)?.textContent ?? '')
                .join(' ')
                .trim(),
            }),
          ),
        ),
      )
      want(rules.length === fields, `there are ${rules.length} rules, not ${fields}`)
      const figure = (text) => Number(text.replace(/[^\d.]/g, ''))
      for (const { label, shown, described } of rules) {
        const usual = /Default: (.+)\.$/.exec(described)?.[1]
        want(usual, `${label} says its default: ${described}`)
        if (label === chosen) continue
        const same = /^[^:]*\d[^:]*$/.test(usual)
          ? figure(shown) === figure(usual)
          : shown.startsWith(usual === 'none' ? '' : usual)
        want(same, `a new school has the default of ${label}, ${usual}: ${shown}`)
      }
    }
    await saysDefaults(35)
    await field('Late fine').selectOption('FIXED')
    await field('Days of grace').waitFor()
    await saysDefaults(38, 'Late fine')
    await field('Late fine').selectOption('NONE')
    await accessible(page, 'the settings')

    say('a report card of each board is looked at before it is chosen')
    for (const board of ['simple', 'CBSE', 'British']) {
      const [paper, answer] = await Promise.all([
        page.waitForEvent('popup'),
        page.waitForResponse((r) => r.url().includes('/exam/report-card-sample')),
        page.getByRole('button', { name: `Preview ${board}` }).click(),
      ])
      want(
        answer.headers()['content-type'] === 'application/pdf' &&
          answer.url().endsWith(`template=${board.toUpperCase()}`),
        `the sample of ${board} is a paper: ${answer.url()}`,
      )
      await paper.close()
    }

    say('each rule is changed and kept')
    await field('A year is passed by').selectOption('TOTAL')
    await field('Lowest percentage').fill('40')
    await field('Grace marks').fill('5')
    await field('Subjects with grace').fill('2')
    await field('May sit again').fill('3')
    await field('After two equal ranks').selectOption('DENSE')
    await field('Report card').selectOption('CBSE')
    await field('Leaving certificate').selectOption('BRITISH')
    await field('Who joins during the year pays for').selectOption('DAYS')
    const kept = page.waitForResponse(
      (r) => r.request().method() === 'PUT' && r.url().endsWith('/school-admin/setting'),
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const saved = (await (await kept).json()).data
    for (const [k, v] of Object.entries({
      passRule: 'TOTAL',
      passPercent: 40,
      graceMarks: 5,
      graceSubjects: 2,
      compartmentSubjects: 3,
      rankTies: 'DENSE',
      reportCardTemplate: 'CBSE',
      leavingCertificateTemplate: 'BRITISH',
      proRataBy: 'DAYS',
    }))
      want(saved[k] === v, `${k} is ${saved[k]}, not ${v}`)
    await page.reload()
    await until(async () => (await field('May sit again').inputValue()) === '3', 'the rules are read again')

    say('the dry run of a charge says who pays a part of the year, and how much')
    await visit(page, '/fees/structures')
    await page.getByRole('button', { name: 'Class 5 fees' }).click()
    await page.getByRole('link', { name: 'Charge this class' }).click()
    await page.getByLabel('Instalment', { exact: true }).selectOption('1')
    await page.getByRole('button', { name: 'See who is charged what' }).click()
    await page.getByText(`1 student joined during the year and pays a part of it, ${stage.part} together.`).waitFor()
    await accessible(page, 'a charge with a part of the year')
  })
}
