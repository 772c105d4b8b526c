import { api, call } from '../../api/client'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { Card, Page, Shown, Status } from '../ui'
import { Paper } from './paper'

export function Receipt({ id }: { id: string }) {
  const format = useFormat()
  const read = useRead(['/parent/fee/receipt', id], () =>
    call(api.GET('/parent/fee/receipt/{id}', { params: { path: { id } } })),
  )
  return (
    <Page title={t('receipt.title')} back={read.data ? `/fees/${read.data.studentId}` : '/fees'}>
      <Shown of={read} lines={8} dated>
        {(r) => (
          <Card label={r.receiptNumber}>
            <div className="between">
              <h2>
                <bdi>{r.receiptNumber}</bdi>
              </h2>
              {r.reversed && <Status tone="bad">{t('receipt.reversed')}</Status>}
              {r.clearing === 'IN_CLEARING' && <Status tone="warn">{t('receipt.inClearing')}</Status>}
            </div>
            <p>{r.studentName}</p>
            <p className="amount">{format.money(r.amount)}</p>
            <p className="note">{t('receipt.receivedOn', { date: format.date(r.receivedOn) })}</p>
            {r.reversalNote && <p className="note">{r.reversalNote}</p>}
            <ul className="rows">
              {r.lines.map((l, i) => (
                <li key={i} className="between">
                  <span>
                    <span className="line-title">{l.number === '' ? t('fees.paidAhead') : l.head}</span>
                    <span className="note">{l.name}</span>
                  </span>
                  <span className="nowrap">{format.money(l.amount)}</span>
                </li>
              ))}
            </ul>
            <p className="note">{t('receipt.balanceAfter', { amount: format.money(r.balanceAfter) })}</p>
            <Paper path={`/parent/fee/receipt/${id}`} name={t('receipt.pdf')} file={`receipt-${r.number}.pdf`} />
          </Card>
        )}
      </Shown>
    </Page>
  )
}
