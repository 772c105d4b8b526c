import { Button, Checkbox, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'

type Suppression = Schemas['Suppression']
const path = '/school-admin/notification/suppressed'
const channels: Record<Suppression['channel'], string> = { SMS: 'SMS', EMAIL: t('E-mail'), WHATSAPP: 'WhatsApp' }

/** Suppressed is on which channels nothing is sent to a person, the button that sends again, and whether they agreed to WhatsApp. */
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
  const agree = useMutation({
    mutationFn: (agreed: boolean) =>
      call(api.POST('/school-admin/notification/whatsapp', { body: { data: { userId, agreed } } })),
    onSuccess: () => changed('/school-admin/notification/'),
  })
  return (
    <>
      {q.data && (
        <Checkbox
          mt={8}
          size="xs"
          label={t('Has agreed to WhatsApp')}
          checked={q.data.whatsApp}
          disabled={!may('message', 'write') || agree.isPending}
          onChange={(e) => agree.mutate(e.currentTarget.checked)}
        />
      )}
      {q.data?.items.map((s) => (
        <Group key={s.channel} gap={8} mt={8}>
          <Text size="sm">
            {s.reason === 'STOPPED'
              ? t('{channels} to {recipient}: stopped by the person, {createdAt}. Nothing is sent.', {
                  channels: channels[s.channel],
                  recipient: s.recipient,
                  createdAt: format.date(s.createdAt.slice(0, 10)),
                })
              : t('{channels} to {recipient}: does not arrive, {createdAt}. Nothing is sent.', {
                  channels: channels[s.channel],
                  recipient: s.recipient,
                  createdAt: format.date(s.createdAt.slice(0, 10)),
                })}
          </Text>
          {may('message', 'write') && (
            <Button variant="default" size="compact-sm" loading={lift.isPending} onClick={() => lift.mutate(s.channel)}>
              {t('Send again')}
            </Button>
          )}
        </Group>
      ))}
      <Trouble error={lift.error ?? agree.error} />
    </>
  )
}
