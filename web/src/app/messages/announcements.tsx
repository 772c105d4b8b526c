import { useEffect } from 'react'
import { api, call, done } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { Card, Line, Page, Shown, Status } from '../ui'
import { Box, useClient } from './box'
import { Files } from './files'
import { useNotices } from './notices'

/** What the school has announced, the newest first. */
export function Announcements() {
  const format = useFormat()
  const client = useClient()
  const read = useRead([`/${client}/announcement/list`], () =>
    call(api.GET(`/${client}/announcement/list`, { params: { query: { limit: 50 } } })),
  )
  const unread = new Set(
    useNotices(true)
      .data?.notifications.filter((n) => n.type === 'ANNOUNCEMENT')
      .map((n) => n.data.id),
  )
  return (
    <Box tab="announcements">
      <Shown of={read} lines={5} isEmpty={(d) => d.items.length === 0} empty="announcements.none">
        {({ items }) => (
          <Card label={t('announcements.title')}>
            {items.map((a) => (
              <Line
                key={a.id}
                to={`/messages/announcement/${a.id}`}
                title={<bdi>{a.title}</bdi>}
                note={format.dateOf(a.publishedAt ?? a.createdAt)}
                end={unread.has(a.id) && <Status tone="bad">{t('messages.unreadOne')}</Status>}
              />
            ))}
          </Card>
        )}
      </Shown>
    </Box>
  )
}

export function Announcement({ id }: { id: string }) {
  const format = useFormat()
  const client = useClient()
  const read = useRead([`/${client}/announcement`, id], () =>
    call(api.GET(`/${client}/announcement/{id}`, { params: { path: { id } } })),
  )
  const isThere = read.data !== undefined
  useEffect(() => {
    if (!isThere) return
    void done(api.POST(`/${client}/announcement/read`, { body: { data: { announcementId: id } } })).then(
      () => changed(`/${client}/notification/`),
      () => {}, // one's own, or no line: it stays as it is
    )
  }, [client, id, isThere])
  return (
    <Page title={t('announcements.one')} back="/messages/announcements">
      <Shown of={read} lines={6}>
        {(a) => (
          <Card label={a.title}>
            <h2 dir="auto">{a.title}</h2>
            <p className="note">{format.dateTime(a.publishedAt ?? a.createdAt)}</p>
            <p className="pre" dir="auto">
              {a.body}
            </p>
            <Files ids={a.attachmentFileIds} />
          </Card>
        )}
      </Shown>
    </Page>
  )
}
