import { type FormEvent, useEffect, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { joined, t } from '../../messages/messages'
import { problemText } from '../problem'
import { useRead } from '../read'
import { go } from '../route'
import { drafts } from '../store'
import { Button, Empty, Field, Page, Shown } from '../ui'
import { useHold } from '../update'
import { useClient } from './box'
import { newThreads, sendMessage } from './send'

type Contact = Schemas['Contact']

interface Draft {
  to: string
  subject: string
  body: string
}

const name = 'message.new'
const office = 'office'
const keyOf = (c: Contact) => [c.userId, c.studentId ?? ''].join(' ')

/** A new thread with somebody the person may write to. What is typed stays on this phone until it was sent. */
export function Write() {
  const client = useClient()
  const read = useRead([`/${client}/message/contacts`], () => call(api.GET(`/${client}/message/contacts`)))
  return (
    <Page title={t('messages.write')} back="/messages">
      <Shown of={read} lines={5}>
        {(data) =>
          data.contacts.length === 0 && !data.office ? (
            <Empty text={t('messages.nobody')} />
          ) : (
            <WriteForm contacts={data.contacts} hasOffice={data.office} />
          )
        }
      </Shown>
    </Page>
  )
}

function WriteForm({ contacts, hasOffice }: { contacts: Contact[]; hasOffice: boolean }) {
  const client = useClient()
  const [draft, setDraft] = useState<Draft>(() => drafts.recall<Draft>(name) ?? { to: '', subject: '', body: '' })
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const isTyped = draft.body !== '' || draft.subject !== ''
  useHold(isTyped)
  useEffect(() => {
    if (isTyped && !busy) drafts.keep(name, draft)
  }, [draft, isTyped, busy])
  const set = (change: Partial<Draft>) => setDraft((d) => ({ ...d, ...change }))

  const send = async (e: FormEvent) => {
    e.preventDefault()
    setBusy(true)
    setError('')
    const to = contacts.find((c) => keyOf(c) === draft.to)
    const data = {
      ...(to ? { recipientIds: [to.userId], studentId: to.studentId } : { toOffice: true }),
      subject: draft.subject.trim(),
      body: draft.body.trim(),
    }
    try {
      await sendMessage(client, newThreads, data, to?.name ?? t('messages.office'))
      drafts.drop(name)
      go('/messages', { replace: true })
      return
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }

  return (
    <form className="form" onSubmit={(e) => void send(e)}>
      <Field label={t('messages.to')}>
        {(ids) => (
          <select {...ids} className="input" required value={draft.to} onChange={(e) => set({ to: e.target.value })}>
            <option value="">{t('messages.choose')}</option>
            {hasOffice && <option value={office}>{t('messages.office')}</option>}
            {contacts.map((c) => (
              <option key={keyOf(c)} value={keyOf(c)}>
                {joined([c.name, c.studentName])}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t('messages.subject')}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={200}
            value={draft.subject}
            onChange={(e) => set({ subject: e.target.value })}
          />
        )}
      </Field>
      <Field label={t('messages.text')} error={error || undefined}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            dir="auto"
            rows={5}
            required
            maxLength={5000}
            value={draft.body}
            onChange={(e) => set({ body: e.target.value })}
          />
        )}
      </Field>
      <Button look="main" type="submit" busy={busy}>
        {t('messages.send')}
      </Button>
    </form>
  )
}
