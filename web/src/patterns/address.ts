// What a page shows is in its address: links can be shared, and the back button works.
import { type RouteComponent, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'

type Search = Record<string, string>

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text))
}

export function stringifySearch(search: Record<string, unknown>): string {
  const q = new URLSearchParams()
  for (const [k, v] of Object.entries(search)) if (v !== undefined && v !== null && v !== '') q.set(k, String(v))
  const s = q.toString()
  return s ? `?${s}` : ''
}

/** The page that an act leads to is loaded before it is needed: a form that waits for it looks as if nothing had happened. */
export function useNextPage(to: string) {
  const router = useRouter()
  useEffect(() => {
    const pages = router.routesByPath as unknown as Record<string, { options: { component?: RouteComponent } }>
    void pages[to]?.options.component?.preload?.()
  }, [router, to])
}

/** The address's parameters and a way to change some of them. */
export function useAddress(): [Search, (change: Record<string, string | undefined>, replace?: boolean) => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = useCallback(
    (c: Record<string, string | undefined>, replace = false) =>
      void navigate({ to: '.', search: ((old: Search) => ({ ...old, ...c })) as never, replace, resetScroll: false }),
    [navigate],
  )
  return [search, change]
}
