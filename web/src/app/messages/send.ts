// Messages go through the queue: written without a line, each is sent once when the line is back, wherever the person is.
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
