import { Button, Group, NativeSelect, Stack } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { openPaper } from '../api/client'
import { t } from '../messages/console'
import { useDivisionChoices } from './choices'
import { Dialog, Trouble } from './feedback'

/** What is chosen before the service makes a paper. The dialog stays, for the next one. */
export function PaperDialog({
  title,
  paper,
  ready = true,
  close,
  children,
}: {
  title: string
  paper: () => Parameters<typeof openPaper>
  ready?: boolean
  close: () => void
  children: ReactNode
}) {
  const print = useMutation({ mutationFn: () => openPaper(...paper()) })
  return (
    <Dialog onClose={close} title={title}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          print.mutate()
        }}
      >
        <Stack gap={16}>
          {children}
          <Trouble error={print.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Close')}
            </Button>
            <Button
              type="submit"
              disabled={!ready}
              loading={print.isPending}
              leftSection={<IconPrinter size={16} stroke={1.6} />}
            >
              {t('Print')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** The division a paper is about, of some classes or of all. */
export function DivisionSelect({
  value,
  onChange,
  classIds,
}: {
  value: string
  onChange: (id: string) => void
  classIds?: string[]
}) {
  const { choices } = useDivisionChoices()
  return (
    <NativeSelect
      label={t('Division')}
      required
      data-autofocus
      value={value}
      onChange={(e) => onChange(e.currentTarget.value)}
      data={[
        { value: '', label: t('Choose a division') },
        ...choices.filter((c) => classIds?.includes(c.classId) ?? true),
      ]}
    />
  )
}

/** How many cards are on a sheet. */
export function PerPage({ value, onChange }: { value: string; onChange: (n: string) => void }) {
  return (
    <NativeSelect
      label={t('Cards to a sheet of A4')}
      value={value}
      onChange={(e) => onChange(e.currentTarget.value)}
      data={[
        { value: '8', label: t('8, 92 × 66 mm') },
        { value: '10', label: t('10, 86 × 54 mm, as bank cards') },
      ]}
    />
  )
}
