// Which pages the README's pictures are of, and what is written on them. A page that is called something else, or has other entries
// beside it, makes a picture old: `make screenshots` takes new ones.
import { readFileSync } from 'node:fs'
import { want } from './browser.mjs'

export const pictures = new URL('../../docs/pictures/', import.meta.url).pathname

/** By the picture's name: pages of the console, and the app's first one. */
export const pictured = {
  overview: '/',
  register: '/register',
  collect: '/fees/collect',
  live: '/live',
  phone: '/app/',
}

/** The page's title, and the entries of its navigation. That of the overview is the school's name: its entry is its title. */
export const titlesOf = (page) =>
  page.evaluate(() => {
    const textsOf = (selector) =>
      [...document.querySelectorAll(selector)]
        .filter((e) => e.checkVisibility())
        .map((e) => e.textContent.trim().replace(/\s*\d.*$/s, '')) // some entries have counts
    const navigation = textsOf('.shell-nav a, .tabs a')
    return { title: /\/console\/?$/.test(window.location.pathname) ? navigation[0] : textsOf('h1')[0], navigation }
  })

const taken = () => Object.values(JSON.parse(readFileSync(`${pictures}titles.json`, 'utf8')))

/** The pages of the console that the README has pictures of. */
export const picturedPages = () => taken().flatMap(({ at }) => (at.startsWith('/app') ? [] : [at]))

/** Holds a page against its picture, if there is one. */
export async function asPictured(page, path) {
  const of = taken().find((t) => t.at === path)
  if (!of) return
  const now = JSON.stringify(await titlesOf(page))
  const then = JSON.stringify({ title: of.title, navigation: of.navigation })
  want(
    now === then,
    `${path} is as its picture in the README: ${now}, pictured ${then}; make screenshots takes it again`,
  )
}
