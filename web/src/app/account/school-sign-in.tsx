// Signing in with the accounts that a school has (OpenID Connect), for its teachers and drivers. The school's link says which it is.
import { useEffect, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { post } from '../../api/post'
import { signedIn } from '../../api/session'
import { t } from '../../messages/messages'
import { problemText } from '../problem'
import { go, match, useAddress } from '../route'
import { Button } from '../ui'
import { knownSchool } from './known'

interface Choices {
  schoolName: string
  providers: { id: string; name: string }[]
}

/** A button for each of the school's identity providers; nothing where no school is known. */
export function SchoolSignIn() {
  const { path, query } = useAddress()
  const school = query.get('school') || knownSchool.get()
  const back = match('/sso/:provider', path)?.provider
  const [choices, setChoices] = useState<Choices>()
  const [busy, setBusy] = useState(back ?? '')
  const [error, setError] = useState('')
  const failed = (e: unknown) => {
    setError(problemText(e))
    setBusy('')
  }
  useEffect(() => {
    if (!school) return
    let shown = true
    call(api.GET('/auth/sso/{schoolId}', { params: { path: { schoolId: school } } })).then(
      (found) => {
        knownSchool.set(school)
        if (shown) setChoices(found)
      },
      () => {}, // a link of no school, or no line: the other ways stay
    )
    return () => {
      shown = false
    }
  }, [school])
  useEffect(() => {
    if (!back) return
    const said = new URLSearchParams(window.location.search)
    go('/', { replace: true }) // a code is good once
    const of = (name: string) => said.get(name) ?? ''
    post<Schemas['AppSession']>('/auth/app/sso/finish', {
      providerId: back,
      oauthState: of('state'),
      code: of('code'),
      iss: of('iss'),
      error: of('error'),
    }).then(signedIn, (e: unknown) => setError(problemText(e)))
  }, [back])
  const start = (providerId: string) => {
    setBusy(providerId)
    setError('')
    post<Schemas['SsoAddress']>('/auth/app/sso/start', { schoolId: school, providerId }).then(
      ({ url }) => window.location.assign(url),
      failed,
    )
  }
  return (
    <>
      {error && <p role="alert">{error}</p>}
      {choices?.providers.map((p) => (
        <Button key={p.id} onClick={() => start(p.id)} busy={busy === p.id}>
          {t('signIn.with', { name: p.name })}
        </Button>
      ))}
    </>
  )
}
