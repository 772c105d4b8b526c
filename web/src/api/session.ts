// Who is signed in. The access token lives in this module's memory only; the refresh token is a cookie no script can read.
import { useSyncExternalStore } from 'react'
import { account } from './account'
import { type Answer, askRenewal, cookieFetch, inTurn, type Renewal, takeRenewal, whose } from './first'
import { authPath, home, isApp } from './home'
import { forget, keepSession, leaving, lineIs, recallSession } from './offline'

export type Role = Answer['user']['role']

export interface Session {
  user: Answer['user']
  school: Answer['school']
  permissions: Answer['permissions']
  accounts?: Answer['accounts']
}

/** starting: nobody knows yet. ended: was signed in, and what is on the page is kept until they are back. */
export type State =
  | { status: 'starting' }
  | { status: 'unreachable' }
  | { status: 'out' }
  | { status: 'in'; session: Session }
  | { status: 'ended'; session: Session }

type Word = { account: string } & ({ type: 'renewed'; answer: Answer; until: number } | { type: 'out' })

// Who was signed in when this browser last knew is taken to be still: pages are drawn, and read what was kept where there is no
// line, while the server is asked. Without a token nothing new is read or written.
const isGone = () => (isApp ? leaving.who() === account.current() : leaving.is())
const recalled = isGone() ? undefined : recallSession()
let state: State = recalled ? { status: 'in', session: recalled } : { status: 'starting' }
let token = ''
let until = 0
let timer: number | undefined
const listeners = new Set<() => void>()
const tabs = new BroadcastChannel(isApp ? 'homeroom-app' : 'homeroom')

function become(next: State) {
  state = next
  for (const f of listeners) f()
}

function sessionOf(a: Answer): Session {
  return { user: a.user, school: a.school, permissions: a.permissions, accounts: a.accounts }
}

function adopt(answer: Answer, expires: number, tell: boolean) {
  if (answer.accountId) account.is(answer.accountId)
  keepSession(sessionOf(answer))
  const before = state.status === 'in' || state.status === 'ended' ? state.session.user.id : undefined
  if (before && before !== answer.user.id) {
    window.location.reload() // somebody else signed in: nothing of the page before may stay
    return
  }
  token = answer.accessToken
  until = expires
  window.clearTimeout(timer)
  timer = window.setTimeout(() => void renew(), Math.max(5_000, expires - Date.now() - 60_000))
  const session = sessionOf(answer)
  // Only a change of rights is news to the pages; a fresh token is not.
  if (state.status !== 'in' || JSON.stringify(state.session) !== JSON.stringify(session))
    become({ status: 'in', session })
  if (tell) tabs.postMessage({ account: account.current(), type: 'renewed', answer, until: expires } satisfies Word)
}

function end() {
  const proven = token !== ''
  token = ''
  until = 0
  window.clearTimeout(timer)
  if (state.status === 'in' && !proven && !isApp) void forget(false)
  if ((state.status === 'in' && proven) || state.status === 'ended') become({ status: 'ended', session: state.session })
  else become({ status: 'out' })
}

tabs.onmessage = (e: MessageEvent<Word>) => {
  if (e.data.account !== account.current()) return // another window may be of another account
  if (e.data.type === 'renewed') adopt(e.data.answer, e.data.until, false)
  else if (state.status !== 'out') window.location.assign(home)
}

/** Calls what lives on a cookie, as who is signed in. */
export const callOnCookie = (path: string, body?: unknown) => cookieFetch(path, body, token)

let renewing: Promise<boolean> | undefined

/** Renews the session, once however many ask, in this tab or another. True if there is one. */
export function renew(): Promise<boolean> {
  renewing ??= alone(renewNow).finally(() => (renewing = undefined))
  return renewing
}

async function alone(f: typeof renewNow): Promise<boolean> {
  const before = token
  const first = takeRenewal() // has had its turn
  if (first) return f(first)
  return inTurn(async () => (token !== '' && token !== before ? true : f()))
}

async function renewNow(first?: Promise<Renewal>): Promise<boolean> {
  let renewal: Renewal
  try {
    if (leaving.is()) {
      await callOnCookie(`${authPath}/logout`, whose(leaving.who() ?? ''))
      leaving.clear()
    }
    if (isApp && account.current() === '') {
      end() // nobody has signed in here: there is nothing to ask for
      return false
    }
    renewal = await (first ?? askRenewal(token))
  } catch {
    lineIs(false)
    window.clearTimeout(timer)
    if (state.status === 'starting') become({ status: 'unreachable' })
    else timer = window.setTimeout(() => void renew(), 10_000)
    return false
  }
  lineIs(true)
  const { status, data } = renewal
  if (data) {
    adopt(data, Date.now() + data.expiresIn * 1000, true)
    return true
  }
  if (status === 401 || status === 403) end()
  else if (state.status === 'starting') become({ status: 'unreachable' })
  else timer = window.setTimeout(() => void renew(), 10_000)
  return false
}

export function signedIn(answer: Answer) {
  adopt(answer, Date.now() + answer.expiresIn * 1000, true)
}

export async function signOut(everywhere = false) {
  if (everywhere) await fetch('/auth/logout-all', { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
  await forget(true)
  try {
    await callOnCookie(`${authPath}/logout`, whose())
  } catch {
    leaving.set()
  }
  tabs.postMessage({ account: account.current(), type: 'out' } satisfies Word)
  account.leave()
  window.location.assign(home)
}

/** Goes on as another account of the phone: by its own cookie, or by a new session if it has none. What is open goes on. */
export async function switchAccount(id: string, to = home): Promise<Response> {
  const before = account.current()
  account.is(id)
  const known = recallSession() !== undefined
  account.is(before)
  let response: Response
  try {
    response = await callOnCookie(`${authPath}/refresh`, whose(id))
    if (response.status === 401) {
      await accessToken()
      response = await callOnCookie(`${authPath}/switch`, whose(id))
    }
  } catch (e) {
    if (!known) throw e
    response = new Response() // without a line, what was read as that account is still here
  }
  if (!response.ok) return response
  account.is(id)
  window.location.assign(to) // nothing of one account stays on the page of another
  return response
}

/** The token to call with, renewed first if it is about to expire. */
export async function accessToken(): Promise<string> {
  if (token === '' ? state.status === 'in' : Date.now() > until - 5_000) await renew()
  return token
}

export function useSessionState(): State {
  return useSyncExternalStore(
    (f) => {
      listeners.add(f)
      return () => listeners.delete(f)
    },
    () => state,
  )
}

/** The session, on pages that are shown to signed-in people only. */
export function useSession(): Session {
  const s = useSessionState()
  if (s.status !== 'in' && s.status !== 'ended') throw new Error('nobody is signed in')
  return s.session
}

export type Action = 'read' | 'write' | 'delete'

export function may(s: Session, module: string, action: Action): boolean {
  if (s.user.role === 'SUPER_ADMIN') return module === ''
  const granted = s.permissions[module]
  if (!granted) return false
  return action === 'read' ? granted.canRead : action === 'write' ? granted.canWrite : granted.canDelete
}

export function useMay(): (module: string, action: Action) => boolean {
  const s = useSession()
  return (module, action) => may(s, module, action)
}
