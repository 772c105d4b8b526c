// Dates as people type them.

/** The order in which a language writes day, month and year: 3/4/26 is in April in India and in March in the United States. */
function orderOf(locale: string | undefined): ('day' | 'month' | 'year')[] {
  const parts = new Intl.DateTimeFormat(locale, { calendar: 'gregory' }).formatToParts(Date.UTC(2026, 10, 30))
  return parts.map((p) => p.type).filter((t) => t === 'day' || t === 'month' || t === 'year')
}

/** The month of a name or its beginning, in the school's language or in English. */
function monthOf(text: string, locale: string | undefined): number | undefined {
  const bare = text.toLocaleLowerCase(locale).replace(/\.$/, '')
  if (bare.length < 3) return undefined
  for (const l of [locale, 'en'])
    for (const month of ['long', 'short'] as const) {
      const names = new Intl.DateTimeFormat(l, { month, timeZone: 'UTC' })
      for (let m = 0; m < 12; m++)
        if (
          names
            .format(Date.UTC(2026, m, 1))
            .toLocaleLowerCase(locale)
            .startsWith(bare)
        )
          return m + 1
    }
  return undefined
}

/** The day that was typed, as YYYY-MM-DD; undefined if it is none. Two digits of a year are the nearest past 80 or next 20 years. */
export function readDate(text: string, locale: string | undefined): string | undefined {
  // Digits of other scripts are digits.
  const plain = text.replace(/\p{Nd}/gu, (d) => {
    const zero = [0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66]
    const at = d.codePointAt(0)!
    const from = zero.find((z) => at >= z && at < z + 10)
    return from === undefined ? d : String(at - from)
  })
  const parts = plain
    .trim()
    .split(/[\s/.,\-–\u200f\u2066-\u2069]+/)
    .filter(Boolean)
  if (parts.length !== 3) return undefined
  const named = parts.findIndex((p) => !/^\d+$/.test(p))
  const got: Partial<Record<'day' | 'month' | 'year', number>> = {}
  let order = orderOf(locale)
  if (/^\d{4}$/.test(parts[0]!)) order = ['year', 'month', 'day']
  else if (named >= 0) order = named === 0 ? ['month', 'day', 'year'] : ['day', 'month', 'year']
  for (const [i, what] of order.entries()) {
    const p = parts[i]!
    const n = i === named ? monthOf(p, locale) : /^\d{1,4}$/.test(p) ? Number(p) : undefined
    if (n === undefined || (i === named && what !== 'month')) return undefined
    got[what] = n
    if (what === 'year') {
      if (p.length === 3 || p.length === 1) return undefined
      if (p.length === 2) {
        const now = new Date().getFullYear()
        got.year = n + Math.floor(now / 100) * 100
        if (got.year > now + 20) got.year -= 100
      }
    }
  }
  const { day = 0, month = 0, year = 0 } = got
  const at = new Date(Date.UTC(year, month - 1, day))
  if (at.getUTCFullYear() !== year || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined
  return at.toISOString().slice(0, 10)
}
