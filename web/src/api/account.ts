// Which account of the app this window is of. The console has one account, and no name for it.
import { isApp, storePrefix } from './home'

const at = `${storePrefix}account`

let current = isApp ? (sessionStorage.getItem(at) ?? localStorage.getItem(at) ?? '') : ''

export const account = {
  current: () => current,
  /** From now on it is this one; the next window begins with it too. */
  is: (id: string) => {
    current = id
    sessionStorage.setItem(at, id)
    localStorage.setItem(at, id)
  },
  leave: () => {
    sessionStorage.removeItem(at)
    if (localStorage.getItem(at) === current) localStorage.removeItem(at)
  },
}
