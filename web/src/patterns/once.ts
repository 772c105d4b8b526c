// What must happen once carries a key: sent again after a lost answer, the server gives the first answer again.
import { useRef } from 'react'

/**
 * A key for what is about to be sent. The same words have the same key until it is known to have happened, so a double
 * click, a retry after a lost connection and a reload are all one; other words are another thing.
 */
export function useOnce(name: string) {
  const at = `homeroom.once.${name}`
  const last = useRef<{ words: string; key: string } | null>(null)
  function keyFor(what: unknown): string {
    const words = JSON.stringify(what)
    last.current ??= read(at)
    if (last.current?.words !== words) last.current = { words, key: crypto.randomUUID() }
    window.sessionStorage.setItem(at, JSON.stringify(last.current))
    return last.current.key
  }
  function happened() {
    last.current = null
    window.sessionStorage.removeItem(at)
  }
  return { keyFor, happened }
}

function read(at: string): { words: string; key: string } | null {
  try {
    return JSON.parse(window.sessionStorage.getItem(at) ?? 'null') as { words: string; key: string } | null
  } catch {
    return null
  }
}
