// The address decides what is shown. It is a path below /app/; going back is the phone's own.
import { type AnchorHTMLAttributes, type ReactNode, useSyncExternalStore } from 'react'
import { home } from '../api/home'

const listeners = new Set<() => void>()
const changed = () => {
  for (const f of listeners) f()
}
window.addEventListener('popstate', changed)

export const pathNow = () => window.location.pathname.slice(home.length - 1)
const addressOf = () => pathNow() + window.location.search

/** The address below /app, which begins with a slash, and its query. */
export function useAddress(): { path: string; query: URLSearchParams } {
  const address = useSyncExternalStore((f) => {
    listeners.add(f)
    return () => listeners.delete(f)
  }, addressOf)
  const [path = '/', query = ''] = address.split('?')
  return { path, query: new URLSearchParams(query) }
}

/** Goes to a page. replace: going back passes it by. */
export function go(to: string, how: { replace?: boolean } = {}) {
  const url = home + to.slice(1)
  if (how.replace) window.history.replaceState(null, '', url)
  else window.history.pushState(null, '', url)
  if (!how.replace) window.scrollTo(0, 0)
  changed()
}

/** The values of :names where a path is as the pattern says. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const got = path.split('/')
  if (wanted.length !== got.length) return undefined
  const values: Record<string, string> = {}
  for (const [i, part] of wanted.entries())
    if (part.startsWith(':')) values[part.slice(1)] = got[i]!
    else if (part !== got[i]) return undefined
  return values
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  to: string
  /** The place of a page that is shown again in another way (a sibling, a tab): going back passes it by. */
  replace?: boolean
  children: ReactNode
}

export function Link({ to, replace, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={home + to.slice(1)}
      onClick={(e) => {
        if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0) return
        e.preventDefault()
        go(to, { replace })
      }}
    >
      {children}
    </a>
  )
}
