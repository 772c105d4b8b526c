import { api, call } from '../../api/client'
import { fetchWhole } from '../../api/list'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { LeaveAsk, leaveTypes } from '../leave-ask'
import { LeaveRow, UnsentLeave } from '../leave-row'
import { type DataOf, type Item, put, useUnsent } from '../queue'
import { useRead } from '../read'
import { Link } from '../route'
import { Card, Empty, Page, Shown } from '../ui'

const lane = 'leave'

/** The teacher's own leave: what is left of it, what was asked for, and the way to ask. */
export function OwnLeave() {
  const leave = useRead(['/teacher/leave/list'], () => fetchWhole('/teacher/leave/list', { sort: 'fromDate' }))
  const unsent = (useUnsent(lane) ?? []) as readonly Item<DataOf<'/teacher/leave/apply'>>[]
  return (
    <Page title={t('leave.own')} back="/more">
      <Link to="/leave/new" className="button" data-look="main">
        {t('leave.ask')}
      </Link>
      <Balances />
      <Shown of={leave}>
        {({ items }) =>
          items.length === 0 ? (
            unsent.length === 0 && <Empty text={t('leave.none')} />
          ) : (
            <Card label={t('leave.own')}>
              <ul className="rows">
                {items.map((l) => (
                  <LeaveRow key={l.id} of={l} cancel="/teacher/leave/cancel" />
                ))}
              </ul>
            </Card>
          )
        }
      </Shown>
      <UnsentLeave of={unsent} draft="leave.own" form="/leave/new" />
    </Page>
  )
}

function Balances() {
  const format = useFormat()
  const balances = useRead(['/teacher/leave/balances'], () =>
    call(api.GET('/teacher/leave/balances', { params: { query: { limit: 10 } } })),
  )
  const counted = balances.data?.items.filter((b) => b.remaining !== null) ?? []
  if (counted.length === 0) return null
  return (
    <Card label={t('leave.left')}>
      <h2>{t('leave.left')}</h2>
      <dl className="figures">
        {counted.map((b) => (
          <div key={b.leaveType}>
            <dt>{t(leaveTypes[b.leaveType as keyof typeof leaveTypes])}</dt>
            <dd>{format.number(b.remaining ?? 0)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

export function OwnLeaveForm() {
  return (
    <LeaveAsk
      draft="leave.own"
      back="/leave"
      put={(asked, days) =>
        put({
          lane,
          path: '/teacher/leave/apply',
          data: asked,
          name: 'leave.ask',
          about: days,
          changes: ['/teacher/leave/'],
        })
      }
    />
  )
}
