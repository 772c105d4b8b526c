import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconCash, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { useAddress, useNextPage } from '../../patterns/address'
import { Confirm, Empty, Lines, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { Money, MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { PersonPicker } from '../../patterns/PersonPicker'
import { classOf, InvoiceState, lateWords, modeHow, moneyMoved, type Report, useFamily, useReport } from './shared'
import { cash, missingReference, sentTender, type Tender, TenderFields } from './tender'

/** The counter: find the student, see what is owed, take the money, print the receipt. All of it by keyboard. */
export function Collect() {
  const [address, setAddress] = useAddress()
  const may = useMay()
  const student = address.student
  const report = useReport(student)
  if (!may('fee', 'write'))
    return (
      <div className="page">
        <Title order={1} mb={16}>
          {t('Collect fee')}
        </Title>
        <div className="panel">
          <Empty
            title={t('Taking money is not for your role')}
            text={t('You can look at accounts and receipts. Somebody who may change fees can receive payments.')}
          />
        </div>
      </div>
    )
  return (
    <div className="page">
      <Group justify="space-between" mb={16} mih={36}>
        <Title order={1}>{t('Collect fee')}</Title>
        <Anchor component={Link} to="/fees/receipts" size="sm">
          {t('Receipts')}
        </Anchor>
      </Group>
      {!student ? (
        <div className="reading">
          <PersonPicker key="find" label={t('Student')} autoFocus onPick={(p) => setAddress({ student: p.id })} />
          <Empty
            icon={<IconCash size={32} stroke={1.2} />}
            title={t('Find a student')}
            text={t(
              'Type a name or an admission number and press Enter. You see what is owed, enter the amount received, and print the receipt.',
            )}
            example={t('Enter picks the first match, Enter after the amount asks, Enter receives.')}
          />
        </div>
      ) : report.data ? (
        <Counter
          key={student}
          report={report.data}
          another={() => setAddress({ student: undefined, amount: undefined })}
        />
      ) : report.error ? (
        <Stack className="reading" gap={16}>
          <Trouble error={report.error} retry={() => void report.refetch()} />
          <Group>
            <Button variant="default" onClick={() => setAddress({ student: undefined })}>
              {t('Another student')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Lines />
      )}
    </div>
  )
}

interface Payment extends Tender {
  studentId: string
  amount: number
  confirmRepeat?: boolean
}

const pendingAt = 'homeroom.payment'
function pendingFor(student: string): Payment | null {
  try {
    const p = JSON.parse(window.sessionStorage.getItem(pendingAt) ?? 'null') as Payment | null
    return p?.studentId === student ? p : null
  } catch {
    return null
  }
}

function Counter({ report, another }: { report: Report; another: () => void }) {
  const format = useFormat()
  const navigate = useNavigate()
  useNextPage('/fees/receipt')
  const once = useOnce('payment')
  const s = report.student
  const open = report.invoices.filter((i) => i.open > 0)
  const siblings = (useFamily(s.id).data?.items.length ?? 1) - 1
  // A payment whose answer was lost is found again, even after a reload.
  const [lost] = useState(() => pendingFor(s.id))
  const first = lost?.amount ?? (report.balance > 0 ? report.balance : null)
  const [amount, setAmount] = useState<number | null>(first)
  const [tender, setTender] = useState<Tender>(() => {
    if (!lost) return cash
    const { studentId: _, amount: __, confirmRepeat: ___, ...how } = lost
    return how
  })
  const [unsure, setUnsure] = useState(!!lost)
  const [leaving, setLeaving] = useState(false)
  const [asking, setAsking] = useState(false)
  const sent = useRef<Payment | null>(lost)
  const field = useRef<HTMLInputElement>(null)
  const sending = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const pay = useMutation({
    mutationFn: (p: Payment) => {
      sent.current = p
      window.sessionStorage.setItem(pendingAt, JSON.stringify(p))
      return call(
        api.POST('/school-admin/fee/collection/record', {
          params: { header: { 'Idempotency-Key': once.keyFor(p) } },
          body: { data: p },
        }),
      )
    },
    onSuccess: (c: Schemas['Collection']) => {
      once.happened()
      settled()
      moneyMoved()
      void navigate({ to: '/fees/receipt', search: { id: c.id, received: '1' } as never, ignoreBlocker: true })
    },
    onError: (e) => {
      const status = asProblem(e).status
      // Nobody knows whether it arrived: the words stay as they are, so that a second try is the same payment.
      if (status === 0 || status >= 500) setUnsure(true)
      else forget()
      sending.current = false
    },
  })
  function forget() {
    once.forget()
    settled()
  }
  function settled() {
    window.sessionStorage.removeItem(pendingAt)
    setUnsure(false)
  }
  const refused = pay.error && !unsure && !pay.isPending ? asProblem(pay.error) : null
  const earlier = refused?.code === 'REPEATED_PAYMENT' ? (refused.data as { receiptNumber: string }) : null
  const problem = earlier ? null : refused
  const [missing, setMissing] = useState<{ amount?: string; reference?: string }>({})
  function submit() {
    if (sending.current) return
    const bad = {
      amount: !amount ? t('Enter the amount received') : undefined,
      reference: missingReference(tender),
    }
    setMissing(bad)
    if (bad.amount || bad.reference) {
      document.querySelector<HTMLInputElement>(bad.amount ? '.money-input input' : '#reference')?.focus()
      return
    }
    if (unsure && sent.current) send(sent.current)
    else setAsking(true)
  }
  function send(p: Payment) {
    if (sending.current) return
    sending.current = true
    setAsking(false)
    pay.mutate(p)
  }
  let left = amount ?? 0
  const settles = open.map((i) => {
    const n = Math.min(i.open, left)
    left -= n
    return n
  })
  const dirty =
    !pay.isSuccess && (unsure || pay.isPending || amount !== first || JSON.stringify(tender) !== JSON.stringify(cash))
  // A payment that is under way is found again by its own words, and never offered as new.
  const kept = useKept(
    lost ? undefined : `payment.${s.id}`,
    dirty && !unsure && !pay.isPending ? { amount, tender } : undefined,
    report.balance,
    (what) => {
      setAmount(what.amount)
      setTender(what.tender)
    },
  )
  return (
    <>
      <UnsavedGuard when={dirty && !pay.isPending} />
      <KeptOffer kept={kept} what={t('A payment was')} />
      <div className="split">
        <Stack gap={16}>
          <Group justify="space-between" align="flex-start" wrap="nowrap" className="panel" p={16}>
            <div style={{ minWidth: 0 }}>
              <Title order={2} style={{ overflowWrap: 'anywhere' }}>
                {nameOf(s)}
              </Title>
              <Text c="dimmed" size="sm" className="figures">
                {[classOf(s), s.admissionNumber].filter(Boolean).join(' · ')}
              </Text>
              <Anchor component={Link} to="/fees/ledger" search={{ student: s.id } as never} size="sm">
                {t('Account')}
              </Anchor>
              {siblings > 0 && (
                <Anchor
                  component={Link}
                  to="/fees/family"
                  search={{ student: s.id } as never}
                  size="sm"
                  style={{ marginInlineStart: 12 }}
                >
                  {t('Pay for the family ({siblings} children)', { siblings: siblings + 1 })}
                </Anchor>
              )}
            </div>
            <div style={{ textAlign: 'end' }}>
              <Text size="sm" c="dimmed">
                {report.balance < 0 ? t('Advance') : t('Outstanding')}
              </Text>
              <div className="owed">{format.money(Math.abs(report.balance))}</div>
            </div>
          </Group>
          <div className="panel">
            {open.length === 0 ? (
              <Empty
                title={t('Nothing is outstanding')}
                text={t('What is paid now stays on the account and settles the next charge.')}
              />
            ) : (
              <div className="list-scroll" tabIndex={0} role="region" aria-label={t('What is owed')}>
                <table className="list two-lines">
                  <thead>
                    <tr>
                      <th scope="col">{t('For')}</th>
                      <th scope="col">{t('Due')}</th>
                      <th scope="col" className="only-wide">
                        {t('State')}
                      </th>
                      <th scope="col" className="end">
                        {t('Outstanding')}
                      </th>
                      <th scope="col" className="end">
                        {t('This pays')}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {open.map((i, n) => (
                      <tr key={i.id}>
                        <td>
                          <Text fw={500}>{i.name}</Text>
                          <Text size="xs" c="dimmed" className="figures">
                            {i.number}
                          </Text>
                        </td>
                        <td>
                          <span className="figures">{format.date(i.dueDate)}</span>
                          <Text size="xs" c={i.state === 'OVERDUE' ? 'red.8' : 'dimmed'} className="late">
                            {lateWords(i.dueDate)}
                          </Text>
                        </td>
                        <td className="only-wide">
                          <InvoiceState of={i.state} />
                        </td>
                        <td className="end">
                          <Money of={i.open} />
                        </td>
                        <td className="end">
                          {settles[n] ? (
                            <Money of={settles[n]} strong />
                          ) : (
                            <Text span c="dimmed">
                              –
                            </Text>
                          )}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </div>
        </Stack>

        <form
          className="panel"
          style={{ padding: 16 }}
          aria-label={t('Payment')}
          onSubmit={(e) => {
            e.preventDefault()
            submit()
          }}
        >
          <Stack gap={16}>
            <Title order={2}>{t('Payment')}</Title>
            <MoneyInput
              label={t('Amount')}
              size="lg"
              inputRef={field}
              value={amount}
              onChange={(v) => {
                setAmount(v)
                setMissing({ ...missing, amount: undefined })
              }}
              error={missing.amount ?? problem?.fields.amount}
              disabled={unsure}
            />
            {open.length > 1 && !unsure && (
              <Group gap={4}>
                {report.balance > 0 && (
                  <Button size="compact-sm" variant="default" onClick={() => setAmount(report.balance)}>
                    {t('All {balance}', { balance: format.money(report.balance) })}
                  </Button>
                )}
                <Button size="compact-sm" variant="default" onClick={() => setAmount(open[0]!.open)}>
                  {open[0]!.name} {format.money(open[0]!.open)}
                </Button>
              </Group>
            )}
            <TenderFields
              tender={tender}
              change={(t) => {
                setTender(t)
                setMissing({ ...missing, reference: undefined })
              }}
              disabled={unsure}
              errors={{ ...problem?.fields, ...(missing.reference && { referenceNumber: missing.reference }) }}
            />
            {left > 0 && amount !== null && (
              <Text size="sm" c="dimmed">
                {open.length
                  ? rich('{left} of it is more than is owed and stays on the account for the next charge.', {
                      left: <Money of={left} />,
                    })
                  : rich('{left} of it stays on the account for the next charge.', { left: <Money of={left} /> })}
              </Text>
            )}
            {unsure && !pay.isPending && (
              <Alert color="red" variant="light" role="alert" title={t('The answer did not arrive')}>
                <Text size="sm">
                  {t(
                    'The payment may have been received or not. Try again when the connection is back: it is received once, however often you try.',
                  )}
                </Text>
              </Alert>
            )}
            {problem && <Trouble error={problem} />}
            <Group gap={8} wrap="nowrap">
              <Button type="submit" size="md" style={{ flex: 1 }} loading={pay.isPending || once.done}>
                {unsure
                  ? t('Try again')
                  : amount
                    ? t('Receive {amount}', { amount: format.money(amount) })
                    : t('Receive')}
              </Button>
              <Button
                variant="default"
                size="md"
                px={12}
                aria-label={t('Another student')}
                title={t('Another student')}
                onClick={() => (unsure ? setLeaving(true) : another())}
              >
                <IconX size={18} stroke={1.6} />
              </Button>
            </Group>
          </Stack>
        </form>
      </div>
      <Confirm
        opened={asking}
        title={t('Receive {amount} {modeHow} for {value}?', {
          amount: format.money(amount ?? 0),
          modeHow: modeHow(tender.paymentMode),
          value: [nameOf(s), classOf(s)].filter(Boolean).join(', '),
        })}
        action={t('Receive')}
        enter
        onClose={() => setAsking(false)}
        onConfirm={() => send({ studentId: s.id, amount: amount!, ...sentTender(tender) })}
      >
        {t('The family is notified with the receipt.')}
      </Confirm>
      <Confirm
        opened={!!earlier}
        title={t('Receive again?')}
        action={t('Receive again')}
        enter
        onClose={() => pay.reset()}
        onConfirm={() => send({ ...sent.current!, confirmRepeat: true })}
      >
        {t('You received {amount} for {name} less than a minute ago: receipt {receiptNumber}.', {
          amount: format.money(sent.current?.amount ?? 0),
          name: nameOf(s),
          receiptNumber: earlier?.receiptNumber,
        })}
      </Confirm>
      <Confirm
        opened={leaving}
        title={t('Leave this payment unconfirmed?')}
        action={t('Leave it')}
        danger
        onClose={() => setLeaving(false)}
        onConfirm={() => {
          forget()
          void navigate({ to: '/fees/collect', search: {} as never, ignoreBlocker: true })
        }}
      >
        {t("It is not known whether the payment arrived. Look at the student's account before you enter it again.")}
      </Confirm>
    </>
  )
}
