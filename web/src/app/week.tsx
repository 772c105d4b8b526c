import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { t } from '../messages/messages'
import { useFormat } from './format'
import { go, Link } from './route'

export const plusDays = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

/** The days of a date's week, each a link, and the weeks before and after. */
export function Week({ date, at }: { date: string; at: (day: string) => string }) {
  const format = useFormat()
  const monday = plusDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() || 7) - 1))
  const row = useRef<HTMLElement>(null)
  // The day that is shown is in view, wherever in the week it is.
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [date])
  const to = (days: number) => go(at(plusDays(date, days)), { replace: true })
  return (
    <nav ref={row} className="choices" aria-label={t('timetable.days')}>
      <button type="button" className="icon-button" onClick={() => to(-7)} aria-label={t('timetable.weekBefore')}>
        <IconChevronLeft aria-hidden className="flip" />
      </button>
      {Array.from({ length: 7 }, (_, i) => plusDays(monday, i)).map((day, i) => (
        <Link key={day} to={at(day)} replace className="chip" aria-current={day === date ? 'date' : undefined}>
          {format.weekdayShort(i + 1)} {format.dayOfMonth(day)}
        </Link>
      ))}
      <button type="button" className="icon-button" onClick={() => to(7)} aria-label={t('timetable.weekNext')}>
        <IconChevronRight aria-hidden className="flip" />
      </button>
    </nav>
  )
}
