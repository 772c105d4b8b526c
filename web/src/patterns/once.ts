// A post that must happen once carries an idempotency key: sent again with its key, the server gives the first answer
// again.
import { useRef, useState } from 'react'

/**
 * useOnce keeps the key of what a form is about to post. The same words have the same key until the form is left, so
 * a second click, a retry after a lost connection and a reload before the answer are all one; other words are another
 * post. `done` stays true from the success until the form is left: the next page may take a second to load, and the
 * form must not look as if nothing had happened. A form that stays for the next post (a chat) says so by `stays`.
 */
export function useOnce(name: string, stays = false) {
  const at = `homeroom.once.${name}`
  const last = useRef<{ words: string; key: string } | null>(null)
  const [done, setDone] = useState(false)
  function keyFor(what: unknown): string {
    const words = JSON.stringify(what)
    last.current ??= read(at)
    if (last.current?.words !== words) last.current = { words, key: crypto.randomUUID() }
    window.sessionStorage.setItem(at, JSON.stringify(last.current))
    return last.current.key
  }
  /** The answer says that it happened. */
  function happened() {
    window.sessionStorage.removeItem(at)
    if (stays) last.current = null
    else setDone(true)
  }
  /** The answer says that it did not happen: the same words are another post. */
  function forget() {
    last.current = null
    window.sessionStorage.removeItem(at)
  }
  return { keyFor, happened, forget, done }
}

function read(at: string): { words: string; key: string } | null {
  try {
    return JSON.parse(window.sessionStorage.getItem(at) ?? 'null') as { words: string; key: string } | null
  } catch {
    return null
  }
}
