import { type FormEvent, useState } from 'react'
import { api, asProblem, done } from '../../api/client'
import { t } from '../../messages/messages'
import { problemText } from '../problem'
import { go } from '../route'
import { Button, Field, Page } from '../ui'
import { useHold } from '../update'
import { knownPin } from './known'
import { isLockOn, turnLockOn } from './lock'

/** Sets the PIN for signing in without a code. Some time after signing in, the one before is asked for. */
export function Pin() {
  const [pin, setPin] = useState('')
  const [current, setCurrent] = useState('')
  const [asksCurrent, setAsksCurrent] = useState(false)
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  useHold(pin !== '')
  const save = async (e: FormEvent) => {
    e.preventDefault()
    setBusy(true)
    setError('')
    try {
      await done(api.POST('/auth/set-pin', { body: { pin, currentPin: current || undefined } }))
      knownPin.set('set')
      if (isLockOn()) await turnLockOn(pin)
      go('/more', { replace: true })
      return
    } catch (e) {
      const p = asProblem(e)
      if (p.status === 403 && p.code === 'PERMISSION_DENIED') {
        setAsksCurrent(true)
        setError(t('pin.currentNeeded'))
      } else setError(p.fields.pin ? t('pin.weak') : problemText(e))
    }
    setBusy(false)
  }
  const digits = (set: (text: string) => void) => (e: { target: { value: string } }) =>
    set(e.target.value.replace(/\D/g, '').slice(0, 6))
  const input = {
    className: 'input code',
    type: 'password',
    inputMode: 'numeric',
    dir: 'ltr',
    required: true,
    minLength: 4,
  } as const
  return (
    <Page title={t('pin.title')} back="/more">
      <form className="form" onSubmit={(e) => void save(e)}>
        {asksCurrent && (
          <Field label={t('pin.current')}>
            {(ids) => (
              <input
                {...ids}
                {...input}
                autoComplete="current-password"
                value={current}
                onChange={digits(setCurrent)}
              />
            )}
          </Field>
        )}
        <Field label={t('pin.new')} hint={t('pin.hint')} error={error || undefined}>
          {(ids) => <input {...ids} {...input} autoComplete="new-password" value={pin} onChange={digits(setPin)} />}
        </Field>
        <Button look="main" type="submit" busy={busy}>
          {t('pin.save')}
        </Button>
      </form>
    </Page>
  )
}
