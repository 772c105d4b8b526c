import { t } from '../../messages/messages'
import { retry, useUnsent } from '../queue'
import { Button, Card, Empty, Page, Skeleton } from '../ui'
import { Unsent } from '../unsent'

/** Everything that was done on this phone and not sent yet. */
export function Waiting() {
  const items = useUnsent()
  return (
    <Page title={t('queue.title')} back="/more">
      {items === undefined && <Skeleton />}
      {items?.length === 0 && <Empty text={t('queue.none')} />}
      {items !== undefined && items.length > 0 && (
        <>
          <p className="note">{t('queue.why')}</p>
          <Card label={t('queue.title')}>
            <ul className="rows">
              {items.map((item) => (
                <li key={item.id}>
                  <Unsent item={item} />
                </li>
              ))}
            </ul>
          </Card>
          <Button look="main" onClick={() => void retry()}>
            {t('queue.sendNow')}
          </Button>
        </>
      )}
    </Page>
  )
}
