// The pages of the integrations, in the line above each.
import { t } from '../../messages/console'

export const integrationPages = [
  { to: '/integrations', title: t('API keys') },
  { to: '/integrations/webhooks', title: t('Webhooks') },
]
