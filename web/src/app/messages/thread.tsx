import { type FormEvent, useEffect, useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { useLine } from '../../api/offline'
import { changed } from '../../api/queries'
import { useSession } from '../../api/session'
import { joined, t } from '../../messages/messages'
import { useFormat } from '../format'
import { Further } from '../further'
import { problemText } from '../problem'
import { drop, useTaken, useUnsent } from '../queue'
import { useRead } from '../read'
import { drafts } from '../store'
import { Button, Page, Parts, Shown } from '../ui'
import { Unsent } from '../unsent'
import { useHold } from '../update'
import { useClient } from './box'
import { Files } from './files'
import { laneOf, type MessageItem, sendMessage } from './send'

type Thread = Schemas['Thread']

/** The office as a whole has no user of its own, and a name in the school's language. */
const nameOf = (p: { userId: string; name: string }) => (/^[0-]+$/.test(p.userId) ? t('messages.office') : p.name)

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
  const others = read.data?.participants.filter((p) => p.userId !== user.id).map(nameOf) ?? []
  return (
    <Page title={joined(others, ', ') || t('messages.title')} back="/messages">
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
            <Answer id={id} to={joined(others, ', ')} readAt={read.dataUpdatedAt} />
          </>
        )}
      </Shown>
    </Page>
  )
}

/** The pages before, one by one. */
function Earlier({ id, page }: { id: string; page: number }) {
  return <Further ask="messages.earlier">{() => <EarlierPage id={id} page={page} />}</Further>
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
              {!isMine && several && <p className="note">{nameOf({ userId: m.senderId, name: m.senderName })}</p>}
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

/** What was written here and is not among the thread's messages yet: it waits, is refused, or was sent since they were read. */
function Own({ id, readAt, change }: { id: string; readAt: number; change: (text: string) => void }) {
  const line = useLine()
  const unsent = (useUnsent(laneOf(id)) ?? []) as readonly MessageItem[]
  const taken = useTaken(laneOf(id), readAt) as readonly MessageItem[]
  return (
    <div className="talk">
      {[...taken, ...unsent].map((item) => (
        <div key={item.id} className="bubble" data-mine>
          {item.refused === undefined ? (
            <>
              <p className="pre" dir="auto">
                {item.data.body}
              </p>
              <p className="note" role="status">
                {t(item.doneAt ? 'messages.sent' : line.up ? 'messages.sending' : 'messages.waiting')}
              </p>
            </>
          ) : (
            <Unsent
              item={item}
              change={() => {
                change(item.data.body)
                void drop(item.id)
              }}
            />
          )}
        </div>
      ))}
    </div>
  )
}

/** What is typed stays on this phone until it is put into the queue, and there until it was sent. */
function Answer({ id, to, readAt }: { id: string; to: string; readAt: number }) {
  const client = useClient()
  const draftAt = `message.${id}`
  const [text, setText] = useState(() => drafts.recall<string>(draftAt) ?? '')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  useHold(text !== '')

  const type = (next: string) => {
    setText(next)
    if (next) drafts.keep(draftAt, next)
    else drafts.drop(draftAt)
  }

  const submit = async (e: FormEvent) => {
    e.preventDefault()
    setBusy(true)
    setError('')
    try {
      await sendMessage(client, laneOf(id), { threadId: id, body: text.trim() }, to)
      type('')
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }

  return (
    <>
      <Own id={id} readAt={readAt} change={type} />
      <form className="answer" onSubmit={(e) => void submit(e)}>
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
        <Button look="main" type="submit" disabled={text.trim() === '' || busy}>
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
