// Files that go with something: uploaded as they are chosen, named, taken off again.
import { ActionIcon, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconFile, IconPaperclip, IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, asProblem, call, download, type Schemas, upload } from '../api/client'
import { useMay } from '../api/session'
import { t } from '../messages/console'

function useUpload(added: (ids: string[]) => void) {
  return useMutation({
    mutationFn: async (files: File[]) => {
      const ids: string[] = []
      for (const f of files)
        ids.push(
          (await upload<Schemas['FileView']>('/school-admin/file/upload', { purpose: 'ATTACHMENT' }, f, f.name)).id,
        )
      return ids
    },
    onSuccess: added,
    onError: (e) =>
      notifications.show({ color: 'red', title: t('The file was not added'), message: asProblem(e).message }),
  })
}

/** A button that takes images and PDFs. */
export function AttachButton({ added, size }: { added: (ids: string[]) => void; size?: 'compact-md' | 'sm' }) {
  const may = useMay()
  const input = useRef<HTMLInputElement>(null)
  const send = useUpload(added)
  if (!may('file', 'write')) return null
  return (
    <>
      <Button
        variant="default"
        size={size}
        loading={send.isPending}
        leftSection={<IconPaperclip size={16} stroke={1.6} />}
        onClick={() => input.current?.click()}
      >
        {t('Attach')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept="image/*,application/pdf"
        aria-label={t('Attach files')}
        onChange={(e) => {
          const files = [...(e.currentTarget.files ?? [])]
          e.currentTarget.value = ''
          if (files.length) send.mutate(files)
        }}
      />
    </>
  )
}

export function FileList({ ids, remove }: { ids: string[]; remove?: (id: string) => void }) {
  if (ids.length === 0) return null
  return (
    <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label={t('Attachments')}>
      {ids.map((id) => (
        <FileLine key={id} id={id} remove={remove && (() => remove(id))} />
      ))}
    </Stack>
  )
}

function FileLine({ id, remove }: { id: string; remove?: () => void }) {
  const info = useQuery({
    queryKey: ['/school-admin/file/', id],
    staleTime: Infinity,
    queryFn: () => call(api.GET('/school-admin/file/{id}/info', { params: { path: { id } } })),
  })
  const name = info.data?.originalName ?? (info.error ? t('A file that no longer exists') : '…')
  return (
    <Group component="li" gap={8} wrap="nowrap" className="file-line">
      <IconFile size={16} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
      {info.data ? (
        <Anchor
          component="button"
          type="button"
          size="sm"
          truncate
          onClick={() =>
            void download(`/school-admin/file/${id}`, {}, name).catch((e) =>
              notifications.show({ color: 'red', message: asProblem(e).message }),
            )
          }
        >
          {name}
        </Anchor>
      ) : (
        <Text size="sm" c="dimmed" truncate>
          {name}
        </Text>
      )}
      {info.data && (
        <Text size="xs" c="dimmed" className="figures" style={{ whiteSpace: 'nowrap' }}>
          {t('{max} kB', { max: Math.max(1, Math.round(info.data.sizeBytes / 1024)) })}
        </Text>
      )}
      {remove && (
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t('Remove {name}', { name })} onClick={remove}>
          <IconX size={14} />
        </ActionIcon>
      )}
    </Group>
  )
}
