// A board: a few large figures, each a way into the list behind it.
import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useLate } from './feedback'
import { useFormat } from './format'

export function Figures({ children }: { children: ReactNode }) {
  return <div className="figure-row">{children}</div>
}

/** One figure, or its text: money, a percent. While it is fetched again the old one stays. */
export function Figure({
  label,
  value,
  text,
  note,
  to,
  search,
}: {
  label: string
  value: number | undefined
  text?: string
  note?: ReactNode
  to: string
  search?: Record<string, string>
}) {
  const format = useFormat()
  const late = useLate(value === undefined)
  const said = value === undefined ? ' ' : (text ?? format.number(value))
  return (
    <Link to={to} search={search as never} className="panel figure">
      <p className="figure-text">{label}</p>
      <div className="big" data-waiting={value === undefined || undefined} data-long={said.length > 9 || undefined}>
        {value === undefined && late ? <Skeleton height="80%" width={72} /> : said}
      </div>
      <div className="figure-text note">{note}</div>
    </Link>
  )
}
