// Setting up an authenticator app, and the recovery codes that go with it.
import { Button, Code, CopyButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { encode } from 'uqr'
import { asProblem, save } from '../api/client'
import { t } from '../messages/console'
import { Trouble } from './feedback'

/** A QR code, dark on white in every theme: cameras want it so. */
function QRCode({ text, label }: { text: string; label: string }) {
  const qr = useMemo(() => encode(text, { ecc: 'M', border: 2 }), [text])
  const path = qr.data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${qr.size} ${qr.size}`}
      width={184}
      height={184}
      shapeRendering="crispEdges"
    >
      <rect width={qr.size} height={qr.size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

export function CodeInput({
  value,
  onChange,
  error,
  label = t('Code'),
}: {
  value: string
  onChange: (code: string) => void
  error?: string
  label?: string
}) {
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={6}
      className="figures"
      value={value}
      onChange={(e) => onChange(e.currentTarget.value.replace(/\D/g, ''))}
      error={error}
      required
      withAsterisk={false}
      data-autofocus
    />
  )
}

/** Scan, then type what the app shows. Nothing changes before that. */
export function AuthenticatorSetup({
  secret,
  uri,
  busy,
  error,
  onCode,
}: {
  secret: string
  uri: string
  busy: boolean
  error: unknown
  onCode: (code: string) => void
}) {
  const [code, setCode] = useState('')
  const wrong = error ? asProblem(error).fields.code : undefined
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault()
        onCode(code)
      }}
    >
      <Stack gap={16}>
        <Text>
          {t(
            'Scan this with an authenticator app on your phone, such as Google Authenticator, Microsoft Authenticator or 1Password.',
          )}
        </Text>
        <Group justify="center">
          <QRCode text={uri} label={t('QR code for the authenticator app')} />
        </Group>
        <div>
          <Text size="sm" c="dimmed">
            {t('Or type this into the app:')}
          </Text>
          <Code style={{ fontSize: 14, overflowWrap: 'anywhere' }} data-testid="secret">
            {secret.match(/.{1,4}/g)?.join(' ')}
          </Code>
        </div>
        <CodeInput
          label={t('Code that the app shows')}
          value={code}
          onChange={setCode}
          error={wrong && t('This is not what the app shows now. Check the phone’s clock and try the next code.')}
        />
        {!wrong && <Trouble error={error} />}
        <Button type="submit" loading={busy} disabled={code.length !== 6}>
          {t('Confirm')}
        </Button>
      </Stack>
    </form>
  )
}

/** Shown once. */
export function RecoveryCodes({ codes, done }: { codes: string[]; done: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <Stack gap={16}>
      <Text>
        {t(
          'If you lose your phone, one of these codes lets you in. Each works once. They are not shown again: keep them somewhere safe, apart from your password.',
        )}
      </Text>
      <ul className="recovery-codes figures" aria-label={t('Recovery codes')}>
        {codes.map((c) => (
          <li key={c}>{c}</li>
        ))}
      </ul>
      <Group gap={8}>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? t('Copied') : t('Copy')}
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          onClick={() => save(new Blob([text], { type: 'text/plain' }), 'homeroom-recovery-codes.txt')}
        >
          {t('Download')}
        </Button>
      </Group>
      <Button onClick={done}>{t('I have saved them')}</Button>
    </Stack>
  )
}
