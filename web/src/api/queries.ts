// What many pages ask for: the frame of a school, short lists that seldom change.
import { type Query, QueryClient, useQuery } from '@tanstack/react-query'
import { asProblem } from './client'
import { fetchAll, type ItemOf } from './list'

export const queries = new QueryClient({
  defaultOptions: {
    // A line that is broken is said at once: waiting in silence until it is mended looks like an answer that takes long.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      refetchOnWindowFocus: true,
      retry: (count, e) => count < 2 && [0, 502, 503, 504].includes(asProblem(e).status),
    },
  },
})

/**
 * Forgets every answer under these paths, so that pages ask again. An answer that is still under way to a page that was left is not
 * waited for: it may be from before the change, and would pass for a new one.
 */
export function changed(...beginnings: string[]) {
  const of = { predicate: (q: Query) => beginnings.some((b) => String(q.queryKey[0]).startsWith(b)) }
  queries.removeQueries({ ...of, type: 'inactive', fetchStatus: 'fetching' })
  void queries.invalidateQueries(of)
}

export function useYears() {
  return useQuery({
    queryKey: ['/school-admin/academic-year/list', 'all'],
    queryFn: () => fetchAll('/school-admin/academic-year/list', { sort: 'startDate', order: 'desc' }),
  })
}

export function useClasses() {
  return useQuery({
    queryKey: ['/school-admin/class/list', 'all'],
    queryFn: () => fetchAll('/school-admin/class/list', { sort: 'level', order: 'asc' }),
  })
}

export function useDivisions() {
  return useQuery({
    queryKey: ['/school-admin/division/list', 'all'],
    queryFn: () => fetchAll('/school-admin/division/list', { sort: 'name', order: 'asc' }),
  })
}

export function useSubjects() {
  return useQuery({
    queryKey: ['/school-admin/subject/list', 'all'],
    queryFn: () => fetchAll('/school-admin/subject/list', { sort: 'name', order: 'asc' }),
  })
}

export function useTeachers() {
  return useQuery({
    queryKey: ['/school-admin/employee/list', 'teachers'],
    queryFn: () => fetchAll('/school-admin/employee/list', { filters: { employeeType: 'TEACHER', status: 'ACTIVE' } }),
  })
}

export function usePeriods() {
  return useQuery({
    queryKey: ['/school-admin/timetable/period/list', 'all'],
    queryFn: () => fetchAll('/school-admin/timetable/period/list', { sort: 'startTime', order: 'asc' }),
  })
}

export function useGroups() {
  return useQuery({
    queryKey: ['/school-admin/group/list', 'all'],
    queryFn: () => fetchAll('/school-admin/group/list', { sort: 'name', order: 'asc' }),
  })
}

export type Division = ItemOf<'/school-admin/division/list'>
