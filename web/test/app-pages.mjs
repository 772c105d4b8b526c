// The pages of the app by role, as src/app/roles.tsx has them: a new one is looked at, and measured, without a word here.
import { readFileSync } from 'node:fs'
import { want } from './browser.mjs'

const source = readFileSync(new URL('../src/app/roles.tsx', import.meta.url), 'utf8')

/** The addresses in one table of the source, and in those it takes in. */
function addressesIn(table) {
  const from = source.search(new RegExp(`^const ${table}: `, 'm'))
  want(from >= 0, `roles.tsx has a table ${table}`)
  const rest = source.slice(from + 1)
  const text = rest.slice(0, rest.search(/^(const|export) /m))
  const own = [...text.matchAll(/\bat: '([^']+)'/g)].map(([, at]) => at)
  return [...own, ...[...text.matchAll(/^ +\.\.\.(\w+),$/gm)].flatMap(([, other]) => addressesIn(other))]
}

/** A role's pages: the address as in the table, and one with values in the place of its :names, which are by name or by address. */
export function pagesOf(role, values) {
  const pages = addressesIn(role).map((at) => {
    const path = at.replaceAll(/:(\w+)/g, (_, name) => values[at]?.[name] ?? values[name])
    want(!path.includes('undefined'), `the stage has values for ${at}`)
    return { at, path }
  })
  want(pages.length >= 10, `the pages of a ${role} are found: ${pages.length}`)
  return pages
}

/** Runs in the page: what it is about is there. */
export const isThere = () =>
  Boolean(document.querySelector('main')?.textContent.trim()) && !document.querySelector('.skeleton')
