// The pages of the console, as src/office-pages.ts and src/routes.tsx have them: a new one is walked through without a word here.
import { readFileSync } from 'node:fs'
import { caller, want } from './browser.mjs'

const read = (name) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8')
const office = read('office-pages.ts')
const routes = read('routes.tsx')
const platform = routes.slice(routes.indexOf('export const platformRouter'))
const pathsOf = (table) => [...table.matchAll(/^ +'([^']+)': pa(?:ge|rt)\(/gm)].map(([, path]) => path)

export const platformPages = pathsOf(platform)

/** The addresses of all pages of an office with a class in an exam, to which a route is added. */
export async function officePages({ url, token, exam }) {
  const ask = caller(url, token)
  const bus = await ask('POST', '/school-admin/transport/bus/create', { busNumber: 'KA-01-1' })
  const route = await ask('POST', '/school-admin/transport/route/create', {
    name: 'Hill Road',
    busId: bus.id,
    direction: 'pickup',
    stops: [{ name: 'Mill', lat: 12.97, lng: 77.59, plannedTime: '07:30' }],
  })
  const student = (await ask('GET', '/school-admin/student/list?limit=1')).items[0]
  const records = {
    '/exams/$id': [`/exams/${exam}`, `/exams/${exam}?tab=marks`, `/exams/${exam}?tab=results`],
    '/exams/report-card/$id': [`/exams/report-card/${student.id}?draft=yes`],
    '/transport/routes/$id': [`/transport/routes/${route.id}`, `/transport/routes/${route.id}?tab=riders`],
  }
  const pages = pathsOf(office).flatMap((p) => (p.includes('$') ? records[p] : [p]))
  want(pages.length > 60 && !pages.includes(undefined), `the pages are found, those with an id too: ${pages}`)
  return pages
}
