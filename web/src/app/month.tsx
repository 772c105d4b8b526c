import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useSession } from '../api/session'
import { localeFor, t, useLanguage } from '../messages/messages'
import { useFormat } from './format'

interface Drawn {
  label: string
  tone?: 'good' | 'bad' | 'warn' | 'off'
  /** The letters under the day, so that colour is not the only sign. */
  sign?: string
}

interface MonthProps {
  month: string
  draw: (date: string) => Drawn
  /** Days can be chosen; picked says which are. */
  pick?: (date: string) => void
  picked?: (date: string) => boolean
}

type WeekInfo = { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } }

/** The first day of the week where the school is: 1 is Monday. */
function useFirstDay(): number {
  const { school } = useSession()
  const language = useLanguage()
  const locale = new Intl.Locale(localeFor(language, school?.locale)) as Intl.Locale & WeekInfo
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1
}

/** The days of a month under their weekdays. */
export function Month({ month, draw, pick, picked }: MonthProps) {
  const format = useFormat()
  const first = useFirstDay()
  const today = format.today()
  const start = new Date(`${month}-01T00:00:00Z`)
  const length = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0)).getUTCDate()
  const before = ((((start.getUTCDay() || 7) - first) % 7) + 7) % 7
  return (
    <div className="month">
      {Array.from({ length: 7 }, (_, i) => (
        <span key={i} className="weekday" aria-hidden>
          {format.weekdayShort(((first + i - 1) % 7) + 1)}
        </span>
      ))}
      {Array.from({ length: before }, (_, i) => (
        <span key={i} aria-hidden />
      ))}
      {Array.from({ length }, (_, i) => {
        const date = `${month}-${String(i + 1).padStart(2, '0')}`
        const { label, tone, sign } = draw(date)
        const isToday = date === today || undefined
        if (pick)
          return (
            <button
              key={date}
              type="button"
              aria-label={label}
              aria-pressed={picked?.(date)}
              data-today={isToday}
              disabled={tone === 'off'}
              onClick={() => pick(date)}
            >
              {format.dayOfMonth(date)}
            </button>
          )
        return (
          <span key={date} role="img" aria-label={label} data-tone={tone} data-today={isToday}>
            {format.dayOfMonth(date)}
            <small>{sign ?? '\u00a0'}</small>
          </span>
        )
      })}
    </div>
  )
}

function besides(month: string, by: number): string {
  const at = new Date(`${month}-01T00:00:00Z`)
  at.setUTCMonth(at.getUTCMonth() + by)
  return at.toISOString().slice(0, 7)
}

/** The month's name between the ways to those beside it; first and last are the outermost. */
export function MonthBar(props: { month: string; to: (month: string) => void; first?: string; last?: string }) {
  const format = useFormat()
  const { month, to, first, last } = props
  return (
    <div className="between">
      <button
        type="button"
        className="icon-button"
        onClick={() => to(besides(month, -1))}
        disabled={first !== undefined && month <= first}
        aria-label={t('month.before')}
      >
        <IconChevronLeft aria-hidden className="flip" />
      </button>
      <span className="strong" aria-live="polite">
        {format.month(month)}
      </span>
      <button
        type="button"
        className="icon-button"
        onClick={() => to(besides(month, 1))}
        disabled={last !== undefined && month >= last}
        aria-label={t('month.next')}
      >
        <IconChevronRight aria-hidden className="flip" />
      </button>
    </div>
  )
}
