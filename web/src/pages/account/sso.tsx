// The page that an identity provider sends the browser back to.
import { Alert, Anchor } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { asProblem, type Schemas } from '../../api/client'
import { post } from '../../api/post'
import { signedIn } from '../../api/session'
import { t } from '../../messages/console'
import { Lines } from '../../patterns/feedback'
import { Card } from './card'
import { type Half, SecondFactor } from './second-factor'

/** Where an identity provider sends the browser back to. What it says is used once, and is not left in the address. */
export function SSOReturn() {
  const [half, setHalf] = useState<Half>()
  const asked = useRef(false)
  const finish = useMutation({
    mutationFn: (body: Record<string, string>) => post<Schemas['ConsoleSession']>('/auth/console/sso/finish', body),
    onSuccess: signedIn,
    onError: (e) => {
      const p = asProblem(e)
      if (p.code === 'SECOND_FACTOR_NEEDED') setHalf(p.data as Half)
    },
  })
  useEffect(() => {
    if (asked.current) return
    asked.current = true
    const said = new URLSearchParams(window.location.search)
    const body: Record<string, string> = { providerId: window.location.pathname.split('/').pop() ?? '' }
    for (const name of ['state', 'code', 'iss', 'error']) {
      const value = said.get(name)
      if (value) body[name === 'state' ? 'oauthState' : name] = value
    }
    window.history.replaceState(window.history.state, '', '/console/')
    finish.mutate(body)
  }, [finish])
  if (half)
    return (
      <Card title={t('Sign in to Homeroom')}>
        <SecondFactor half={half} again={() => window.location.assign('/console/')} />
      </Card>
    )
  return (
    <Card title={finish.error ? t('You are not signed in') : t('Signing in…')}>
      {finish.error ? (
        <>
          <Alert mt={24} color="red" variant="light" role="alert">
            {asProblem(finish.error).message}
          </Alert>
          <Anchor component={Link} to="/" size="sm" mt={16} display="inline-block">
            {t('Back to signing in')}
          </Anchor>
        </>
      ) : (
        <Lines n={2} />
      )}
    </Card>
  )
}
