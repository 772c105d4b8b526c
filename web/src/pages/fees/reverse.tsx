import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { useOnce } from '../../patterns/once'
import { modeWord, moneyMoved } from './shared'

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
        message: `${format.money(x.amount)} reversed. ${r.studentName} ${x.balance > 0 ? `owes ${format.money(x.balance)} now` : 'owes nothing'}.`,
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
          if (!back.isPending && !once.done) back.mutate()
        }}
      >
        <Stack gap={16}>
          <Text>
            {format.money(r.amount)} by {modeWord(r.paymentMode).toLowerCase()} from {r.studentName} is reversed. The
            invoices it paid are open again, and the family is notified with the reason. The receipt keeps its number
            and says that it was reversed.
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
            <Button type="submit" color="red.8" loading={back.isPending || once.done} disabled={!reason.trim()}>
              Reverse
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
