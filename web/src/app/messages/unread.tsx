import { t } from '../../messages/messages'
import { useUnread } from './box'

/** The number on the place of messages. */
export function UnreadCount() {
  const count = useUnread().data?.unreadCount ?? 0
  if (count === 0) return null
  return (
    <span className="count">
      <span aria-hidden>{count > 99 ? '99+' : count}</span>
      <span className="hidden">{t('messages.unread', { count })}</span>
    </span>
  )
}
