// Messages, announcements and notices are the same pages for everybody who has them; the paths of the API begin with the role.
import type { ReactNode } from 'react'
import { api, call } from '../../api/client'
import { useSession } from '../../api/session'
import { type Key, t } from '../../messages/messages'
import { type Read, useRead } from '../read'
import { Choices, Page } from '../ui'

/** The beginning of the role's paths. Those of the parent stand for all in the types: they are the same. */
export function useClient(): 'parent' {
  return useSession().user.role.toLowerCase() as 'parent'
}

const tabs: { id: string; name: Key; to: string }[] = [
  { id: 'messages', name: 'messages.title', to: '/messages' },
  { id: 'announcements', name: 'announcements.title', to: '/messages/announcements' },
  { id: 'notices', name: 'notices.title', to: '/messages/notices' },
]

/** One of the three lists, with the way to the others. Drivers write and read no messages: they have notices only. */
export function Box({ tab, action, children }: { tab: string; action?: ReactNode; children: ReactNode }) {
  const isDriver = useSession().user.role === 'DRIVER'
  return (
    <Page title={t('messages.title')} action={action}>
      {!isDriver && (
        <Choices
          label={t('messages.title')}
          of={tabs.map((x) => ({ id: x.to, name: t(x.name), current: x.id === tab }))}
          to={(to) => to}
        />
      )}
      {children}
    </Page>
  )
}

interface Unread {
  unreadCount: number
}

/** How much the person has not read: messages, announcements and everything else. */
export function useUnread(): Read<Unread> {
  const client = useClient()
  return useRead(
    [`/${client}/notification/unread-count`],
    () => call(api.GET(`/${client}/notification/unread-count`)),
    { every: 60_000 },
  )
}
