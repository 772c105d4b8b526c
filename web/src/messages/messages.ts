// The words on screen, by language: a file each, which a translator can edit without knowing the code. scripts/messages.mjs
// fails when a language lacks a text or one of its {places}, or when words stand in the app's sources.
import { useSyncExternalStore } from 'react'
import type en from './en.json'

export type Key = keyof typeof en
type Forms = Partial<Record<Intl.LDMLPluralRule, string>>
type Catalogue = Record<Key, string | Forms>

/** The languages by the names their speakers give them. */
export const languages = { en: 'English', hi: 'हिन्दी', ar: 'العربية', sw: 'Kiswahili' } as const
export type Language = keyof typeof languages

const files: Record<Language, () => Promise<{ default: unknown }>> = {
  en: () => import('./en.json'),
  hi: () => import('./hi.json'),
  ar: () => import('./ar.json'),
  sw: () => import('./sw.json'),
}
const rightToLeft: Language[] = ['ar']
const at = 'homeroom.language' // of the person, in the console and the app alike

let language: Language = 'en'
let texts = {} as Catalogue
let plurals = new Intl.PluralRules('en')
let numbers = new Intl.NumberFormat('en')
const listeners = new Set<() => void>()

const isKnown = (text: string): text is Language => text in languages

/** The person's choice, else the first language of the browser that we have. */
function preferred(): Language {
  const chosen = localStorage.getItem(at) ?? ''
  if (isKnown(chosen)) return chosen
  for (const wanted of navigator.languages) {
    const bare = wanted.split('-')[0]!
    if (isKnown(bare)) return bare
  }
  return 'en'
}

/** Reads the texts before the first page is shown. */
export const startMessages = () => read(preferred())

export async function choose(next: Language) {
  localStorage.setItem(at, next)
  await read(next)
}

async function read(next: Language) {
  texts = (await files[next]()).default as Catalogue
  language = next
  plurals = new Intl.PluralRules(next)
  numbers = new Intl.NumberFormat(next)
  document.documentElement.lang = next
  document.documentElement.dir = rightToLeft.includes(next) ? 'rtl' : 'ltr'
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
  const text = texts[key]
  const form = typeof text === 'string' ? text : text && (text[plurals.select(Number(values.count))] ?? text.other)
  return (form ?? key).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? numbers.format(value) : isolated(value)
  })
}

const rtlLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** Keeps a name from turning the words around it, where the two are written in different directions. */
function isolated(value: string): string {
  const differs = rightToLeft.includes(language)
    ? /\p{L}/u.test(value) && !rtlLetter.test(value)
    : rtlLetter.test(value)
  return differs ? `\u2068${value}\u2069` : value
}

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
