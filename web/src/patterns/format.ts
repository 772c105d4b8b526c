// Dates, money and numbers as the school writes them.
import { useSession } from '../api/session'
import { memoize } from './memoize'

export interface Format {
  date: (iso: string | null | undefined) => string
  dateTime: (iso: string | null | undefined) => string
  time: (iso: string | null | undefined) => string
  money: (minor: number) => string
  number: (n: number) => string
  ago: (iso: string) => string
  weekday: (n: number) => string
}

export function useFormat(): Format {
  const { school } = useSession()
  const { currency = 'USD', currencyDigits = 2 } = school ?? {}
  return formats(knownLocale(school?.locale), school?.timeZone, currency, currencyDigits, spoken())
}

/** The page's language, for what is words and no figure: "2 minutes ago", Monday. Figures stay as the rest of the page has them. */
const spoken = () => `${document.documentElement.lang}-u-nu-latn`

/** For days and months in words: the person's language, as the school's country writes it. */
export function localeOfWords(school: string | undefined): string {
  const locale = knownLocale(school)
  return locale?.split('-')[0] === document.documentElement.lang ? locale! : spoken()
}

export const knownLocale = memoize((locale: string | undefined): string | undefined => {
  try {
    return locale ? Intl.getCanonicalLocales(locale)[0] : undefined
  } catch {
    return undefined
  }
})

// digits are the server's: browsers count the decimals of some currencies otherwise.
export const formats = memoize(makeFormats)

function makeFormats(
  locale: string | undefined,
  timeZone: string | undefined,
  currency: string,
  digits: number,
  language = locale,
): Format {
  // Each is made when it is used: a page needs few of them.
  const day = memoize(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }))
  const moment = memoize(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }))
  const clock = memoize(() => new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }))
  const money = memoize(
    () =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  )
  const number = memoize(() => new Intl.NumberFormat(locale))
  const relative = memoize(() => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
  const weekday = memoize(() => new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }))
  // On a page that is read from right to left, "19 Oct 2026" stays in its own order.
  const whole =
    document.documentElement.dir === 'rtl' ? (text: string) => `\u2068${text}\u2069` : (text: string) => text
  return {
    date: (iso) => (iso ? whole(day().format(new Date(`${iso.slice(0, 10)}T00:00:00Z`))) : ''),
    dateTime: (iso) => (iso ? whole(moment().format(new Date(iso))) : ''),
    time: (iso) => (iso ? clock().format(new Date(iso)) : ''),
    money: (minor) => money().format(minor / 10 ** digits),
    number: (n) => number().format(n),
    ago: (iso) => {
      const minutes = Math.round((new Date(iso).getTime() - Date.now()) / 60_000)
      if (Math.abs(minutes) < 60) return relative().format(minutes, 'minute')
      if (Math.abs(minutes) < 60 * 24) return relative().format(Math.round(minutes / 60), 'hour')
      return relative().format(Math.round(minutes / 60 / 24), 'day')
    },
    weekday: (n) => weekday().format(new Date(Date.UTC(2024, 0, n))), // the 1st of January 2024 was a Monday
  }
}

/** A person's name as given, never turned round. */
export function nameOf(p: { firstName: string; lastName?: string }): string {
  return [p.firstName, p.lastName].filter(Boolean).join(' ')
}

/** Sizes as people say them: 3.4 MB. */
export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let i = 0
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000
    i++
  }
  return `${n < 10 && i > 0 ? n.toFixed(1) : Math.round(n)} ${units[i]}`
}
