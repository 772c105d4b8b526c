// What the audit of a school and that of the platform have in common: when, and from where.
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../messages/console'
import { Technical } from './feedback'
import type { Format } from './format'
import { Facts } from './record'
import './audit.css'

interface Entry {
  occurredAt: string
  reason: string
  ip: string
  requestId: string
  entityId: string
}

/** Midnight so many days ago, here: a link keeps the moment it was made with. */
function daysAgo(n: number): string {
  const d = new Date()
  d.setHours(0, 0, 0, 0)
  d.setDate(d.getDate() - n)
  return d.toISOString()
}

/** The times to choose from, with the one that is chosen. */
export function sinceWhen(format: Format, chosen: string | undefined) {
  const since = [
    { value: daysAgo(0), label: t('today') },
    { value: daysAgo(7), label: t('the last 7 days') },
    { value: daysAgo(30), label: t('the last 30 days') },
    { value: daysAgo(365), label: t('the last year') },
  ]
  if (chosen && !since.some((s) => s.value === chosen))
    since.push({ value: chosen, label: t('since {from}', { from: format.date(chosen) }) })
  return since
}

/** The columns before and after those that a page has of its own. */
export const whenColumn = (format: Format) => ({
  key: 'when',
  title: t('When'),
  cell: (e: Entry) => <span className="figures">{format.dateTime(e.occurredAt)}</span>,
  sort: 'occurredAt' as const,
  phone: true,
})
export const fieldsColumn = <E extends Entry>(fields: (e: E) => string) => ({
  key: 'fields',
  title: t('Fields'),
  cell: (e: E) => (
    <Text span c="dimmed" size="sm">
      {fields(e)}
    </Text>
  ),
})
export const originColumns = [
  { key: 'reason', title: t('Reason'), cell: (e: Entry) => e.reason, hidden: true },
  { key: 'ip', title: t('From address'), cell: (e: Entry) => e.ip, hidden: true },
  { key: 'request', title: t('Request'), cell: (e: Entry) => e.requestId, hidden: true },
]

const figures = (text: string) => <span className="figures">{text}</span>

/** From where an entry came. first is what its page says before. */
export function Origin({ of: e, first }: { of: Entry; first: [string, ReactNode] }) {
  return (
    <>
      <Facts of={[first, [t('From address'), figures(e.ip)]]} />
      <Technical>
        <Facts
          of={[
            [t('Request'), figures(e.requestId)],
            [t('Record'), figures(e.entityId)],
          ]}
        />
      </Technical>
    </>
  )
}
