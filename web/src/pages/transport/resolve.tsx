import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Trouble } from '../../patterns/feedback'
import { KeptOffer, useKept } from '../../patterns/kept'

/** Says how an incident ended. Those who watch the bus see it go at once. */
export function Resolve({ id }: { id: string }) {
  const [text, setText] = useState('')
  const kept = useKept(`resolve.${id}`, text || undefined, null, setText)
  const m = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/transport/incident/{id}/resolve', {
          params: { path: { id } },
          body: { data: { resolution: text } },
        }),
      ),
    onSuccess: () => changed('/school-admin/transport/'),
  })
  return (
    <Stack gap={12} className="panel" p={16}>
      <KeptOffer kept={kept} what={t('A part of this form was')} />
      <Textarea
        label={t('How it ended')}
        placeholder={t('Another bus took over at Hill Road')}
        value={text}
        error={m.error ? asProblem(m.error).fields.resolution : undefined}
        onChange={(e) => setText(e.currentTarget.value)}
      />
      <Trouble error={m.error} />
      <Group>
        <Button loading={m.isPending} onClick={() => m.mutate()}>
          {t('Resolve')}
        </Button>
      </Group>
    </Stack>
  )
}
