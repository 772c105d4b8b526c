import { ActionIcon, Button, Group, Indicator, Popover, Stack, Text, Title } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, type Schemas } from '../api/client'
import { changed } from '../api/queries'
import { useMay, useSession } from '../api/session'
import { Lines, Trouble } from '../patterns/feedback'
import { useFormat } from '../patterns/format'
import { navFor } from './nav'
import './bell.css'
import { t } from '../messages/console'

const beginning = '/school-admin/notification/'

/** Where what a notice is about can be seen, if there is such a page for this person. */
function placeOf(n: Schemas['Notification']): { to: string; search: Record<string, string> } | undefined {
  const id = n.data.id ?? ''
  switch (n.type) {
    case 'TRANSPORT':
      return /incident|broken|accident|held up|news from/i.test(n.title)
        ? { to: '/transport/incidents', search: { open: id } }
        : { to: '/transport', search: { open: id } }
    case 'LEAVE_REQUEST':
      return { to: '/leave', search: { open: id } }
    case 'MESSAGE':
      return { to: '/messages', search: { thread: id } }
    case 'ANNOUNCEMENT':
      return { to: '/announcements', search: { open: id } }
    default:
      return n.data.studentId ? { to: '/students', search: { open: n.data.studentId } } : undefined
  }
}

/** My notifications: how much is unread, the newest, and the way to what it is about. */
export function Bell() {
  const may = useMay()
  const [opened, setOpened] = useState(false)
  const unread = useQuery({
    queryKey: [`${beginning}unread-count`],
    queryFn: () => call(api.GET('/school-admin/notification/unread-count')),
    refetchInterval: 60_000,
    enabled: may('notification', 'read'),
  })
  const n = unread.data?.unreadCount ?? 0
  if (!may('notification', 'read')) return null
  return (
    <Indicator disabled={n === 0} label={n > 99 ? '99+' : n} size={16} offset={4} color="red.8">
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-end"
        width={380}
        shadow="md"
        trapFocus
        returnFocus
        withinPortal
      >
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            onClick={() => setOpened((o) => !o)}
            aria-label={n === 0 ? t('Notifications') : t('Notifications, {n} unread', { n })}
          >
            <IconBell size={20} stroke={1.6} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown p={0} aria-label={t('Notifications')}>
          {opened && <Notices unread={n} close={() => setOpened(false)} />}
        </Popover.Dropdown>
      </Popover>
    </Indicator>
  )
}

function Notices({ unread, close }: { unread: number; close: () => void }) {
  const format = useFormat()
  const may = useMay()
  const session = useSession()
  const navigate = useNavigate()
  const [limit, setLimit] = useState(20)
  const q = useQuery({
    queryKey: [`${beginning}delivered-notifications`, limit],
    queryFn: () =>
      call(api.GET('/school-admin/notification/delivered-notifications', { params: { query: { page: 1, limit } } })),
    placeholderData: (old) => old,
    staleTime: 0,
  })
  const read = useMutation({
    mutationFn: (id: string) =>
      call(api.POST('/school-admin/notification/read', { body: { data: { notificationId: id } } })),
    onSuccess: () => changed(beginning),
  })
  const all = useMutation({
    mutationFn: () => call(api.POST('/school-admin/notification/read-all', {})),
    onSuccess: () => changed(beginning),
  })
  const write = may('notification', 'write')
  const pages = navFor(session).flatMap((g) => g.items.map((i) => i.to))
  const go = (n: Schemas['Notification']) => {
    if (!n.readAt && write) read.mutate(n.id)
    const place = placeOf(n)
    if (!place || !pages.some((p) => p !== '/' && place.to.startsWith(p))) return
    close()
    void navigate({ to: place.to, search: place.search as never })
  }
  return (
    <>
      <Group justify="space-between" p={16} pb={12}>
        <Title order={2}>{t('Notifications')}</Title>
        {unread > 0 && write && (
          <Button variant="subtle" size="compact-sm" loading={all.isPending} onClick={() => all.mutate()}>
            {t('Mark all as read')}
          </Button>
        )}
      </Group>
      <div className="told">
        {!q.data ? (
          <Stack p={16}>{q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={4} />}</Stack>
        ) : q.data.notifications.length === 0 ? (
          <Text c="dimmed" p={16}>
            {t('Nothing yet. Leave requests, messages and news from the buses that are for you come here.')}
          </Text>
        ) : (
          <ul>
            {q.data.notifications.map((n) => (
              <li key={n.id}>
                <button
                  type="button"
                  className="told-line"
                  data-unread={n.readAt ? undefined : true}
                  onClick={() => go(n)}
                >
                  <Group component="span" justify="space-between" wrap="nowrap" gap={12} align="baseline">
                    <Text span fw={n.readAt ? 400 : 600}>
                      {n.title}
                      {!n.readAt && <span className="hidden"> {t('(unread)')}</span>}
                    </Text>
                    <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                      {format.ago(n.createdAt)}
                    </Text>
                  </Group>
                  {n.body && (
                    <Text span size="sm" c="dimmed" lineClamp={2}>
                      {n.body}
                    </Text>
                  )}
                </button>
              </li>
            ))}
          </ul>
        )}
        {q.data && q.data.total > limit && limit < 100 && (
          <Button variant="subtle" fullWidth radius={0} onClick={() => setLimit(Math.min(100, limit + 40))}>
            {t('Show more')}
          </Button>
        )}
      </div>
    </>
  )
}
