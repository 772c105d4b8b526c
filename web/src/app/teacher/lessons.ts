// A teacher's lessons and classes, and whose register is to be marked.
import { useEffect, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { fetchWhole } from '../../api/list'
import { useSession } from '../../api/session'
import { type Read, useRead } from '../read'

export type Slot = Schemas['DaySlot']

/** The register of a division's day, or of a lesson where the school marks by lesson. */
export interface RegisterOf {
  kind: 'day' | 'lesson'
  /** Of the division, or of the lesson's place in the timetable. */
  id: string
  date: string
}

export type RegisterData = Pick<
  Schemas['DayRegister'],
  'className' | 'divisionName' | 'date' | 'dayOff' | 'students' | 'unmarked'
> & { lesson?: Schemas['Lesson'] }

export const useDay = (date: string) =>
  useRead(['/teacher/timetable/mine', date], () =>
    call(api.GET('/teacher/timetable/mine', { params: { query: { date } } })),
  )

/** The lessons the teacher holds, and how the school marks: by day or by lesson. */
export const useLessons = (date: string) =>
  useRead(['/teacher/attendance/lessons', date], () =>
    call(api.GET('/teacher/attendance/lessons', { params: { query: { date } } })),
  )

export const useClasses = () => useRead(['/teacher/class/list'], () => fetchWhole('/teacher/class/list'))

/** Reads a register. A screen that shows its state also brings it onto the phone, for the time without a line. */
export function useRegister({ kind, id, date }: RegisterOf): Read<RegisterData> {
  return useRead<RegisterData>([`/teacher/attendance/${kind === 'day' ? 'register' : 'lesson'}`, id, date], () =>
    kind === 'day'
      ? call(api.GET('/teacher/attendance/register', { params: { query: { divisionId: id, date } } }))
      : call(api.GET('/teacher/attendance/lesson', { params: { query: { slotId: id, date } } })),
  )
}

export const laneOf = ({ kind, id, date }: RegisterOf) => `register:${kind}:${id}:${date}`
export const registerPath = ({ kind, id, date }: RegisterOf) => `/register/${kind}/${id}?date=${date}`

/** Class 5 · A, or the group's name. */
export const placeOf = (l: { className: string; divisionName: string; groupName?: string }) =>
  l.groupName || [l.className, l.divisionName].filter(Boolean).join(' · ')

/** The school's time of now, as 09:41; again twice a minute. */
export function useClock(): string {
  const { school } = useSession()
  const read = () =>
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: school?.timeZone }).format()
  const [now, setNow] = useState(read)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the zone is the school's for good
  useEffect(() => {
    const timer = window.setInterval(() => setNow(read()), 30_000)
    return () => window.clearInterval(timer)
  }, [])
  return now
}
