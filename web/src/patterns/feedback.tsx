// What people see while they wait, when there is nothing, and when something went wrong.
import { Alert, Button, Group, Modal, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { asProblem } from '../api/client'
import { rich, t } from '../messages/console'
import { useLateOpen } from './late'
import { named } from './words'

/** True once something has been awaited for 200 ms: shorter waits show nothing at all. */
export function useLate(waiting: boolean): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!waiting) {
      setLate(false)
      return
    }
    const t = window.setTimeout(() => setLate(true), 200)
    return () => window.clearTimeout(t)
  }, [waiting])
  return waiting && late
}

export function Lines({ n = 6 }: { n?: number }) {
  const late = useLate(true)
  if (!late) return <span data-waiting hidden />
  return (
    <Stack gap={16} aria-hidden data-waiting>
      {Array.from({ length: n }, (_, i) => (
        <Skeleton key={i} height={14} width={`${90 - ((i * 17) % 40)}%`} />
      ))}
    </Stack>
  )
}

/** What only who helps needs to know, for those who ask for it. */
export function Technical({ children }: { children: ReactNode }) {
  return (
    <details className="technical">
      <summary>{t('Details')}</summary>
      {children}
    </details>
  )
}

/** What happened, what to do, and the request's id for those who help. */
export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  if (!error) return null
  const p = asProblem(error)
  return (
    <Alert color="red" variant="light" role="alert" title={p.message} p={12}>
      <Group gap={12}>
        {p.details.length > 0 && (
          <ul className="details">
            {p.details.slice(0, 8).map(([field, message]) => (
              <li key={field + message}>{named(message, field)}</li>
            ))}
            {p.details.length > 8 && <li>{t('and {details} more', { details: p.details.length - 8 })}</li>}
          </ul>
        )}
        {retry && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            {t('Try again')}
          </Button>
        )}
        {p.requestId && <Technical>{t('Request {requestId}', { requestId: p.requestId })}</Technical>}
      </Group>
    </Alert>
  )
}

/** An empty page teaches: what it is for, the first step, an example. */
export function Empty({
  icon,
  title,
  text,
  action,
  example,
}: {
  icon?: ReactNode
  title: string
  text: string
  action?: ReactNode
  example?: string
}) {
  return (
    <div className="empty">
      {icon && (
        <Text c="dimmed" span>
          {icon}
        </Text>
      )}
      <Text fw={600} size="lg">
        {title}
      </Text>
      <p>{text}</p>
      {action && (
        <Group mt={8} gap={8} justify="center">
          {action}
        </Group>
      )}
      {example && <p className="example">{example}</p>}
    </div>
  )
}

/** Status by word and shape; the colour comes last. */
export function Status({ tone, children }: { tone: 'good' | 'busy' | 'warn' | 'bad' | 'off'; children: ReactNode }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  )
}

/** A dialog over the page: it takes the focus and gives it back. */
export function Dialog({
  opened = true,
  onClose,
  title,
  size = 440,
  question,
  children,
}: {
  opened?: boolean
  onClose: () => void
  title: string
  size?: number
  /** A question is answered by its buttons: the second of two clicks must not close it. */
  question?: boolean
  children: ReactNode
}) {
  const [drawn, open] = useLateOpen(opened)
  if (!drawn) return null
  return (
    <Modal.Root
      opened={open}
      onClose={onClose}
      size={size}
      centered
      closeOnClickOutside={!question}
      transitionProps={{ duration: 120 }}
    >
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-label={title}>
        <Modal.Body p={24}>
          <Title order={2} mb={16}>
            {title}
          </Title>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** Asks before what hurts. The words say what will happen; `type` makes people write a name first. */
export function Confirm({
  opened,
  title,
  children,
  action,
  danger,
  type,
  busy,
  enter,
  error,
  onClose,
  onConfirm,
}: {
  opened: boolean
  title: string
  children: ReactNode
  action: string
  danger?: boolean
  type?: string
  busy?: boolean
  /** Enter confirms, half a second after the question: an Enter too many is no answer to it. */
  enter?: boolean
  error?: unknown
  onClose: () => void
  onConfirm: () => void
}) {
  const [typed, setTyped] = useState('')
  const [ready, setReady] = useState(!enter)
  const answer = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    setTyped('')
    if (!opened || !enter) return
    const soon = window.setTimeout(() => setReady(true), 500)
    return () => {
      window.clearTimeout(soon)
      setReady(false)
    }
  }, [opened, enter])
  const confirm = useRef(onConfirm)
  confirm.current = onConfirm
  useEffect(() => {
    if (!opened || !enter || !ready) return
    answer.current?.focus()
    // Another dialog that closes meanwhile may take the focus back to where it was: Enter answers all the same.
    const key = (e: KeyboardEvent) => {
      const at = document.activeElement
      const onButton = at?.tagName === 'BUTTON' && answer.current?.closest('[role="dialog"]')?.contains(at)
      if (e.key !== 'Enter' || e.repeat || onButton) return
      e.preventDefault()
      confirm.current()
    }
    document.addEventListener('keydown', key)
    return () => document.removeEventListener('keydown', key)
  }, [opened, enter, ready])
  return (
    <Dialog opened={opened} onClose={onClose} title={title} question>
      <Stack gap={16}>
        <Text size="md" {...(enter ? { 'data-autofocus': true, tabIndex: -1, style: { outline: 'none' } } : {})}>
          {children}
        </Text>
        {type && (
          <label>
            <Text size="sm" mb={4}>
              {rich('Type {type} to go on', { type: <b>{type}</b> })}
            </Text>
            <input
              className="mantine-Input-input confirm-input"
              value={typed}
              onChange={(e) => setTyped(e.currentTarget.value)}
              autoComplete="off"
            />
          </label>
        )}
        <Trouble error={error} />
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button
            ref={answer}
            color={danger ? 'red.8' : undefined}
            loading={busy}
            disabled={!ready || (type !== undefined && typed !== type)}
            onClick={onConfirm}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Keeps what was typed: leaving with unsaved changes asks first, by link, back button or closed tab. */
export function UnsavedGuard({ when, free = [] }: { when: boolean; free?: string[] }) {
  // Parameters of the address that lose nothing, such as which part of a sheet is shown.
  const rest = (search: unknown) =>
    JSON.stringify(
      Object.entries(search as Record<string, unknown>)
        .filter(([k, v]) => !free.includes(k) && v !== undefined)
        .sort(),
    )
  const block = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      when && !(free.length > 0 && current.pathname === next.pathname && rest(current.search) === rest(next.search)),
    enableBeforeUnload: () => when,
    withResolver: true,
    disabled: !when,
  })
  return (
    <Confirm
      opened={block.status === 'blocked'}
      title={t('Leave without saving?')}
      action={t('Leave')}
      danger
      onClose={() => block.reset?.()}
      onConfirm={() => block.proceed?.()}
    >
      {t('What you have changed here is not saved yet.')}
    </Confirm>
  )
}

/** Under a few of many: how to come to the others. */
export const TypeMore = () => (
  <Text component="div" c="dimmed" p={12} size="sm">
    {t('There are more: type more of the name.')}
  </Text>
)
