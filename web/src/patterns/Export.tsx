import { ActionIcon } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'

/** The way to take a table along. */
export function Export({ onClick }: { onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label="Download as CSV" title="Download as CSV" onClick={onClick}>
      <IconDownload size={18} stroke={1.6} />
    </ActionIcon>
  )
}
