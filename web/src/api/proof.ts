// Asks the signed-in user to prove it once more. One dialog, however many calls wait for it.
import { useSyncExternalStore } from 'react'

let asked: { answered: Promise<boolean>; answer: (ok: boolean) => void } | undefined
const listeners = new Set<() => void>()

/** Waits for a proof; false: they would rather not. */
export function askForProof(): Promise<boolean> {
  if (!asked) {
    let answer!: (ok: boolean) => void
    const answered = new Promise<boolean>((resolve) => (answer = resolve))
    asked = { answered, answer }
    for (const f of listeners) f()
  }
  return asked.answered
}

export function answerProof(ok: boolean) {
  asked?.answer(ok)
  asked = undefined
  for (const f of listeners) f()
}

export function useProofAsked(): boolean {
  return useSyncExternalStore(
    (f) => {
      listeners.add(f)
      return () => listeners.delete(f)
    },
    () => asked !== undefined,
  )
}
