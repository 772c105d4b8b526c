// The pages of the console, as src/routes.tsx has them: a new one is walked through without a word here.
import { readFileSync } from 'node:fs'
import { caller, want } from './browser.mjs'

const source = readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8')
const office = source.slice(source.indexOf('const officePages'), source.indexOf('export function loadPage'))
const platform = source.slice(source.indexOf('export const platformRouter'))
const pathsOf = (part) => [...part.matchAll(/^ +'([^']+)': part\(/gm)].map(([, path]) => path)

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
