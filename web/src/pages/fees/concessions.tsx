import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDiscount, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { useYears } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { DateField } from '../../patterns/DateField'
import { Dialog, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money } from '../../patterns/money'
import { DrawerHead, Facts } from '../../patterns/record'
import { useYear } from '../../shell/year'
import { categories, FineDialog, GrantDialog } from './adjust'
import { moneyMoved, useHeads } from './shared'

type Item = Schemas['ConcessionItem']
const states = { ACTIVE: ['good', t('Active')], ENDED: ['off', t('Ended')], ONCE: ['off', t('Given once')] } as const

function State({ of }: { of: Item }) {
  const format = useFormat()
  const [tone, word] = states[of.status as keyof typeof states] ?? ['off', of.status]
  return (
    <Status tone={of.status === 'ACTIVE' && of.endsOn ? 'warn' : tone}>
      {of.status === 'ACTIVE' && of.endsOn ? t('Ends {endsOn}', { endsOn: format.date(of.endsOn) }) : word}
    </Status>
  )
}

export function Concessions() {
  const format = useFormat()
  const may = useMay()
  const [address, setAddress] = useAddress()
  const heads = useHeads()
  const { year } = useYear()
  const close = () => setAddress({ do: undefined })
  const grant = may('fee', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ do: 'grant' })}>
      {t('Grant a concession')}
    </Button>
  )
  const value = (g: Item) => (g.mode === 'PERCENT' ? `${format.number(g.value)} %` : format.money(g.value))
  return (
    <>
      <ListPage
        path="/school-admin/fee/concession/list"
        title={t('Concessions')}
        noun={[t('concession'), t('concessions')]}
        id={(g) => g.id}
        name={(g) => t('Concession of {studentName}', { studentName: g.studentName })}
        search={t('Student or reason')}
        fixed={year ? { academicYearId: year.id } : undefined}
        filters={[
          {
            key: 'status',
            label: t('State'),
            options: Object.entries(states).map(([v, [, label]]) => ({ value: v, label: label.toLowerCase() })),
          },
          { key: 'category', label: t('Why'), options: categories },
          {
            key: 'feeHeadId',
            label: t('Of'),
            options: (heads.data ?? []).map((h) => ({ value: h.id, label: h.name })),
          },
        ]}
        columns={[
          { key: 'student', title: t('Student'), cell: (g) => g.studentName, sort: 'studentName' },
          {
            key: 'admission',
            title: t('Admission no.'),
            cell: (g) => <span className="figures">{g.admissionNumber}</span>,
          },
          {
            key: 'value',
            title: t('How much'),
            cell: (g) => <span className="figures">{value(g)}</span>,
            phone: true,
          },
          { key: 'of', title: t('Of'), cell: (g) => g.invoiceNumber || g.feeHeadName || t('All heads') },
          { key: 'why', title: t('Why'), cell: (g) => categories.find((c) => c.value === g.category)?.label ?? '' },
          { key: 'reason', title: t('Reason'), cell: (g) => g.reason, hidden: true },
          {
            key: 'state',
            title: t('State'),
            cell: (g) => <State of={g} />,
          },
          {
            key: 'given',
            title: t('Given so far'),
            cell: (g) => <Money of={g.given} />,
            end: true,
            phone: true,
          },
        ]}
        primary={grant}
        more={
          may('fee', 'write') && (
            <Button variant="default" onClick={() => setAddress({ do: 'fine' })}>
              {t('Fine a student')}
            </Button>
          )
        }
        empty={
          <Empty
            icon={<IconDiscount size={32} stroke={1.2} />}
            title={t('No concessions this year')}
            text={t(
              'What a student need not pay: a percentage or an amount, of all heads or one. It holds for the year and can be ended from a day on.',
            )}
            action={grant}
            example={t('For example: 10 % of tuition for the second child at the school.')}
          />
        }
        drawer={(id, shut) => <ConcessionDrawer id={id} close={shut} key={id} />}
      />
      {address.do === 'grant' && <GrantDialog close={close} />}
      {address.do === 'fine' && <FineDialog close={close} />}
    </>
  )
}

function ConcessionDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const may = useMay()
  const years = useYears()
  const [ending, setEnding] = useState(false)
  const [day, setDay] = useState('')
  const q = useQuery({
    queryKey: ['/school-admin/fee/concession/', id],
    queryFn: () => call(api.GET('/school-admin/fee/concession/{id}', { params: { path: { id } } })),
  })
  const end = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/fee/concession/{id}/end', {
          params: { path: { id } },
          body: { data: day ? { endsOn: day } : {} },
        }),
      ),
    onSuccess: () => {
      moneyMoved()
      setEnding(false)
    },
  })
  const g = q.data
  if (!g)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  const problem = end.error ? asProblem(end.error) : null
  return (
    <>
      <DrawerHead
        title={t('Concession of {studentName}', { studentName: g.studentName })}
        close={close}
        summary={<State of={g} />}
        actions={
          may('fee', 'write') &&
          g.status === 'ACTIVE' &&
          !g.endsOn && (
            <Button variant="default" size="compact-md" onClick={() => setEnding(true)}>
              {t('End…')}
            </Button>
          )
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          <Facts
            of={[
              [
                t('Student'),
                <Link key="s" to="/fees/ledger" search={{ student: g.studentId } as never} style={{ color: 'inherit' }}>
                  {g.studentName}
                </Link>,
              ],
              [t('How much'), g.mode === 'PERCENT' ? `${format.number(g.value)} %` : format.money(g.value)],
              [
                t('Of'),
                g.invoiceNumber
                  ? t('Invoice {invoiceNumber}', { invoiceNumber: g.invoiceNumber })
                  : g.feeHeadName || t('All fee heads'),
              ],
              [t('Year'), years.data?.find((y) => y.id === g.academicYearId)?.name],
              [t('Why'), categories.find((c) => c.value === g.category)?.label],
              [t('Reason'), g.reason],
              [t('Given so far'), <Money key="m" of={g.given} />],
              [t('Granted'), format.dateTime(g.createdAt)],
              ...(g.endsOn
                ? ([
                    [
                      t('Ends'),
                      t('{endsOn}: what is due from that day on is charged whole', { endsOn: format.date(g.endsOn) }),
                    ],
                  ] as [string, string][])
                : []),
            ]}
          />
          {g.status === 'ONCE' && (
            <Text c="dimmed" size="sm">
              {t('It was given on one invoice and is done; there is nothing to end.')}
            </Text>
          )}
        </Stack>
      </div>
      <Dialog
        opened={ending}
        title={t('End this concession?')}
        onClose={() => {
          setEnding(false)
          end.reset()
        }}
      >
        <form
          onSubmit={(e) => {
            e.preventDefault()
            end.mutate()
          }}
        >
          <Stack gap={16}>
            <Text>
              {t(
                'Instalments due from this day on are charged whole. The {given} given so far stays with {studentName}.',
                { given: format.money(g.given), studentName: g.studentName },
              )}
            </Text>
            <DateField
              label={t('From')}
              description={t('Leave empty for today')}
              value={day}
              onChange={(day) => setDay(day)}
              error={problem?.fields.endsOn}
            />
            {problem && !problem.fields.endsOn && <Trouble error={problem} />}
            <Group justify="flex-end" gap={8}>
              <Button variant="default" onClick={() => setEnding(false)}>
                {t('Cancel')}
              </Button>
              <Button type="submit" color="red.8" loading={end.isPending}>
                {t('End it')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  )
}
