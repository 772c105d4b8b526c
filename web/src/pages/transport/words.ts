// The office's words for what the API says of trips, riders and incidents.

import { t } from '../../messages/console'
import { words } from '../../patterns/words'

export const tripWords: Record<string, string> = {
  scheduled: t('Scheduled'),
  in_progress: t('On the way'),
  paused: t('Paused'),
  completed: t('Completed'),
  cancelled: t('Cancelled'),
}
export const tripTones: Record<string, 'good' | 'busy' | 'warn' | 'bad' | 'off'> = {
  scheduled: 'off',
  in_progress: 'good',
  paused: 'warn',
  completed: 'off',
  cancelled: 'bad',
}

export const wayWords: Record<string, string> = { pickup: t('To school'), dropoff: t('Home') }
export const ways = [
  { value: 'pickup', label: t('To school') },
  { value: 'dropoff', label: t('Home') },
]

export const riderWords: Record<string, string> = {
  waiting: t('Waiting'),
  boarded: t('Aboard'),
  alighted: t('Got off'),
  absent: t('Absent'),
  no_show: t('Did not come'),
}
export const riderTones: Record<string, 'good' | 'busy' | 'warn' | 'bad' | 'off'> = {
  waiting: 'busy',
  boarded: 'good',
  alighted: 'good',
  absent: 'off',
  no_show: 'warn',
}

export const incidentTypes = [
  { value: 'vehicle_breakdown', label: t('Breakdown') },
  { value: 'traffic_jam', label: t('Held up in traffic') },
  { value: 'accident', label: t('Accident') },
  { value: 'other', label: t('Something else') },
]

export function incidentWord(type: string): string {
  return incidentTypes.find((t) => t.value === type)?.label ?? words(type)
}

export const busStates = [
  { value: 'ACTIVE', label: t('In use') },
  { value: 'MAINTENANCE', label: t('In the workshop') },
  { value: 'RETIRED', label: t('Retired') },
]

/** The school's day, as its own clock has it. */
export function todayIn(timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    new Date(),
  )
}

/** A moment's time of day at the school, as the API takes it. */
export function clockIn(iso: string, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    new Date(iso),
  )
}
