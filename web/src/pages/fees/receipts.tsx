import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconPlus, IconPrinter, IconReceipt } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { download } from '../../api/client'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { DateField } from '../../patterns/DateField'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money } from '../../patterns/money'
import { DrawerHead, Facts } from '../../patterns/record'
import { ChequeActions, ReceiptState } from './cheque'
import { Reverse } from './reverse'
import { modes, modeWord, ReceiptsNav, receiptPDF, useReceipt } from './shared'

/** Every payment that was received, newest first. */
export function Receipts() {
  const format = useFormat()
  const may = useMay()
  const [address, setAddress] = useAddress()
  const collect = may('fee', 'write') && (
    <Button component={Link} to="/fees/collect" leftSection={<IconPlus size={16} />}>
      {t('Collect fee')}
    </Button>
  )
  const days = Object.fromEntries(
    [
      ['from', address.from],
      ['to', address.to],
      ['studentId', address.student],
      ['familyPaymentId', address.family],
    ].filter(([, v]) => v),
  ) as Record<string, string>
  return (
    <ListPage
      path="/school-admin/fee/collection/list"
      title={t('Receipts')}
      noun={[t('receipt'), t('receipts')]}
      above={<ReceiptsNav />}
      id={(r) => r.id}
      name={(r) => r.receiptNumber}
      search={t('Receipt, student or reference')}
      fixed={Object.keys(days).length ? days : undefined}
      filters={[
        { key: 'paymentMode', label: t('Method'), options: [...modes] },
        {
          key: 'reversed',
          label: t('State'),
          options: [
            { value: 'false', label: t('received') },
            { value: 'true', label: t('reversed') },
          ],
        },
        {
          key: 'clearing',
          label: t('Cheque'),
          options: [
            { value: 'IN_CLEARING', label: t('in clearing') },
            { value: 'CLEARED', label: t('cleared') },
            { value: 'BOUNCED', label: t('bounced') },
          ],
        },
      ]}
      columns={[
        {
          key: 'number',
          title: t('Receipt'),
          cell: (r) => (
            <>
              <span className="figures">{r.receiptNumber}</span>
              <Text size="xs" c="dimmed" className="only-narrow">
                {r.studentName}
              </Text>
            </>
          ),
        },
        { key: 'student', title: t('Student'), cell: (r) => r.studentName, sort: 'studentName' },
        {
          key: 'admission',
          title: t('Admission no.'),
          cell: (r) => <span className="figures">{r.admissionNumber}</span>,
          hidden: true,
        },
        {
          key: 'at',
          title: t('Received'),
          cell: (r) => <span className="figures">{format.date(r.receivedOn)}</span>,
        },
        {
          key: 'entered',
          title: t('Entered'),
          cell: (r) => <span className="figures">{format.dateTime(r.receivedAt)}</span>,
          sort: 'receivedAt',
        },
        { key: 'mode', title: t('Method'), cell: (r) => modeWord(r.paymentMode) },
        { key: 'reference', title: t('Reference'), cell: (r) => r.referenceNumber },
        { key: 'by', title: t('By'), cell: (r) => r.receivedByName, hidden: true },
        {
          key: 'state',
          title: t('State'),
          cell: (r) => <ReceiptState of={r} />,
        },
        {
          key: 'amount',
          title: t('Amount'),
          cell: (r) => (
            <span style={r.reversed ? { textDecoration: 'line-through' } : undefined}>
              <Money of={r.amount} />
            </span>
          ),
          sort: 'amount',
          end: true,
          phone: true,
        },
      ]}
      more={
        <Group gap={8} wrap="nowrap" className="day-range">
          <DateField
            aria-label={t('Received from')}
            value={address.from ?? ''}
            onChange={(day) => setAddress({ from: day || undefined, page: undefined }, true)}
          />
          <span aria-hidden>–</span>
          <DateField
            aria-label={t('Received until')}
            value={address.to ?? ''}
            onChange={(day) => setAddress({ to: day || undefined, page: undefined }, true)}
          />
        </Group>
      }
      primary={collect}
      empty={
        days.from || days.to || days.studentId || days.familyPaymentId ? (
          <Empty
            icon={<IconReceipt size={32} stroke={1.2} />}
            title={t('No receipts on these days')}
            text={t('Choose other days, or all of them.')}
            action={
              <Button
                variant="default"
                onClick={() => setAddress({ from: undefined, to: undefined, student: undefined, family: undefined })}
              >
                {t('All days')}
              </Button>
            }
          />
        ) : (
          <Empty
            icon={<IconReceipt size={32} stroke={1.2} />}
            title={t('No receipts yet')}
            text={t(
              'Every payment leaves a receipt with a number of its own, without gaps. It can be printed again at any time.',
            )}
            action={collect}
          />
        )
      }
      drawer={(id, close) => <ReceiptDrawer id={id} close={close} key={id} />}
    />
  )
}

function ReceiptDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const may = useMay()
  const q = useReceipt(id)
  const [reversing, setReversing] = useState(false)
  const r = q.data
  if (!r)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  const ahead = r.amount - r.allocations.reduce((sum, a) => sum + a.amount, 0)
  return (
    <>
      <DrawerHead
        title={t('Receipt {receiptNumber}', { receiptNumber: r.receiptNumber })}
        close={close}
        summary={
          <Group gap={12}>
            <ReceiptState of={r} />
            <Money of={r.amount} />
          </Group>
        }
        actions={
          !r.reversed &&
          may('fee', 'write') && (
            <Button variant="default" size="compact-md" onClick={() => setReversing(true)}>
              {t('Reverse…')}
            </Button>
          )
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          <ChequeActions of={r} />
          <Facts
            of={[
              [
                t('Student'),
                <Link key="s" to="/fees/ledger" search={{ student: r.studentId } as never} style={{ color: 'inherit' }}>
                  {r.studentName}
                </Link>,
              ],
              [t('Admission no.'), r.admissionNumber],
              [t('Class'), r.className],
              [t('Received'), format.date(r.receivedOn)],
              [t('Entered'), format.dateTime(r.receivedAt)],
              [t('By'), r.receivedByName],
              [t('Method'), modeWord(r.paymentMode)],
              [t('Reference'), r.referenceNumber],
              ...(r.reversed ? ([[t('Reversal'), r.reversalNote]] as [string, string][]) : []),
            ]}
          />
          <Facts
            of={[
              ...r.allocations.map((a): [string, React.ReactNode] => [
                a.name,
                <Money key={a.invoiceId} of={a.amount} />,
              ]),
              ...(ahead > 0 ? ([[t('Advance'), <Money key="a" of={ahead} />]] as [string, React.ReactNode][]) : []),
            ]}
          />
          <Group gap={8}>
            <Button leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => void receiptPDF(r)}>
              {t('Print')}
            </Button>
            <Button component={Link} to="/fees/receipt" search={{ id } as never} variant="default">
              {t('Open')}
            </Button>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} stroke={1.6} />}
              onClick={() => void receiptPDF(r, download)}
            >
              {t('PDF')}
            </Button>
          </Group>
        </Stack>
      </div>
      {reversing && <Reverse receipt={r} close={() => setReversing(false)} />}
    </>
  )
}
