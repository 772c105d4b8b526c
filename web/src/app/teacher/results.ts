// The results of a paper in one division or group: as the server has them, as they wait to be sent, and as they are sent.
import { useMemo } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { fetchAll, fetchWhole } from '../../api/list'
import { type DataOf, type Item, useTaken, useUnsent } from '../queue'
import { useRead } from '../read'

/** The value of a student's field: marks as typed, absent, exempt, or nothing yet. */
export interface Result {
  text: string
  away?: 'ABSENT' | 'EXEMPT'
}

export type Results = Readonly<Record<string, Result>>
type Upload = DataOf<'/teacher/result/upload'>
type UnsentResults = Item<Upload>

export const useExams = () =>
  useRead(['/teacher/exam/list'], () => fetchWhole('/teacher/exam/list', { sort: 'startDate' }))

export const useSchedule = (exam: string) =>
  useRead(['/teacher/exam/schedule', exam], () =>
    call(api.GET('/teacher/exam/{id}/schedule', { params: { path: { id: exam } } })),
  )

/** The mark sheets of the groups whose lessons the teacher holds: one goes over several divisions. */
export const useGroups = (exam: string) =>
  useRead(['/teacher/exam/groups', exam], () =>
    call(api.GET('/teacher/exam/{id}/groups', { params: { path: { id: exam } } })),
  )

/** Who sits a paper together: a division or a group. */
export interface Seats {
  kind: 'division' | 'group'
  id: string
}

export const resultsLane = (paper: string, { id }: Seats) => `marks:${paper}:${id}`
export const isEmpty = (r: Result | undefined) => !r || (r.text === '' && !r.away)
export const isSameResult = (a: Result | undefined, b: Result | undefined) =>
  (a?.text ?? '') === (b?.text ?? '') && a?.away === b?.away

interface Said {
  marksObtained?: number | null
  isAbsent?: boolean
  isExempt?: boolean
}
const resultOf = (s: Said): Result => ({
  text: s.marksObtained == null ? '' : String(s.marksObtained),
  away: s.isAbsent ? 'ABSENT' : s.isExempt ? 'EXEMPT' : undefined,
})

function resultsOf(items: readonly UnsentResults[]): Results {
  const all: Record<string, Result> = {}
  for (const item of items) for (const r of item.data.results) if (r.studentId) all[r.studentId] = resultOf(r)
  return all
}

/** A paper's results, with what this phone knows besides. Those of a group are among all that the teacher may see. */
export function useResults(paper: string, seats: Seats) {
  const lane = resultsLane(paper, seats)
  const filters: Record<string, string> =
    seats.kind === 'division' ? { paperId: paper, divisionId: seats.id } : { paperId: paper }
  const read = useRead(['/teacher/result/list', paper, seats.id], () => fetchAll('/teacher/result/list', { filters }))
  const unsent = useUnsent(lane) as readonly UnsentResults[] | undefined
  const taken = useTaken(lane, read.dataUpdatedAt) as readonly UnsentResults[]
  const news = taken.map((i) => i.id).join()
  const waits = unsent?.map((i) => i.id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: items do not change, so that their ids say it all
  const known = useMemo((): Results => {
    const server = Object.fromEntries((read.data ?? []).map((r) => [r.studentId, resultOf(r)]))
    return { ...server, ...resultsOf(taken) }
  }, [read.data, news])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const waiting = useMemo(() => resultsOf(unsent ?? []), [waits])
  return { read, unsent, known, waiting, isFresh: taken.length === 0 }
}

/** The results that are other than they were, each with the version that was seen, if one was. */
export function uploadOf(
  paper: Schemas['Paper'],
  results: Results,
  was: Results,
  versions: Map<string, number> | undefined,
): Upload {
  const changed = Object.entries(results).filter(([id, r]) => !isEmpty(r) && !isSameResult(r, was[id]))
  return {
    examId: paper.examId,
    paperId: paper.id,
    results: changed.map(([studentId, r]) => ({
      studentId,
      marksObtained: r.away ? null : Number(r.text),
      isAbsent: r.away === 'ABSENT',
      isExempt: r.away === 'EXEMPT',
      ...(versions ? { version: versions.get(studentId) ?? 0 } : {}),
    })),
  }
}
