// A wizard says in words what will happen before it happens. Its step is in the address, so it survives a reload.
import { Button, Group, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../messages/console'

interface Step {
  key: string
  title: string
}

export function Wizard({
  title,
  steps,
  current,
  children,
  aside,
}: {
  title: string
  steps: Step[]
  current: string
  children: ReactNode
  aside?: ReactNode
}) {
  const found = steps.findIndex((s) => s.key === current)
  const at = found < 0 ? steps.length : found // past the last: all of it is done
  return (
    <div className="page">
      <Title order={1} mb={24}>
        {title}
      </Title>
      <div className="wizard">
        <div>
          <ol className="steps" aria-label={t('Steps')}>
            {steps.map((s, i) => (
              <li key={s.key} aria-current={i === at ? 'step' : undefined} data-done={i < at || undefined}>
                <span className="dot">{i < at ? <IconCheck size={12} stroke={3} /> : i + 1}</span>
                {s.title}
              </li>
            ))}
          </ol>
          {aside}
        </div>
        <div>{children}</div>
      </div>
    </div>
  )
}

export function WizardButtons({
  back,
  next,
  label = t('Continue'),
  busy,
  disabled,
  danger,
}: {
  back?: () => void
  next?: () => void
  label?: string
  busy?: boolean
  disabled?: boolean
  danger?: boolean
}) {
  return (
    <Group mt={24} gap={8}>
      {next && (
        <Button onClick={next} loading={busy} disabled={disabled} color={danger ? 'red.8' : undefined}>
          {label}
        </Button>
      )}
      {back && (
        <Button variant="default" onClick={back}>
          {t('Back')}
        </Button>
      )}
    </Group>
  )
}
