import { type FormEvent, type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client'
import { post } from '../../api/post'
import { signedIn } from '../../api/session'
import { t } from '../../messages/messages'
import { problemText } from '../problem'
import { Button, Field } from '../ui'
import { useHold } from '../update'
import { likelyCode } from './dial'
import { knownPhone, knownPin } from './known'
import { LanguageChoice } from './language'
import { SchoolSignIn } from './school-sign-in'

type Step = 'phone' | 'code' | 'pin'

/** By phone and code; by PIN on a phone that has one. */
export function SignIn() {
  const [phone, setPhone] = useState(() => knownPhone.get() || likelyCode())
  const [step, setStep] = useState<Step>(knownPin.get() === 'set' && knownPhone.get() ? 'pin' : 'phone')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  useHold(step === 'code') // a code is read in another app
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setError('')
    try {
      await work()
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }
  const to = (next: Step) => {
    setError('')
    setStep(next)
  }
  const sendCode = () =>
    attempt(async () => {
      await post('/auth/app/send-otp', { phone })
      setStep('code')
    })
  const enter = (path: string, body: object) =>
    attempt(async () => {
      const session = await post<Schemas['AppSession']>(path, body)
      knownPhone.set(phone)
      if (path.endsWith('pin')) knownPin.set('set')
      void navigator.storage?.persist?.() // what is kept for the time without a line
      signedIn(session)
    })

  return (
    <main className="welcome">
      <div>
        <img src="/app/icon.svg" alt="" width="48" height="48" />
        <h1>{t('signIn.title')}</h1>
      </div>
      {step === 'phone' && (
        <Step send={sendCode} error={error} busy={busy} button={t('signIn.sendCode')}>
          {(said) => (
            <Field label={t('signIn.phone')} hint={t('signIn.phoneHint')} error={said}>
              {(ids) => (
                <input
                  {...ids}
                  className="input"
                  type="tel"
                  autoComplete="tel"
                  dir="ltr"
                  required
                  maxLength={32}
                  value={phone}
                  onChange={(e) => setPhone(e.target.value)}
                />
              )}
            </Field>
          )}
        </Step>
      )}
      {step === 'code' && (
        <Digits
          label={t('signIn.code')}
          hint={t('signIn.codeHint', { phone })}
          least={6}
          complete="one-time-code"
          error={error}
          busy={busy}
          send={(otp) => enter('/auth/app/verify-otp', { phone, otp })}
        >
          <Button look="text" onClick={sendCode} busy={busy}>
            {t('signIn.sendAgain')}
          </Button>
        </Digits>
      )}
      {step === 'pin' && (
        <Digits
          label={t('signIn.pin')}
          hint={t('signIn.pinHint', { phone })}
          least={4}
          complete="current-password"
          error={error}
          busy={busy}
          send={(pin) => enter('/auth/app/verify-pin', { phone, pin })}
        >
          <Button look="text" onClick={sendCode} busy={busy}>
            {t('signIn.useCode')}
          </Button>
        </Digits>
      )}
      {step !== 'pin' && (
        <Button look="text" onClick={() => to('pin')} disabled={phone.replace(/\D/g, '').length < 8}>
          {t('signIn.usePin')}
        </Button>
      )}
      {step !== 'phone' && (
        <Button look="text" onClick={() => to('phone')}>
          {t('signIn.otherPhone')}
        </Button>
      )}
      <SchoolSignIn />
      <div className="spread">
        <LanguageChoice />
      </div>
    </main>
  )
}

function Step(props: {
  send: () => void
  error: string
  busy: boolean
  button: string
  children: (error: string | undefined) => ReactNode
}) {
  const submit = (e: FormEvent) => {
    e.preventDefault()
    props.send()
  }
  return (
    <form className="form" onSubmit={submit}>
      {props.children(props.error || undefined)}
      <Button look="main" type="submit" busy={props.busy}>
        {props.button}
      </Button>
    </form>
  )
}

/** A code or a PIN: digits only. The last one of a code sends it. */
function Digits(props: {
  label: string
  hint: string
  least: number
  complete: string
  error: string
  busy: boolean
  send: (digits: string) => void
  children: ReactNode
}) {
  const [digits, setDigits] = useState('')
  const isCode = props.least === 6
  const type = (text: string) => {
    const next = text.replace(/\D/g, '').slice(0, 6)
    setDigits(next)
    if (isCode && next.length === 6 && next !== digits) props.send(next)
  }
  return (
    <Step send={() => props.send(digits)} error={props.error} busy={props.busy} button={t('signIn.signIn')}>
      {(error) => (
        <>
          <Field label={props.label} hint={props.hint} error={error}>
            {(ids) => (
              <input
                {...ids}
                // biome-ignore lint/a11y/noAutofocus: the one field of the step that the person has just asked for
                autoFocus
                className="input code"
                type={isCode ? 'text' : 'password'}
                inputMode="numeric"
                autoComplete={props.complete}
                dir="ltr"
                required
                minLength={props.least}
                value={digits}
                onChange={(e) => type(e.target.value)}
              />
            )}
          </Field>
          {props.children}
        </>
      )}
    </Step>
  )
}
