// The way in by e-mail and password.
import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asProblem } from '../../api/client'
import { post } from '../../api/post'
import type { components } from '../../api/schema'
import { signedIn, signOut } from '../../api/session'
import { choose, language, t } from '../../messages/console'
import { type Language, languages } from '../../messages/language'
import { Trouble } from '../../patterns/feedback'
import { part } from '../../patterns/part'
import { Card, useSubmit } from './card'
import type { Half } from './second-factor'

const SchoolSignIn = part(() => import('./school-sign-in'), 'SchoolSignIn')
const SecondFactor = part(() => import('./second-factor'), 'SecondFactor')

function SignInForm({ email: known, again }: { email?: string; again?: boolean }) {
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [half, setHalf] = useState<Half>()
  const s = useSubmit(async () => {
    try {
      signedIn(await post<components['schemas']['ConsoleSession']>('/auth/console/login', { email, password }))
    } catch (e) {
      const p = asProblem(e)
      if (p.code !== 'SECOND_FACTOR_NEEDED') throw e
      setPassword('')
      setHalf(p.data as Half)
    }
  })
  if (half) return <SecondFactor half={half} again={() => setHalf(undefined)} />
  return (
    <form onSubmit={s.submit}>
      <Stack gap={16} mt={24}>
        <TextInput
          label={t('E-mail')}
          type="email"
          autoComplete="username"
          value={email}
          onChange={(e) => setEmail(e.currentTarget.value)}
          error={s.fields.email}
          required
          withAsterisk={false}
          readOnly={again}
          autoFocus={!again}
        />
        <PasswordInput
          label={t('Password')}
          autoComplete="current-password"
          value={password}
          onChange={(e) => setPassword(e.currentTarget.value)}
          error={s.fields.password}
          required
          withAsterisk={false}
          autoFocus={again}
          data-autofocus={again || undefined}
          visibilityToggleButtonProps={{ 'aria-label': t('Show the password') }}
        />
        <Trouble error={s.error} />
        <Button type="submit" loading={s.busy} fullWidth>
          {t('Sign in')}
        </Button>
      </Stack>
    </form>
  )
}

/** Each language in its own words, for those who cannot read the one on screen. */
function Languages() {
  return (
    <Group gap={16} mt={24} role="group" aria-label={t('Language')}>
      {Object.entries(languages).map(([code, name]) => (
        <Anchor
          key={code}
          component="button"
          type="button"
          size="sm"
          lang={code}
          c={code === language ? undefined : 'dimmed'}
          aria-pressed={code === language}
          onClick={() => choose(code as Language)}
        >
          {name}
        </Anchor>
      ))}
    </Group>
  )
}

/** The school whose link the browser has opened, this time or before. */
function schoolOfLink() {
  const at = 'homeroom.sign-in-school'
  const named = new URLSearchParams(window.location.search).get('school')
  if (named) window.localStorage.setItem(at, named)
  return named ?? window.localStorage.getItem(at)
}

export function SignIn() {
  const [school] = useState(schoolOfLink)
  return (
    <Card title={t('Sign in to Homeroom')}>
      <SignInForm />
      {school && <SchoolSignIn schoolId={school} />}
      <Anchor component={Link} to="/forgot" size="sm" mt={16} display="inline-block">
        {t('Forgot your password?')}
      </Anchor>
      <Languages />
    </Card>
  )
}

/** Over the page, when the session has ended: what was typed stays. */
export function SignInAgain({ email }: { email: string }) {
  return (
    <Modal.Root
      opened
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size={380}
      zIndex={1000}
      centered
    >
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-label={t('Sign in again')}>
        <Modal.Body p={24}>
          <Title order={2}>{t('Your session has ended')}</Title>
          <Text c="dimmed" mt={4}>
            {t('Sign in to continue. What you typed on the page is kept.')}
          </Text>
          <SignInForm email={email} again />
          <Anchor component="button" type="button" size="sm" mt={16} onClick={() => void signOut()}>
            {t('Use another account')}
          </Anchor>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

export function Unreachable({ retry }: { retry: () => void }) {
  return (
    <Card
      title={t('Homeroom cannot be reached')}
      text={t('Check the network. The service may still be starting. Try again in a moment.')}
    >
      <Button mt={24} onClick={retry} fullWidth>
        {t('Try again')}
      </Button>
    </Card>
  )
}
