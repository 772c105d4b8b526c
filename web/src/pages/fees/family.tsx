import { Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { rich, t } from '../../messages/console'
import { useAddress, useNextPage } from '../../patterns/address'
import { Confirm, Lines, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { Money, MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { PersonPicker } from '../../patterns/PersonPicker'
import { classOf, modeHow, moneyMoved, useFamily } from './shared'
import { cash, missingReference, sentTender, TenderFields } from './tender'

type Family = Schemas['FamilyDues']

/** One payment for several children: a receipt for each. */
export function FamilyPage() {
  const [address, setAddress] = useAddress()
  const q = useFamily(address.student)
  return (
    <div className="page">
      <Title order={1} mb={16}>
        {t('Collect for a family')}
      </Title>
      {!address.student ? (
        <div className="reading">
          <PersonPicker label={t('Student')} autoFocus onPick={(p) => setAddress({ student: p.id })} />
        </div>
      ) : q.data ? (
        <FamilyCounter key={address.student} student={address.student} family={q.data} />
      ) : q.error ? (
        <div className="reading">
          <Trouble error={q.error} retry={() => void q.refetch()} />
        </div>
      ) : (
        <Lines />
      )}
    </div>
  )
}

/** Who pays how much, the oldest dues first; what is left stays with the student that was looked for. */
function oldestFirst(family: Family, student: string, amount: number): Map<string, number> {
  const parts = new Map<string, number>()
  const open = family.items
    .flatMap((c) => c.invoices.map((i) => ({ of: c.student.id, due: i.dueDate, open: i.open, id: i.id })))
    .sort((a, b) => a.due.localeCompare(b.due) || a.of.localeCompare(b.of) || a.id.localeCompare(b.id))
  let left = amount
  for (const i of open) {
    const n = Math.min(left, i.open)
    parts.set(i.of, (parts.get(i.of) ?? 0) + n)
    left -= n
  }
  parts.set(student, (parts.get(student) ?? 0) + left)
  return parts
}

function FamilyCounter({ student, family }: { student: string; family: Family }) {
  const format = useFormat()
  const navigate = useNavigate()
  useNextPage('/fees/receipts')
  const once = useOnce('family payment')
  const [total, setTotal] = useState<number | null>(family.total || null)
  const [each, setEach] = useState(false)
  const [own, setOwn] = useState<Record<string, number | null>>({})
  const [tender, setTender] = useState(cash)
  const [asking, setAsking] = useState(false)
  const [missing, setMissing] = useState<string | undefined>()
  const amount = each ? family.items.reduce((sum, c) => sum + (own[c.student.id] ?? 0), 0) : (total ?? 0)
  const parts = each
    ? new Map(family.items.map((c) => [c.student.id, own[c.student.id] ?? 0]))
    : oldestFirst(family, student, amount)
  const pay = useMutation({
    mutationFn: (confirmRepeat: boolean) => {
      const data: Schemas['FamilyPayment'] = {
        studentId: student,
        amount,
        ...(each && {
          shares: [...parts].filter(([, n]) => n > 0).map(([studentId, n]) => ({ studentId, amount: n })),
        }),
        ...sentTender(tender),
        confirmRepeat,
      }
      return call(
        api.POST('/school-admin/fee/collection/family', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (x) => {
      once.happened()
      moneyMoved()
      void navigate({ to: '/fees/receipts', search: { family: x.id } as never, ignoreBlocker: true })
    },
    onError: (e) => {
      const status = asProblem(e).status
      if (status > 0 && status < 500) once.forget()
    },
  })
  const refused = pay.error && !pay.isPending ? asProblem(pay.error) : null
  const earlier = refused?.code === 'REPEATED_PAYMENT' ? refused : null
  const dirty = each || total !== (family.total || null) || JSON.stringify(tender) !== JSON.stringify(cash)
  const underWay = pay.isPending || pay.isSuccess || (!!refused && (refused.status === 0 || refused.status >= 500))
  const kept = useKept(
    `family-payment.${student}`,
    dirty && !underWay ? { total, each, own, tender } : undefined,
    family.total,
    (what) => {
      setTotal(what.total)
      setEach(what.each)
      setOwn(what.own)
      setTender(what.tender)
    },
  )
  return (
    <>
      <UnsavedGuard when={!pay.isSuccess && !pay.isPending && dirty} />
      <KeptOffer kept={kept} what={t('A payment was')} />
      <div className="split">
        <div className="panel list-scroll" tabIndex={0} role="region" aria-label={t('The children')}>
          <table className="list two-lines">
            <thead>
              <tr>
                <th scope="col">{t('Student')}</th>
                <th scope="col" className="end">
                  {t('Outstanding')}
                </th>
                <th scope="col" className="end">
                  {t('This pays')}
                </th>
              </tr>
            </thead>
            <tbody>
              {family.items.map((c) => (
                <tr key={c.student.id}>
                  <td>
                    <Text fw={500}>{nameOf(c.student)}</Text>
                    <Text size="xs" c="dimmed" className="figures">
                      {[classOf(c.student), c.student.admissionNumber].filter(Boolean).join(' · ')}
                    </Text>
                  </td>
                  <td className="end">
                    {c.balance < 0 ? (
                      <Text span c="dimmed">
                        {rich('Advance {advance}', { advance: <Money of={c.advance} /> })}
                      </Text>
                    ) : (
                      <Money of={c.balance} />
                    )}
                  </td>
                  <td className="end">
                    {each ? (
                      <MoneyInput
                        label=""
                        aria-label={t('Amount for {name}', { name: nameOf(c.student) })}
                        value={own[c.student.id] ?? null}
                        onChange={(v) => setOwn({ ...own, [c.student.id]: v })}
                      />
                    ) : (
                      <Money of={parts.get(c.student.id) ?? 0} strong />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <form
          className="panel"
          style={{ padding: 16 }}
          aria-label={t('Payment')}
          onSubmit={(e) => {
            e.preventDefault()
            const bad = missingReference(tender)
            setMissing(bad)
            if (!bad && amount > 0 && !pay.isPending && !once.done) setAsking(true)
          }}
        >
          <Stack gap={16}>
            <Title order={2}>{t('Payment')}</Title>
            <MoneyInput
              label={t('Amount')}
              size="lg"
              value={each ? amount : total}
              onChange={setTotal}
              disabled={each}
            />
            <Checkbox
              label={t('Enter the amount of each child')}
              description={t('Else the oldest dues of all are paid first')}
              checked={each}
              onChange={(e) => {
                setEach(e.currentTarget.checked)
                setOwn(Object.fromEntries(parts))
              }}
            />
            <TenderFields
              tender={tender}
              change={(t) => {
                setTender(t)
                setMissing(undefined)
              }}
              errors={{ ...refused?.fields, ...(missing && { referenceNumber: missing }) }}
            />
            {refused && !earlier && <Trouble error={refused} />}
            <Group>
              <Button type="submit" size="md" style={{ flex: 1 }} loading={pay.isPending || once.done}>
                {amount ? t('Receive {amount}', { amount: format.money(amount) }) : t('Receive')}
              </Button>
            </Group>
          </Stack>
        </form>
      </div>
      <Confirm
        opened={asking}
        title={t('Receive {amount} {modeHow} for {value} children?', {
          amount: format.money(amount),
          modeHow: modeHow(tender.paymentMode),
          value: [...parts.values()].filter((n) => n > 0).length,
        })}
        action={t('Receive')}
        enter
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          pay.mutate(false)
        }}
      >
        {t('{items}. Each has a receipt, and the family is notified.', {
          items: family.items
            .filter((c) => parts.get(c.student.id))
            .map((c) => `${nameOf(c.student)} ${format.money(parts.get(c.student.id)!)}`)
            .join(', '),
        })}
      </Confirm>
      <Confirm
        opened={!!earlier}
        title={t('Receive again?')}
        action={t('Receive again')}
        enter
        onClose={() => pay.reset()}
        onConfirm={() => pay.mutate(true)}
      >
        {earlier?.message}.
      </Confirm>
    </>
  )
}
