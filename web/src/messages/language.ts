// The person's language: which there are, which one is theirs, and how a text takes the values of its places.

/** The languages by the names their speakers give them. */
export const languages = { en: 'English', hi: 'हिन्दी', ar: 'العربية', sw: 'Kiswahili' } as const
export type Language = keyof typeof languages
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>>

const rightToLeft: Language[] = ['ar']
const at = 'homeroom.language' // of the person, in the console and the app alike

const isKnown = (text: string): text is Language => text in languages

/** The person's choice on this browser. */
export function chosen(): Language | undefined {
  const kept = localStorage.getItem(at) ?? ''
  return isKnown(kept) ? kept : undefined
}

/** The person's choice, else the first language of the browser that we have. */
export function preferred(): Language {
  const wish = chosen()
  if (wish) return wish
  for (const wanted of navigator.languages) {
    const bare = wanted.split('-')[0]!
    if (isKnown(bare)) return bare
  }
  return 'en'
}

export const keepChoice = (language: Language) => localStorage.setItem(at, language)

const isRightToLeft = (language: Language) => rightToLeft.includes(language)

/** The page says its language, and which way it is read. */
export function declare(language: Language) {
  document.documentElement.lang = language
  document.documentElement.dir = isRightToLeft(language) ? 'rtl' : 'ltr'
}

/** The form of a text for a count, by the language's own rules. */
export const formOf = (text: string | Forms | undefined, count: unknown, plurals: Intl.PluralRules) =>
  typeof text === 'string' ? text : text && (text[plurals.select(Number(count))] ?? text.other)

export const place = /\{(\w+)\}/g

// Besides other letters: the groups of a phone number, an account's number or a day, which would be read from the right.
const leftToRight = /[\p{L}\p{Sc}]|^[+−-]\d|\d[ \u00a0-]\d/u
const rtlLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** Keeps a name or an amount from turning the words around it, where the two are written in different directions. */
export function isolated(value: string, language: Language): string {
  const differs = isRightToLeft(language) ? leftToRight.test(value) && !rtlLetter.test(value) : rtlLetter.test(value)
  return differs ? `\u2068${value}\u2069` : value
}
