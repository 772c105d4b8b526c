import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
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
  const kept = useKept(`reverse.${r.id}`, reason || undefined, r.id, setReason)
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
        message:
          x.balance > 0
            ? t('{amount} reversed. {studentName} owes {balance} now.', {
                amount: format.money(x.amount),
                studentName: r.studentName,
                balance: format.money(x.balance),
              })
            : t('{amount} reversed. {studentName} owes nothing.', {
                amount: format.money(x.amount),
                studentName: r.studentName,
              }),
      })
      close()
    },
  })
  const problem = back.error ? asProblem(back.error) : null
  return (
    <Dialog onClose={close} title={t('Reverse receipt {receiptNumber}?', { receiptNumber: r.receiptNumber })}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!back.isPending && !once.done) back.mutate()
        }}
      >
        <Stack gap={16}>
          <KeptOffer kept={kept} what={t('A part of this form was')} />
          <Text>
            {t(
              '{amount} by {modeWord} from {studentName} is reversed. The invoices it paid are open again, and the family is notified with the reason. The receipt keeps its number and says that it was reversed.',
              {
                amount: format.money(r.amount),
                modeWord: modeWord(r.paymentMode).toLowerCase(),
                studentName: r.studentName,
              },
            )}
          </Text>
          <Textarea
            label={t('Reason')}
            data-autofocus
            placeholder={t('The cheque bounced')}
            maxLength={500}
            value={reason}
            onChange={(e) => setReason(e.currentTarget.value)}
            error={problem?.fields.reason}
          />
          {problem && !problem.fields.reason && <Trouble error={problem} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" color="red.8" loading={back.isPending || once.done} disabled={!reason.trim()}>
              {t('Reverse')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
