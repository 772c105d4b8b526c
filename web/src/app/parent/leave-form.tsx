import { joined, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { LeaveAsk } from '../leave-ask'
import { put } from '../queue'
import { Empty, Page } from '../ui'
import { useChildren } from './children'

/** Asks for leave of a child. */
export function LeaveForm({ student }: { student: string }) {
  const children = useChildren().data?.students
  const child = children?.find((s) => s.id === student)
  const who = child ? nameOf(child) : ''
  if (children && !child)
    return (
      <Page title={t('leave.ask')} back="/school">
        <Empty text={t('children.notFound')} />
      </Page>
    )
  return (
    <LeaveAsk
      draft={`leave.${student}`}
      back={`/school/${student}/leave`}
      who={who}
      put={(asked, days) =>
        put({
          lane: 'leave',
          path: '/parent/leave/apply',
          data: { ...asked, studentId: student },
          name: 'leave.ask',
          about: joined([who, days]),
          changes: ['/parent/leave/'],
        })
      }
    />
  )
}
