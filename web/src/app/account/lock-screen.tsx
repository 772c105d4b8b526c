import { type FormEvent, useState } from 'react'
import { asProblem } from '../../api/client'
import { post } from '../../api/post'
import { useSession } from '../../api/session'
import { type Key, t } from '../../messages/messages'
import { problemText } from '../problem'
import { useQueueRunner } from '../queue'
import { Button, Field } from '../ui'
import { useHold } from '../update'
import { unlock, unlockByCode } from './lock'

const said: Record<'wrong' | 'offline', Key> = { wrong: 'lock.wrong', offline: 'lock.needsLine' }

/** What is shown instead of every page until the PIN was entered. What waits is sent all the same. */
export function LockScreen() {
  useQueueRunner()
  const { user } = useSession()
  const [byCode, setByCode] = useState(false)
  const [digits, setDigits] = useState('')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  useHold(byCode || digits !== '') // a code is read in another app
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setError('')
    try {
      await work()
    } catch (e) {
      setError(asProblem(e).status === 422 ? t('problem.codeWrong') : problemText(e))
    }
    setBusy(false)
  }
  const send = (e: FormEvent) => {
    e.preventDefault()
    void attempt(async () => {
      if (byCode) return unlockByCode(digits)
      const answer = await unlock(digits)
      if (answer === 'open') return
      setDigits('')
      setError(t(said[answer]))
    })
  }
  const askForCode = () =>
    void attempt(async () => {
      await post('/auth/app/send-otp', { phone: user.phone })
      setByCode(true)
      setDigits('')
    })
  return (
    <main className="welcome">
      <div>
        <img src="/app/icon.svg" alt="" width="48" height="48" />
        <h1>{t('lock.locked')}</h1>
      </div>
      <form className="form" onSubmit={send}>
        <Field
          key={String(byCode)}
          label={t(byCode ? 'signIn.code' : 'signIn.pin')}
          hint={t(byCode ? 'signIn.codeHint' : 'signIn.pinHint', { phone: user.phone ?? '' })}
          error={error || undefined}
        >
          {(ids) => (
            <input
              {...ids}
              // biome-ignore lint/a11y/noAutofocus: the one field of the screen
              autoFocus
              className="input code"
              type={byCode ? 'text' : 'password'}
              inputMode="numeric"
              autoComplete={byCode ? 'one-time-code' : 'current-password'}
              dir="ltr"
              required
              minLength={byCode ? 6 : 4}
              value={digits}
              onChange={(e) => setDigits(e.target.value.replace(/\D/g, '').slice(0, 6))}
            />
          )}
        </Field>
        <Button look="main" type="submit" busy={busy}>
          {t('lock.open')}
        </Button>
        {!byCode && (
          <Button look="text" onClick={askForCode} busy={busy}>
            {t('signIn.useCode')}
          </Button>
        )}
      </form>
    </main>
  )
}
