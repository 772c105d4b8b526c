// What is said of things that the server does not have yet.
import { IconChevronRight } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLine } from '../api/offline'
import { t } from '../messages/messages'
import { useFormat } from './format'
import { drop, type Item, retry, useItemState, useUnsent } from './queue'
import { Link } from './route'
import { Button, Status } from './ui'

const shownAfter = 4_000 // what is sent at once is not worth a word

/** The time, again every few seconds, for what grows old on the screen. */
function useNow(runs: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!runs) return
    const look = () => setNow(Date.now())
    look()
    const timer = window.setInterval(look, shownAfter)
    return () => window.clearInterval(timer)
  }, [runs])
  return now
}

/** How much waits, and since when. */
export function UnsentBar() {
  const items = useUnsent() ?? []
  const line = useLine()
  const format = useFormat()
  const now = useNow(items.length > 0)
  const oldest = items[0]
  if (!oldest) return null
  const refused = items.filter((i) => i.refused !== undefined).length
  if (refused === 0 && line.up && now - oldest.at < shownAfter) return null
  return (
    <div role="status">
      <Link to="/more/waiting" className="bar">
        <span className="grow">
          {t('queue.count', { count: items.length })} · {format.ago(iso(oldest))}
          {refused > 0 && ` · ${t('queue.refusedCount', { count: refused })}`}
        </span>
        <IconChevronRight aria-hidden size={18} className="flip" />
      </Link>
    </div>
  )
}

const iso = (item: Item) => new Date(item.at).toISOString()
const looks = { waiting: 'warn', sending: 'plain', refused: 'bad' } as const

/** One thing that was not sent: what it is, how it stands, and what can be done about it. */
export function Unsent({ item, change }: { item: Item; change?: () => void }) {
  const format = useFormat()
  const stateOf = useItemState()
  const [asks, setAsks] = useState(false)
  const state = stateOf(item)
  return (
    <>
      <div className="between">
        <span className="line-title">{t(item.name)}</span>
        <Status tone={looks[state]}>{t(`queue.${state}`)}</Status>
      </div>
      {item.about && <p>{item.about}</p>}
      <p className="note">{format.dateTime(iso(item))}</p>
      {item.refused !== undefined && (
        <p className="error" role="alert">
          {item.refused}
        </p>
      )}
      {asks ? (
        <div className="buttons" role="group" aria-label={t('queue.deleteAsk')}>
          <p className="strong">{t('queue.deleteAsk')}</p>
          <Button onClick={() => void drop(item.id)}>{t('queue.delete')}</Button>
          <Button look="text" onClick={() => setAsks(false)}>
            {t('queue.keep')}
          </Button>
        </div>
      ) : (
        <div className="buttons">
          {state === 'refused' && <Button onClick={() => void retry(item.id)}>{t('queue.again')}</Button>}
          {state === 'refused' && change && <Button onClick={change}>{t('queue.change')}</Button>}
          {state !== 'sending' && (
            <Button look="text" onClick={() => setAsks(true)}>
              {t('queue.delete')}
            </Button>
          )}
        </div>
      )}
    </>
  )
}
