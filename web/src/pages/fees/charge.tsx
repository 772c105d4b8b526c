import { Alert, Button, Checkbox, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { useClasses } from '../../api/queries'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { saveCSV } from '../../patterns/csv'
import { Export } from '../../patterns/Export'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Money, usePlainMoney } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { Wizard, WizardButtons } from '../../patterns/wizard'
import { useYear } from '../../shell/year'
import { AdHocDialog } from './ad-hoc'
import { moneyMoved, SetupNav } from './shared'

type Charged = Schemas['Charged']
const steps = [
  { key: 'what', title: t('Class and instalment') },
  { key: 'check', title: t('Check') },
  { key: 'done', title: t('Charged') },
]
const outcomes: Record<string, ['good' | 'warn' | 'off', string]> = {
  CHARGED: ['good', t('Is charged')],
  ALREADY_CHARGED: ['off', t('Was charged already')],
  CHARGED_ELSEWHERE: ['warn', t('Charged by another class')],
  NOTHING_LEFT: ['off', t('Nothing left of the year')],
}

/** Bills a class for an instalment, once: first who would be charged what, then all of it. */
export function Charge() {
  const may = useMay()
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const classes = useClasses()
  const { year } = useYear()
  const once = useOnce('charge', true)
  const plain = usePlainMoney()
  const structures = useQuery({
    queryKey: ['/school-admin/fee/structure/list', 'year', year?.id],
    enabled: !!year,
    queryFn: () => fetchAll('/school-admin/fee/structure/list', { filters: { academicYearId: year!.id } }),
  })
  const structure = structures.data?.find((s) => s.classId === address.class)
  const instalment = structure?.instalments.find((i) => String(i.number) === address.instalment)
  const checking = address.step === 'check' && !!structure && !!instalment
  const [out, setOut] = useState<Set<string>>(new Set())
  const [asking, setAsking] = useState(false)
  const [result, setResult] = useState<Charged | null>(null)
  useEffect(() => setOut(new Set()), [structure?.id, address.instalment])
  const body =
    structure && instalment
      ? { structureId: structure.id, instalment: String(instalment.number), classId: structure.classId }
      : null
  const plan = useQuery({
    queryKey: ['/school-admin/fee/charge', 'plan', body],
    enabled: checking && !result,
    staleTime: 0,
    queryFn: () => call(api.POST('/school-admin/fee/charge', { body: { data: { ...body!, dryRun: true } } })),
  })
  const due = (plan.data?.students ?? []).filter((s) => s.outcome === 'CHARGED')
  const taken = due.filter((s) => !out.has(s.studentId))
  const amount = taken.reduce((n, s) => n + s.amount, 0)
  const waived = taken.reduce((n, s) => n + s.concession, 0)
  const charge = useMutation({
    mutationFn: () => {
      const data = out.size
        ? { structureId: body!.structureId, instalment: body!.instalment, studentIds: taken.map((s) => s.studentId) }
        : body!
      return call(
        api.POST('/school-admin/fee/charge', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (c) => {
      once.happened()
      setAsking(false)
      setResult(c)
      moneyMoved()
    },
  })
  const className = classes.data?.find((c) => c.id === address.class)?.name ?? t('the class')
  const step = result ? 'done' : checking ? 'check' : 'what'
  const people = (n: number) => t({ one: '{n} student', other: '{n} students' }, { count: n, n: format.number(n) })
  if (!may('fee', 'write'))
    return (
      <>
        <SetupNav />
        <div className="page">
          <div className="panel">
            <Empty
              title={t('Charging is not for your role')}
              text={t('Somebody who may change fees can bill a class.')}
            />
          </div>
        </div>
      </>
    )
  return (
    <>
      <SetupNav />
      <Wizard title={t('Charge a class')} steps={steps} current={step}>
        {step === 'what' && (
          <Stack gap={16} className="reading">
            <Text>
              {t(
                'Everybody in the class gets an invoice for the instalment, less their concessions; optional fees are charged to their subscribers only. You see each amount before anything is charged, and nobody is charged twice for the same instalment.',
              )}
            </Text>
            {structures.isSuccess && structures.data.length === 0 ? (
              <Alert
                variant="light"
                title={t('No class has fees for {name} yet', { name: year?.name ?? t('this year') })}
              >
                <Text mb={12}>{t('Add what a class pays and when first.')}</Text>
                <Button component={Link} to="/fees/structures" search={{ open: 'new' } as never} variant="default">
                  {t('Add a structure')}
                </Button>
              </Alert>
            ) : (
              <>
                <div className="pair">
                  <NativeSelect
                    label={t('Class')}
                    value={address.class ?? ''}
                    onChange={(e) => setAddress({ class: e.currentTarget.value || undefined, instalment: undefined })}
                    data={[
                      { value: '', label: t('Choose a class') },
                      ...(classes.data ?? [])
                        .filter((c) => structures.data?.some((s) => s.classId === c.id))
                        .map((c) => ({ value: c.id, label: c.name })),
                    ]}
                  />
                  <NativeSelect
                    label={t('Instalment')}
                    disabled={!structure}
                    value={address.instalment ?? ''}
                    onChange={(e) => setAddress({ instalment: e.currentTarget.value || undefined })}
                    data={[
                      { value: '', label: t('Choose an instalment') },
                      ...(structure?.instalments ?? []).map((i) => ({
                        value: String(i.number),
                        label: t('{name}, due {dueDate} ({percent} %)', {
                          name: i.name,
                          dueDate: format.date(i.dueDate),
                          percent: format.number(i.percent),
                        }),
                      })),
                    ]}
                  />
                </div>
                <Trouble error={structures.error} />
                <Text size="sm">
                  {rich('For something besides the instalments, as an excursion: {button}', {
                    button: (
                      <Button variant="default" size="compact-sm" onClick={() => setAddress({ do: 'ad-hoc' })}>
                        {t('Ad-hoc charge…')}
                      </Button>
                    ),
                  })}
                </Text>
                <WizardButtons
                  next={() => setAddress({ step: 'check' })}
                  disabled={!structure || !instalment}
                  label={t('See who is charged what')}
                />
              </>
            )}
          </Stack>
        )}
        {step === 'check' && (
          <Stack gap={16}>
            {plan.error ? (
              <Trouble error={plan.error} retry={() => void plan.refetch()} />
            ) : !plan.data ? (
              <Lines />
            ) : (
              <>
                <Text>
                  {taken.length === 0 ? (
                    t('Nobody would be charged for {name}.', { name: instalment!.name })
                  ) : (
                    <>
                      {rich(
                        {
                          one: '{people} of {className} is charged {amount} for {name}, due {dueDate}',
                          other: '{people} of {className} are charged {amount} for {name}, due {dueDate}',
                        },
                        {
                          count: taken.length,
                          people: <b>{people(taken.length)}</b>,
                          className,
                          amount: <b className="figures">{format.money(amount)}</b>,
                          name: instalment!.name,
                          dueDate: format.date(instalment!.dueDate),
                        },
                      )}
                      {rich('{value}. Their guardians are notified.', {
                        value:
                          waived > 0 &&
                          rich('; concessions take off {waived}, so {amount} is due', {
                            waived: <b className="figures">{format.money(waived)}</b>,
                            amount: <b className="figures">{format.money(amount - waived)}</b>,
                          }),
                      })}
                      {plan.data.proRata > 0 && ' '}
                      {plan.data.proRata > 0 &&
                        rich(
                          {
                            one: '{people} joined during the year and pays a part of it, {proRataAmount} together.',
                            other: '{people} joined during the year and pay a part of it, {proRataAmount} together.',
                          },
                          {
                            count: plan.data.proRata,
                            people: people(plan.data.proRata),
                            proRataAmount: <b className="figures">{format.money(plan.data.proRataAmount)}</b>,
                          },
                        )}
                    </>
                  )}
                  {plan.data.alreadyCharged > 0 && ' '}
                  {plan.data.alreadyCharged > 0 &&
                    t(
                      {
                        one: '{people} was charged before and is left alone.',
                        other: '{people} were charged before and are left alone.',
                      },
                      { count: plan.data.alreadyCharged, people: people(plan.data.alreadyCharged) },
                    )}
                  {plan.data.chargedElsewhere > 0 && ' '}
                  {plan.data.chargedElsewhere > 0 &&
                    t('{people} paid this part of the year in another class.', {
                      people: people(plan.data.chargedElsewhere),
                    })}
                </Text>
                <Group justify="flex-end" mt={-8}>
                  <Export
                    onClick={() =>
                      saveCSV(`charge-${className}-${instalment!.name}.csv`, [
                        ['Student', 'What happens', 'For', 'Fees', 'Concession', 'To pay'],
                        ...plan.data.students.map((s) => {
                          const off = s.outcome !== 'CHARGED' || out.has(s.studentId)
                          return [
                            s.studentName,
                            out.has(s.studentId) ? t('Left out') : (outcomes[s.outcome]?.[1] ?? s.outcome),
                            s.lines.map((l) => `${l.name} ${plain(l.amount)}`).join(', '),
                            plain(s.amount),
                            plain(s.concession),
                            off ? '' : plain(s.amount - s.concession),
                          ]
                        }),
                      ])
                    }
                  />
                </Group>
                <div className="panel">
                  <div
                    className="list-scroll"
                    tabIndex={0}
                    role="region"
                    aria-label={t('Who is charged what')}
                    style={{ maxHeight: 460 }}
                  >
                    <table className="list">
                      <thead>
                        <tr>
                          <th className="tick">
                            <span className="hidden">{t('Charge')}</span>
                          </th>
                          <th scope="col">{t('Student')}</th>
                          <th scope="col" className="only-wide">
                            {t('What happens')}
                          </th>
                          <th scope="col" className="end only-wide">
                            {t('Fees')}
                          </th>
                          <th scope="col" className="end only-wide">
                            {t('Concession')}
                          </th>
                          <th scope="col" className="end">
                            {t('To pay')}
                          </th>
                        </tr>
                      </thead>
                      <tbody>
                        {[...plan.data.students]
                          .sort((a, b) => Number(a.outcome === 'CHARGED') - Number(b.outcome === 'CHARGED'))
                          .map((s) => {
                            const left = s.outcome !== 'CHARGED'
                            const off = out.has(s.studentId)
                            return (
                              <tr key={s.studentId}>
                                <td className="tick">
                                  {!left && (
                                    <Checkbox
                                      size="xs"
                                      aria-label={t('Charge {studentName}', { studentName: s.studentName })}
                                      checked={!off}
                                      onChange={(e) => {
                                        const next = new Set(out)
                                        if (e.currentTarget.checked) next.delete(s.studentId)
                                        else next.add(s.studentId)
                                        setOut(next)
                                      }}
                                    />
                                  )}
                                </td>
                                <td>
                                  {s.studentName}
                                  {s.lines.length > 0 && (
                                    <Text size="xs" c="dimmed" className="figures">
                                      {s.lines
                                        .map(
                                          (l) => `${l.name} ${format.money(l.amount)}${l.rule ? ` (${l.rule})` : ''}`,
                                        )
                                        .join(' · ')}
                                    </Text>
                                  )}
                                  {s.withoutAmount && (
                                    <Text size="xs" c="red.8">
                                      {t('Subscribed to transport, but rides nowhere that has an amount')}
                                    </Text>
                                  )}
                                </td>
                                <td className="only-wide">
                                  <Status tone={off ? 'off' : (outcomes[s.outcome]?.[0] ?? 'off')}>
                                    {off ? t('Left out') : (outcomes[s.outcome]?.[1] ?? s.outcome)}
                                  </Status>
                                </td>
                                <td className="end only-wide">{left ? '' : <Money of={s.amount} />}</td>
                                <td className="end only-wide">{s.concession ? <Money of={s.concession} /> : ''}</td>
                                <td className="end">
                                  {left || off ? (
                                    <Text span c="dimmed">
                                      –
                                    </Text>
                                  ) : (
                                    <Money of={s.amount - s.concession} strong />
                                  )}
                                </td>
                              </tr>
                            )
                          })}
                      </tbody>
                    </table>
                    {plan.data.students.length === 0 && (
                      <Text c="dimmed" ta="center" py={40}>
                        {t('No students in this class.')}
                      </Text>
                    )}
                  </div>
                </div>
                {charge.isPending && <Progress value={100} animated aria-label={t('Charging')} />}
                <WizardButtons
                  back={() => setAddress({ step: undefined })}
                  next={() => setAsking(true)}
                  label={t('Charge {people}…', { people: people(taken.length) })}
                  disabled={taken.length === 0}
                  busy={charge.isPending}
                />
              </>
            )}
            <Confirm
              opened={asking}
              title={t('Charge {people}?', { people: people(taken.length) })}
              action={t('Charge {amount}', { amount: format.money(amount - waived) })}
              busy={charge.isPending}
              error={charge.error}
              onClose={() => {
                setAsking(false)
                charge.reset()
              }}
              onConfirm={() => !charge.isPending && charge.mutate()}
            >
              {t(
                '{name} of {className}. It is on their accounts at once and their guardians are notified. A wrong charge is taken off again by a concession for its invoice.',
                { name: instalment?.name, className },
              )}
            </Confirm>
          </Stack>
        )}
        {step === 'done' && (
          <Stack gap={16} className="reading">
            <Alert variant="light" role="status" title={t('{people} charged', { people: people(result!.charged) })}>
              {result!.concession > 0
                ? result!.alreadyCharged > 0
                  ? t(
                      '{amount} for {name} of {className}, of which {concession} is waived. {people} had been charged before.',
                      {
                        amount: format.money(result!.amount),
                        name: instalment?.name,
                        className,
                        concession: format.money(result!.concession),
                        people: people(result!.alreadyCharged),
                      },
                    )
                  : `${t('{amount} for {name} of {className}, of which {concession} is waived.', { amount: format.money(result!.amount), name: instalment?.name, className, concession: format.money(result!.concession) })} `
                : result!.alreadyCharged > 0
                  ? t('{amount} for {name} of {className}. {people} had been charged before.', {
                      amount: format.money(result!.amount),
                      name: instalment?.name,
                      className,
                      people: people(result!.alreadyCharged),
                    })
                  : `${t('{amount} for {name} of {className}.', { amount: format.money(result!.amount), name: instalment?.name, className })} `}
            </Alert>
            <Group gap={8}>
              <Button
                onClick={() => {
                  setResult(null)
                  setAddress({ class: undefined, instalment: undefined, step: undefined })
                }}
              >
                {t('Charge another class')}
              </Button>
              <Button component={Link} to="/fees/dues" search={{ classId: address.class } as never} variant="default">
                {t('See the dues')}
              </Button>
            </Group>
          </Stack>
        )}
      </Wizard>
      {address.do === 'ad-hoc' && <AdHocDialog close={() => setAddress({ do: undefined })} />}
    </>
  )
}
