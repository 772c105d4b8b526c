import { useEffect } from 'react'
import { recallSession } from '../api/offline'
import { answerProof, useProofAsked } from '../api/proof'
import { renew, type Session, useSessionState } from '../api/session'
import { choose, t, useLanguage } from '../messages/messages'
import { useLocked } from './account/lock'
import { Frame } from './frame'
import { part } from './part'
import { areaOf } from './roles'
import { match, pathNow, useAddress } from './route'
import { Button } from './ui'

const SignIn = part(() => import('./account/sign-in'), 'SignIn')
const LockScreen = part(() => import('./account/lock-screen'), 'LockScreen')
const OpenNotice = part(() => import('./notice'), 'OpenNotice')
const NothingHere = part(() => import('./account/nothing-here'), 'NothingHere')

/** Loads what the first screen shows, while the language's texts come. */
export function preload() {
  const session = recallSession()
  if (session)
    void areaOf(session.user.role)
      ?.pages.find(({ at }) => match(at, pathNow()))
      ?.Page.preload()
  else void SignIn.preload()
}

export function App() {
  const language = useLanguage()
  const state = useSessionState()
  // What needs a fresh proof is refused in words: the page then says how to give one.
  const asked = useProofAsked()
  useEffect(() => {
    if (asked) answerProof(false)
  }, [asked])
  switch (state.status) {
    case 'starting':
      return null
    case 'unreachable':
      return (
        <main className="empty" role="alert">
          <p>{t('problem.offline')}</p>
          <Button onClick={() => void renew()}>{t('common.tryAgain')}</Button>
        </main>
      )
    case 'in':
      return <SignedIn key={language} session={state.session} />
    default:
      return <SignIn key={language} />
  }
}

function SignedIn({ session }: { session: Session }) {
  const { path } = useAddress()
  const area = areaOf(session.user.role)
  const { role, id } = session.user
  useEffect(() => {
    if (window.Notification?.permission === 'granted')
      void import('./notices').then((n) => n.renewNotices(role)).catch(() => {}) // the next start tries again
  }, [role])
  // Drawn anew when the language changes.
  useEffect(() => {
    void import('../messages/own-language').then((l) => l.keepLanguage(role, id, choose)).catch(() => {}) // the next start tries again
  }, [role, id])
  const locked = useLocked()
  if (!area) return <NothingHere />
  if (locked) return <LockScreen />
  if (path === '/notice') return <OpenNotice />
  for (const { at, Page } of area.pages) {
    const values = match(at, path)
    if (values)
      return (
        <Frame area={area} path={path}>
          <Page {...values} />
        </Frame>
      )
  }
  return (
    <Frame area={area} path={path}>
      <NothingHere />
    </Frame>
  )
}
