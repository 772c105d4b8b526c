import { ActionIcon, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPrinter } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { asProblem, openPaper } from '../api/client'
import { t } from '../messages/console'

/** Opens the paper that the service makes of what is shown: pages do not print themselves. */
export function Print({
  path,
  query = {},
  name,
  icon,
}: {
  path: string
  query?: Record<string, string>
  name: string
  icon?: boolean
}) {
  const print = useMutation({
    mutationFn: () => openPaper(path, query, name),
    onError: (e) => notifications.show({ color: 'red', message: asProblem(e).message }),
  })
  const printer = <IconPrinter size={icon ? 18 : 16} stroke={1.6} />
  return icon ? (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('Print')}
      title={t('Print')}
      loading={print.isPending}
      onClick={() => print.mutate()}
    >
      {printer}
    </ActionIcon>
  ) : (
    <Button variant="default" leftSection={printer} loading={print.isPending} onClick={() => print.mutate()}>
      {t('Print')}
    </Button>
  )
}
