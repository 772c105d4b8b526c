// What a register's marks are: as the server has them, as they wait to be sent, and as they are sent.

import { useMemo } from 'react'
import type { Schemas } from '../../api/client'
import type { DataOf, Item } from '../queue'
import { useTaken, useUnsent } from '../queue'
import { laneOf, type RegisterData, type RegisterOf, useRegister } from './lessons'

export type Status = 'PRESENT' | 'ABSENT' | 'LATE' | 'LEAVE'
export type Entry = Schemas['RegisterEntry']

export interface Mark {
  status: Status
  lateMinutes: number | null
  remark: string
}

export type Marks = Readonly<Record<string, Mark>>
type UnsentRegister = Item<
  DataOf<'/teacher/attendance/mark'> & Pick<DataOf<'/teacher/attendance/lesson/mark'>, 'slotId'>
>

function serverMark(e: Entry): Mark | undefined {
  if (!e.status || e.status === 'HOLIDAY') return undefined
  return { status: e.status as Status, lateMinutes: e.lateMinutes, remark: e.remark }
}

/** The marks of items, the later over the earlier. */
function marksOf(items: readonly UnsentRegister[]): Marks {
  const marks: Record<string, Mark> = {}
  for (const item of items)
    for (const r of item.data.records)
      marks[r.studentId] = {
        status: r.status as Status,
        lateMinutes: r.lateMinutes ?? null,
        remark: r.remark ?? '',
      }
  return marks
}

export const isSame = (a: Mark | undefined, b: Mark | undefined) =>
  a?.status === b?.status &&
  (a?.lateMinutes ?? null) === (b?.lateMinutes ?? null) &&
  (a?.remark ?? '') === (b?.remark ?? '')

/** An item that waits can be replaced by another as long as it cannot have arrived. */
export const isReplaceable = (item: Item) => item.sentAt === undefined || item.refused !== undefined

/** A register with what this phone knows besides: what the server took since it was read, and what waits. */
export function useMarks(of: RegisterOf) {
  const lane = laneOf(of)
  const read = useRegister(of)
  const unsent = useUnsent(lane) as readonly UnsentRegister[] | undefined
  const taken = useTaken(lane, read.dataUpdatedAt) as readonly UnsentRegister[]
  const students = read.data?.students
  const news = taken.map((i) => i.id).join()
  const waits = unsent?.map((i) => i.id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: items do not change, so that their ids say it all
  const known = useMemo(() => {
    const marks: Record<string, Mark> = {}
    for (const e of students ?? []) {
      const mark = serverMark(e)
      if (mark) marks[e.studentId] = mark
    }
    return { ...marks, ...marksOf(taken) } as Marks
  }, [students, news])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const waiting = useMemo(() => marksOf(unsent ?? []), [waits])
  const unmarked = students?.filter((e) => !known[e.studentId]).length ?? 0
  return { read, unsent, known, waiting, unmarked, isFresh: taken.length === 0 }
}

/**
 * What is posted. A day's register names what is other than it was, each with the version that was seen, so that nobody
 * overwrites what they have not seen; a lesson's names everybody. After marks that have arrived, or may have, there is no version
 * to name: then the teacher's own last word counts.
 */
export function postOf(of: RegisterOf, data: RegisterData, marks: Marks, was: Marks, isSeen: boolean) {
  const record = (e: Entry) => {
    const mark = marks[e.studentId]!
    return {
      studentId: e.studentId,
      status: mark.status,
      ...(mark.status === 'LATE' && mark.lateMinutes !== null ? { lateMinutes: mark.lateMinutes } : {}),
      ...(mark.remark ? { remark: mark.remark } : {}),
    }
  }
  const marked = data.students.filter((e) => marks[e.studentId])
  if (of.kind === 'lesson') {
    const version = data.lesson?.version ?? 0
    return {
      path: '/teacher/attendance/lesson/mark' as const,
      data: { slotId: of.id, date: of.date, records: marked.map(record), ...(isSeen ? { version } : {}) },
    }
  }
  const other = marked.filter((e) => !isSame(marks[e.studentId], was[e.studentId]))
  const records = other.map((e) => ({ ...record(e), ...(isSeen ? { version: e.version } : {}) }))
  return { path: '/teacher/attendance/mark' as const, data: { divisionId: of.id, date: of.date, records } }
}
