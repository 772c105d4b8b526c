import { type FormEvent, useEffect, useState } from 'react'
import { t } from '../../messages/messages'
import { putAnnouncement } from '../messages/send'
import { problemText } from '../problem'
import { go } from '../route'
import { drafts } from '../store'
import { Button, Field, Page, Shown } from '../ui'
import { useHold } from '../update'
import { placeOf, useClasses } from './lessons'

interface Draft {
  to: string[]
  title: string
  body: string
}

const name = 'announcement.new'

/** What a teacher says to the parents of a class or several of theirs. */
export function Announce() {
  const classes = useClasses()
  return (
    <Page title={t('announcements.write')} back="/messages/announcements">
      <Shown of={classes} lines={5} isEmpty={(d) => d.items.length === 0} empty="classes.none">
        {({ items }) => <AnnounceForm classes={items.map((c) => ({ id: c.divisionId, name: placeOf(c) }))} />}
      </Shown>
    </Page>
  )
}

function AnnounceForm({ classes }: { classes: { id: string; name: string }[] }) {
  const only = classes.length === 1 ? [classes[0]!.id] : []
  const [draft, setDraft] = useState<Draft>(() => drafts.recall<Draft>(name) ?? { to: only, title: '', body: '' })
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const isTyped = draft.title !== '' || draft.body !== ''
  useHold(isTyped)
  useEffect(() => {
    if (isTyped && !busy) drafts.keep(name, draft)
  }, [draft, isTyped, busy])
  const set = (change: Partial<Draft>) => {
    setDraft((d) => ({ ...d, ...change }))
    setError('')
  }
  const chosen = classes.filter((c) => draft.to.includes(c.id))

  const publish = async (e: FormEvent) => {
    e.preventDefault()
    if (chosen.length === 0) return setError(t('announcements.choose'))
    setBusy(true)
    setError('')
    try {
      await putAnnouncement(draft.title.trim(), draft.body.trim(), chosen)
      drafts.drop(name)
      go('/messages/announcements', { replace: true })
      return
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }

  return (
    <form className="form" onSubmit={(e) => void publish(e)}>
      <div
        className="card"
        role="group"
        aria-label={t('announcements.for')}
        aria-describedby={error ? 'announce-error' : undefined}
      >
        <p className="strong">{t('announcements.for')}</p>
        {classes.map((c) => (
          <label key={c.id} className="check">
            <input
              type="checkbox"
              checked={draft.to.includes(c.id)}
              onChange={(e) => set({ to: e.target.checked ? [...draft.to, c.id] : draft.to.filter((x) => x !== c.id) })}
            />
            <bdi>{c.name}</bdi>
          </label>
        ))}
      </div>
      <Field label={t('announcements.subject')}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            dir="auto"
            required
            maxLength={200}
            value={draft.title}
            onChange={(e) => set({ title: e.target.value })}
          />
        )}
      </Field>
      <Field label={t('announcements.text')}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            dir="auto"
            rows={6}
            required
            maxLength={10_000}
            value={draft.body}
            onChange={(e) => set({ body: e.target.value })}
          />
        )}
      </Field>
      {error && (
        <p id="announce-error" className="error" role="alert">
          {error}
        </p>
      )}
      <Button look="main" type="submit" busy={busy}>
        {t('announcements.publish')}
      </Button>
    </form>
  )
}
