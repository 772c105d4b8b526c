import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'

type Suppression = Schemas['Suppression']
const path = '/school-admin/notification/suppressed'
const channels: Record<Suppression['channel'], string> = { SMS: 'SMS', EMAIL: 'E-mail' }

/** Suppressed is on which channels nothing is sent to a person, and the button that sends again. */
export function Suppressed({ userId }: { userId: string }) {
  const may = useMay()
  const format = useFormat()
  const q = useQuery({
    queryKey: [path, userId],
    enabled: may('message', 'read'),
    queryFn: () => call(api.GET(path, { params: { query: { userId } } })),
  })
  const lift = useMutation({
    mutationFn: (channel: Suppression['channel']) =>
      call(api.POST('/school-admin/notification/suppressed/lift', { body: { data: { userId, channel } } })),
    onSuccess: () => changed('/school-admin/notification/'),
  })
  return (
    <>
      {q.data?.items.map((s) => (
        <Group key={s.channel} gap={8} mt={8}>
          <Text size="sm">
            {channels[s.channel]} to {s.recipient}:{' '}
            {s.reason === 'STOPPED' ? 'stopped by the person' : 'does not arrive'},{' '}
            {format.date(s.createdAt.slice(0, 10))}. Nothing is sent.
          </Text>
          {may('message', 'write') && (
            <Button variant="default" size="compact-sm" loading={lift.isPending} onClick={() => lift.mutate(s.channel)}>
              Send again
            </Button>
          )}
        </Group>
      ))}
      {lift.error && <Trouble error={lift.error} />}
    </>
  )
}
