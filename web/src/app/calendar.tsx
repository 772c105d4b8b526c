import { IconCalendarPlus, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import type { Schemas } from '../api/client'
import { t } from '../messages/messages'
import { problemText } from './problem'
import { Button, Card } from './ui'
import { useHold } from './update'

interface CalendarProps {
  make: () => Promise<Schemas['FeedAddress']>
  end: () => Promise<void>
}

/**
 * The secret address at which a calendar program reads a timetable. The service keeps no more than its hash: it is shown when it
 * was made, and nobody can say later whether there is one.
 */
export function CalendarAddress({ make, end }: CalendarProps) {
  const [address, setAddress] = useState('')
  const [isCopied, setIsCopied] = useState(false)
  const [asks, setAsks] = useState(false)
  const [hasEnded, setHasEnded] = useState(false)
  const [error, setError] = useState('')
  const [busy, setBusy] = useState<'make' | 'end'>()
  useHold(address !== '') // it is shown only now
  const run = async (what: 'make' | 'end') => {
    setBusy(what)
    setError('')
    try {
      setAddress(what === 'make' ? (await make()).url : await end().then(() => ''))
      setIsCopied(false)
      setHasEnded(what === 'end')
    } catch (e) {
      setError(problemText(e))
    }
    setAsks(false)
    setBusy(undefined)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address)
      setIsCopied(true)
    } catch {
      setError(t('calendar.copyByHand'))
    }
  }
  return (
    <>
      <Card label={t('calendar.title')}>
        <p>{t('calendar.what')}</p>
        <p className="note">{t('calendar.secret')}</p>
        <Button look={address ? 'plain' : 'main'} onClick={() => void run('make')} busy={busy === 'make'}>
          {t('calendar.make')}
        </Button>
        <p className="note">{t('calendar.replaces')}</p>
      </Card>
      {address && (
        <Card label={t('calendar.address')}>
          <h2>{t('calendar.address')}</h2>
          <p className="note">{t('calendar.once')}</p>
          <p dir="ltr">{address}</p>
          <Button look="main" onClick={() => void copy()}>
            <IconCopy aria-hidden size={20} />
            {t(isCopied ? 'calendar.copied' : 'calendar.copy')}
          </Button>
          <a className="button" href={address.replace(/^https?:/, 'webcal:')}>
            <IconCalendarPlus aria-hidden size={20} />
            {t('calendar.open')}
          </a>
          <p className="note">{t('calendar.how')}</p>
        </Card>
      )}
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {hasEnded && <p role="status">{t('calendar.ended')}</p>}
      {asks ? (
        <Card label={t('calendar.end')}>
          <p className="strong">{t('calendar.endAsk')}</p>
          <div className="buttons">
            <Button onClick={() => void run('end')} busy={busy === 'end'}>
              {t('calendar.end')}
            </Button>
            <Button look="text" onClick={() => setAsks(false)}>
              {t('queue.keep')}
            </Button>
          </div>
        </Card>
      ) : (
        <Button look="text" onClick={() => setAsks(true)}>
          {t('calendar.end')}
        </Button>
      )}
    </>
  )
}
