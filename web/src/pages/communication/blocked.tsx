import { Button, Text } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Empty, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DispatchNav } from './delivery'

type Blocked = Schemas['Suppressed']
const channels: Record<Blocked['channel'], string> = { SMS: 'SMS', EMAIL: t('E-mail'), WHATSAPP: 'WhatsApp' }
const reasons: Record<Blocked['reason'], string> = {
  STOPPED: t('Stopped by the person'),
  BOUNCED: t('Nothing arrives there'),
}

/** The phones and e-mail addresses that nothing is sent to any more, why, and the button that sends again. */
export function BlockedAddresses() {
  const format = useFormat()
  const write = useMay()('message', 'write')
  const lift = useMutation({
    mutationFn: ({ userId, channel }: { userId: string; channel: Blocked['channel'] }) =>
      call(api.POST('/school-admin/notification/suppressed/lift', { body: { data: { userId, channel } } })),
    onSuccess: () => changed('/school-admin/notification/'),
  })
  return (
    <>
      <DispatchNav />
      <ListPage
        path="/school-admin/notification/suppressed/list"
        title={t('Blocked addresses')}
        noun={[t('address'), t('addresses')]}
        id={(s) => s.id}
        name={(s) => s.name || s.recipient}
        search={t('Name or address')}
        filters={[
          {
            key: 'channel',
            label: t('By'),
            options: Object.entries(channels).map(([value, label]) => ({ value, label })),
          },
          {
            key: 'reason',
            label: t('Reason'),
            options: Object.entries(reasons).map(([value, label]) => ({ value, label })),
          },
        ]}
        above={
          <>
            <Text c="dimmed" mb={16}>
              {t(
                'Nothing is sent to these, codes for signing in excepted. Send again when the person has asked for it, or when the address works again.',
              )}
            </Text>
            <Trouble error={lift.error} />
          </>
        }
        columns={[
          { key: 'name', title: t('Name'), cell: (s) => s.name || t('Nobody any more'), sort: 'name' },
          { key: 'by', title: t('By'), cell: (s) => channels[s.channel], phone: true },
          {
            key: 'recipient',
            title: t('Address'),
            cell: (s) => <bdi className="figures">{s.recipient}</bdi>,
            phone: true,
          },
          {
            key: 'reason',
            title: t('Reason'),
            cell: (s) => (
              <>
                {reasons[s.reason]}
                {s.problem && <div className="why">{s.problem}</div>}
              </>
            ),
          },
          { key: 'since', title: t('Since'), cell: (s) => format.dateTime(s.createdAt), sort: 'createdAt' },
          {
            key: 'act',
            title: t('Send again'),
            cell: (s) =>
              write && s.userId ? (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`${t('Send again')}: ${s.name || s.recipient}`}
                  loading={lift.isPending && lift.variables.userId === s.userId && lift.variables.channel === s.channel}
                  onClick={() => lift.mutate({ userId: s.userId!, channel: s.channel })}
                >
                  {t('Send again')}
                </Button>
              ) : (
                ''
              ),
            phone: true,
          },
        ]}
        empty={
          <Empty
            icon={<IconMailOff size={32} stroke={1.2} />}
            title={t('No address is blocked')}
            text={t(
              'When somebody answers STOP, or a number or mailbox does not exist, nothing more is sent there. Such addresses are listed here.',
            )}
          />
        }
      />
    </>
  )
}
