// Charges besides the instalments, and taking them back.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { rich, t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { fieldsOf, useDraft } from '../../patterns/record'
import { moneyMoved, useHeads } from './shared'
import { chosenIds, isNobody, nobody, StudentsOrClass } from './students-or-class'

/** Charges students, or a class, for something once: first how much it comes to, then all of it. */
export function AdHocDialog({ student, close }: { student?: { id: string; name: string }; close: () => void }) {
  const format = useFormat()
  const heads = useHeads()
  const once = useOnce('ad hoc charge')
  const [who, setWho] = useState(student ? { ...nobody, people: [student] } : nobody)
  const [plan, setPlan] = useState<Schemas['AdHocCharged'] | null>(null)
  const draft = useDraft({
    feeHeadId: '' as string | null,
    amount: null as number | null,
    dueDate: null as string | null,
    text: '',
  })
  const f = fieldsOf(draft)
  const v = draft.values
  const charge = useMutation({
    mutationFn: async (dryRun: boolean) => {
      const data = { ...v, ...chosenIds(who), ...(dryRun ? { dryRun } : {}) } as Schemas['AdHocIn']
      return call(
        api.POST('/school-admin/fee/charge/ad-hoc', {
          params: { header: dryRun ? {} : { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (r) => {
      if (r.dryRun) return setPlan(r)
      once.happened()
      moneyMoved()
      notifications.show({
        message: t('{charged} charged, {amount} together.', {
          charged: format.number(r.charged),
          amount: format.money(r.amount),
        }),
      })
      close()
    },
    onError: (e) => {
      setPlan(null)
      draft.setErrors(asProblem(e).fields)
    },
  })
  return (
    <Dialog
      onClose={close}
      title={student ? t('Charge {name}', { name: student.name }) : t('Ad-hoc charge')}
      size={520}
    >
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!charge.isPending && !once.done) charge.mutate(!plan)
        }}
      >
        <Stack gap={16}>
          {plan ? (
            <Text>
              {rich(
                {
                  one: '{charged} student is charged {amount} each, {amount2} together, for {text}. Their guardians are notified. {students}.',
                  other:
                    '{charged} students are charged {amount} each, {amount2} together, for {text}. Their guardians are notified. {students}.',
                },
                {
                  count: plan.charged,
                  charged: format.number(plan.charged),
                  amount: format.money(v.amount ?? 0),
                  amount2: <b>{format.money(plan.amount)}</b>,
                  text: v.text,
                  students: plan.students.map((s) => s.studentName).join(', '),
                },
              )}
            </Text>
          ) : (
            <>
              {!student && <StudentsOrClass value={who} onChange={setWho} errors={draft.errors} />}
              {f.text({
                k: 'text',
                label: t('What for'),
                placeholder: t('Excursion to the zoo'),
                maxLength: 200,
                description: t('The family reads it'),
              })}
              <div className="pair">
                {f.choice({
                  k: 'feeHeadId',
                  label: t('Fee head'),
                  data: (heads.data ?? []).map((h) => ({ value: h.id, label: h.name })),
                  none: t('Choose a fee head'),
                })}
                <MoneyInput
                  label={t('Amount for each')}
                  value={v.amount}
                  onChange={(a) => draft.set('amount', a)}
                  error={draft.errors.amount}
                />
                {f.day({ k: 'dueDate', label: t('Due') })}
              </div>
            </>
          )}
          {charge.error && !Object.keys(asProblem(charge.error).fields).length && <Trouble error={charge.error} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={plan ? () => setPlan(null) : close}>
              {plan ? t('Back') : t('Cancel')}
            </Button>
            <Button
              type="submit"
              loading={charge.isPending || once.done}
              disabled={isNobody(who) || !v.feeHeadId || !v.amount || !v.dueDate || !v.text.trim()}
            >
              {plan ? t('Charge {amount}', { amount: format.money(plan.amount) }) : t('See who is charged')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Takes back a charge, a fine or an opening balance, once, with a reason that stays on the account. */
export function TakeBack({
  transactionId,
  title,
  text,
  close,
}: {
  transactionId: string
  title: string
  text: string
  close: () => void
}) {
  const format = useFormat()
  const once = useOnce(`take back.${transactionId}`)
  const [reason, setReason] = useState('')
  const back = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/fee/transaction/{id}/reverse', {
          params: { path: { id: transactionId }, header: { 'Idempotency-Key': once.keyFor(reason) } },
          body: { data: { reason: reason.trim() } },
        }),
      ),
    onSuccess: (r) => {
      once.happened()
      moneyMoved()
      notifications.show({ message: t('{amount} reversed.', { amount: format.money(r.amount) }) })
      close()
    },
  })
  const problem = back.error ? asProblem(back.error) : null
  return (
    <Dialog onClose={close} title={title}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!back.isPending && !once.done) back.mutate()
        }}
      >
        <Stack gap={16}>
          <Text>{text}</Text>
          <Textarea
            label={t('Reason')}
            data-autofocus
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
