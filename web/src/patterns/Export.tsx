import { ActionIcon } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { t } from '../messages/console'

/** The way to take a table along. */
export function Export({ onClick }: { onClick: () => void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('Download as CSV')}
      title={t('Download as CSV')}
      onClick={onClick}
    >
      <IconDownload size={18} stroke={1.6} />
    </ActionIcon>
  )
}
