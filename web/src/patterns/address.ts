// What a page shows is in its address: links can be shared, and the back button works.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

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
