import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconMailCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api, asProblem, call } from '../../api/client'
import { changed } from '../../api/queries'
import { useAddress } from '../../patterns/address'
import { Empty } from '../../patterns/feedback'
import { useFormat, words } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { useSchoolChoices } from './school-choices'

const channels: Record<string, string> = { SMS: 'SMS', EMAIL: 'E-mail', PUSH: 'Push', WHATSAPP: 'WhatsApp' }

/** What could not be delivered after all tries, and another try for it. */
export function Deliveries() {
  const format = useFormat()
  const [address] = useAddress()
  const schools = useSchoolChoices(address.schoolId)
  const retry = useMutation({
    mutationFn: (ids: string[]) => call(api.POST('/super-admin/delivery/retry', { body: { data: { ids } } })),
    onSuccess: (r) => {
      changed('/super-admin/delivery/')
      notifications.show({
        message: `${format.number(r.queued)} will be tried again${r.skipped ? `, ${format.number(r.skipped)} could not be` : ''}.`,
      })
    },
    onError: (e) => notifications.show({ color: 'red.8', message: asProblem(e).message }),
  })
  return (
    <ListPage
      path="/super-admin/delivery/list"
      title="Deliveries"
      noun={['failed message', 'failed messages']}
      id={(d) => d.id}
      name={(d) => d.to}
      search="Recipient or error"
      filters={[
        {
          key: 'channel',
          label: 'Channel',
          options: Object.entries(channels).map(([value, label]) => ({ value, label })),
        },
        { key: 'schoolId', label: 'School', options: schools.choices },
      ]}
      columns={[
        { key: 'to', title: 'To', cell: (d) => <span className="figures">{d.to}</span> },
        { key: 'channel', title: 'Channel', cell: (d) => channels[d.channel] ?? d.channel, phone: true },
        { key: 'type', title: 'About', cell: (d) => words(d.type) },
        {
          key: 'school',
          title: 'School',
          cell: (d) =>
            schools.nameOf(d.schoolId) || (
              <Text span c="dimmed">
                {d.schoolId ? `…${d.schoolId.slice(-6)}` : 'The platform'}
              </Text>
            ),
        },
        {
          key: 'error',
          title: 'Why',
          cell: (d) => (
            <Text span size="sm" title={d.lastError}>
              {d.lastError}
            </Text>
          ),
        },
        { key: 'tries', title: 'Tries', cell: (d) => d.attempts, end: true },
        {
          key: 'failed',
          title: 'Given up',
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
          Try again
        </Button>
      )}
      empty={
        <Empty
          icon={<IconMailCheck size={32} stroke={1.2} />}
          title="Everything was delivered"
          text="SMS, e-mail and push messages are tried again and again for a while. What still could not be delivered waits here with its reason."
          example="For example: +91 98•• •••21, number does not exist, given up after 8 tries."
        />
      }
    />
  )
}
