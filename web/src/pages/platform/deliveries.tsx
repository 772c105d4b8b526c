import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconMailCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api, asProblem, call } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Empty } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { words } from '../../patterns/words'
import { schoolChoices } from './school-choices'

const channels: Record<string, string> = { SMS: 'SMS', EMAIL: t('E-mail'), PUSH: t('Push'), WHATSAPP: 'WhatsApp' }

/** What could not be delivered after all tries, and another try for it. */
export function Deliveries() {
  const format = useFormat()
  const retry = useMutation({
    mutationFn: (ids: string[]) => call(api.POST('/super-admin/delivery/retry', { body: { data: { ids } } })),
    onSuccess: (r) => {
      changed('/super-admin/delivery/')
      notifications.show({
        message: r.skipped
          ? t('{queued} will be tried again, {skipped} could not be.', {
              queued: format.number(r.queued),
              skipped: format.number(r.skipped),
            })
          : t('{queued} will be tried again.', { queued: format.number(r.queued) }),
      })
    },
    onError: (e) => notifications.show({ color: 'red.8', message: asProblem(e).message }),
  })
  return (
    <ListPage
      path="/super-admin/delivery/list"
      title={t('Deliveries')}
      noun={[t('failed message'), t('failed messages')]}
      id={(d) => d.id}
      name={(d) => d.to}
      search={t('Recipient or error')}
      filters={[
        {
          key: 'channel',
          label: t('Channel'),
          options: Object.entries(channels).map(([value, label]) => ({ value, label })),
        },
        { key: 'schoolId', label: t('School'), options: [], choices: schoolChoices },
      ]}
      columns={[
        { key: 'to', title: t('To'), cell: (d) => <span className="figures">{d.to}</span> },
        { key: 'channel', title: t('Channel'), cell: (d) => channels[d.channel] ?? d.channel, phone: true },
        { key: 'type', title: t('About'), cell: (d) => words(d.type) },
        {
          key: 'school',
          title: t('School'),
          cell: (d) =>
            d.schoolName || (
              <Text span c="dimmed">
                {d.schoolId ? `…${d.schoolId.slice(-6)}` : t('The platform')}
              </Text>
            ),
        },
        {
          key: 'error',
          title: t('Why'),
          cell: (d) => (
            <Text span size="sm" title={d.lastError}>
              {d.lastError}
            </Text>
          ),
        },
        { key: 'tries', title: t('Tries'), cell: (d) => d.attempts, end: true },
        {
          key: 'failed',
          title: t('Given up'),
          cell: (d) => <span className="figures">{format.dateTime(d.failedAt)}</span>,
          phone: true,
        },
      ]}
      bulk={(rows, clear) => (
        <Button
          size="compact-md"
          loading={retry.isPending}
          onClick={() =>
            retry.mutate(
              rows.map((r) => r.id),
              { onSuccess: clear },
            )
          }
        >
          {t('Try again')}
        </Button>
      )}
      empty={
        <Empty
          icon={<IconMailCheck size={32} stroke={1.2} />}
          title={t('Everything was delivered')}
          text={t(
            'SMS, e-mail and push messages are tried again and again for a while. What still could not be delivered waits here with its reason.',
          )}
          example={t('For example: +91 98•• •••21, number does not exist, given up after 8 tries.')}
        />
      }
    />
  )
}
