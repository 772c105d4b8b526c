import type { ReactNode } from 'react'
import { t } from '../messages/messages'
import { useMendedLine } from '../patterns/line'
import { useQueueRunner } from './queue'
import type { Area } from './roles'
import { Link } from './route'
import { Button } from './ui'
import { UnsentBar } from './unsent'
import { takeOver, useUpdate } from './update'

const isIn = (place: string, path: string) =>
  place === '/' ? path === '/' : path === place || path.startsWith(`${place}/`)

/** The page between what is said of the line and of a new version, and the places. */
export function Frame({ area, path, children }: { area: Area; path: string; children: ReactNode }) {
  useQueueRunner()
  return (
    <>
      <LineBar />
      <UnsentBar />
      <UpdateBar />
      {children}
      <nav className="tabs" aria-label={t('nav.label')}>
        <ul>
          {area.places.map(({ to, name, icon: Icon, Count }) => (
            <li key={to}>
              <Link to={to} aria-current={isIn(to, path) ? 'page' : undefined}>
                <Icon size={24} aria-hidden />
                {t(name)}
                {Count && <Count />}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </>
  )
}

function LineBar() {
  const line = useMendedLine()
  if (line.up) return null
  return (
    <p className="bar" role="status">
      {t('line.down')}
    </p>
  )
}

function UpdateBar() {
  if (!useUpdate()) return null
  return (
    <p className="bar" role="status">
      {t('update.ready')} <Button onClick={takeOver}>{t('update.now')}</Button>
    </p>
  )
}
