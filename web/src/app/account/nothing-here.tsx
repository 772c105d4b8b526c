import { useSession } from '../../api/session'
import { t } from '../../messages/messages'
import { areaOf } from '../roles'
import { Link } from '../route'
import { Empty, Page } from '../ui'
import { Accounts } from './accounts'
import { LanguageChoice } from './language'

/** For an address that is none, and for a role that the app has no pages for. */
export function NothingHere() {
  const { user } = useSession()
  if (areaOf(user.role))
    return (
      <Page title={t('nothing.title')}>
        <Empty text={t('nothing.text')}>
          <Link to="/" className="button">
            {t('nav.today')}
          </Link>
        </Empty>
      </Page>
    )
  return (
    <Page title={t('nothing.roleTitle')}>
      <Empty text={t('nothing.role')} />
      <Accounts />
      <LanguageChoice />
    </Page>
  )
}
