// What the school gives back, and what it gives up: a refund, a write-off.

import { Anchor, Button, Group, Radio, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, asProblem, call, openPaper, type Schemas } from '../../api/client'
import { t } from '../../messages/console'
import { useNextPage } from '../../patterns/address'
import { useToday } from '../../patterns/choices'
import { DateField } from '../../patterns/DateField'
import { Dialog, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { type Kept, KeptOffer, useKept } from '../../patterns/kept'
import { MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { modes, moneyMoved, type Report } from './shared'

/** The frame of both: an amount, a reason, and one button. */
function Giving({
  title,
  text,
  action,
  amount,
  setAmount,
  reason,
  setReason,
  placeholder,
  children,
  post,
  done,
  kept,
  close,
}: {
  title: string
  text: string
  action: string
  amount: number | null
  setAmount: (v: number | null) => void
  reason: string
  setReason: (v: string) => void
  placeholder: string
  children?: ReactNode
  post: { mutate: () => void; isPending: boolean; error: unknown }
  done: boolean
  kept: Kept | undefined
  close: () => void
}) {
  const problem = post.error ? asProblem(post.error) : null
  return (
    <Dialog onClose={close} title={title} size={520}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!post.isPending && !done) post.mutate()
        }}
      >
        <Stack gap={16}>
          <KeptOffer kept={kept} what={t('A part of this form was')} />
          <Text>{text}</Text>
          <MoneyInput label={t('Amount')} value={amount} onChange={setAmount} error={problem?.fields.amount} />
          {children}
          <Textarea
            label={t('Reason')}
            placeholder={placeholder}
            maxLength={500}
            autosize
            minRows={2}
            required
            value={reason}
            error={problem?.fields.reason}
            onChange={(e) => setReason(e.currentTarget.value)}
          />
          {problem && !problem.fields.amount && <Trouble error={problem} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={post.isPending || done} disabled={!amount || !reason.trim()}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Gives back what was paid ahead, with a receipt of its own. */
export function RefundDialog({ report: r, close }: { report: Report; close: () => void }) {
  const format = useFormat()
  const navigate = useNavigate()
  useNextPage('/fees/refunds')
  const once = useOnce(`refund.${r.student.id}`)
  const [amount, setAmount] = useState<number | null>(r.advance)
  const [mode, setMode] = useState('CASH')
  const [reference, setReference] = useState('')
  const today = useToday()
  const [day, setDay] = useState('')
  const [reason, setReason] = useState('')
  const words = { amount, mode, reference, day, reason }
  const changed = amount !== r.advance || mode !== 'CASH' || !!(reference || day || reason)
  const kept = useKept(`refund.${r.student.id}`, changed ? words : undefined, r.advance, (was) => {
    setAmount(was.amount)
    setMode(was.mode)
    setReference(was.reference)
    setDay(was.day)
    setReason(was.reason)
  })
  const post = useMutation({
    mutationFn: () => {
      const data: Schemas['RefundIn'] = {
        studentId: r.student.id,
        amount: amount!,
        paymentMode: mode as 'CASH',
        referenceNumber: reference.trim(),
        ...(day && day !== today && { paidOn: day }),
        reason: reason.trim(),
      }
      return call(
        api.POST('/school-admin/fee/refund', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (x) => {
      once.happened()
      moneyMoved()
      notifications.show({
        message: t('{amount} refunded: {refundNumber}.', {
          amount: format.money(x.amount),
          refundNumber: x.refundNumber,
        }),
      })
      void navigate({ to: '/fees/refunds', search: { open: x.id } as never })
    },
    onError: (e) => asProblem(e).status < 500 && asProblem(e).status > 0 && once.forget(),
  })
  return (
    <Giving
      title={t('Refund to {name}', { name: nameOf(r.student) })}
      text={t(
        '{advance} was paid in advance. The refund has a receipt with a number of its own, and the family is notified.',
        { advance: format.money(r.advance) },
      )}
      action={t('Refund')}
      amount={amount}
      setAmount={setAmount}
      reason={reason}
      setReason={setReason}
      placeholder={t('Left the school')}
      post={post}
      done={once.done}
      kept={kept}
      close={close}
    >
      <Radio.Group label={t('Paid out by')} value={mode} onChange={setMode}>
        <SimpleGrid cols={2} spacing={8} mt={4} verticalSpacing={8}>
          {modes.map((m) => (
            <Radio key={m.value} value={m.value} label={m.label} />
          ))}
        </SimpleGrid>
      </Radio.Group>
      <TextInput
        label={t('Reference')}
        description={t('Of the cheque or the transfer')}
        maxLength={100}
        value={reference}
        onChange={(e) => setReference(e.currentTarget.value)}
      />
      <DateField
        label={t('Paid on')}
        max={today}
        value={day || today}
        error={post.error ? asProblem(post.error).fields.paidOn : undefined}
        onChange={(day) => setDay(day)}
      />
    </Giving>
  )
}

/** What of an account is due by the day. */
export const dueOf = (r: Report, today: string) =>
  r.invoices.filter((i) => i.dueDate <= today).reduce((sum, i) => sum + i.open, 0)

/** Gives up what is due. */
export function WriteOffDialog({ report: r, due, close }: { report: Report; due: number; close: () => void }) {
  const format = useFormat()
  const once = useOnce(`write-off.${r.student.id}`)
  const [amount, setAmount] = useState<number | null>(due)
  const [reason, setReason] = useState('')
  const changed = amount !== due || !!reason
  const kept = useKept(`write-off.${r.student.id}`, changed ? { amount, reason } : undefined, due, (was) => {
    setAmount(was.amount)
    setReason(was.reason)
  })
  const post = useMutation({
    mutationFn: () => {
      const data: Schemas['WriteOffIn'] = { studentId: r.student.id, amount: amount!, reason: reason.trim() }
      return call(
        api.POST('/school-admin/fee/write-off', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (x) => {
      once.happened()
      moneyMoved()
      notifications.show({
        message: t('{amount} written off: {writeOffNumber}. {name} owes {max}.', {
          amount: format.money(x.amount),
          writeOffNumber: x.writeOffNumber,
          name: nameOf(r.student),
          max: format.money(Math.max(0, x.balance)),
        }),
      })
      close()
    },
    onError: (e) => asProblem(e).status < 500 && asProblem(e).status > 0 && once.forget(),
  })
  return (
    <Giving
      title={t('Write off dues of {name}', { name: nameOf(r.student) })}
      text={t(
        '{due} is due. What is written off is taken off the oldest invoices and is not asked for any more; it stands on the account with its reason, and has a receipt with a number of its own.',
        { due: format.money(due) },
      )}
      action={t('Write off')}
      amount={amount}
      setAmount={setAmount}
      reason={reason}
      setReason={setReason}
      placeholder={t('Moved away, not to be reached')}
      post={post}
      done={once.done}
      kept={kept}
      close={close}
    />
  )
}

/** Opens the receipt of a write-off. */
export function WriteOffReceipt({ id, number }: { id: string; number: string }) {
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      c="inherit"
      className="figures"
      onClick={() =>
        void openPaper(
          `/school-admin/fee/write-off/${id}`,
          { format: 'pdf' },
          `write-off-${number.replaceAll('/', '-')}.pdf`,
        ).catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))
      }
    >
      {number}
    </Anchor>
  )
}

/** Makes due again what was written off. */
export function ReverseWriteOff({ id, amount, close }: { id: string; amount: number; close: () => void }) {
  const format = useFormat()
  const once = useOnce(`write-off.reverse.${id}`)
  const [reason, setReason] = useState('')
  const kept = useKept(`write-off.reverse.${id}`, reason || undefined, id, setReason)
  const post = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/fee/write-off/{id}/reverse', {
          params: { path: { id }, header: { 'Idempotency-Key': once.keyFor(reason) } },
          body: { data: { reason: reason.trim() } },
        }),
      ),
    onSuccess: (x) => {
      once.happened()
      moneyMoved()
      notifications.show({ message: t('{amount} is due again.', { amount: format.money(x.amount) }) })
      close()
    },
  })
  return (
    <Dialog onClose={close} title={t('Reverse this write-off?')}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!post.isPending && !once.done) post.mutate()
        }}
      >
        <Stack gap={16}>
          <KeptOffer kept={kept} what={t('A part of this form was')} />
          <Text>{t('{amount} is due again, on the invoices it was taken off.', { amount: format.money(amount) })}</Text>
          <Textarea
            label={t('Reason')}
            data-autofocus
            placeholder={t('The family pays after all')}
            maxLength={500}
            autosize
            minRows={2}
            value={reason}
            onChange={(e) => setReason(e.currentTarget.value)}
          />
          <Trouble error={post.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={post.isPending || once.done} disabled={!reason.trim()}>
              {t('Reverse')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
