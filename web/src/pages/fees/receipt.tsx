import { Alert, Button, Group, Menu, Stack, Text, Textarea, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowBackUp, IconChevronDown, IconDownload, IconPrinter } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api, asProblem, call, download, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { Dialog, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { useOnce } from '../../patterns/once'
import { Sheet } from '../../patterns/Sheet'
import { modeWord, moneyMoved, useReceipt } from './shared'

type Receipt = Schemas['Receipt']

export const receiptPDF = (r: { id: string; receiptNumber: string }) =>
  download(
    `/school-admin/fee/receipt/${r.id}`,
    { format: 'pdf' },
    `receipt-${r.receiptNumber.replaceAll('/', '-')}.pdf`,
  ).catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))

/** One receipt, as it is printed. */
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
                <Menu.Item leftSection={<IconDownload size={16} stroke={1.6} />} onClick={() => void receiptPDF(r)}>
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
            <Button ref={print} leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => window.print()}>
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
              The family is told, and the receipt is in their app.
            </Alert>
          )}
          <ReceiptSheet receipt={r} />
        </Stack>
      )}
      {reversing && r && <Reverse receipt={r} close={() => setReversing(false)} />}
    </div>
  )
}

export function ReceiptSheet({ receipt: r }: { receipt: Receipt }) {
  const format = useFormat()
  const ahead = r.amount - r.allocations.reduce((sum, a) => sum + a.amount, 0)
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
        <dt>Date</dt>
        <dd className="figures">{format.dateTime(r.receivedAt)}</dd>
        <dt>Paid by</dt>
        <dd>{modeWord(r.paymentMode)}</dd>
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
            <th scope="col">For</th>
            <th scope="col">Invoice</th>
            <th scope="col" className="end">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {r.allocations.map((a) => (
            <tr key={a.invoiceId}>
              <td>{a.name}</td>
              <td className="figures">{a.number}</td>
              <td className="end figures">{format.money(a.amount)}</td>
            </tr>
          ))}
          {ahead > 0 && (
            <tr>
              <td>Paid ahead</td>
              <td />
              <td className="end figures">{format.money(ahead)}</td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={2}>Received</td>
            <td className="end figures">{format.money(r.amount)}</td>
          </tr>
        </tfoot>
      </table>
      <div className="paper-sign">
        <span>{r.receivedByName || 'Received by'}</span>
      </div>
    </Sheet>
  )
}

/** Takes a payment back, once, with a reason that stands on the account. */
export function Reverse({
  receipt: r,
  close,
}: {
  receipt: { id: string; receiptNumber: string; amount: number; studentName: string; paymentMode: string }
  close: () => void
}) {
  const format = useFormat()
  const once = useOnce(`reverse.${r.id}`)
  const [reason, setReason] = useState('')
  const back = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/fee/collection/{id}/reverse', {
          params: { path: { id: r.id }, header: { 'Idempotency-Key': once.keyFor(reason) } },
          body: { data: { reason: reason.trim() } },
        }),
      ),
    onSuccess: (x) => {
      once.happened()
      moneyMoved()
      notifications.show({
        message: `${format.money(x.amount)} taken back. ${r.studentName} ${x.balance > 0 ? `owes ${format.money(x.balance)} now` : 'owes nothing'}.`,
      })
      close()
    },
  })
  const problem = back.error ? asProblem(back.error) : null
  return (
    <Dialog onClose={close} title={`Reverse receipt ${r.receiptNumber}?`}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!back.isPending) back.mutate()
        }}
      >
        <Stack gap={16}>
          <Text>
            {format.money(r.amount)} by {modeWord(r.paymentMode).toLowerCase()} from {r.studentName} is taken back. What
            it had settled is open again, and the family is told why. The receipt keeps its number and says that it was
            reversed.
          </Text>
          <Textarea
            label="Reason"
            data-autofocus
            placeholder="The cheque bounced"
            maxLength={500}
            value={reason}
            onChange={(e) => setReason(e.currentTarget.value)}
            error={problem?.fields.reason}
          />
          {problem && !problem.fields.reason && <Trouble error={problem} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" color="red.8" loading={back.isPending} disabled={!reason.trim()}>
              Reverse
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
