// The office's words for what the API says of trips, riders and incidents.
import { words } from '../../patterns/format'

export const tripWords: Record<string, string> = {
  scheduled: 'Scheduled',
  in_progress: 'On the way',
  paused: 'Paused',
  completed: 'Completed',
  cancelled: 'Cancelled',
}
export const tripTones: Record<string, 'good' | 'busy' | 'warn' | 'bad' | 'off'> = {
  scheduled: 'off',
  in_progress: 'good',
  paused: 'warn',
  completed: 'off',
  cancelled: 'bad',
}

export const wayWords: Record<string, string> = { pickup: 'To school', dropoff: 'Home' }
export const ways = [
  { value: 'pickup', label: 'To school' },
  { value: 'dropoff', label: 'Home' },
]

export const riderWords: Record<string, string> = {
  waiting: 'Waiting',
  boarded: 'Aboard',
  alighted: 'Got off',
  absent: 'Absent',
  no_show: 'Did not come',
}
export const riderTones: Record<string, 'good' | 'busy' | 'warn' | 'bad' | 'off'> = {
  waiting: 'busy',
  boarded: 'good',
  alighted: 'good',
  absent: 'off',
  no_show: 'warn',
}

export const incidentTypes = [
  { value: 'vehicle_breakdown', label: 'Breakdown' },
  { value: 'traffic_jam', label: 'Held up in traffic' },
  { value: 'accident', label: 'Accident' },
  { value: 'other', label: 'Something else' },
]

export function incidentWord(type: string): string {
  return incidentTypes.find((t) => t.value === type)?.label ?? words(type)
}

export const busStates = [
  { value: 'ACTIVE', label: 'In use' },
  { value: 'MAINTENANCE', label: 'In the workshop' },
  { value: 'RETIRED', label: 'Retired' },
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
