// Reads of the API: the last answer at once, then the newest.
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { answers } from './store'

export type Read<T> = UseQueryResult<T, Error>

interface How {
  enabled?: boolean
  /** Asks again while the page is shown: for what changes by itself. */
  every?: number | false
}

/** key begins with the API's path, so that changed('/parent/leave/') finds it. */
export function useRead<T>(key: readonly [string, ...unknown[]], read: () => Promise<T>, how: How = {}): Read<T> {
  const kept = () => answers.recall<T>(key)
  return useQuery<T, Error>({
    queryKey: key,
    queryFn: async () => {
      const data = await read()
      answers.keep(key, data)
      return data
    },
    initialData: () => kept()?.data,
    initialDataUpdatedAt: () => kept()?.at,
    // What the phone kept is shown, and always asked for anew: it may have been changed since, from here too.
    refetchOnMount: (query) => (query.state.dataUpdateCount === 0 ? 'always' : true),
    enabled: how.enabled ?? true,
    refetchInterval: how.every ?? false,
  })
}
