// What was just done can be taken back for ten seconds, by the opposite call: a line at the edge of the window, with its button.
import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { asProblem } from '../api/client'
import { changed } from '../api/queries'
import { t } from '../messages/console'

let offered: { id: string; undo: () => void } | undefined

/** Takes back what was done last, while that is offered. */
export const undoLast = () => offered?.undo()

/** Says what was done and offers to undo it. Only the last thing is offered: what came before it may be what it was done to. */
export function offerUndo(what: string, back: () => Promise<unknown>) {
  if (offered) notifications.hide(offered.id)
  const id = `undo-${Date.now()}`
  const undo = () => {
    notifications.hide(id)
    back()
      .then(
        () => notifications.show({ message: t('Undone'), role: 'status' }),
        (e) => notifications.show({ color: 'red', title: t('It was not undone'), message: asProblem(e).message }),
      )
      .finally(() => changed('/school-admin/', '/super-admin/'))
  }
  offered = { id, undo }
  // Where no page has its Save.
  const side = document.documentElement.dir === 'rtl' ? 'right' : 'left'
  notifications.show({
    id,
    role: 'status',
    position: window.innerWidth < 768 ? 'top-center' : `bottom-${side}`,
    withCloseButton: false,
    onClose: () => {
      if (offered?.id === id) offered = undefined
    },
    message: (
      <Group justify="space-between" wrap="nowrap" gap={12}>
        <span>{what}</span>
        <Button size="compact-sm" variant="default" onClick={undo} aria-keyshortcuts="Control+Z">
          {t('Undo')}
        </Button>
      </Group>
    ),
  })
}
