import { api, call, type Schemas } from '../../api/client'
import { joined, type Key, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { useFormat } from '../format'
import { useRead } from '../read'
import { Card, Line, Page, Shown, Status } from '../ui'
import { Paper } from './paper'

export const useDues = () => useRead(['/parent/fee/dues'], () => call(api.GET('/parent/fee/dues')))

/** What is owed for the children, by child and due date. */
export function Fees() {
  const format = useFormat()
  const dues = useDues()
  return (
    <Page title={t('nav.fees')}>
      <Shown of={dues} dated isEmpty={(d) => d.items.length === 0} empty="fees.none">
        {(data) => (
          <>
            <Card label={t('fees.total')}>
              <p className="note">{t('fees.total')}</p>
              <p className="amount">{format.money(data.total)}</p>
              {data.total === 0 && <p className="note">{t('fees.nothingDue')}</p>}
            </Card>
            {data.items.map((item) => (
              <Card key={item.student.id} label={nameOf(item.student)}>
                <div className="between">
                  <h2>{nameOf(item.student)}</h2>
                  <span className="strong nowrap">{format.money(item.balance)}</span>
                </div>
                {item.advance > 0 && (
                  <p className="note">{t('fees.advance', { amount: format.money(item.advance) })}</p>
                )}
                <ul className="rows">
                  {item.invoices.map((invoice) => (
                    <Invoice key={invoice.id} of={invoice} />
                  ))}
                </ul>
                <Line to={`/fees/${item.student.id}`} title={t('fees.account')} />
              </Card>
            ))}
          </>
        )}
      </Shown>
    </Page>
  )
}

const states: Record<string, [Key, 'good' | 'bad' | 'warn' | 'plain']> = {
  UNPAID: ['fees.unpaid', 'warn'],
  PARTIAL: ['fees.partial', 'warn'],
  OVERDUE: ['fees.overdue', 'bad'],
  PAID: ['fees.paid', 'good'],
  WAIVED: ['fees.waived', 'good'],
}

function Invoice({ of }: { of: Schemas['Report']['invoices'][number] }) {
  const format = useFormat()
  const [name, tone] = states[of.state] ?? states.UNPAID!
  return (
    <li>
      <div className="between">
        <span className="line-title">{of.name}</span>
        <span className="nowrap">{format.money(of.open)}</span>
      </div>
      <div className="between">
        <span className="note">{t('fees.dueOn', { date: format.date(of.dueDate) })}</span>
        <Status tone={tone}>{t(name)}</Status>
      </div>
    </li>
  )
}

const kinds: Record<string, Key> = {
  CHARGE: 'fees.kindCharge',
  PAYMENT: 'fees.kindPayment',
  CONCESSION: 'fees.kindConcession',
  FINE: 'fees.kindFine',
  OPENING: 'fees.kindOpening',
  REVERSAL: 'fees.kindReversal',
  REFUND: 'fees.kindRefund',
  WRITE_OFF: 'fees.kindWriteOff',
}

/** A child's account, newest entry first; payments and refunds lead to their papers. */
export function FeeAccount({ student }: { student: string }) {
  const format = useFormat()
  const read = useRead(['/parent/fee/report', student], () =>
    call(api.GET('/parent/fee/report/{studentId}', { params: { path: { studentId: student } } })),
  )
  return (
    <Page title={t('fees.account')} back="/fees">
      <Shown of={read} lines={8} dated>
        {(data) => (
          <>
            <Card label={nameOf(data.student)}>
              <h2>{nameOf(data.student)}</h2>
              <p className="note">{data.balance < 0 ? t('fees.paidAhead') : t('fees.owed')}</p>
              <p className="amount">{format.money(Math.abs(data.balance))}</p>
              {data.inClearing > 0 && (
                <p className="note">{t('fees.inClearing', { amount: format.money(data.inClearing) })}</p>
              )}
              <Paper path={`/parent/fee/report/${student}`} name={t('fees.statement')} file="statement.pdf" />
            </Card>
            <Card label={t('fees.entries')}>
              <h2>{t('fees.entries')}</h2>
              {data.entries.length === 0 && <p className="note">{t('fees.noEntries')}</p>}
              <ul className="rows">
                {[...data.entries].reverse().map((e) => (
                  <li key={`${e.transactionId}${e.entryType}${e.invoiceId ?? ''}`}>
                    <Entry of={e} />
                  </li>
                ))}
              </ul>
            </Card>
          </>
        )}
      </Shown>
    </Page>
  )
}

function Entry({ of }: { of: Schemas['Report']['entries'][number] }) {
  const format = useFormat()
  const amount = (of.entryType === 'CR' ? -1 : 1) * of.amount
  const title = t(kinds[of.kind] ?? 'fees.kindCharge')
  const note = joined([format.date(of.date), of.receiptNumber ?? of.narration])
  const end = <span className="nowrap">{format.money(amount)}</span>
  const paper = of.receiptId ? `/receipt/${of.receiptId}` : of.refundId && `/refund/${of.refundId}`
  if (paper) return <Line to={paper} title={title} note={note} end={end} />
  return (
    <div className="between">
      <span>
        <span className="line-title">{title}</span>
        <span className="note">{note}</span>
      </span>
      {end}
    </div>
  )
}
