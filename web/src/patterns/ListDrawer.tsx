import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { fetchList, type ItemOf } from '../api/list'
import { Lines, Trouble } from './feedback'
import { DrawerHead } from './record'

interface ListDrawerProps<P extends ListWithId> {
  path: P
  id: string
  close: () => void
  /** What is said where there is no such record. */
  gone: string
  children: (record: ItemOf<P>) => ReactNode
}

/** The lists that find a record by its id, as nothing else reads one of them. */
type ListWithId = '/school-admin/audit/list' | '/super-admin/audit/list' | '/school-admin/transport/incident/list'

/** A record beside its list, however far down it is. */
export function ListDrawer<P extends ListWithId>({ path, id, close, gone, children }: ListDrawerProps<P>) {
  const q = useQuery({
    queryKey: [path, 'one', id],
    queryFn: async () => (await fetchList(path, { filters: { id } })).items[0] ?? null,
  })
  if (q.data) return children(q.data)
  return (
    <>
      <DrawerHead title={' '} close={close} />
      <div className="drawer-body">
        {q.error ? (
          <Trouble error={q.error} retry={() => void q.refetch()} />
        ) : q.data === null ? (
          <Text>{gone}</Text>
        ) : (
          <Lines />
        )}
      </div>
    </>
  )
}
