// Every list of the API pages, sorts and filters in one way; so does the console.

import { api, call, download, type Page } from './client'
import type { paths } from './schema'

type Listed<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': { data: { items: (infer T)[] } } } } } }
}
  ? T
  : never

/** The paths that answer with a page of records. */
export type ListPath = { [P in keyof paths]: Listed<P> extends never ? never : P }[keyof paths]
export type ItemOf<P extends ListPath> = Listed<P>

type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never

/** The filters a list declares: a page that uses another does not compile. */
export type FilterOf<P extends ListPath> = keyof QueryOf<P> extends infer K
  ? K extends `filters[${infer F}]`
    ? F
    : never
  : never
export type SortOf<P extends ListPath> = QueryOf<P> extends { 'sort[field]'?: infer S } ? NonNullable<S> : never

export interface ListQuery {
  page: number
  limit: number
  sort?: string
  order?: 'asc' | 'desc'
  filters: Record<string, string>
}

export function wireQuery(q: Partial<ListQuery>): Record<string, string> {
  const out: Record<string, string> = {}
  if (q.page) out.page = String(q.page)
  if (q.limit) out.limit = String(q.limit)
  if (q.sort) out['sort[field]'] = q.sort
  if (q.sort && q.order) out['sort[order]'] = q.order
  for (const [k, v] of Object.entries(q.filters ?? {})) if (v) out[`filters[${k}]`] = v
  return out
}

export function fetchList<P extends ListPath>(path: P, q: Partial<ListQuery>): Promise<Page<ItemOf<P>>> {
  const get = api.GET as unknown as (
    p: P,
    o: object,
  ) => Promise<{ data?: { data: Page<ItemOf<P>> }; error?: unknown; response: Response }>
  return call(get(path, { params: { query: wireQuery(q) } }))
}

/** All records of a list that is short by nature: classes, years, roles. */
export async function fetchAll<P extends ListPath>(path: P, q: Partial<ListQuery> = {}): Promise<ItemOf<P>[]> {
  const items: ItemOf<P>[] = []
  for (let page = 1; ; page++) {
    const got = await fetchList(path, { ...q, page, limit: 100 })
    items.push(...got.items)
    if (page >= got.totalPages) return items
  }
}

/** The same, as a page that has them all: what the app keeps of its lists. */
export const fetchWhole = async <P extends ListPath>(path: P, q?: Partial<ListQuery>) => ({
  items: await fetchAll(path, q),
})

/** The whole list as a file, which the service writes: the same filters and order, no pages. */
export function downloadList(path: ListPath, q: Partial<ListQuery>, name: string): Promise<void> {
  return download(path, { ...wireQuery({ ...q, page: undefined, limit: undefined }), format: 'csv' }, name)
}
