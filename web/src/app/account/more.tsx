import { useSession } from '../../api/session'
import { t } from '../../messages/messages'
import { useUnsent } from '../queue'
import { areaOf } from '../roles'
import { Card, Line, Page } from '../ui'
import { Accounts } from './accounts'
import { Install } from './install'
import { LanguageChoice } from './language'

export function More() {
  const { user } = useSession()
  const pages = areaOf(user.role)?.more ?? []
  const waiting = useUnsent()?.length ?? 0
  return (
    <Page title={t('nav.more')}>
      <Install />
      {pages.length > 0 && (
        <Card label={t('more.pages')}>
          {pages.map(({ to, name }) => (
            <Line key={to} to={to} title={t(name)} />
          ))}
        </Card>
      )}
      <Accounts />
      <Card label={t('more.settings')}>
        <LanguageChoice />
        {user.role === 'PARENT' && <Line to="/more/notifications" title={t('choices.title')} note={t('choices.why')} />}
        <Line to="/more/notices" title={t('notices.onThisPhone')} note={t('notices.why')} />
        <Line to="/more/pin" title={t('pin.title')} note={t('pin.why')} />
        <Line to="/more/lock" title={t('lock.title')} note={t('lock.why')} />
        <Line
          to="/more/waiting"
          title={t('queue.title')}
          note={waiting > 0 ? t('queue.count', { count: waiting }) : t('queue.none')}
        />
      </Card>
    </Page>
  )
}
