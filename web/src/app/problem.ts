// What went wrong, in the person's language. Refusals that only the service can word are worded by it, in the language of the page.
import { asProblem } from '../api/client'
import { type Key, t } from '../messages/messages'

const known: Record<string, Key> = {
  OFFLINE: 'problem.offline',
  OTP_INVALID: 'problem.codeWrong',
  OTP_EXPIRED: 'problem.codeExpired',
  PIN_WRONG: 'problem.pinWrong',
  REAUTHENTICATION_NEEDED: 'problem.proveAgain',
}

export function problemText(e: unknown): string {
  const p = asProblem(e)
  const key = known[p.code]
  if (key) return t(key)
  if (p.status === 404) return t('problem.notFound')
  if (p.status === 429) return t('problem.tooMany')
  if (p.status >= 500) return t('problem.ours')
  // What is said of a row of a list makes sense beside that row only.
  const [field, text] = p.details[0] ?? ['[', '']
  return field.includes('[') || p.code === 'Bad Request' ? p.message : text
}

export const isOffline = (e: unknown) => asProblem(e).code === 'OFFLINE'
