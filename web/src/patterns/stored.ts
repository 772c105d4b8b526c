import { useCallback, useMemo, useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
const unkept = new Map<string, string>() // for which the browser had no room

function listen(changed: () => void) {
  listeners.add(changed)
  window.addEventListener('storage', changed) // by another window
  return () => {
    listeners.delete(changed)
    window.removeEventListener('storage', changed)
  }
}

/**
 * useStored is a choice that this browser keeps, the same in all windows. Mantine's hook writes the value again whenever a component
 * is drawn first, and draws it, and all in it, twice.
 */
export function useStored<T>(key: string, otherwise: T): [T, (next: T | ((before: T) => T)) => void] {
  const read = useCallback(() => unkept.get(key) ?? localStorage.getItem(key), [key])
  const parse = (text: string | null) => {
    try {
      return text === null ? otherwise : (JSON.parse(text) as T)
    } catch {
      return otherwise
    }
  }
  const text = useSyncExternalStore(listen, read)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same text is the same value
  const value = useMemo(() => parse(text), [text])
  const set = (next: T | ((before: T) => T)) => {
    const text = JSON.stringify(next instanceof Function ? next(parse(read())) : next)
    try {
      localStorage.setItem(key, text)
      unkept.delete(key)
    } catch {
      unkept.set(key, text)
    }
    for (const changed of listeners) changed()
  }
  return [value, set]
}
