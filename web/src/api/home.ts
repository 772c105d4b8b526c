// Which of the two this build is: the console or the people's app. They have one origin, so that what each keeps in the browser
// has names of its own.
export const home = import.meta.env.BASE_URL
export const isApp = home === '/app/'

/** Where the session's calls go, and its cookie with them. */
export const authPath = isApp ? '/auth/app' : '/auth/console'

/** What the names in the browser's stores begin with. Neither is the beginning of the other. */
export const storePrefix = isApp ? 'homeroom-app.' : 'homeroom.'
