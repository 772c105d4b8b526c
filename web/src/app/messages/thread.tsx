import { type FormEvent, useEffect, useRef, useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { useLine } from '../../api/offline'
import { changed } from '../../api/queries'
import { useSession } from '../../api/session'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { problemText } from '../problem'
import { useRead } from '../read'
import { drafts } from '../store'
import { Button, Page, Parts, Shown } from '../ui'
import { useHold } from '../update'
import { useClient } from './box'
import { Files } from './files'

type Thread = Schemas['Thread']

function useThread(id: string, page: number) {
  const client = useClient()
  return useRead(
    [`/${client}/message/thread`, id, page],
    () => call(api.GET(`/${client}/message/thread/{id}`, { params: { path: { id }, query: { page } } })),
    { every: page === 1 && 15_000 },
  )
}

/** What was said in a thread, the newest last, and the field to answer. */
export function ThreadPage({ id }: { id: string }) {
  const { user } = useSession()
  const client = useClient()
  const read = useThread(id, 1)
  const unread = read.data?.unreadCount ?? 0
  const newest = read.data?.messages.at(-1)?.id
  useEffect(() => {
    if (unread === 0) return
    void done(api.POST(`/${client}/message/read`, { body: { data: { threadId: id } } })).then(
      () => changed(`/${client}/message/`, `/${client}/notification/`),
      () => {}, // it stays unread, and is tried again when it is opened
    )
  }, [client, id, unread])
  // A new message is brought into view.
  useEffect(() => {
    if (newest) window.scrollTo(0, document.documentElement.scrollHeight)
  }, [newest])
  const others = read.data?.participants.filter((p) => p.userId !== user.id).map((p) => p.name) ?? []
  return (
    <Page title={others.join(', ') || t('messages.title')} back="/messages">
      <Shown of={read} lines={6}>
        {(thread) => (
          <>
            {thread.subject && (
              <p className="strong">
                <bdi>{thread.subject}</bdi>
              </p>
            )}
            {thread.totalPages > 1 && <Earlier id={id} page={2} />}
            <Bubbles of={thread} />
            <Answer id={id} reread={read.refetch} />
          </>
        )}
      </Shown>
    </Page>
  )
}

/** The pages before, one by one. */
function Earlier({ id, page }: { id: string; page: number }) {
  const [isShown, setIsShown] = useState(false)
  if (!isShown)
    return (
      <Button look="text" onClick={() => setIsShown(true)}>
        {t('messages.earlier')}
      </Button>
    )
  return <EarlierPage id={id} page={page} />
}

function EarlierPage({ id, page }: { id: string; page: number }) {
  const read = useThread(id, page)
  return (
    <Shown of={read}>
      {(thread) => (
        <>
          {thread.totalPages > page && <Earlier id={id} page={page + 1} />}
          <Bubbles of={thread} />
        </>
      )}
    </Shown>
  )
}

function Bubbles({ of }: { of: Thread }) {
  const format = useFormat()
  const { user } = useSession()
  const several = of.participants.length > 2
  let day = ''
  return (
    <ol className="talk">
      {of.messages.map((m) => {
        const isMine = m.senderId === user.id
        const its = format.dateOf(m.sentAt)
        const isNewDay = its !== day
        day = its
        const state = isMine && t(m.readBy.length > 0 ? 'messages.read' : 'messages.sent')
        return (
          <li key={m.id}>
            {isNewDay && <p className="note day">{its}</p>}
            <div className="bubble" data-mine={isMine || undefined}>
              {!isMine && several && <p className="note">{m.senderName}</p>}
              <p className="pre" dir="auto">
                {m.body}
              </p>
              <Files ids={m.attachmentFileIds} />
              <p className="note">
                <Parts of={[format.time(m.sentAt), state]} />
              </p>
            </div>
          </li>
        )
      })}
    </ol>
  )
}

interface Pending {
  key: string
  body: string
}

/**
 * What is typed stays on this phone until it was sent. What was sent without a line waits here, under one key, and goes once when
 * the line is back.
 */
function Answer({ id, reread }: { id: string; reread: () => Promise<unknown> }) {
  const client = useClient()
  const line = useLine()
  const [draftAt, pendingAt] = [`message.${id}`, `message.sending.${id}`]
  const [text, setText] = useState(() => drafts.recall<string>(draftAt) ?? '')
  const [pending, setPending] = useState(() => drafts.recall<Pending>(pendingAt))
  const [error, setError] = useState('')
  const isSending = useRef(false)
  useHold(text !== '' || pending !== undefined)

  const type = (next: string) => {
    setText(next)
    if (next) drafts.keep(draftAt, next)
    else drafts.drop(draftAt)
  }

  const send = async (p: Pending) => {
    if (isSending.current) return
    isSending.current = true
    try {
      await done(
        api.POST(`/${client}/message/send`, {
          params: { header: { 'Idempotency-Key': p.key } },
          body: { data: { threadId: id, body: p.body } },
        }),
      )
      drafts.drop(pendingAt)
      await reread() // it stays on the page until it is among the others
      changed(`/${client}/message/list`)
      setPending(undefined)
    } catch (e) {
      const { status } = asProblem(e)
      if (status >= 400 && status < 500 && status !== 429) {
        drafts.drop(pendingAt)
        setPending(undefined)
        type(p.body)
      }
      setError(status === 0 ? '' : problemText(e))
    }
    isSending.current = false
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: when there is something to send, and when the line is back
  useEffect(() => {
    if (pending && line.up) void send(pending)
  }, [pending, line.up])

  const submit = (e: FormEvent) => {
    e.preventDefault()
    const body = text.trim()
    if (body === '' || pending) return
    const next = { key: crypto.randomUUID(), body }
    drafts.keep(pendingAt, next)
    type('')
    setError('')
    setPending(next)
  }

  return (
    <>
      {pending && (
        <div className="talk">
          <div className="bubble" data-mine>
            <p className="pre" dir="auto">
              {pending.body}
            </p>
            <p className="note" role="status">
              {t(line.up ? 'messages.sending' : 'messages.waiting')}
            </p>
          </div>
        </div>
      )}
      <form className="answer" onSubmit={submit}>
        <textarea
          className="input"
          dir="auto"
          rows={2}
          maxLength={5000}
          aria-label={t('messages.answer')}
          placeholder={t('messages.answer')}
          value={text}
          onChange={(e) => type(e.target.value)}
        />
        <Button look="main" type="submit" disabled={text.trim() === '' || pending !== undefined}>
          {t('messages.send')}
        </Button>
        {error && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
      </form>
    </>
  )
}
