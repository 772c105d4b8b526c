// The ways in: e-mail and password, a forgotten password, the link of an invitation.
import { Alert, Anchor, Button, Modal, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { asProblem } from '../../api/client'
import { post } from '../../api/post'
import type { components } from '../../api/schema'
import { signedIn, signOut } from '../../api/session'
import { Trouble } from '../../patterns/feedback'
import { part } from '../../patterns/part'
import type { Half } from './second-factor'

const SecondFactor = part(() => import('./second-factor'), 'SecondFactor')

function Card({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <main className="sign-in">
      <div className="panel sign-in-card">
        <img src="/console/icon.svg" width={32} height={32} alt="" />
        <Title order={1} mt={16}>
          {title}
        </Title>
        {text && (
          <Text c="dimmed" mt={4}>
            {text}
          </Text>
        )}
        {children}
      </div>
    </main>
  )
}

function useSubmit(work: () => Promise<void>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  return {
    busy,
    error,
    fields: error ? asProblem(error).fields : {},
    submit: (e: FormEvent) => {
      e.preventDefault()
      setBusy(true)
      setError(null)
      work()
        .catch(setError)
        .finally(() => setBusy(false))
    },
  }
}

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
          label="E-mail"
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
          label="Password"
          autoComplete="current-password"
          value={password}
          onChange={(e) => setPassword(e.currentTarget.value)}
          error={s.fields.password}
          required
          withAsterisk={false}
          autoFocus={again}
          data-autofocus={again || undefined}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        <Trouble error={s.error} />
        <Button type="submit" loading={s.busy} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

export function SignIn() {
  return (
    <Card title="Sign in to Homeroom">
      <SignInForm />
      <Anchor component={Link} to="/forgot" size="sm" mt={16} display="inline-block">
        Forgot your password?
      </Anchor>
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
      <Modal.Content aria-label="Sign in again">
        <Modal.Body p={24}>
          <Title order={2}>Your session has ended</Title>
          <Text c="dimmed" mt={4}>
            Sign in to continue. What you typed on the page is kept.
          </Text>
          <SignInForm email={email} again />
          <Anchor component="button" type="button" size="sm" mt={16} onClick={() => void signOut()}>
            Use another account
          </Anchor>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

export function Forgot() {
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState(false)
  const s = useSubmit(async () => {
    await post('/auth/password/forgot', { email })
    setSent(true)
  })
  return (
    <Card title="Set a new password" text={sent ? undefined : 'We send you a link that is good for an hour.'}>
      {sent ? (
        <Alert mt={24} variant="light" role="status">
          If {email} has an account, a link is on its way. Check the spam folder too.
        </Alert>
      ) : (
        <form onSubmit={s.submit}>
          <Stack gap={16} mt={24}>
            <TextInput
              label="E-mail"
              type="email"
              autoComplete="username"
              value={email}
              onChange={(e) => setEmail(e.currentTarget.value)}
              error={s.fields.email}
              required
              withAsterisk={false}
              autoFocus
            />
            <Trouble error={s.error} />
            <Button type="submit" loading={s.busy} fullWidth>
              Send the link
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component={Link} to="/" size="sm" mt={16} display="inline-block">
        Back to signing in
      </Anchor>
    </Card>
  )
}

/** Where the links of e-mails lead: an invitation, or a forgotten password. */
export function SetPassword() {
  const token = new URLSearchParams(window.location.search).get('token') ?? ''
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [set, setSet] = useState(false)
  const s = useSubmit(async () => {
    await post('/auth/password/reset', { token, password })
    setSet(true)
  })
  const differs = again !== '' && again !== password
  if (set)
    return (
      <Card title="Your password is set" text="Sign in with your e-mail and the new password.">
        <Button mt={24} fullWidth onClick={() => void signOut()}>
          Sign in
        </Button>
      </Card>
    )
  return (
    <Card title="Choose a password" text="At least 12 characters. A few words in a row are easy to remember.">
      {token === '' ? (
        <Alert mt={24} color="red" variant="light" role="alert">
          This link is incomplete. Open it from the e-mail again, or ask for a new one.
        </Alert>
      ) : (
        <form onSubmit={s.submit}>
          <Stack gap={16} mt={24}>
            <PasswordInput
              label="New password"
              autoComplete="new-password"
              value={password}
              onChange={(e) => setPassword(e.currentTarget.value)}
              error={s.fields.password}
              required
              minLength={12}
              withAsterisk={false}
              autoFocus
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            />
            <PasswordInput
              label="Confirm password"
              autoComplete="new-password"
              value={again}
              onChange={(e) => setAgain(e.currentTarget.value)}
              error={differs ? 'The passwords do not match' : undefined}
              required
              withAsterisk={false}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password again' }}
            />
            <Trouble error={s.error} />
            <Button type="submit" loading={s.busy} disabled={password === '' || again !== password} fullWidth>
              Set the password
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component={Link} to="/forgot" size="sm" mt={16} display="inline-block">
        Ask for a new link
      </Anchor>
    </Card>
  )
}

export function Unreachable({ retry }: { retry: () => void }) {
  return (
    <Card
      title="Homeroom cannot be reached"
      text="Check the network. The service may still be starting. Try again in a moment."
    >
      <Button mt={24} onClick={retry} fullWidth>
        Try again
      </Button>
    </Card>
  )
}
