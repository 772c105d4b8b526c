import { IconPencil } from '@tabler/icons-react'
import { api, call } from '../../api/client'
import { t } from '../../messages/messages'
import { timeOf, useFormat } from '../format'
import { Further } from '../further'
import { useUnsent } from '../queue'
import { useRead } from '../read'
import { Link } from '../route'
import { Card, Line, Parts, Shown, Status } from '../ui'
import { Unsent } from '../unsent'
import { Box, useClient } from './box'
import { type MessageItem, newThreads } from './send'

/** The threads, the newest first. */
export function Threads() {
  return (
    <Box tab="messages">
      <Link to="/messages/new" className="button" data-look="main">
        <IconPencil aria-hidden size={20} />
        {t('messages.write')}
      </Link>
      <NewThreads />
      <ThreadList />
    </Box>
  )
}

/** New threads that the service does not have yet. */
function NewThreads() {
  const unsent = (useUnsent(newThreads) ?? []) as readonly MessageItem[]
  if (unsent.length === 0) return null
  return (
    <Card label={t('queue.title')}>
      <ul className="rows">
        {unsent.map((item) => (
          <li key={item.id}>
            <Unsent item={item} />
            <p className="pre" dir="auto">
              {item.data.body}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function ThreadList({ page = 1 }: { page?: number }) {
  const format = useFormat()
  const client = useClient()
  const read = useRead(
    [`/${client}/message/list`, page],
    () => call(api.GET(`/${client}/message/list`, { params: { query: { page, limit: 50 } } })),
    { every: 15_000 },
  )
  return (
    <Shown of={read} lines={5} isEmpty={(d) => d.items.length === 0} empty="messages.none">
      {({ items, totalPages }) => (
        <>
          <Card label={t('messages.title')}>
            {items.map((thread) => (
              <Line
                key={thread.id}
                to={`/messages/thread/${thread.id}`}
                title={<Parts of={[thread.office ? t('messages.office') : thread.with, thread.studentName]} />}
                note={
                  <>
                    {thread.subject && (
                      <span className="strong block" dir="auto">
                        {thread.subject}
                      </span>
                    )}
                    <bdi>{thread.lastMessage}</bdi>
                  </>
                }
                end={
                  <span className="thread-end">
                    <span className="note nowrap">{timeOf(format, thread.lastMessageAt)}</span>
                    {thread.unreadCount > 0 && (
                      <Status tone="bad">{t('messages.new', { count: thread.unreadCount })}</Status>
                    )}
                  </span>
                }
              />
            ))}
          </Card>
          {page < totalPages && <Further ask="messages.earlier">{() => <ThreadList page={page + 1} />}</Further>}
        </>
      )}
    </Shown>
  )
}
