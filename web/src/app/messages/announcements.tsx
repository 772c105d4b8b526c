import { IconPencil } from '@tabler/icons-react'
import { useEffect } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { Further } from '../further'
import { useUnsent } from '../queue'
import { useRead } from '../read'
import { Link } from '../route'
import { Card, Line, Page, Parts, Shown, Status } from '../ui'
import { Unsent } from '../unsent'
import { Box, useClient } from './box'
import { Files } from './files'
import { useNotices } from './notices'
import { type AnnouncementItem, announcements } from './send'

type Announced = Schemas['AnnouncementView']

/** What the school has announced, the newest first. */
export function Announcements() {
  const { user } = useSession()
  const writes = useMay()('announcement', 'write') && user.role === 'TEACHER'
  return (
    <Box tab="announcements">
      {writes && (
        <Link to="/messages/announcements/new" className="button" data-look="main">
          <IconPencil aria-hidden size={20} />
          {t('announcements.write')}
        </Link>
      )}
      <NotSent />
      <AnnouncementList />
    </Box>
  )
}

function AnnouncementList({ page = 1 }: { page?: number }) {
  const format = useFormat()
  const client = useClient()
  const { user } = useSession()
  const read = useRead([`/${client}/announcement/list`, page], () =>
    call(api.GET(`/${client}/announcement/list`, { params: { query: { page, limit: 50 } } })),
  )
  const unread = new Set(
    useNotices(true)
      .data?.notifications.filter((n) => n.type === 'ANNOUNCEMENT')
      .map((n) => n.data.id),
  )
  return (
    <Shown of={read} lines={5} isEmpty={(d) => d.items.length === 0} empty="announcements.none">
      {({ items, totalPages }) => (
        <>
          <Card label={t('announcements.title')}>
            {items.map((a) => (
              <Line
                key={a.id}
                to={`/messages/announcement/${a.id}`}
                title={<bdi>{a.title}</bdi>}
                note={
                  <Parts
                    of={[
                      format.dateOf(a.publishedAt ?? a.createdAt),
                      a.createdBy === user.id && t('announcements.mine'),
                    ]}
                  />
                }
                end={unread.has(a.id) ? <Status tone="bad">{t('messages.unreadOne')}</Status> : <Withdrawn of={a} />}
              />
            ))}
          </Card>
          {page < totalPages && (
            <Further ask="announcements.earlier">{() => <AnnouncementList page={page + 1} />}</Further>
          )}
        </>
      )}
    </Shown>
  )
}

/** Of the teacher's own: an office may take one back. */
function Withdrawn({ of }: { of: Announced }) {
  return of.status === 'WITHDRAWN' && <Status tone="plain">{t('announcements.withdrawn')}</Status>
}

/** What the teacher announced and the service does not have yet. */
function NotSent() {
  const unsent = (useUnsent(announcements) ?? []) as readonly AnnouncementItem[]
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
            <Withdrawn of={a} />
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
