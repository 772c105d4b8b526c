// The few pieces that all pages are made of. Colour is never the only sign; what can be tapped is at least 44 px.
import { IconAlertTriangle, IconChevronLeft, IconChevronRight, IconCloudOff } from '@tabler/icons-react'
import { type ButtonHTMLAttributes, Fragment, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useLine } from '../api/offline'
import { type Key, t } from '../messages/messages'
import { useFormat } from './format'
import { isOffline, problemText } from './problem'
import type { Read } from './read'
import { Link } from './route'

interface PageProps {
  title: string
  /** Where the arrow leads, for a page inside of another. */
  back?: string
  action?: ReactNode
  children: ReactNode
}

export function Page({ title, back, action, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // A screen reader begins at the new page's title.
  useEffect(() => {
    document.title = `${title} · Homeroom`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <>
      <header className="head">
        {back && (
          <Link to={back} className="icon-button" aria-label={t('common.back')}>
            <IconChevronLeft aria-hidden className="flip" />
          </Link>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {action}
      </header>
      <main>{children}</main>
    </>
  )
}

export function Card({ children, label, tone }: { children: ReactNode; label?: string; tone?: 'quiet' }) {
  return (
    <section className="card" data-tone={tone} aria-label={label}>
      {children}
    </section>
  )
}

/** A line of a card that leads to a page. */
export function Line({ to, title, note, end }: { to: string; title: ReactNode; note?: ReactNode; end?: ReactNode }) {
  return (
    <Link to={to} className="line">
      <span className="grow">
        <span className="line-title">{title}</span>
        {note && <span className="note">{note}</span>}
      </span>
      {end}
      <IconChevronRight aria-hidden size={18} className="flip dim" />
    </Link>
  )
}

/** Several facts in a row. Each keeps its own direction, as names and times do among other letters. */
export function Parts({ of }: { of: (string | false | null | undefined)[] }) {
  return of
    .filter((part): part is string => Boolean(part))
    .map((part, i) => (
      <Fragment key={i}>
        {i > 0 && ' · '}
        <bdi>{part}</bdi>
      </Fragment>
    ))
}

type Tone = 'good' | 'bad' | 'warn' | 'plain'

export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  )
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'main' | 'plain' | 'text'
  busy?: boolean
}

export function Button({ look = 'plain', busy, type = 'button', children, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} className="button" data-look={look} aria-busy={busy} disabled={rest.disabled || busy}>
      {children}
    </button>
  )
}

/** A label, its field and what is wrong with it. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string
  hint?: string
  error?: string
  children: (ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode
}) {
  const id = useId()
  const said = error || hint ? `${id}-said` : undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': said, 'aria-invalid': Boolean(error) })}
      {said && (
        <p id={said} className={error ? 'error' : 'note'} role={error ? 'alert' : undefined}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

/** Several ways to look at one thing: a sibling, a tab. Each is an address. */
export function Choices({
  label,
  of,
  to,
}: {
  label: string
  of: { id: string; name: string; current: boolean }[]
  to: (id: string) => string
}) {
  if (of.length < 2) return null
  return (
    <nav className="choices" aria-label={label}>
      {of.map((c) => (
        <Link key={c.id} to={to(c.id)} replace className="chip" aria-current={c.current ? 'page' : undefined}>
          {c.name}
        </Link>
      ))}
    </nav>
  )
}

export function Empty({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p>{text}</p>
      {children}
    </div>
  )
}

function Trouble({ error, retry }: { error: unknown; retry: () => void }) {
  const offline = isOffline(error)
  return (
    <div className="empty" role="alert">
      {offline ? <IconCloudOff aria-hidden size={32} /> : <IconAlertTriangle aria-hidden size={32} />}
      <p>{offline ? t('common.notYetHere') : problemText(error)}</p>
      <Button onClick={retry}>{t('common.tryAgain')}</Button>
    </div>
  )
}

export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className="card skeleton" aria-busy role="status" aria-label={t('common.loading')}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  )
}

/** How old what is shown is. Said where it matters always (money), else where it could not be read anew. */
function AsOf({ at }: { at: number }) {
  const format = useFormat()
  const iso = new Date(at).toISOString()
  const isToday = Date.now() - at < 12 * 3_600_000
  return <p className="note as-of">{t('common.asOf', { time: isToday ? format.time(iso) : format.dateTime(iso) })}</p>
}

interface ShownProps<T> {
  of: Read<T>
  /** What is drawn with it: the first time it waits for these too, so that nothing moves when they come. */
  after?: Read<unknown>[]
  lines?: number
  /** Its age is always said. */
  dated?: boolean
  /** Its age is said by what is drawn with it. */
  undated?: boolean
  isEmpty?: (data: T) => boolean
  empty?: Key
  children: (data: T) => ReactNode
}

/** What was read: its last state at once; a skeleton only the first time; what went wrong, and another try. */
export function Shown<T>({ of, after = [], lines, dated, undated, isEmpty, empty, children }: ShownProps<T>) {
  const line = useLine()
  const [hasCome, setHasCome] = useState(false)
  // What the phone has kept is drawn at once.
  const isComing = !hasCome && of.isFetchedAfterMount && after.some((r) => r.isPending && r.fetchStatus === 'fetching')
  useEffect(() => {
    if (of.data !== undefined && !isComing) setHasCome(true)
  }, [of.data, isComing])
  if (of.data === undefined || (isComing && !of.isError))
    return of.isError ? <Trouble error={of.error} retry={() => void of.refetch()} /> : <Skeleton lines={lines} />
  const failed = of.isError && !isOffline(of.error)
  return (
    <>
      {failed && (
        <p className="bar" role="alert">
          {problemText(of.error)} <Button onClick={() => void of.refetch()}>{t('common.tryAgain')}</Button>
        </p>
      )}
      {!undated && (dated || of.isError || !line.up) && <AsOf at={of.dataUpdatedAt} />}
      {empty && isEmpty?.(of.data) ? <Empty text={t(empty)} /> : children(of.data)}
    </>
  )
}
