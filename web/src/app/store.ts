// What the app keeps of an account on this phone: the last answers, with their age, to be shown in the first frame and without a
// line, and what was typed and not sent. It is of one account and goes when that signs out.
import { account } from '../api/account'
import { storePrefix } from '../api/home'

const keptFor = 7 * 24 * 3_600_000 // as long as a session that nobody renews
const of = (id = account.current()) => `${storePrefix}of.${id}.`

interface Kept<T> {
  at: number
  data: T
}

function get<T>(name: string): Kept<T> | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(of() + name) ?? 'null') as Kept<T> | null
    return kept && Date.now() - kept.at < keptFor ? kept : undefined
  } catch {
    return undefined
  }
}

let isWiped = false // what comes after that is of somebody who has gone

function put(name: string, data: unknown) {
  if (isWiped) return
  const text = JSON.stringify({ at: Date.now(), data })
  try {
    localStorage.setItem(of() + name, text)
  } catch {
    // No room: the answers make way for the new one. What was typed stays.
    for (const key of Object.keys(localStorage)) if (key.startsWith(`${of()}answer.`)) localStorage.removeItem(key)
    try {
      localStorage.setItem(of() + name, text)
    } catch {
      // Then there is nothing to show without a line.
    }
  }
}

export const answers = {
  recall: <T>(key: readonly unknown[]) => get<T>(`answer.${JSON.stringify(key)}`),
  keep: (key: readonly unknown[], data: unknown) => put(`answer.${JSON.stringify(key)}`, data),
}

export const drafts = {
  recall: <T>(name: string) => get<T>(`draft.${name}`)?.data,
  keep: (name: string, data: unknown) => put(`draft.${name}`, data),
  drop: (name: string) => localStorage.removeItem(`${of()}draft.${name}`),
}

/** Forgets everything of the account that is signing out, and keeps nothing more in this window. */
export function wipe() {
  isWiped = true
  for (const key of Object.keys(localStorage)) if (key.startsWith(of())) localStorage.removeItem(key)
}
