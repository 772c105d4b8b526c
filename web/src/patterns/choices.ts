// What several pages choose from: a division, and a day at the school.
import { useClasses, useDivisions } from '../api/queries'
import { useSession } from '../api/session'
import { memoize } from './memoize'

interface DivisionChoice {
  value: string
  label: string
  classId: string
}

/** Every division under its class's name, in the order of the classes. */
export function useDivisionChoices(): { choices: DivisionChoice[]; ready: boolean } {
  const classes = useClasses()
  const divisions = useDivisions()
  const choices = (classes.data ?? []).flatMap((c) =>
    (divisions.data ?? [])
      .filter((d) => d.classId === c.id)
      .map((d) => ({ value: d.id, label: `${c.name} ${d.name}`, classId: c.id })),
  )
  return { choices, ready: !!classes.data && !!divisions.data }
}

/** The day it is at the school, wherever the office's computer thinks it is. */
export function useToday(): string {
  return isoDays(useSession().school?.timeZone).format(new Date())
}

const isoDays = memoize(
  (timeZone: string | undefined) =>
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
)

/** A day so many days away. */
export function addDays(day: string, n: number): string {
  const d = new Date(`${day}T00:00:00Z`)
  d.setUTCDate(d.getUTCDate() + n)
  return d.toISOString().slice(0, 10)
}

/** A month so many months away. */
export function addMonths(month: string, n: number): string {
  const d = new Date(`${month}-01T00:00:00Z`)
  d.setUTCMonth(d.getUTCMonth() + n)
  return d.toISOString().slice(0, 7)
}
