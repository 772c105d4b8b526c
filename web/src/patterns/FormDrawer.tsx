import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { changed } from '../api/queries'
import { t } from '../messages/console'
import { Confirm, Lines, Trouble } from './feedback'
import type { Kept } from './kept'
import { DrawerHead, SaveBar } from './record'
import { offerUndo } from './undo'

/** A drawer around one short form: head, fields, Save, and Delete where it is allowed. */
export function FormDrawer({
  title,
  close,
  draft,
  save,
  create,
  remove,
  restore,
  what,
  children,
  extra,
  locked,
  summary,
}: {
  title: string
  close: () => void
  draft: { dirty: boolean; reset: () => void; kept?: Kept }
  save: { submit: () => void; busy: boolean; saved: boolean; error: unknown; conflict: ReactNode }
  create?: boolean
  remove?: () => Promise<void>
  /** Adds it again, with what it had: nothing referred to it. */
  restore?: () => Promise<unknown>
  what: string
  children: ReactNode
  extra?: ReactNode
  /** To be read only: the fields are still there, and there is no Save. */
  locked?: boolean
  summary?: ReactNode
}) {
  const [asking, setAsking] = useState(false)
  // What is new is begun in its first field, not on the button that closes it.
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (create) fields.current?.querySelector('input, select, textarea')?.setAttribute('data-autofocus', '')
  }, [create])
  const gone = useMutation({
    mutationFn: () => remove!(),
    onSuccess: () => {
      changed('/school-admin/')
      setAsking(false)
      close()
      if (restore) offerUndo(t('{what} deleted', { what }), restore)
    },
  })
  return (
    <>
      <form
        style={{ display: 'contents' }}
        onSubmit={(e) => {
          e.preventDefault()
          save.submit()
        }}
      >
        <DrawerHead
          title={title}
          summary={summary}
          close={close}
          actions={
            remove && (
              <Button variant="default" size="compact-md" onClick={() => setAsking(true)}>
                {t('Delete…')}
              </Button>
            )
          }
        />
        <div className="drawer-body" style={{ flex: 1 }} ref={fields}>
          <fieldset className="plain" disabled={locked}>
            <Stack gap={16}>{children}</Stack>
          </fieldset>
          {extra}
        </div>
        {!locked && (
          <SaveBar
            draft={draft}
            {...save}
            submit={() => undefined}
            label={create ? t('Add') : t('Save')}
            always={create}
            onCancel={create ? close : undefined}
          />
        )}
      </form>
      {save.conflict}
      <Confirm
        opened={asking}
        title={t('Delete {what}?', { what })}
        action={t('Delete')}
        danger
        busy={gone.isPending}
        error={gone.error}
        onClose={() => {
          setAsking(false)
          gone.reset()
        }}
        onConfirm={() => gone.mutate()}
      >
        {t('It is deleted only if nothing refers to it.')}
      </Confirm>
    </>
  )
}

export function Reading({ error, retry, close }: { error: unknown; retry: () => void; close: () => void }) {
  return (
    <>
      <DrawerHead title={' '} close={close} />
      <div className="drawer-body">{error ? <Trouble error={error} retry={retry} /> : <Lines />}</div>
    </>
  )
}
