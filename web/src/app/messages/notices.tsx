import { useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useSession } from '../../api/session'
import { t } from '../../messages/messages'
import { timeOf, useFormat } from '../format'
import { Further } from '../further'
import { pageOf } from '../notices'
import { problemText } from '../problem'
import { useRead } from '../read'
import { areaOf } from '../roles'
import { go } from '../route'
import { Button, Card, Shown, Status } from '../ui'
import { Box, useClient } from './box'

type Notice = Schemas['Notification']

export function useNotices(unread: boolean, page = 1) {
  const client = useClient()
  const query = { unread, page, limit: 100 }
  return useRead(
    [`/${client}/notification/delivered-notifications`, unread, ...(page > 1 ? [page] : [])],
    () => call(api.GET(`/${client}/notification/delivered-notifications`, { params: { query } })),
    { every: page === 1 && 60_000 },
  )
}

/** The person's notifications. A tap opens what it is about. */
export function Notices() {
  return (
    <Box tab="notices">
      <NoticeList />
    </Box>
  )
}

function NoticeList() {
  const client = useClient()
  const read = useNotices(false)
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const readAll = async () => {
    setBusy(true)
    setError('')
    try {
      await done(api.POST(`/${client}/notification/read-all`))
      changed(`/${client}/notification/`, `/${client}/message/`)
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }
  return (
    <Shown of={read} lines={6} isEmpty={(d) => d.notifications.length === 0} empty="notices.none">
      {({ notifications, unreadCount, totalPages }) => (
        <>
          {unreadCount > 0 && (
            <Button onClick={() => void readAll()} busy={busy}>
              {t('notices.readAll')}
            </Button>
          )}
          {error && (
            <p className="error" role="alert">
              {error}
            </p>
          )}
          <NoticeCard of={notifications} page={1} pages={totalPages} />
        </>
      )}
    </Shown>
  )
}

function NoticeCard({ of, page, pages }: { of: Notice[]; page: number; pages: number }) {
  return (
    <>
      <Card label={t('notices.title')}>
        {of.map((n) => (
          <NoticeLine key={n.id} of={n} />
        ))}
      </Card>
      {page < pages && <Further ask="notices.earlier">{() => <EarlierNotices page={page + 1} />}</Further>}
    </>
  )
}

function EarlierNotices({ page }: { page: number }) {
  return (
    <Shown of={useNotices(false, page)} lines={6}>
      {({ notifications, totalPages }) => <NoticeCard of={notifications} page={page} pages={totalPages} />}
    </Shown>
  )
}

function NoticeLine({ of }: { of: Notice }) {
  const format = useFormat()
  const client = useClient()
  const { user } = useSession()
  const area = areaOf(user.role)
  const to = area && pageOf(area, { type: of.type, id: of.data.id ?? '', student: of.data.studentId ?? '' })
  const open = () => {
    if (!of.readAt)
      void done(api.POST(`/${client}/notification/read`, { body: { data: { notificationId: of.id } } })).then(
        () => changed(`/${client}/notification/`),
        () => {}, // no line: it stays unread
      )
    if (to) go(to)
  }
  return (
    <button type="button" className="line plain" onClick={open}>
      <span className="grow">
        <span className="line-title">
          <bdi>{of.title}</bdi>
        </span>
        <span className="note">
          <bdi>{of.body}</bdi>
        </span>
      </span>
      <span className="thread-end">
        <span className="note nowrap">{timeOf(format, of.createdAt)}</span>
        {!of.readAt && <Status tone="bad">{t('messages.unreadOne')}</Status>}
      </span>
    </button>
  )
}
