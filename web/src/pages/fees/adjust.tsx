// What the office decides by hand: a concession, a fine.
import { Button, Group, NumberInput, Radio, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { type Person, PersonPicker } from '../../patterns/PersonPicker'
import { fieldsOf, useDraft } from '../../patterns/record'
import { type Invoice, moneyMoved, useHeads } from './shared'

type Whom = Pick<Person, 'id' | 'name'>
export const categories = [
  { value: 'SIBLING', label: t('Sibling') },
  { value: 'STAFF', label: t('Child of staff') },
  { value: 'MERIT', label: t('Merit') },
  { value: 'OTHER', label: t('Other') },
]

/** The student a dialog is about: given, or found first. */
function Student({
  given,
  chosen,
  choose,
  error,
}: {
  given?: Whom
  chosen: Whom | null
  choose: (w: Whom | null) => void
  error?: string
}) {
  if (given) return null
  if (!chosen) return <PersonPicker label={t('Student')} size="sm" autoFocus onPick={choose} error={error} />
  return (
    <Group justify="space-between" gap={8}>
      <Text fw={500}>{chosen.name}</Text>
      <Button variant="default" size="compact-sm" onClick={() => choose(null)}>
        {t('Another')}
      </Button>
    </Group>
  )
}

/** Lets a student off a part of the fees: of the year's, or of one invoice. */
export function GrantDialog({
  student,
  invoices = [],
  close,
}: {
  student?: Whom
  invoices?: Invoice[]
  close: () => void
}) {
  const format = useFormat()
  const heads = useHeads()
  const once = useOnce('concession')
  const [found, setFound] = useState<Whom | null>(null)
  const whom = student ?? found
  const draft = useDraft({
    mode: 'PERCENT',
    percent: null as number | null,
    amount: null as number | null,
    feeHeadId: null as string | null,
    invoiceId: null as string | null,
    category: 'SIBLING',
    reason: '',
  })
  const f = fieldsOf(draft)
  const v = draft.values
  const grant = useMutation({
    mutationFn: () => {
      const data: Schemas['ConcessionIn'] = {
        studentId: whom!.id,
        mode: v.mode as 'PERCENT',
        value: (v.mode === 'PERCENT' ? v.percent : v.amount) ?? 0,
        feeHeadId: v.feeHeadId,
        invoiceId: v.invoiceId,
        category: v.category as 'OTHER',
        reason: v.reason,
      }
      return call(
        api.POST('/school-admin/fee/concession', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (g) => {
      once.happened()
      moneyMoved()
      notifications.show({
        message:
          g.posted > 0
            ? t('{posted} taken off now. {name} owes {max}.', {
                posted: format.money(g.posted),
                name: whom!.name,
                max: format.money(Math.max(0, g.balance)),
              })
            : t('Granted. It is deducted from what is charged from now on.'),
      })
      close()
    },
    onError: (e) => draft.setErrors(asProblem(e).fields),
  })
  const open = invoices.filter((i) => i.state !== 'WAIVED')
  return (
    <Dialog
      onClose={close}
      title={student ? t('Concession for {name}', { name: student.name }) : t('Grant a concession')}
      size={520}
    >
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (whom && !grant.isPending && !once.done) grant.mutate()
        }}
      >
        <Stack gap={16}>
          <Student given={student} chosen={found} choose={setFound} error={draft.errors.studentId} />
          <Radio.Group label={t('How much')} value={v.mode} onChange={(m) => draft.set('mode', m)}>
            <Group gap={16} mt={4}>
              <Radio value="PERCENT" label={t('A percentage')} />
              <Radio value="AMOUNT" label={t('An amount')} />
            </Group>
          </Radio.Group>
          <div className="pair">
            {v.mode === 'PERCENT' ? (
              <NumberInput
                label={t('Percent')}
                suffix=" %"
                decimalScale={2}
                min={0}
                max={100}
                hideControls
                value={v.percent ?? ''}
                error={draft.errors.value}
                onChange={(x) => {
                  draft.set('percent', x === '' ? null : Number(x))
                  draft.setErrors({})
                }}
              />
            ) : (
              <MoneyInput
                label={t('Amount')}
                value={v.amount}
                onChange={(x) => {
                  draft.set('amount', x)
                  draft.setErrors({})
                }}
                error={draft.errors.value}
                description={v.invoiceId ? t('Once') : t('For the year; each instalment gets its share')}
              />
            )}
            {f.choice({ k: 'category', label: t('Why'), data: categories })}
            {f.choice({
              k: 'feeHeadId',
              label: t('Of'),
              data: (heads.data ?? []).map((h) => ({ value: h.id, label: h.name })),
              none: t('All fee heads'),
            })}
            {open.length > 0 &&
              f.choice({
                k: 'invoiceId',
                label: t('On'),
                data: open.map((i) => ({
                  value: i.id,
                  label: t('{name} only ({open} open)', { name: i.name, open: format.money(i.open) }),
                })),
                none: t('The whole year'),
              })}
          </div>
          {f.text({
            k: 'reason',
            label: t('Reason'),
            placeholder: t('Second child at the school'),
            maxLength: 500,
            description: t('Shown on the account'),
          })}
          <Text size="sm" c="dimmed">
            {v.invoiceId
              ? t('It is taken off this invoice now, fines included, and never more than the invoice.')
              : t(
                  'Instalments charged already are made smaller at once, later ones when they are charged. It can be ended from any day on.',
                )}
          </Text>
          {grant.error && <Trouble error={grant.error} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button
              type="submit"
              loading={grant.isPending || once.done}
              disabled={!whom || !(v.mode === 'PERCENT' ? v.percent : v.amount) || !v.reason.trim()}
            >
              {t('Grant')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

export function FineDialog({
  student,
  invoices = [],
  close,
}: {
  student?: Whom
  invoices?: Invoice[]
  close: () => void
}) {
  const format = useFormat()
  const heads = useHeads()
  const once = useOnce('fine')
  const [found, setFound] = useState<Whom | null>(null)
  const whom = student ?? found
  const draft = useDraft({
    amount: null as number | null,
    reason: '',
    feeHeadId: null as string | null,
    invoiceId: null as string | null,
    dueDate: null as string | null,
  })
  const f = fieldsOf(draft)
  const v = draft.values
  const fine = useMutation({
    mutationFn: () => {
      const data: Schemas['FineIn'] = {
        studentId: whom!.id,
        amount: v.amount ?? 0,
        reason: v.reason,
        feeHeadId: v.feeHeadId,
        invoiceId: v.invoiceId,
        ...(v.dueDate && !v.invoiceId ? { dueDate: v.dueDate } : {}),
      }
      return call(
        api.POST('/school-admin/fee/fine', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (x) => {
      once.happened()
      moneyMoved()
      notifications.show({
        message: t('{amount} charged. {name} owes {max}.', {
          amount: format.money(x.amount),
          name: whom!.name,
          max: format.money(Math.max(0, x.balance)),
        }),
      })
      close()
    },
    onError: (e) => draft.setErrors(asProblem(e).fields),
  })
  return (
    <Dialog onClose={close} title={student ? t('Fine {name}', { name: student.name }) : t('Fine a student')} size={520}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (whom && !fine.isPending && !once.done) fine.mutate()
        }}
      >
        <Stack gap={16}>
          <Student given={student} chosen={found} choose={setFound} error={draft.errors.studentId} />
          <div className="pair">
            <MoneyInput
              label={t('Amount')}
              value={v.amount}
              onChange={(x) => draft.set('amount', x)}
              error={draft.errors.amount}
            />
            {f.choice({
              k: 'feeHeadId',
              label: t('Income head'),
              data: (heads.data ?? []).map((h) => ({ value: h.id, label: h.name })),
              none: t('Fines'),
            })}
            {invoices.length > 0 &&
              f.choice({
                k: 'invoiceId',
                label: t('On'),
                data: invoices.map((i) => ({ value: i.id, label: `${i.name}, ${i.number}` })),
                none: t('An invoice of its own'),
              })}
            {!v.invoiceId && f.day({ k: 'dueDate', label: t('Due'), description: t('Leave empty for today') })}
          </div>
          {f.text({
            k: 'reason',
            label: t('Reason'),
            placeholder: t('Broken window'),
            maxLength: 500,
            description: t('The family reads it'),
          })}
          {fine.error && <Trouble error={fine.error} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button
              type="submit"
              loading={fine.isPending || once.done}
              disabled={!whom || !v.amount || !v.reason.trim()}
            >
              {t('Charge the fine')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
