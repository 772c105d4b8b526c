import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Confirm } from '../../patterns/feedback'
import { type Kind, undoRun } from './kinds'

/** Takes a whole import back, after a question. */
export function Undo({ kind, id, fileName, small }: { kind: Kind; id: string; fileName: string; small?: boolean }) {
  const [asks, setAsks] = useState(false)
  const undo = useMutation({
    mutationFn: () => undoRun(kind, id),
    onSuccess: () => setAsks(false),
    onSettled: () => changed('/school-admin/'),
  })
  return (
    <>
      <Button variant="default" size={small ? 'compact-sm' : 'sm'} onClick={() => setAsks(true)}>
        {t('Take the import back…')}
      </Button>
      <Confirm
        opened={asks}
        title={t('Take back {fileName}?', { fileName: fileName || t('this import') })}
        action={t('Take the import back')}
        danger
        busy={undo.isPending}
        error={undo.error}
        onClose={() => {
          undo.reset()
          setAsks(false)
        }}
        onConfirm={() => undo.mutate()}
      >
        {t(
          'What it added is deleted, and what it changed is as it was before. It is refused if any of that was changed or used since.',
        )}
      </Confirm>
    </>
  )
}
