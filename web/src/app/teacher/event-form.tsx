import { type FormEvent, useEffect, useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { Month, MonthBar } from '../month'
import { problemText } from '../problem'
import { go } from '../route'
import { drafts } from '../store'
import { Button, Card, Empty, Field, Page, Shown } from '../ui'
import { useHold } from '../update'
import { audiences, eventsPath, isOpen, useEvents, useTaughtClasses } from './events'
import { useClasses } from './lessons'

type SchoolEvent = Schemas['Event']
type Audience = keyof typeof audiences
type Values = Required<Omit<Schemas['EventFields'], 'organiserId' | 'targetAudience'>> & { targetAudience: Audience }

/** What is typed and not saved, and the version of the event that it was typed over; 0 of a new one. */
interface Draft {
  values: Values
  version: number
}

const list = '/events'
const valuesOf = (e: SchoolEvent): Values => ({
  title: e.title,
  description: e.description,
  eventDate: e.eventDate,
  startTime: e.startTime,
  endTime: e.endTime,
  venue: e.venue,
  targetAudience: e.targetAudience || 'ALL',
  classIds: e.classIds,
  capacity: e.capacity,
})

export function NewEvent() {
  const date = useFormat().today()
  const empty = { title: '', description: '', startTime: '', endTime: '', venue: '', capacity: null }
  return (
    <Page title={t('events.add')} back={list}>
      <Shown of={useClasses()} lines={8}>
        {() => <EventForm saved={{ ...empty, eventDate: date, targetAudience: 'ALL', classIds: [] }} />}
      </Shown>
    </Page>
  )
}

export function ChangeEvent({ id }: { id: string }) {
  const classes = useClasses()
  return (
    <Page title={t('events.change')} back={list}>
      <Shown of={useEvents()} after={[classes]} lines={8}>
        {({ events }) => {
          const of = events.find((e) => e.id === id)
          if (!of || !isOpen(of)) return <Empty text={t('problem.notFound')} />
          return (
            <>
              <EventForm of={of} saved={valuesOf(of)} />
              <Endings of={of} />
            </>
          )
        }}
      </Shown>
    </Page>
  )
}

function EventForm({ of, saved }: { of?: SchoolEvent; saved: Values }) {
  const name = `event.${of?.id ?? 'new'}`
  const { refetch } = useEvents()
  const [draft, setDraft] = useState(() => drafts.recall<Draft>(name))
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const values = draft?.values ?? saved
  useHold(draft !== undefined)
  useEffect(() => {
    if (draft) drafts.keep(name, draft)
  }, [name, draft])
  const set = (change: Partial<Values>) => {
    setDraft((d) => ({ values: { ...values, ...change }, version: d?.version ?? of?.version ?? 0 }))
    setError('')
  }

  const save = async (e: FormEvent) => {
    e.preventDefault()
    const data = { ...values, classIds: values.targetAudience === 'CLASSES' ? values.classIds : [] }
    if (values.targetAudience === 'CLASSES' && data.classIds.length === 0) return setError(t('announcements.choose'))
    setBusy(true)
    setError('')
    try {
      if (of) {
        const body = { data: { ...data, id: of.id, version: draft?.version ?? of.version } }
        await call(api.PUT('/teacher/co-curricular/update-event', { body }))
      } else await call(api.POST('/teacher/co-curricular/add-event', { body: { data } }))
      drafts.drop(name)
      changed(eventsPath)
      go(list, { replace: true })
      return
    } catch (e) {
      // Saving again replaces what somebody else wrote meanwhile.
      const now =
        of && asProblem(e).status === 409 && (await refetch()).data?.events.find((other) => other.id === of.id)
      const isStale = now && isOpen(now) && now.version !== (draft?.version ?? of.version)
      if (isStale) setDraft({ values, version: now.version })
      setError(isStale ? t('events.changed') : problemText(e))
    }
    setBusy(false)
  }

  return (
    <form className="form" onSubmit={(e) => void save(e)}>
      <Text
        label={t('announcements.subject')}
        value={values.title}
        most={200}
        required
        set={(title) => set({ title })}
      />
      <Day date={values.eventDate} set={(eventDate) => set({ eventDate })} />
      <Time label={t('events.from')} value={values.startTime} set={(startTime) => set({ startTime })} />
      <Time label={t('events.to')} value={values.endTime} set={(endTime) => set({ endTime })} />
      <Text label={t('events.where')} value={values.venue} most={200} set={(venue) => set({ venue })} />
      <Field label={t('events.for')}>
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={values.targetAudience}
            onChange={(e) => set({ targetAudience: e.target.value as Audience })}
          >
            {Object.entries(audiences).map(([value, key]) => (
              <option key={value} value={value}>
                {t(key)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {values.targetAudience === 'CLASSES' && <Ticks of={values.classIds} set={(classIds) => set({ classIds })} />}
      <Field label={t('events.capacity')} hint={t('events.noLimit')}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="number"
            inputMode="numeric"
            min={1}
            max={1_000_000}
            value={values.capacity ?? ''}
            onChange={(e) => set({ capacity: e.target.value === '' ? null : Number(e.target.value) })}
          />
        )}
      </Field>
      <Field label={t('events.description')}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            dir="auto"
            rows={4}
            maxLength={4000}
            value={values.description}
            onChange={(e) => set({ description: e.target.value })}
          />
        )}
      </Field>
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <Button look="main" type="submit" disabled={!draft} busy={busy}>
        {t('events.save')}
      </Button>
    </form>
  )
}

interface TextProps {
  label: string
  value: string
  most: number
  required?: boolean
  set: (value: string) => void
}

function Text({ label, value, most, required, set }: TextProps) {
  return (
    <Field label={label}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          dir="auto"
          required={required}
          maxLength={most}
          value={value}
          onChange={(e) => set(e.target.value)}
        />
      )}
    </Field>
  )
}

function Time({ label, value, set }: { label: string; value: string; set: (value: string) => void }) {
  return (
    <Field label={label}>
      {(ids) => <input {...ids} className="input" type="time" value={value} onChange={(e) => set(e.target.value)} />}
    </Field>
  )
}

function Day({ date, set }: { date: string; set: (date: string) => void }) {
  const format = useFormat()
  const today = format.today()
  const [month, setMonth] = useState(date.slice(0, 7))
  return (
    <div className="card" role="group" aria-label={t('events.day')}>
      <p className="strong" aria-live="polite">
        {format.date(date)}
      </p>
      <MonthBar month={month} to={setMonth} first={today.slice(0, 7)} />
      <Month
        month={month}
        draw={(day) => ({ label: format.day(day), tone: day < today ? 'off' : undefined })}
        pick={set}
        picked={(day) => day === date}
      />
    </div>
  )
}

/** The teacher's classes; others that the office chose stay chosen. */
function Ticks({ of, set }: { of: string[]; set: (ids: string[]) => void }) {
  const classes = useTaughtClasses()
  const others = of.filter((id) => !classes.some((c) => c.id === id)).length
  return (
    <div className="card" role="group" aria-label={t('nav.classes')}>
      {classes.map((c) => (
        <label key={c.id} className="check">
          <input
            type="checkbox"
            checked={of.includes(c.id)}
            onChange={(e) => set(e.target.checked ? [...of, c.id] : of.filter((id) => id !== c.id))}
          />
          <bdi>{c.name}</bdi>
        </label>
      ))}
      {others > 0 && <p className="note">{t('events.otherClasses', { count: others })}</p>}
    </div>
  )
}

/** The ways an event ends before its day: it is cancelled, or deleted while nobody is signed up. */
function Endings({ of }: { of: SchoolEvent }) {
  const [asks, setAsks] = useState<'cancel' | 'delete'>()
  if (asks) return <Ending of={of} how={asks} back={() => setAsks(undefined)} />
  return (
    <div className="buttons">
      <Button onClick={() => setAsks('cancel')}>{t('events.cancelEvent')}</Button>
      {of.signedUp === 0 && <Button onClick={() => setAsks('delete')}>{t('events.delete')}</Button>}
    </div>
  )
}

function Ending({ of, how, back }: { of: SchoolEvent; how: 'cancel' | 'delete'; back: () => void }) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const deletes = how === 'delete'
  const title = t(deletes ? 'events.delete' : 'events.cancelEvent')
  useHold(reason !== '')
  const end = async (e: FormEvent) => {
    e.preventDefault()
    setBusy(true)
    setError('')
    try {
      const data = { id: of.id, version: of.version, status: 'CANCELLED' as const, cancelReason: reason.trim() }
      if (deletes)
        await done(api.DELETE('/teacher/co-curricular/delete-event/{id}', { params: { path: { id: of.id } } }))
      else await call(api.PUT('/teacher/co-curricular/update-event', { body: { data } }))
      drafts.drop(`event.${of.id}`)
      changed(eventsPath)
      go(list, { replace: true })
      return
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }
  return (
    <Card label={title}>
      <form className="form" onSubmit={(e) => void end(e)}>
        <p>{t(deletes ? 'events.deleteWhat' : 'events.cancelWhat')}</p>
        {!deletes && <Text label={t('leave.reason')} value={reason} most={500} set={setReason} />}
        {error && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        <div className="buttons">
          <Button type="submit" busy={busy}>
            {title}
          </Button>
          <Button look="text" onClick={back}>
            {t('common.back')}
          </Button>
        </div>
      </form>
    </Card>
  )
}
