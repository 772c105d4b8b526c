import { Alert, Button, Group, Menu, Stack, Title } from '@mantine/core'
import { IconArrowBackUp, IconChevronDown, IconDownload, IconPrinter } from '@tabler/icons-react'
import { Link, Navigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { download, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Sheet } from '../../patterns/Sheet'
import { ChequeActions } from './cheque'
import { Reverse } from './reverse'
import { modeWord, receiptPDF, useReceipt } from './shared'

type Receipt = Schemas['Receipt']

/** One receipt. What is printed is the service's own paper. */
export function ReceiptPage() {
  const [address] = useAddress()
  const may = useMay()
  const format = useFormat()
  const q = useReceipt(address.id)
  const [reversing, setReversing] = useState(false)
  const print = useRef<HTMLButtonElement>(null)
  const r = q.data
  const fresh = address.received === '1'
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the receipt is there
  useEffect(() => {
    if (r && fresh) print.current?.focus()
  }, [!!r])
  if (!address.id) return <Navigate to="/fees/receipts" replace />
  return (
    <div className="page">
      <Group justify="space-between" mb={16} gap={12} className="no-print">
        <Title order={1}>{t('Receipt')}</Title>
        {r && (
          <Group gap={8}>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                  {t('More')}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  leftSection={<IconDownload size={16} stroke={1.6} />}
                  onClick={() => void receiptPDF(r, download)}
                >
                  {t('Download as PDF')}
                </Menu.Item>
                <Menu.Item component={Link} to="/fees/ledger" search={{ student: r.studentId } as never}>
                  {t('Account of {studentName}', { studentName: r.studentName })}
                </Menu.Item>
                {!r.reversed && may('fee', 'write') && (
                  <Menu.Item
                    c="red.8"
                    leftSection={<IconArrowBackUp size={16} stroke={1.6} />}
                    onClick={() => setReversing(true)}
                  >
                    {t('Reverse…')}
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
            {may('fee', 'write') && (
              <Button component={Link} to="/fees/collect" variant="default">
                {t('Next payment')}
              </Button>
            )}
            <Button ref={print} leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => void receiptPDF(r)}>
              {t('Print')}
            </Button>
          </Group>
        )}
      </Group>
      {!r ? (
        q.error ? (
          <div className="reading">
            <Trouble error={q.error} retry={() => void q.refetch()} />
          </div>
        ) : (
          <Lines />
        )
      ) : (
        <Stack gap={16}>
          {fresh && !r.reversed && (
            <Alert
              variant="light"
              role="status"
              className="no-print"
              maw={640}
              title={t('{amount} received from {studentName}', {
                amount: format.money(r.amount),
                studentName: r.studentName,
              })}
            >
              {t('The family is notified, and the receipt is in their app.')}
            </Alert>
          )}
          <ChequeActions of={r} />
          <ReceiptSheet receipt={r} />
        </Stack>
      )}
      {reversing && r && <Reverse receipt={r} close={() => setReversing(false)} />}
    </div>
  )
}

function ReceiptSheet({ receipt: r }: { receipt: Receipt }) {
  const format = useFormat()
  const balance = (n: number) =>
    n < 0
      ? t('{money} in advance', { money: format.money(-n) })
      : n > 0
        ? t('{n} outstanding', { n: format.money(n) })
        : t('Nothing outstanding')
  return (
    <Sheet title={t('Receipt')} number={r.receiptNumber} small>
      {r.reversed && (
        <div className="paper-void">
          {t('Reversed')}
          <small>{r.reversalNote}</small>
        </div>
      )}
      <dl>
        <dt>{t('Received from')}</dt>
        <dd>{r.studentName}</dd>
        <dt>{t('Admission no.')}</dt>
        <dd className="figures">{r.admissionNumber}</dd>
        <dt>{t('Class')}</dt>
        <dd>{r.className || '–'}</dd>
        <dt>{t('Received on')}</dt>
        <dd className="figures">{format.date(r.receivedOn)}</dd>
        <dt>{t('Entered')}</dt>
        <dd className="figures">{format.dateTime(r.receivedAt)}</dd>
        <dt>{t('Paid by')}</dt>
        <dd>
          {r.clearing === 'IN_CLEARING'
            ? t('{modeWord}, in clearing: valid once the bank has paid it', { modeWord: modeWord(r.paymentMode) })
            : `${modeWord(r.paymentMode)}`}
        </dd>
        {r.referenceNumber && (
          <>
            <dt>{t('Reference')}</dt>
            <dd className="figures">{r.referenceNumber}</dd>
          </>
        )}
      </dl>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Head')}</th>
            <th scope="col">{t('Invoice')}</th>
            <th scope="col" className="end">
              {t('Amount')}
            </th>
          </tr>
        </thead>
        <tbody>
          {r.lines.map((l, i) => (
            <tr key={i}>
              <td>{l.head}</td>
              <td className="figures">{l.number && `${l.name}, ${l.number}`}</td>
              <td className="end figures">{format.money(l.amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={2}>{t('Received')}</td>
            <td className="end figures">{format.money(r.amount)}</td>
          </tr>
        </tfoot>
      </table>
      <dl>
        <dt>{t('In words')}</dt>
        <dd>{r.amountInWords}</dd>
        <dt>{t('Balance after')}</dt>
        <dd className="figures">{balance(r.balanceAfter)}</dd>
        <dt>{t('Received by')}</dt>
        <dd>{r.receivedByName || '–'}</dd>
      </dl>
    </Sheet>
  )
}
