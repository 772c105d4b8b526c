import { ActionIcon, Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../../messages/console'

/** A field of a day or month with arrows to the one before and after. */
export function Stepper({
  before,
  after,
  what,
  children,
}: {
  before: () => void
  after?: () => void
  what: string
  children: ReactNode
}) {
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon variant="default" size={36} aria-label={t('The {what} before', { what })} onClick={before}>
        <IconChevronLeft size={16} stroke={1.6} />
      </ActionIcon>
      {children}
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('The {what} after', { what })}
        disabled={!after}
        onClick={after}
      >
        <IconChevronRight size={16} stroke={1.6} />
      </ActionIcon>
    </Group>
  )
}
