import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Confirm, Dialog, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { moneyMoved } from './shared'

interface Cheque {
  id: string
  receiptNumber: string
  referenceNumber: string
  amount: number
  studentName: string
  familyPaymentId: string | null
  clearing: string
  reversed: boolean
}

/** What became of a payment, in a word. */
export function ReceiptState({ of: r }: { of: { clearing: string; reversed: boolean } }) {
  if (r.clearing === 'IN_CLEARING') return <Status tone="warn">{t('In clearing')}</Status>
  if (r.clearing === 'BOUNCED') return <Status tone="bad">{t('Bounced')}</Status>
  return r.reversed ? <Status tone="off">{t('Reversed')}</Status> : <Status tone="good">{t('Received')}</Status>
}

/** What the bank says of a cheque in clearing: paid, or sent back. */
export function ChequeActions({ of: r }: { of: Cheque }) {
  const format = useFormat()
  const may = useMay()
  const once = useOnce(`clear.${r.id}`)
  const [doing, setDoing] = useState<'clear' | 'bounce' | null>(null)
  const clear = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/fee/collection/{id}/clear', {
          params: { path: { id: r.id }, header: { 'Idempotency-Key': once.keyFor(r.id) } },
        }),
      ),
    onSuccess: () => {
      once.happened()
      moneyMoved()
      notifications.show({ message: t('Cheque {referenceNumber} is cleared.', { referenceNumber: r.referenceNumber }) })
      setDoing(null)
    },
  })
  if (r.clearing !== 'IN_CLEARING' || !may('fee', 'write')) return null
  const family = r.familyPaymentId ? ` ${t('Of a family’s cheque, all receipts go with it.')}` : ''
  return (
    <Group gap={8} className="no-print">
      <Button variant="default" onClick={() => setDoing('clear')}>
        {t('Cleared…')}
      </Button>
      <Button variant="default" onClick={() => setDoing('bounce')}>
        {t('Bounced…')}
      </Button>
      <Confirm
        opened={doing === 'clear'}
        title={t('Has the bank paid cheque {referenceNumber}?', { referenceNumber: r.referenceNumber })}
        action={t('Cleared')}
        busy={clear.isPending || once.done}
        error={clear.error}
        onClose={() => setDoing(null)}
        onConfirm={() => clear.mutate()}
      >
        {t('{amount} from {studentName} is in the bank from now on.{family}', {
          amount: format.money(r.amount),
          studentName: r.studentName,
          family,
        })}
      </Confirm>
      {doing === 'bounce' && <Bounce of={r} family={family} close={() => setDoing(null)} />}
    </Group>
  )
}

function Bounce({ of: r, family, close }: { of: Cheque; family: string; close: () => void }) {
  const format = useFormat()
  const once = useOnce(`bounce.${r.id}`)
  const [reason, setReason] = useState('')
  const [charge, setCharge] = useState<number | null>(null)
  const kept = useKept(`bounce.${r.id}`, reason || charge !== null ? { reason, charge } : undefined, r.id, (was) => {
    setReason(was.reason)
    setCharge(was.charge)
  })
  const post = useMutation({
    mutationFn: () => {
      const data = { reason: reason.trim(), charge: charge ?? 0 }
      return call(
        api.POST('/school-admin/fee/collection/{id}/bounce', {
          params: { path: { id: r.id }, header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (x) => {
      once.happened()
      moneyMoved()
      notifications.show({
        message: t('Cheque {referenceNumber} bounced: {amount} reversed.', {
          referenceNumber: r.referenceNumber,
          amount: format.money(x.amount),
        }),
      })
      close()
    },
    onError: (e) => asProblem(e).status < 500 && asProblem(e).status > 0 && once.forget(),
  })
  return (
    <Dialog onClose={close} title={t('Cheque {referenceNumber} bounced?', { referenceNumber: r.referenceNumber })}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!post.isPending && !once.done) post.mutate()
        }}
      >
        <Stack gap={16}>
          <KeptOffer kept={kept} what={t('A part of this form was')} />
          <Text>
            {t('{amount} from {studentName} is reversed, and the family is notified with the reason.{family}', {
              amount: format.money(r.amount),
              studentName: r.studentName,
              family,
            })}
          </Text>
          <Textarea
            label={t('Reason')}
            data-autofocus
            placeholder={t('Insufficient funds')}
            maxLength={500}
            autosize
            minRows={2}
            value={reason}
            onChange={(e) => setReason(e.currentTarget.value)}
          />
          <MoneyInput
            label={t('Charge for it')}
            description={t('Due today; empty for none')}
            value={charge}
            onChange={setCharge}
          />
          <Trouble error={post.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" color="red.8" loading={post.isPending || once.done} disabled={!reason.trim()}>
              {t('Bounced')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
