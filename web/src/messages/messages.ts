// The words on screen, by language: a file each, which a translator can edit without knowing the code. scripts/messages.mjs
// fails when a language lacks a text or one of its {places}, or when words stand in the app's sources.
import { useSyncExternalStore } from 'react'
import type en from './en.json'
import { declare, type Forms, formOf, isolated, keepChoice, type Language, place, preferred } from './language'
import { loadTexts } from './texts'

export type Key = keyof typeof en
type Catalogue = Record<Key, string | Forms>

let language: Language = 'en'
let texts = {} as Catalogue
let plurals = new Intl.PluralRules('en')
let numbers = new Intl.NumberFormat('en')
const listeners = new Set<() => void>()

/** Reads the texts before the first page is shown. */
export const startMessages = () => read(preferred())

export async function choose(next: Language) {
  keepChoice(next)
  await read(next)
}

async function read(next: Language) {
  texts = (await loadTexts(next)) as Catalogue
  language = next
  plurals = new Intl.PluralRules(next)
  numbers = new Intl.NumberFormat(next)
  declare(next)
  for (const f of listeners) f()
}

/** The language on screen. Components that draw texts are drawn anew when it changes. */
export function useLanguage(): Language {
  return useSyncExternalStore(
    (f) => {
      listeners.add(f)
      return () => listeners.delete(f)
    },
    () => language,
  )
}

/** A text with its places filled in. One with forms has the form of its count, by the language's own rules. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  return (formOf(texts[key], values.count, plurals) ?? key).replace(place, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? numbers.format(value) : isolated(value, language)
  })
}

/** Several facts in a row, as one text. Each keeps its own direction; what is empty is left out. */
export const joined = (parts: (string | number | false | null | undefined)[], by = ' · ') =>
  parts
    .filter((part) => part || part === 0)
    .map((part) => isolated(String(part), language))
    .join(by)

/** The person's language as it is written where the school is; days are those of the Gregorian calendar, as in all its papers. */
export function localeFor(chosen: Language, schoolLocale: string | undefined): string {
  let region: string | undefined
  try {
    region = schoolLocale ? new Intl.Locale(schoolLocale).region : undefined
  } catch {
    region = undefined // a locale that the browser does not know
  }
  return `${chosen}${region ? `-${region}` : ''}-u-ca-gregory`
}
