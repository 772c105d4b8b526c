import { type FormEvent, useState } from 'react'
import { asProblem } from '../../api/client'
import { t } from '../../messages/messages'
import { problemText } from '../problem'
import { Link } from '../route'
import { Button, Card, Field, Page, Status } from '../ui'
import { useHold } from '../update'
import { knownPin } from './known'
import { isLockOn, provePin, turnLockOff, turnLockOn } from './lock'

/** Whether this phone asks for the PIN before it shows anything of the account. */
export function LockPage() {
  const [on, setOn] = useState(isLockOn)
  return (
    <Page title={t('lock.title')} back="/more">
      <p>{t('lock.what')}</p>
      <Card label={t('lock.title')}>
        <div className="between">
          <span className="line-title">{t('lock.here')}</span>
          <Status tone={on ? 'good' : 'plain'}>{t(on ? 'notices.on' : 'notices.off')}</Status>
        </div>
        {on ? (
          <Button
            onClick={() => {
              turnLockOff()
              setOn(false)
            }}
          >
            {t('notices.turnOff')}
          </Button>
        ) : knownPin.get() === 'set' ? (
          <TurnOn then={() => setOn(true)} />
        ) : (
          <Link to="/more/pin" className="button">
            {t('pin.title')}
          </Link>
        )}
      </Card>
    </Page>
  )
}

function TurnOn({ then }: { then: () => void }) {
  const [pin, setPin] = useState('')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  useHold(pin !== '')
  const send = async (e: FormEvent) => {
    e.preventDefault()
    setBusy(true)
    setError('')
    try {
      await provePin(pin)
      await turnLockOn(pin)
      then()
      return
    } catch (e) {
      setError(asProblem(e).status === 422 ? t('lock.wrong') : problemText(e))
    }
    setBusy(false)
  }
  return (
    <form className="form" onSubmit={(e) => void send(e)}>
      <Field label={t('signIn.pin')} error={error || undefined}>
        {(ids) => (
          <input
            {...ids}
            className="input code"
            type="password"
            inputMode="numeric"
            autoComplete="current-password"
            dir="ltr"
            required
            minLength={4}
            value={pin}
            onChange={(e) => setPin(e.target.value.replace(/\D/g, '').slice(0, 6))}
          />
        )}
      </Field>
      <Button look="main" type="submit" busy={busy}>
        {t('notices.turnOn')}
      </Button>
    </form>
  )
}
