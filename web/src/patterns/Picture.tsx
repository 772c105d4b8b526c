// A picture that a record names: the photo of a person, the school's logo. Uploaded as it is chosen, kept with the rest.
import { Button, Group, Image, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { asProblem, fetchBlob, type Schemas, upload } from '../api/client'
import { useMay } from '../api/session'
import { t } from '../messages/console'

/** The picture's address in this page; empty until it is there. */
function usePicture(id: string | null, thumbnail: boolean): string {
  const [src, setSrc] = useState('')
  useEffect(() => {
    let gone = false
    let made = ''
    if (id)
      void fetchBlob(`/school-admin/file/${id}`, thumbnail ? { thumbnail: 'true' } : {}).then(
        (b) => {
          if (gone) return
          made = URL.createObjectURL(b)
          setSrc(made)
        },
        () => undefined,
      )
    return () => {
      gone = true
      setSrc('')
      if (made) URL.revokeObjectURL(made)
    }
  }, [id, thumbnail])
  return src
}

export function Picture({
  id,
  label,
  purpose,
  none,
  error,
  set,
  fail,
}: {
  id: string | null
  label: string
  purpose: 'PHOTO' | 'LOGO'
  /** What is said where there is none. */
  none: string
  error?: string
  /** Missing: it is only shown. */
  set?: (id: string | null) => void
  fail?: (message: string) => void
}) {
  const may = useMay()
  const input = useRef<HTMLInputElement>(null)
  const photo = purpose === 'PHOTO'
  const src = usePicture(id, photo)
  const send = useMutation({
    mutationFn: (file: File) => upload<Schemas['FileView']>('/school-admin/file/upload', { purpose }, file, file.name),
    onSuccess: (file) => set?.(file.id),
    onError: (e) => fail?.(asProblem(e).message),
  })
  const height = photo ? 96 : 56
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      <Group gap={16} mih={id ? height : undefined}>
        {src && (
          <Image src={src} alt={label} h={height} w="auto" maw={photo ? 96 : undefined} fit="contain" radius={8} />
        )}
        {!id && (
          <Text size="sm" c="dimmed">
            {none}
          </Text>
        )}
        {set && may('file', 'write') && (
          <Group gap={8}>
            <Button variant="default" size="compact-md" loading={send.isPending} onClick={() => input.current?.click()}>
              {id ? t('Change') : t('Choose a picture')}
            </Button>
            {id && (
              <Button variant="subtle" color="gray" size="compact-md" onClick={() => set(null)}>
                {t('Remove')}
              </Button>
            )}
          </Group>
        )}
        <input
          ref={input}
          type="file"
          hidden
          accept="image/png,image/jpeg"
          aria-label={t('Choose a {label}', { label: label.toLowerCase() })}
          onChange={(e) => {
            const file = e.currentTarget.files?.[0]
            e.currentTarget.value = ''
            if (file) send.mutate(file)
          }}
        />
      </Group>
      {error && (
        <Text size="xs" c="red" mt={4}>
          {error}
        </Text>
      )}
    </div>
  )
}
