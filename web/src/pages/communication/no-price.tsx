import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'

/** NoPrice says that what is about to be sent costs money, and that nobody has said how much. */
export function NoPrice({ whatsApp, mt }: { whatsApp?: boolean; mt?: number }) {
  const may = useMay()
  const settings = may('setting', 'write') ? <Link to="/settings">{t('settings')}</Link> : t('settings')
  return (
    <Text size="sm" mt={mt}>
      {whatsApp
        ? rich('What it costs is not known: the {settings} have no price of a message by WhatsApp.', { settings })
        : rich('What it costs is not known: the {settings} have no price of an SMS.', { settings })}
    </Text>
  )
}
