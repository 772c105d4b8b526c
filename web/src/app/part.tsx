import { t } from '../messages/messages'
import { partWith } from '../patterns/loading'
import { Button, Skeleton } from './ui'
import { loadAgain } from './update'

const load = partWith(NotLoaded)

/** A page, or a part of one, whose code comes when it is shown. */
export const part: typeof load = (read, name, waiting = <Waiting />) => load(read, name, waiting)

function Waiting() {
  return (
    <main className="waiting">
      <Skeleton lines={4} />
    </main>
  )
}

function NotLoaded({ retry }: { retry: () => void }) {
  return (
    <main>
      <div className="empty" role="alert">
        <p>{t('common.notLoaded')}</p>
        <Button onClick={() => loadAgain(retry)}>{t('common.tryAgain')}</Button>
      </div>
    </main>
  )
}
