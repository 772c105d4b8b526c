import { t } from '../../messages/messages'
import { Button, Card } from '../ui'
import { install, useInstallable } from '../update'

/** Offers to put the app on the phone's screen, where the browser can. */
export function Install() {
  if (!useInstallable()) return null
  return (
    <Card tone="quiet" label={t('install.title')}>
      <h2>{t('install.title')}</h2>
      <p>{t('install.text')}</p>
      <Button look="main" onClick={() => void install()}>
        {t('install.do')}
      </Button>
    </Card>
  )
}
