// A month to choose a day from: arrows move by a day and a week, Page Up and Down by a month, Home and End within the week.
import { ActionIcon, Group, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import './calendar.css'
import { t } from '../messages/console'

const iso = (d: Date) => d.toISOString().slice(0, 10)
const plus = (day: string, days: number) => iso(new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000))

function plusMonths(day: string, n: number): string {
  const [y, m, d] = day.split('-').map(Number) as [number, number, number]
  const last = new Date(Date.UTC(y, m + n, 0)).getUTCDate()
  return iso(new Date(Date.UTC(y, m - 1 + n, Math.min(d, last))))
}

/** On which day weeks begin there: 1 is Monday. */
function firstDay(locale: string | undefined): number {
  try {
    const l = new Intl.Locale(locale ?? navigator.language) as Intl.Locale & {
      getWeekInfo?: () => { firstDay: number }
      weekInfo?: { firstDay: number }
    }
    return (l.getWeekInfo?.() ?? l.weekInfo)?.firstDay ?? 1
  } catch {
    return 1
  }
}

export function Calendar({
  value,
  min,
  max,
  locale,
  choose,
}: {
  value: string
  min?: string
  max?: string
  locale?: string
  choose: (day: string) => void
}) {
  const [at, setAt] = useState(value || iso(new Date()))
  const grid = useRef<HTMLTableElement>(null)
  const moved = useRef(at) // the day that the keys have come to; at first the one it opens with
  useEffect(() => {
    if (moved.current === at) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  }, [at])
  const first = `${at.slice(0, 8)}01`
  const start = plus(first, -((new Date(`${first}T00:00:00Z`).getUTCDay() - firstDay(locale) + 7) % 7))
  const weeks = Array.from({ length: 6 }, (_, w) => Array.from({ length: 7 }, (_, d) => plus(start, w * 7 + d)))
  const utc = { timeZone: 'UTC' } as const
  const say = (o: Intl.DateTimeFormatOptions, day: string) =>
    new Intl.DateTimeFormat(locale, { ...o, ...utc }).format(new Date(`${day}T00:00:00Z`))
  const allowed = (day: string) => (!min || day >= min) && (!max || day <= max)
  const keys: Record<string, () => string> = {
    ArrowLeft: () => plus(at, getComputedStyle(grid.current!).direction === 'rtl' ? 1 : -1),
    ArrowRight: () => plus(at, getComputedStyle(grid.current!).direction === 'rtl' ? -1 : 1),
    ArrowUp: () => plus(at, -7),
    ArrowDown: () => plus(at, 7),
    PageUp: () => plusMonths(at, -1),
    PageDown: () => plusMonths(at, 1),
    Home: () => weeks.find((w) => w.includes(at))![0]!,
    End: () => weeks.find((w) => w.includes(at))![6]!,
  }
  return (
    <div className="calendar">
      <Group justify="space-between" mb={4} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Month before')}
          onClick={() => setAt(plusMonths(at, -1))}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <Text fw={500} aria-live="polite">
          {say({ month: 'long', year: 'numeric' }, at)}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Month after')}
          onClick={() => setAt(plusMonths(at, 1))}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </Group>
      <table
        ref={grid}
        onKeyDown={(e) => {
          const to = keys[e.key]?.()
          if (!to) return
          e.preventDefault()
          moved.current = to
          setAt(to)
        }}
      >
        <thead>
          <tr>
            {weeks[0]!.map((d) => (
              <th key={d} scope="col" abbr={say({ weekday: 'long' }, d)}>
                {say({ weekday: 'narrow' }, d)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((d) => (
                <td key={d}>
                  <button
                    type="button"
                    tabIndex={d === at ? 0 : -1}
                    disabled={!allowed(d)}
                    aria-pressed={d === value}
                    aria-label={say({ dateStyle: 'full' }, d)}
                    data-other={d.slice(0, 7) !== at.slice(0, 7) || undefined}
                    onClick={() => choose(d)}
                  >
                    {say({ day: 'numeric' }, d)}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
