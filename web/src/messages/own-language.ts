// The language a person has chosen is kept with the account too: messages by push, SMS, e-mail and WhatsApp are written in it.
import { account } from '../api/account'
import { api, call } from '../api/client'
import { storePrefix } from '../api/home'
import type { Role } from '../api/session'
import { chosen, type Language } from './language'

const paths = {
  PARENT: '/parent/notification/language',
  TEACHER: '/teacher/notification/language',
  DRIVER: '/driver/notification/language',
  SCHOOL_ADMIN: '/school-admin/notification/language',
} as const

/** Sends what was chosen on this browser, once. Where nothing was, `take` gets what was chosen on another. */
export async function keepLanguage(role: Role, user: string, take?: (language: Language) => Promise<void>) {
  const path = paths[role as keyof typeof paths]
  const at = `${storePrefix}language.${account.current() || user}`
  const here = chosen()
  const known = localStorage.getItem(at)
  if (!path || here === (known ?? undefined) || (!here && known !== null)) return
  if (here) await call(api.PUT(path, { body: { data: { language: here } } }))
  else if (take) {
    const { language } = await call(api.GET(path))
    if (language) await take(language)
  }
  localStorage.setItem(at, chosen() ?? '')
}
