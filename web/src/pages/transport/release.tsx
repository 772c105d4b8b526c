import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, call } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Trouble } from '../../patterns/feedback'

/** Lets the office decide whether the riders hear of an incident that waits for it. */
export function Release({ id }: { id: string }) {
  const m = useMutation({
    mutationFn: (tell: boolean) => {
      const params = { path: { id } }
      return call(
        tell
          ? api.POST('/school-admin/transport/incident/{id}/release', { params })
          : api.POST('/school-admin/transport/incident/{id}/discard', { params }),
      )
    },
    onSuccess: () => changed('/school-admin/transport/'),
  })
  return (
    <Stack gap={12} className="panel" p={16}>
      <Text>{t('The families of those aboard, or waited for, have not been notified yet.')}</Text>
      <Trouble error={m.error} />
      <Group>
        <Button loading={m.isPending} onClick={() => m.mutate(true)}>
          {t('Notify the riders')}
        </Button>
        <Button variant="default" disabled={m.isPending} onClick={() => m.mutate(false)}>
          {t('Discard')}
        </Button>
      </Group>
    </Stack>
  )
}
