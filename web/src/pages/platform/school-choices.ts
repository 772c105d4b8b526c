import { useQuery } from '@tanstack/react-query'
import { api, call } from '../../api/client'
import { fetchList } from '../../api/list'

/** Schools to choose from, by name; one that is chosen already is among them. */
export function useSchoolChoices(chosen?: string) {
  const q = useQuery({
    queryKey: ['/super-admin/school/list', 'choices'],
    queryFn: () => fetchList('/super-admin/school/list', { page: 1, limit: 100, sort: 'name', order: 'asc' }),
  })
  const one = useQuery({
    queryKey: ['/super-admin/school/', chosen],
    queryFn: () => call(api.GET('/super-admin/school/{id}', { params: { path: { id: chosen! } } })),
    enabled: !!chosen && !!q.data && !q.data.items.some((s) => s.id === chosen),
  })
  const list = [...(q.data?.items ?? []), ...(one.data ? [one.data] : [])]
  return {
    choices: list.map((s) => ({ value: s.id, label: s.name })),
    nameOf: (id: string | null) => list.find((s) => s.id === id)?.name ?? '',
  }
}
