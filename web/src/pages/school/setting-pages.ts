// The pages of the settings, in the line above each.
import { t } from '../../messages/console'

export const settingPages = [
  { to: '/settings', title: t('Settings') },
  { to: '/settings/notices', title: t('Notification rules') },
  { to: '/settings/fields', title: t('Custom fields') },
  { to: '/settings/sign-in', title: t('Sign-in') },
]
