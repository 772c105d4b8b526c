import { useState } from 'react'
import { useSession } from '../../api/session'
import { t } from '../../messages/messages'
import { hindrance, isWanted, publicKey, turnOff, turnOn } from '../notices'
import { problemText } from '../problem'
import { useRead } from '../read'
import { Button, Card, Page, Shown, Status } from '../ui'

const hindered = {
  'home-screen': 'notices.homeScreen',
  browser: 'notices.noBrowser',
  blocked: 'notices.blocked',
} as const

/** Notices on this phone: asked for by a tap only, and honest where the browser cannot. */
export function Notices() {
  const { user } = useSession()
  const key = useRead(['web-push-key'], () => publicKey(user.role))
  return (
    <Page title={t('notices.onThisPhone')} back="/more">
      <p>{t('notices.what')}</p>
      <Shown of={key}>{(found) => <Choice publicKey={found} />}</Shown>
      <p className="note">{t('notices.lockScreen')}</p>
    </Page>
  )
}

function Choice(props: { publicKey: string }) {
  const { user } = useSession()
  const [on, setOn] = useState(isWanted)
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const why = props.publicKey === '' ? 'notices.notOffered' : hindered[hindrance() ?? ('' as 'browser')]
  const change = async () => {
    setBusy(true)
    setError('')
    try {
      if (on) await turnOff(user.role)
      else if (!(await turnOn(user.role, props.publicKey))) setError(t('notices.notAllowed'))
      setOn(isWanted())
    } catch (e) {
      setError(e instanceof DOMException ? t('notices.failed') : problemText(e))
    }
    setBusy(false)
  }
  return (
    <Card label={t('notices.onThisPhone')}>
      {why && !on ? (
        <p>{t(why)}</p>
      ) : (
        <>
          <div className="between">
            <span className="line-title">{t('notices.here')}</span>
            <Status tone={on ? 'good' : 'plain'}>{t(on ? 'notices.on' : 'notices.off')}</Status>
          </div>
          <Button look={on ? 'plain' : 'main'} onClick={() => void change()} busy={busy}>
            {t(on ? 'notices.turnOff' : 'notices.turnOn')}
          </Button>
        </>
      )}
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </Card>
  )
}
