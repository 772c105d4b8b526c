import { Alert, Button, Group, Menu, Stack, Title } from '@mantine/core'
import { IconArrowBackUp, IconChevronDown, IconDownload, IconPrinter } from '@tabler/icons-react'
import { Link, Navigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { download, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
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
        <Title order={1}>Receipt</Title>
        {r && (
          <Group gap={8}>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                  More
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  leftSection={<IconDownload size={16} stroke={1.6} />}
                  onClick={() => void receiptPDF(r, download)}
                >
                  Download as PDF
                </Menu.Item>
                <Menu.Item component={Link} to="/fees/ledger" search={{ student: r.studentId } as never}>
                  Account of {r.studentName}
                </Menu.Item>
                {!r.reversed && may('fee', 'write') && (
                  <Menu.Item
                    c="red.8"
                    leftSection={<IconArrowBackUp size={16} stroke={1.6} />}
                    onClick={() => setReversing(true)}
                  >
                    Reverse…
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
            {may('fee', 'write') && (
              <Button component={Link} to="/fees/collect" variant="default">
                Next payment
              </Button>
            )}
            <Button ref={print} leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => void receiptPDF(r)}>
              Print
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
              title={`${format.money(r.amount)} received from ${r.studentName}`}
            >
              The family is notified, and the receipt is in their app.
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
    n < 0 ? `${format.money(-n)} in advance` : n > 0 ? `${format.money(n)} outstanding` : 'Nothing outstanding'
  return (
    <Sheet title="Receipt" number={r.receiptNumber} small>
      {r.reversed && (
        <div className="paper-void">
          Reversed<small>{r.reversalNote}</small>
        </div>
      )}
      <dl>
        <dt>Received from</dt>
        <dd>{r.studentName}</dd>
        <dt>Admission no.</dt>
        <dd className="figures">{r.admissionNumber}</dd>
        <dt>Class</dt>
        <dd>{r.className || '–'}</dd>
        <dt>Received on</dt>
        <dd className="figures">{format.date(r.receivedOn)}</dd>
        <dt>Entered</dt>
        <dd className="figures">{format.dateTime(r.receivedAt)}</dd>
        <dt>Paid by</dt>
        <dd>
          {modeWord(r.paymentMode)}
          {r.clearing === 'IN_CLEARING' && ', in clearing: valid once the bank has paid it'}
        </dd>
        {r.referenceNumber && (
          <>
            <dt>Reference</dt>
            <dd className="figures">{r.referenceNumber}</dd>
          </>
        )}
      </dl>
      <table>
        <thead>
          <tr>
            <th scope="col">Head</th>
            <th scope="col">Invoice</th>
            <th scope="col" className="end">
              Amount
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
            <td colSpan={2}>Received</td>
            <td className="end figures">{format.money(r.amount)}</td>
          </tr>
        </tfoot>
      </table>
      <dl>
        <dt>In words</dt>
        <dd>{r.amountInWords}</dd>
        <dt>Balance after</dt>
        <dd className="figures">{balance(r.balanceAfter)}</dd>
        <dt>Received by</dt>
        <dd>{r.receivedByName || '–'}</dd>
      </dl>
    </Sheet>
  )
}
