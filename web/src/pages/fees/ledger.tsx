import { Button, Group, Menu, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBook, IconChevronDown, IconDownload, IconFileTypeCsv, IconPrinter } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asProblem, download, openPaper } from '../../api/client'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { useToday } from '../../patterns/choices'
import { saveCSV } from '../../patterns/csv'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { usePlainMoney } from '../../patterns/money'
import { PersonPicker } from '../../patterns/PersonPicker'
import { Sheet } from '../../patterns/Sheet'
import { words } from '../../patterns/words'
import { AdHocDialog, TakeBack } from './ad-hoc'
import { FineDialog, GrantDialog } from './adjust'
import { dueOf, RefundDialog, ReverseWriteOff, WriteOffDialog, WriteOffReceipt } from './give-up'
import { classOf, type Report, useReport } from './shared'

/** A student's account, as a statement that can be printed. */
export function Ledger() {
  const [address, setAddress] = useAddress()
  const may = useMay()
  const plain = usePlainMoney()
  const [doing, setDoing] = useState<'fine' | 'grant' | 'charge' | 'refund' | 'writeOff' | null>(null)
  const report = useReport(address.student)
  const r = report.data
  const name = r ? nameOf(r.student) : ''
  const statement = (take: typeof download) =>
    void take(
      `/school-admin/fee/report/${r!.student.id}`,
      { format: 'pdf' },
      `statement-${r!.student.admissionNumber.replaceAll('/', '-')}.pdf`,
    ).catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))
  const today = useToday()
  const due = r ? dueOf(r, today) : 0
  function csv() {
    saveCSV(`account-${r!.student.admissionNumber.replaceAll('/', '-')}.csv`, [
      ['Date', 'Kind', 'What', 'Receipt', 'Debit', 'Credit', 'Balance'],
      ...r!.entries.map((e) => [
        e.date,
        words(e.kind),
        e.narration,
        e.receiptNumber ?? '',
        e.entryType === 'DR' ? plain(e.amount) : '',
        e.entryType === 'CR' ? plain(e.amount) : '',
        plain(e.balance),
      ]),
    ])
  }
  return (
    <div className="page">
      <Group justify="space-between" mb={16} gap={12} mih={36} className="no-print">
        <Title order={1}>{t('Student account')}</Title>
        {r && (
          <Group gap={8}>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                  {t('More')}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item leftSection={<IconDownload size={16} stroke={1.6} />} onClick={() => statement(download)}>
                  {t('Download as PDF')}
                </Menu.Item>
                <Menu.Item leftSection={<IconFileTypeCsv size={16} stroke={1.6} />} onClick={csv}>
                  {t('Download as CSV')}
                </Menu.Item>
                {may('fee', 'write') && (
                  <>
                    <Menu.Divider />
                    <Menu.Item onClick={() => setDoing('grant')}>{t('Grant a concession…')}</Menu.Item>
                    <Menu.Item onClick={() => setDoing('charge')}>{t('Ad-hoc charge…')}</Menu.Item>
                    <Menu.Item onClick={() => setDoing('fine')}>{t('Fine…')}</Menu.Item>
                    {r.advance > 0 && <Menu.Item onClick={() => setDoing('refund')}>{t('Refund…')}</Menu.Item>}
                  </>
                )}
                {due > 0 && may('write-off', 'write') && (
                  <Menu.Item onClick={() => setDoing('writeOff')}>{t('Write off…')}</Menu.Item>
                )}
                <Menu.Divider />
                <Menu.Item component={Link} to="/fees/receipts" search={{ student: r.student.id } as never}>
                  {t('Receipts of {name}', { name })}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
            <Button
              variant="default"
              leftSection={<IconPrinter size={16} stroke={1.6} />}
              onClick={() => statement(openPaper)}
            >
              {t('Print')}
            </Button>
            {may('fee', 'write') && (
              <Button component={Link} to="/fees/collect" search={{ student: r.student.id } as never}>
                {t('Collect fee')}
              </Button>
            )}
          </Group>
        )}
      </Group>
      <div className="reading no-print" style={{ marginBottom: 16 }}>
        <PersonPicker
          label={t('Student')}
          size="sm"
          autoFocus={!address.student}
          onPick={(p) => setAddress({ student: p.id })}
        />
      </div>
      {!address.student ? (
        <Empty
          icon={<IconBook size={32} stroke={1.2} />}
          title={t('Find a student')}
          text={t(
            'Every charge, payment, concession and fine of a student, in the order it happened, with the balance after each.',
          )}
          example={t("The statement prints on A4 with the school's head.")}
        />
      ) : !r ? (
        report.error ? (
          <Trouble error={report.error} retry={() => void report.refetch()} />
        ) : (
          <Lines />
        )
      ) : (
        <Statement report={r} />
      )}
      {doing === 'charge' && r && <AdHocDialog student={{ id: r.student.id, name }} close={() => setDoing(null)} />}
      {doing === 'fine' && r && (
        <FineDialog student={{ id: r.student.id, name }} invoices={r.invoices} close={() => setDoing(null)} />
      )}
      {doing === 'refund' && r && <RefundDialog report={r} close={() => setDoing(null)} />}
      {doing === 'writeOff' && r && <WriteOffDialog report={r} due={due} close={() => setDoing(null)} />}
      {doing === 'grant' && r && (
        <GrantDialog student={{ id: r.student.id, name }} invoices={r.invoices} close={() => setDoing(null)} />
      )}
    </div>
  )
}

function Statement({ report: r }: { report: Report }) {
  const format = useFormat()
  const may = useMay()
  const [undoing, setUndoing] = useState<{ id: string; amount: number } | null>(null)
  const writtenOff = new Map<string, number>()
  for (const e of r.entries)
    if (e.kind === 'WRITE_OFF') writtenOff.set(e.transactionId, (writtenOff.get(e.transactionId) ?? 0) + e.amount)
  for (const e of r.entries) if (e.reversesId) writtenOff.delete(e.reversesId)
  const [back, setBack] = useState<Report['entries'][number] | null>(null)
  // Instalments are waived by a concession, payments reversed by their receipt.
  const undone = new Set(r.entries.map((e) => e.reversesId))
  const instalments = new Set(r.invoices.filter((i) => i.instalment).map((i) => i.id))
  const reversible = (e: Report['entries'][number]) =>
    !undone.has(e.transactionId) &&
    (e.kind === 'FINE' || e.kind === 'OPENING' || (e.kind === 'CHARGE' && !instalments.has(e.invoiceId ?? '')))
  const open = r.invoices.filter((i) => i.open > 0)
  return (
    <Sheet title={t('Statement of account')}>
      <dl>
        <dt>{t('Student')}</dt>
        <dd>{nameOf(r.student)}</dd>
        <dt>{t('Admission no.')}</dt>
        <dd className="figures">{r.student.admissionNumber}</dd>
        <dt>{t('Class')}</dt>
        <dd>{classOf(r.student) || '–'}</dd>
        <dt>{r.balance < 0 ? t('Advance') : t('Outstanding')}</dt>
        <dd className="figures">
          <b>{format.money(Math.abs(r.balance))}</b>
        </dd>
        {r.inClearing > 0 && (
          <>
            <dt>{t('Cheques in clearing')}</dt>
            <dd className="figures">{format.money(r.inClearing)}</dd>
          </>
        )}
      </dl>
      {r.entries.length === 0 ? (
        <p>{t('Nothing was charged or paid yet.')}</p>
      ) : (
        <div className="paper-scroll" tabIndex={0} role="region" aria-label={t('Entries')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('Date')}</th>
                <th scope="col">{t('What')}</th>
                <th scope="col" className="end">
                  {t('Charged or refunded')}
                </th>
                <th scope="col" className="end">
                  {t('Paid, waived or written off')}
                </th>
                <th scope="col" className="end">
                  {t('Balance')}
                </th>
              </tr>
            </thead>
            <tbody>
              {r.entries.map((e, i) => (
                <tr key={i}>
                  <td className="figures" style={{ whiteSpace: 'nowrap' }}>
                    {format.date(e.date)}
                  </td>
                  <td>
                    {e.narration}
                    {e.receiptId && (
                      <>
                        ,{' '}
                        <Link
                          to="/fees/receipt"
                          search={{ id: e.receiptId } as never}
                          style={{ color: 'inherit' }}
                          className="figures"
                        >
                          {e.receiptNumber}
                        </Link>
                      </>
                    )}
                    {e.kind === 'WRITE_OFF' && e.receiptNumber && (
                      <>
                        , <WriteOffReceipt id={e.transactionId} number={e.receiptNumber} />
                      </>
                    )}
                    {writtenOff.has(e.transactionId) && may('write-off', 'write') && (
                      <Button
                        variant="subtle"
                        size="compact-xs"
                        className="no-print"
                        onClick={() => setUndoing({ id: e.transactionId, amount: writtenOff.get(e.transactionId)! })}
                      >
                        {t('Reverse…')}
                      </Button>
                    )}
                    {e.refundId && (
                      <>
                        ,{' '}
                        <Link
                          to="/fees/refunds"
                          search={{ open: e.refundId } as never}
                          style={{ color: 'inherit' }}
                          className="figures"
                        >
                          {e.receiptNumber}
                        </Link>
                      </>
                    )}
                    {may('fee', 'write') && reversible(e) && (
                      <>
                        {' '}
                        <Button variant="default" size="compact-xs" className="no-print" onClick={() => setBack(e)}>
                          {t('Reverse…')}
                        </Button>
                      </>
                    )}
                  </td>
                  <td className="end figures">{e.entryType === 'DR' ? format.money(e.amount) : ''}</td>
                  <td className="end figures">{e.entryType === 'CR' ? format.money(e.amount) : ''}</td>
                  <td className="end figures">{format.money(e.balance)}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <td colSpan={4}>{r.balance < 0 ? t('Advance') : t('Outstanding')}</td>
                <td className="end figures">{format.money(Math.abs(r.balance))}</td>
              </tr>
            </tfoot>
          </table>
        </div>
      )}
      {open.length > 0 && (
        <>
          <h2>{t('Open invoices')}</h2>
          <div className="paper-scroll" tabIndex={0} role="region" aria-label={t('Open invoices')}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('Invoice')}</th>
                  <th scope="col">{t('For')}</th>
                  <th scope="col">{t('Due')}</th>
                  <th scope="col" className="end">
                    {t('Outstanding')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {open.map((i) => (
                  <tr key={i.id}>
                    <td className="figures">{i.number}</td>
                    <td>{i.name}</td>
                    <td className="figures">{format.date(i.dueDate)}</td>
                    <td className="end figures">{format.money(i.open)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {undoing && <ReverseWriteOff {...undoing} close={() => setUndoing(null)} />}
      {back && (
        <TakeBack
          transactionId={back.transactionId}
          title={t('Reverse {narration}?', { narration: back.narration })}
          text={
            back.kind === 'OPENING'
              ? t('{amount} of {name}. Nobody is notified.', {
                  amount: format.money(back.amount),
                  name: nameOf(r.student),
                })
              : t('{amount} of {name}. The family is notified with the reason.', {
                  amount: format.money(back.amount),
                  name: nameOf(r.student),
                })
          }
          close={() => setBack(null)}
        />
      )}
    </Sheet>
  )
}
