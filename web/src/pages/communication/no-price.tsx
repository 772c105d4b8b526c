import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call } from '../../api/client'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { useFormat } from '../../patterns/format'

/** NoPrice says that what is about to be sent costs money, and that nobody has said how much. */
export function NoPrice({ whatsApp, mt }: { whatsApp?: boolean; mt?: number }) {
  const may = useMay()
  const settings = may('setting', 'write') ? <Link to="/settings">{t('settings')}</Link> : t('settings')
  return (
    <Text component="span" display="block" size="sm" mt={mt}>
      {whatsApp
        ? rich('What it costs is not known: the {settings} have no price of a message by WhatsApp.', { settings })
        : rich('What it costs is not known: the {settings} have no price of an SMS.', { settings })}
    </Text>
  )
}

/** SMSPrice is what an SMS costs, where a notification is about to go out by the school's rules, to some perhaps by SMS. */
export function SMSPrice({ mt }: { mt?: number }) {
  const format = useFormat()
  const rules = useQuery({
    queryKey: ['/school-admin/notification/rules'],
    enabled: useMay()('setting', 'read'),
    queryFn: () => call(api.GET('/school-admin/notification/rules')),
  })
  const of = rules.data
  if (!of) return null
  if (of.smsPrice === 0) return <NoPrice mt={mt} />
  return (
    <Text component="span" display="block" size="sm" mt={mt}>
      {t('An SMS costs {money}; {smsDailyLimit} a day at most.', {
        money: format.money(of.smsPrice),
        smsDailyLimit: of.smsDailyLimit,
      })}
    </Text>
  )
}
