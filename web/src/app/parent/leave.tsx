import { fetchWhole } from '../../api/list'
import { t } from '../../messages/messages'
import { LeaveRow, UnsentLeave } from '../leave-row'
import { type DataOf, type Item, useUnsent } from '../queue'
import { useRead } from '../read'
import { Link } from '../route'
import { Card, Empty, Shown } from '../ui'
import { SchoolPage } from './children'

export const useLeave = () =>
  useRead(['/parent/leave/list'], () => fetchWhole('/parent/leave/list', { sort: 'fromDate' }))

/** A child's leave, and the way to ask for more. */
export function Leave({ student }: { student: string }) {
  const leave = useLeave()
  const unsent = (useUnsent('leave') ?? []) as readonly Item<Asked>[]
  return (
    <SchoolPage student={student} tab="leave" title={t('school.leave')}>
      {(child) => (
        <>
          <Link to={`/school/${child.id}/leave/new`} className="button" data-look="main">
            {t('leave.ask')}
          </Link>
          <Shown of={leave}>
            {({ items }) => {
              const mine = items.filter((l) => l.studentId === child.id)
              if (mine.length === 0 && unsent.length > 0) return null
              if (mine.length === 0) return <Empty text={t('leave.none')} />
              return (
                <Card label={t('school.leave')}>
                  <ul className="rows">
                    {mine.map((l) => (
                      <LeaveRow key={l.id} of={l} cancel="/parent/leave/cancel" />
                    ))}
                  </ul>
                </Card>
              )
            }}
          </Shown>
          <UnsentLeave
            of={unsent.filter((i) => i.data.studentId === child.id)}
            draft={`leave.${child.id}`}
            form={`/school/${child.id}/leave/new`}
          />
        </>
      )}
    </SchoolPage>
  )
}

type Asked = DataOf<'/parent/leave/apply'>
