// Dates, money and numbers in the person's language, in the school's time and currency.
import { useSession } from '../api/session'
import type { Language } from '../messages/language'
import { localeFor, t, useLanguage } from '../messages/messages'
import { type Format, formats } from '../patterns/format'
import { memoize } from '../patterns/memoize'

interface AppFormat extends Format {
  /** 07:42 of a timetable or a route, as the language writes it. */
  clock: (hhmm: string) => string
  /** Monday 16 November: without the year, for days near by. */
  day: (iso: string) => string
  month: (yyyymm: string) => string
  /** Of the catalogue: a browser's are too long for a month in some languages. */
  weekdayShort: (n: number) => string
  dayOfMonth: (iso: string) => string
  percent: (n: number) => string
  /** The day of a moment, where the school is. */
  dateOf: (iso: string) => string
  /** The school's day of now. */
  today: () => string
}

const at = (iso: string) => new Date(`${iso.slice(0, 10)}T00:00:00Z`)

export function useFormat(): AppFormat {
  const { school } = useSession()
  const { currency = 'USD', currencyDigits = 2 } = school ?? {}
  return appFormats(useLanguage(), school?.locale, school?.timeZone, currency, currencyDigits)
}

const appFormats = memoize(
  (
    language: Language,
    schoolLocale: string | undefined,
    timeZone: string | undefined,
    currency: string,
    digits: number,
  ): AppFormat => {
    const locale = localeFor(language, schoolLocale)
    const utc = (how: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...how, timeZone: 'UTC' })
    const clock = utc({ timeStyle: 'short' })
    const day = utc({ weekday: 'long', day: 'numeric', month: 'long' })
    const month = utc({ month: 'long', year: 'numeric' })
    const weekdays = t('weekdays.short').split(' ')
    const dayOfMonth = utc({ day: 'numeric' })
    const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
    const momentDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone })
    const isoDay = new Intl.DateTimeFormat('en-CA', { timeZone })
    return {
      ...formats(locale, timeZone, currency, digits),
      clock: (hhmm) => (hhmm ? clock.format(new Date(`2024-01-01T${hhmm}:00Z`)) : ''),
      day: (iso) => day.format(at(iso)),
      month: (yyyymm) => month.format(at(`${yyyymm}-01`)),
      weekdayShort: (n) => weekdays[n - 1] ?? '',
      dayOfMonth: (iso) => dayOfMonth.format(at(iso)),
      percent: (n) => percent.format(n / 100),
      dateOf: (iso) => momentDay.format(new Date(iso)),
      today: () => isoDay.format(new Date()),
    }
  },
)

/** The clock of today, else the day. */
export function timeOf(format: AppFormat, iso: string): string {
  const isToday = format.dateOf(iso) === format.date(format.today())
  return isToday ? format.time(iso) : format.dateOf(iso)
}
