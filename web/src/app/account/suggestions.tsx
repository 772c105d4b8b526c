import { useState } from 'react'
import { t } from '../../messages/messages'
import { go } from '../route'
import { Button, Card } from '../ui'
import { Install } from './install'
import { knownPin } from './known'

/** What makes the next time easier: once, and never again when it was put off. */
export function Suggestions() {
  const [pin, setPin] = useState(knownPin.get())
  const later = () => {
    knownPin.set('later')
    setPin('later')
  }
  return (
    <>
      {pin === null && (
        <Card tone="quiet" label={t('pin.title')}>
          <h2>{t('pin.offer')}</h2>
          <p>{t('pin.why')}</p>
          <div className="buttons">
            <Button look="main" onClick={() => go('/more/pin')}>
              {t('pin.title')}
            </Button>
            <Button look="text" onClick={later}>
              {t('common.later')}
            </Button>
          </div>
        </Card>
      )}
      <Install />
    </>
  )
}
