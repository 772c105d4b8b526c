// A forgotten password, and the link of an e-mail that sets one.
import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { post } from '../../api/post'
import { signOut } from '../../api/session'
import { t } from '../../messages/console'
import { Trouble } from '../../patterns/feedback'
import { Card, useSubmit } from './card'

export function Forgot() {
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState(false)
  const s = useSubmit(async () => {
    await post('/auth/password/forgot', { email })
    setSent(true)
  })
  return (
    <Card title={t('Set a new password')} text={sent ? undefined : t('We send you a link that is good for an hour.')}>
      {sent ? (
        <Alert mt={24} variant="light" role="status">
          {t('If {email} has an account, a link is on its way. Check the spam folder too.', { email })}
        </Alert>
      ) : (
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
              autoFocus
            />
            <Trouble error={s.error} />
            <Button type="submit" loading={s.busy} fullWidth>
              {t('Send the link')}
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component={Link} to="/" size="sm" mt={16} display="inline-block">
        {t('Back to signing in')}
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
      <Card title={t('Your password is set')} text={t('Sign in with your e-mail and the new password.')}>
        <Button mt={24} fullWidth onClick={() => void signOut()}>
          {t('Sign in')}
        </Button>
      </Card>
    )
  return (
    <Card title={t('Choose a password')} text={t('At least 12 characters. A few words in a row are easy to remember.')}>
      {token === '' ? (
        <Alert mt={24} color="red" variant="light" role="alert">
          {t('This link is incomplete. Open it from the e-mail again, or ask for a new one.')}
        </Alert>
      ) : (
        <form onSubmit={s.submit}>
          <Stack gap={16} mt={24}>
            <PasswordInput
              label={t('New password')}
              autoComplete="new-password"
              value={password}
              onChange={(e) => setPassword(e.currentTarget.value)}
              error={s.fields.password}
              required
              minLength={12}
              withAsterisk={false}
              autoFocus
              visibilityToggleButtonProps={{ 'aria-label': t('Show the password') }}
            />
            <PasswordInput
              label={t('Confirm password')}
              autoComplete="new-password"
              value={again}
              onChange={(e) => setAgain(e.currentTarget.value)}
              error={differs ? t('The passwords do not match') : undefined}
              required
              withAsterisk={false}
              visibilityToggleButtonProps={{ 'aria-label': t('Show the password again') }}
            />
            <Trouble error={s.error} />
            <Button type="submit" loading={s.busy} disabled={password === '' || again !== password} fullWidth>
              {t('Set the password')}
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component={Link} to="/forgot" size="sm" mt={16} display="inline-block">
        {t('Ask for a new link')}
      </Anchor>
    </Card>
  )
}
