import { useState } from 'react'
import { account } from '../../api/account'
import { problemOf } from '../../api/client'
import { signOut, switchAccount, useSession } from '../../api/session'
import { type Key, t } from '../../messages/messages'
import { problemText } from '../problem'
import { dropAll, useUnsent } from '../queue'
import { Link } from '../route'
import { wipe } from '../store'
import { Button, Card, Status } from '../ui'

const roles: Record<string, Key> = { PARENT: 'role.parent', TEACHER: 'role.teacher', DRIVER: 'role.driver' }

/** Who is signed in, the other accounts of the phone, and the way out. */
export function Accounts() {
  const session = useSession()
  const [error, setError] = useState('')
  const [busy, setBusy] = useState('')
  const change = async (id: string) => {
    setBusy(id)
    setError('')
    try {
      const response = await switchAccount(id)
      if (!response.ok) setError(problemText(problemOf(response, await response.json().catch(() => undefined))))
    } catch (e) {
      setError(problemText(e))
    }
    setBusy('')
  }
  const unsent = useUnsent()?.length ?? 0
  const [asks, setAsks] = useState(false)
  const leave = async () => {
    setBusy('out')
    await import('../notices').then((n) => n.forgetNotices()).catch(() => {}) // the session's end ends them too
    await dropAll().catch(() => {}) // a browser without a store has nothing in it
    wipe()
    await signOut()
  }
  const all = session.accounts ?? []
  return (
    <Card label={t('accounts.title')}>
      <h2>{t('accounts.title')}</h2>
      <p className="note" dir="ltr">
        {session.user.phone}
      </p>
      <ul className="rows">
        {all.map((a) => (
          <li key={a.id} className="between">
            <span>
              <span className="line-title">{a.schoolName}</span>
              <span className="note">{t(roles[a.role] ?? 'role.other')}</span>
            </span>
            {a.id === account.current() ? (
              <Status tone="good">{t('accounts.current')}</Status>
            ) : (
              <Button onClick={() => void change(a.id)} busy={busy === a.id}>
                {t('accounts.switch')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {asks && unsent > 0 ? (
        <div role="alert">
          <p className="strong">{t('queue.count', { count: unsent })}</p>
          <p>{t('queue.signOutAsk')}</p>
          <div className="buttons">
            <Link to="/more/waiting" className="button">
              {t('queue.show')}
            </Link>
            <Button onClick={() => void leave()} busy={busy === 'out'}>
              {t('queue.signOut')}
            </Button>
            <Button look="text" onClick={() => setAsks(false)}>
              {t('queue.keep')}
            </Button>
          </div>
        </div>
      ) : (
        <Button onClick={() => (unsent > 0 ? setAsks(true) : void leave())} busy={busy === 'out'}>
          {t('accounts.signOut')}
        </Button>
      )}
    </Card>
  )
}
