// What this phone remembers of signing in, also after signing out: the number, and whether it has a PIN.
import { storePrefix } from '../../api/home'

const phoneAt = `${storePrefix}phone`
const schoolAt = `${storePrefix}school`
const pinAt = `${storePrefix}pin`

export const knownPhone = {
  get: () => localStorage.getItem(phoneAt) ?? '',
  set: (phone: string) => {
    if (phone !== knownPhone.get()) localStorage.removeItem(pinAt)
    localStorage.setItem(phoneAt, phone)
  },
}

/** set: it can sign in. later: the person would rather not say now. */
export const knownPin = {
  get: () => localStorage.getItem(pinAt) as 'set' | 'later' | null,
  set: (is: 'set' | 'later') => localStorage.setItem(pinAt, is),
}

/** The school whose link this browser came by. */
export const knownSchool = {
  get: () => localStorage.getItem(schoolAt) ?? '',
  set: (school: string) => localStorage.setItem(schoolAt, school),
}
