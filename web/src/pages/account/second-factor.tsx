// The second half of a sign-in: a code, a passkey or a recovery code, or setting up the first one.
import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asProblem, type Schemas } from '../../api/client'
import { askPasskey, passkeysWork } from '../../api/passkey'
import { post } from '../../api/post'
import { signedIn } from '../../api/session'
import { t } from '../../messages/console'
import { AuthenticatorSetup, CodeInput, RecoveryCodes } from '../../patterns/authenticator'
import { Lines, Trouble } from '../../patterns/feedback'

/** What the API says of a sign-in that has come half way. */
export interface Half {
  challenge: string
  methods: string[]
  enrol: boolean
}

type Way = 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE'

export function SecondFactor({ half, again }: { half: Half; again: () => void }) {
  return (
    <Stack gap={16} mt={24}>
      {half.enrol ? <Enrol challenge={half.challenge} /> : <Verify half={half} />}
      <Anchor component="button" type="button" size="sm" onClick={again}>
        {t('Start again')}
      </Anchor>
    </Stack>
  )
}

function Verify({ half: { challenge, methods } }: { half: Half }) {
  const ways = (['PASSKEY', 'TOTP', 'RECOVERY_CODE'] as Way[]).filter(
    (w) => methods.includes(w) && (w !== 'PASSKEY' || passkeysWork()),
  )
  const [way, setWay] = useState<Way>(ways[0] ?? 'RECOVERY_CODE')
  const [code, setCode] = useState('')
  const [recoveryCode, setRecoveryCode] = useState('')
  const verify = useMutation({
    mutationFn: async () => {
      const proof =
        way === 'TOTP'
          ? { code }
          : way === 'RECOVERY_CODE'
            ? { recoveryCode }
            : { passkey: await askPasskey(await post('/auth/second-factor/options', { challenge })) }
      return post<Schemas['ConsoleSession']>('/auth/console/second-factor/verify', { challenge, ...proof })
    },
    onSuccess: signedIn,
  })
  const other: Record<Way, string> = {
    PASSKEY: t('Use a passkey'),
    TOTP: t('Use a code of the authenticator app'),
    RECOVERY_CODE: t('Use a recovery code'),
  }
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault()
        verify.mutate()
      }}
    >
      <Stack gap={16}>
        {way === 'PASSKEY' && (
          <Text c="dimmed">{t('Your browser asks for your fingerprint, your face, your PIN or a security key.')}</Text>
        )}
        {way === 'TOTP' && <CodeInput label={t('Code of the authenticator app')} value={code} onChange={setCode} />}
        {way === 'RECOVERY_CODE' && (
          <TextInput
            label={t('Recovery code')}
            description={t('One of those you saved. It works once.')}
            autoComplete="off"
            value={recoveryCode}
            onChange={(e) => setRecoveryCode(e.currentTarget.value)}
            required
            withAsterisk={false}
          />
        )}
        <Trouble error={verify.error} />
        <Button
          type="submit"
          loading={verify.isPending}
          fullWidth
          disabled={way === 'TOTP' ? code.length !== 6 : way === 'RECOVERY_CODE' && recoveryCode === ''}
        >
          {way === 'PASSKEY' ? t('Use a passkey') : t('Sign in')}
        </Button>
        {ways
          .filter((w) => w !== way)
          .map((w) => (
            <Anchor
              key={w}
              component="button"
              type="button"
              size="sm"
              ta="start"
              onClick={() => {
                verify.reset()
                setWay(w)
              }}
            >
              {other[w]}
            </Anchor>
          ))}
      </Stack>
    </form>
  )
}

function Enrol({ challenge }: { challenge: string }) {
  const begun = useQuery({
    queryKey: ['enrol', challenge],
    queryFn: () => post<Schemas['TotpEnrolment']>('/auth/second-factor/enrol', { challenge }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const confirm = useMutation({
    mutationFn: (code: string) =>
      post<Schemas['ConsoleEnrolled']>('/auth/console/second-factor/enrol/confirm', { challenge, code }),
  })
  if (confirm.data) {
    const session = confirm.data
    return (
      <>
        <Title order={2}>{t('Save your recovery codes')}</Title>
        <RecoveryCodes codes={session.recoveryCodes} done={() => signedIn(session)} />
      </>
    )
  }
  return (
    <>
      <Text c="dimmed">{t('Your account needs a second factor. It is set up once, and takes a minute.')}</Text>
      {begun.data ? (
        <AuthenticatorSetup
          {...begun.data}
          busy={confirm.isPending}
          error={confirm.error && asProblem(confirm.error)}
          onCode={(code) => confirm.mutate(code)}
        />
      ) : begun.error ? (
        <Trouble error={begun.error} />
      ) : (
        <Lines n={4} />
      )}
    </>
  )
}
