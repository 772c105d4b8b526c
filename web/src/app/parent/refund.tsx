import { api, call } from '../../api/client'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { Card, Page, Shown } from '../ui'
import { Paper } from './paper'

/** Money the school gave back, with its paper. */
export function Refund({ id }: { id: string }) {
  const format = useFormat()
  const read = useRead(['/parent/fee/refund', id], () =>
    call(api.GET('/parent/fee/refund/{id}', { params: { path: { id } } })),
  )
  return (
    <Page title={t('fees.kindRefund')} back={read.data ? `/fees/${read.data.studentId}` : '/fees'}>
      <Shown of={read} lines={6} dated>
        {(r) => (
          <Card label={r.refundNumber}>
            <h2>
              <bdi>{r.refundNumber}</bdi>
            </h2>
            <p>{r.studentName}</p>
            <p className="amount">{format.money(r.amount)}</p>
            <p className="note">{t('refund.paidOn', { date: format.date(r.paidOn) })}</p>
            {r.reason && (
              <p className="pre" dir="auto">
                {r.reason}
              </p>
            )}
            <Paper
              path={`/parent/fee/refund/${id}`}
              name={t('refund.pdf')}
              file={`refund-${r.refundNumber.replaceAll('/', '-')}.pdf`}
            />
          </Card>
        )}
      </Shown>
    </Page>
  )
}
