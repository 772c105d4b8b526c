// A record: summary on top, edited in place with one Save; a stale one shows theirs and yours.
import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  Table,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { asProblem, Problem } from '../api/client'
import { t } from '../messages/console'
import { DateField } from './DateField'
import { Dialog, Technical, Trouble, UnsavedGuard } from './feedback'
import { type Kept, KeptOffer, useKept } from './kept'
import { offerUndo } from './undo'
import { named } from './words'

type Value = string | number | boolean | null | undefined

/** Fields name every value a form has; their order is the order they are compared in. */
export interface Draft<T> {
  values: T
  /** The record as it was read. */
  base: T
  set: <K extends keyof T>(key: K, value: T[K]) => void
  setAll: (v: Partial<T>) => void
  dirty: boolean
  changed: Partial<T>
  errors: Record<string, string>
  setErrors: (e: Record<string, string>) => void
  reset: (to?: T) => void
  /** What was typed here before a crash. */
  kept?: Kept
}

const secret = /password|secret|token|otp|pin$/i

/** Where a form is: the page and the drawer, and what it asks for. Undefined if it asks for what is kept nowhere. */
function formName(fields: string[]): string | undefined {
  if (fields.some((f) => secret.test(f))) return undefined
  const at = new URL(window.location.href)
  return `${at.pathname}?${at.searchParams.get('open') ?? ''}.${[...fields].sort().join()}`
}

function changes<T extends object>(values: T, base: T): Partial<T> {
  const out: Partial<T> = {}
  for (const k of Object.keys(values) as (keyof T)[])
    if (JSON.stringify(values[k]) !== JSON.stringify(base[k])) out[k] = values[k]
  return out
}

/** What is being typed over a record as it was read. */
export function useDraft<T extends object>(record: T): Draft<T> {
  const [base, setBase] = useState(record)
  const [values, setValues] = useState(record)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const changed = changes(values, base)
  const dirty = Object.keys(changed).length > 0
  const [name] = useState(() => formName(Object.keys(record)))
  const kept = useKept(name, dirty ? changed : undefined, base, (what) => setValues({ ...base, ...what }))
  // A record that was read anew replaces what nobody has touched, and not what is typed in the same moment.
  const seen = useRef(JSON.stringify(record))
  useEffect(() => {
    const now = JSON.stringify(record)
    if (now !== seen.current && !dirty) {
      setBase(record)
      setValues((v) => ({ ...record, ...changes(v, base) }))
      seen.current = now
    }
  }, [record, dirty, base])
  const forget = (keys: string[]) =>
    setErrors((e) => Object.fromEntries(Object.entries(e).filter(([k]) => !keys.includes(k))))
  return {
    values,
    base,
    set: (key, value) => {
      setValues((v) => ({ ...v, [key]: value }))
      forget([String(key)])
    },
    setAll: (v) => {
      setValues((old) => ({ ...old, ...v }))
      forget(Object.keys(v))
    },
    dirty,
    changed,
    errors,
    setErrors,
    reset: (to) => {
      const next = to ?? base
      seen.current = JSON.stringify(next)
      setBase(next)
      setValues(next)
      setErrors({})
    },
    kept,
  }
}

/**
 * The fields of a form, each with its label, its error and its place in the draft. They are called, not used as
 * components: a component made anew at every key would lose the focus.
 */
export function fieldsOf<T extends object>(d: Draft<T>, prefix = '') {
  const error = (k: keyof T & string, label: string) => d.errors[prefix + k] && named(d.errors[prefix + k]!, k, label)
  return {
    text: ({
      k,
      label,
      ...rest
    }: {
      k: keyof T & string
      label: string
      required?: boolean
      description?: string
      placeholder?: string
      type?: string
      autoComplete?: string
      inputMode?: 'tel' | 'email' | 'text'
      maxLength?: number
    }) => (
      <TextInput
        label={label}
        withAsterisk={false}
        {...rest}
        value={String(d.values[k] ?? '')}
        error={error(k, label)}
        onChange={(e) => d.set(k, e.currentTarget.value as T[typeof k])}
      />
    ),
    area: ({ k, label, ...rest }: { k: keyof T & string; label: string; description?: string }) => (
      <Textarea
        label={label}
        {...rest}
        value={String(d.values[k] ?? '')}
        error={error(k, label)}
        onChange={(e) => d.set(k, e.currentTarget.value as T[typeof k])}
      />
    ),
    day: ({ k, label, ...rest }: { k: keyof T & string; label: string; description?: string; required?: boolean }) => (
      <DateField
        label={label}
        {...rest}
        value={String(d.values[k] ?? '')}
        error={error(k, label)}
        onChange={(day) => d.set(k, (day || null) as T[typeof k])}
      />
    ),
    number: ({
      k,
      label,
      ...rest
    }: {
      k: keyof T & string
      label: string
      description?: string
      min?: number
      max?: number
    }) => (
      <NumberInput
        label={label}
        allowDecimal={false}
        hideControls
        {...rest}
        value={(d.values[k] as number | null) ?? ''}
        error={error(k, label)}
        onChange={(v) => d.set(k, (v === '' ? null : Number(v)) as T[typeof k])}
      />
    ),
    choice: ({
      k,
      label,
      data,
      none,
      ...rest
    }: {
      k: keyof T & string
      label: string
      data: { value: string; label: string }[]
      none?: string
      description?: string
      required?: boolean
      disabled?: boolean
    }) => (
      <NativeSelect
        label={label}
        withAsterisk={false}
        {...rest}
        value={String(d.values[k] ?? '')}
        error={error(k, label)}
        data={none === undefined ? data : [{ value: '', label: none }, ...data]}
        onChange={(e) => d.set(k, (e.currentTarget.value || null) as T[typeof k])}
      />
    ),
    yes: ({ k, label, ...rest }: { k: keyof T & string; label: string; description?: string; disabled?: boolean }) => (
      <Switch
        label={label}
        {...rest}
        checked={!!d.values[k]}
        error={error(k, label)}
        onChange={(e) => d.set(k, e.currentTarget.checked as T[typeof k])}
      />
    ),
  }
}

interface SaveOptions<T, R> {
  draft: Draft<T>
  labels: Partial<Record<keyof T & string, string>>
  /** How a value that is no plain word or number is said where theirs and yours are compared. */
  say?: { [K in keyof T]?: (v: T[K]) => string }
  /** Saves what changed, or all values; version is the record's as it was read, or theirs after a conflict. */
  save: (changed: Partial<T>, version: number | undefined, values: T) => Promise<R>
  /** What takes a save back: what it replaced, or more; false: nothing does. Unless given, a record with a version is written as it was. */
  undo?: (was: Partial<T>, before: T) => Partial<T> | false
  version?: number
  /** Reads the record as it is now, to show what somebody else changed. */
  reread?: () => Promise<T & { version: number }>
  onSaved?: (r: R) => void
}

/** One Save for the whole record, with the conflict it may meet. */
export function useSave<T extends object, R>(o: SaveOptions<T, R>) {
  const [theirs, setTheirs] = useState<(T & { version: number }) | null>(null)
  const [saved, setSaved] = useState(false)
  // The version that what is typed was typed over. A record that is read anew in the background, after somebody else
  // saved it, must not make their change look like one that was seen; one's own save may.
  const seen = useRef(o.version)
  const own = useRef(false)
  if (
    o.version !== undefined &&
    (seen.current === undefined || ((!o.draft.dirty || own.current) && o.version > seen.current))
  ) {
    seen.current = o.version
    own.current = false
  }
  const sending = useRef(false) // the second click of a double click comes before the button is drawn busy
  const m = useMutation({
    mutationFn: async (version: number | undefined) => {
      const before = theirs ?? o.draft.base
      const was: Partial<T> = {}
      for (const k of Object.keys(o.draft.changed) as (keyof T)[]) was[k] = before[k]
      return { was, before, r: await o.save(o.draft.changed, version, o.draft.values) }
    },
    onSettled: () => (sending.current = false),
    onSuccess: ({ was, before, r }) => {
      const now = (r as { version?: number } | undefined)?.version
      const back = o.undo ? o.undo(was, before) : o.version !== undefined && was
      if (back && (now !== undefined || o.version === undefined)) {
        const names = (Object.keys(was) as (keyof T & string)[]).map((k) => o.labels[k]).filter(Boolean)
        const some = names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ')
        offerUndo(some ? t('Changed: {some}', { some }) : t('Changed'), () => o.save(back, now, { ...before, ...back }))
      }
      if (typeof now === 'number') seen.current = now
      else own.current = true
      setSaved(true)
      setTheirs(null)
      o.draft.reset(o.draft.values)
      o.onSaved?.(r)
    },
    onError: async (e) => {
      const p = asProblem(e)
      o.draft.setErrors(p.fields)
      if (p.status === 409 && p.code !== 'DUPLICATE_ENTRY' && o.reread) {
        const now = await o.reread().catch(() => null)
        if (now && now.version !== seen.current) setTheirs(now)
      }
    },
  })
  const send = (version: number | undefined) => {
    // What was saved is not sent again before something is changed: the next page may take a second to load.
    if (sending.current || (m.isSuccess && !o.draft.dirty)) return
    sending.current = true
    m.mutate(version)
  }
  useEffect(() => {
    if (o.draft.dirty) setSaved(false)
  }, [o.draft.dirty])
  const conflict = theirs && (
    <Conflict
      draft={o.draft}
      theirs={theirs}
      labels={o.labels}
      say={o.say}
      busy={m.isPending}
      keepMine={() => send(theirs.version)}
      takeTheirs={() => {
        const next = { ...o.draft.values }
        for (const k of Object.keys(next) as (keyof T)[]) next[k] = theirs[k]
        seen.current = theirs.version
        o.draft.reset(next)
        setTheirs(null)
        m.reset()
        o.onSaved?.(undefined as R)
      }}
      close={() => setTheirs(null)}
    />
  )
  return { submit: () => send(seen.current), busy: m.isPending, saved, error: theirs ? null : m.error, conflict }
}

function show(v: unknown): string {
  if (v === true) return t('Yes')
  if (v === false) return t('No')
  return v === null || v === undefined || v === '' ? '–' : String(v as Value)
}

function Conflict<T extends object>({
  draft,
  theirs,
  labels,
  say,
  busy,
  keepMine,
  takeTheirs,
  close,
}: {
  draft: Draft<T>
  theirs: T & { version: number }
  labels: Partial<Record<keyof T & string, string>>
  say?: { [K in keyof T]?: (v: T[K]) => string }
  busy: boolean
  keepMine: () => void
  takeTheirs: () => void
  close: () => void
}) {
  const keys = (Object.keys(draft.values) as (keyof T & string)[]).filter(
    (k) => labels[k] && JSON.stringify(draft.values[k] ?? '') !== JSON.stringify(theirs[k] ?? ''),
  )
  const told = <K extends keyof T & string>(k: K, v: T[K]) => say?.[k]?.(v) ?? show(v)
  return (
    <Dialog onClose={close} size={640} title={t('Somebody else changed this meanwhile')}>
      <Stack gap={16}>
        <Text>{t('Nothing was saved. This is where theirs and yours differ:')}</Text>
        <Table withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Field')}</Table.Th>
              <Table.Th>{t('Theirs')}</Table.Th>
              <Table.Th>{t('Yours')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((k) => (
              <Table.Tr key={k}>
                <Table.Td>{labels[k]}</Table.Td>
                <Table.Td>{told(k, theirs[k])}</Table.Td>
                <Table.Td fw={k in draft.changed ? 600 : undefined}>{told(k, draft.values[k])}</Table.Td>
              </Table.Tr>
            ))}
            {keys.length === 0 && (
              <Table.Tr>
                <Table.Td colSpan={3}>{t('What you changed is the same on both sides.')}</Table.Td>
              </Table.Tr>
            )}
          </Table.Tbody>
        </Table>
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={takeTheirs}>
            {t('Take theirs')}
          </Button>
          <Button loading={busy} onClick={keepMine}>
            {t('Save mine over it')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** The head of a drawer: what it is, what can be done with it, and the way out. */
export function DrawerHead({
  title,
  summary,
  actions,
  close,
  children,
}: {
  title: ReactNode
  summary?: ReactNode
  actions?: ReactNode
  close: () => void
  children?: ReactNode
}) {
  return (
    <div className="drawer-head">
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap={12}>
        <div style={{ minWidth: 0 }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {summary && (
            <Text c="dimmed" size="sm" component="div" mt={2}>
              {summary}
            </Text>
          )}
        </div>
        <Group gap={4} wrap="nowrap">
          {actions}
          <ActionIcon variant="subtle" color="gray" aria-label={t('Close')} onClick={close}>
            <IconX size={18} stroke={1.6} />
          </ActionIcon>
        </Group>
      </Group>
      {children}
    </div>
  )
}

/** The bar with the one Save. It is there as soon as something is typed. */
export function SaveBar({
  draft,
  busy,
  saved,
  error,
  submit,
  label = t('Save'),
  always,
  onCancel,
}: {
  draft: { dirty: boolean; reset: () => void; kept?: Kept }
  busy: boolean
  saved?: boolean
  error: unknown
  submit: () => void
  label?: string
  always?: boolean
  onCancel?: () => void
}) {
  const offer = <KeptOffer kept={draft.kept} what={t('A part of this form was')} />
  if (!draft.dirty && !always && !saved && !error)
    return (
      <>
        <UnsavedGuard when={false} />
        {offer}
      </>
    )
  const p = error ? asProblem(error) : null
  return (
    <>
      {offer}
      <div className="savebar">
        <UnsavedGuard when={draft.dirty && !busy && !saved} />
        <div className="says" aria-live="polite">
          {p ? (
            <Text size="sm" c="red.8" role="alert">
              {p.message}
              {p.requestId && <Technical>{t('Request {requestId}', { requestId: p.requestId })}</Technical>}
            </Text>
          ) : saved && !draft.dirty ? (
            <Text size="sm" c="dimmed">
              {t('Saved')}
            </Text>
          ) : draft.dirty && !always ? (
            <Text size="sm" c="dimmed">
              {t('Unsaved changes')}
            </Text>
          ) : null}
        </div>
        {(draft.dirty || always) && (
          <>
            <Button variant="default" onClick={() => (onCancel ? onCancel() : draft.reset())}>
              {onCancel ? t('Cancel') : t('Discard')}
            </Button>
            <Button loading={busy} onClick={submit} type="submit">
              {label}
            </Button>
          </>
        )}
      </div>
    </>
  )
}

export function Facts({ of }: { of: [string, ReactNode][] }) {
  return (
    <dl className="facts">
      {of.map(([k, v]) => (
        <FactPair key={k} k={k} v={v} />
      ))}
    </dl>
  )
}

function FactPair({ k, v }: { k: string; v: ReactNode }) {
  return (
    <>
      <dt>{k}</dt>
      <dd>
        {v || (
          <Text span c="dimmed">
            –
          </Text>
        )}
      </dd>
    </>
  )
}

export { Problem, Trouble }
