// Messages and announcements go through the queue: written without a line, each is sent once when the line is back, wherever the person is.
import { joined } from '../../messages/messages'
import { type DataOf, type Item, put } from '../queue'

type MessageData = DataOf<'/parent/message/send'>
export type MessageItem = Item<MessageData>

/** A thread's messages are sent in the order they were written. New threads have a lane of their own. */
export const laneOf = (thread: string) => `message:${thread}`
export const newThreads = laneOf('new')

export const sendMessage = (client: 'parent', lane: string, data: MessageData, to: string) =>
  put({
    lane,
    path: `/${client}/message/send`,
    data,
    name: 'messages.text',
    about: to,
    changes: [`/${client}/message/`],
  })

export type AnnouncementItem = Item<DataOf<'/teacher/announcement/create'>>
export const announcements = 'announcement'

/** A teacher's announcement to the parents of their own divisions. */
export const putAnnouncement = (title: string, body: string, to: { id: string; name: string }[]) =>
  put({
    lane: announcements,
    path: '/teacher/announcement/create',
    data: { title, body, targetAudience: 'PARENTS', divisionIds: to.map((d) => d.id) },
    name: 'announcements.one',
    about: joined([title, ...to.map((d) => d.name)]),
    changes: ['/teacher/announcement/'],
  })
