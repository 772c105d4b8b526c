import { ActionIcon, Group, SegmentedControl, Text, Title } from '@mantine/core'
import { IconDownload, IconScale } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call } from '../../api/client'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { saveCSV } from '../../patterns/csv'
import { DateField } from '../../patterns/DateField'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Money, usePlainMoney } from '../../patterns/money'
import { Print } from '../../patterns/Print'
import { Sheet } from '../../patterns/Sheet'
import { words } from '../../patterns/words'
import { DayState } from './close-day'
import { modeWord } from './shared'

/** What came in, day by day, and the balance of every account. */
export function Accounts() {
  const [address, setAddress] = useAddress()
  const tab = address.tab === 'balance' ? 'balance' : 'closing'
  return (
    <div className="page">
      <Group justify="space-between" mb={16} gap={12} className="no-print">
        <Title order={1}>{t('Accounts')}</Title>
        <SegmentedControl
          aria-label={t('Which')}
          value={tab}
          onChange={(t) => setAddress({ tab: t === 'closing' ? undefined : t })}
          data={[
            { value: 'closing', label: t('Day closing') },
            { value: 'balance', label: t('Trial balance') },
          ]}
        />
      </Group>
      {tab === 'closing' ? <Closing /> : <Balance />}
    </div>
  )
}

function Tools({
  csv,
  paper,
  children,
}: {
  csv: () => void
  paper: { path: string; query?: Record<string, string>; name: string }
  children?: React.ReactNode
}) {
  return (
    <Group gap={8} mb={16} className="no-print" maw={794}>
      {children}
      <Group gap={4} ms="auto">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Download as CSV')}
          title={t('Download as CSV')}
          onClick={csv}
        >
          <IconDownload size={18} stroke={1.6} />
        </ActionIcon>
        <Print icon {...paper} />
      </Group>
    </Group>
  )
}

function Closing() {
  const format = useFormat()
  const plain = usePlainMoney()
  const [address, setAddress] = useAddress()
  const { from, to } = address
  const q = useQuery({
    queryKey: ['/school-admin/fee/collection', from, to],
    placeholderData: keepPreviousData,
    queryFn: () =>
      call(
        api.GET('/school-admin/fee/collection', {
          params: { query: { ...(from ? { from } : {}), ...(to ? { to } : {}) } },
        }),
      ),
  })
  const d = q.data
  const one = d && d.from === d.to
  const byMode = new Map<string, number>()
  for (const l of d?.days ?? []) byMode.set(l.paymentMode, (byMode.get(l.paymentMode) ?? 0) + l.net)
  return (
    <>
      <Tools
        paper={{
          path: '/school-admin/fee/collection.pdf',
          query: { ...(from ? { from } : {}), ...(to ? { to } : {}) },
          name: `closing-${d?.from}.pdf`,
        }}
        csv={() =>
          d &&
          saveCSV(`closing-${d.from}.csv`, [
            ['Date', 'Method', 'Receipts', 'Received', 'Reversals', 'Reversed', 'Refunds', 'Refunded', 'Net'],
            ...d.days.map((l) => [
              l.date,
              modeWord(l.paymentMode),
              String(l.receipts),
              plain(l.amount),
              String(l.reversals),
              plain(l.reversedTotal),
              String(l.refunds),
              plain(l.refundedTotal),
              plain(l.net),
            ]),
          ])
        }
      >
        <DateField
          aria-label={t('From')}
          value={from ?? d?.from ?? ''}
          onChange={(day) => setAddress({ from: day || undefined, to: to && day > to ? undefined : to }, true)}
        />
        <span aria-hidden>–</span>
        <DateField
          aria-label={t('Until')}
          value={to ?? d?.to ?? ''}
          min={from ?? d?.from}
          onChange={(day) => setAddress({ to: day || undefined }, true)}
        />
      </Tools>
      {q.error ? (
        <div className="reading">
          <Trouble error={q.error} retry={() => void q.refetch()} />
        </div>
      ) : !d ? (
        <Lines />
      ) : (
        <>
          {one && <DayState key={d.from} of={d} />}
          <Sheet
            title={one ? t('Day closing') : t('Collections')}
            number={one ? format.date(d.from) : `${format.date(d.from)} – ${format.date(d.to)}`}
          >
            {d.days.length === 0 ? (
              <Empty
                title={t('No collections')}
                text={t(
                  'Received and reversed amounts are added up here by day and method. Count the cash drawer against them.',
                )}
              />
            ) : (
              <>
                <dl>
                  {[...byMode].map(([m, n]) => (
                    <FragmentPair key={m} k={modeWord(m)} v={format.money(n)} />
                  ))}
                </dl>
                <div className="paper-scroll" tabIndex={0} role="region" aria-label={t('By day and method')}>
                  <table>
                    <thead>
                      <tr>
                        <th scope="col">{t('Date')}</th>
                        <th scope="col">{t('Method')}</th>
                        <th scope="col" className="end">
                          {t('Receipts')}
                        </th>
                        <th scope="col" className="end">
                          {t('Received')}
                        </th>
                        <th scope="col" className="end">
                          {t('Reversed')}
                        </th>
                        <th scope="col" className="end">
                          {t('Refunded')}
                        </th>
                        <th scope="col" className="end">
                          {t('Net')}
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {d.days.map((l) => (
                        <tr key={l.date + l.paymentMode}>
                          <td className="figures">
                            <Link
                              to="/fees/receipts"
                              search={{ from: l.date, to: l.date, paymentMode: l.paymentMode } as never}
                              style={{ color: 'inherit' }}
                            >
                              {format.date(l.date)}
                            </Link>
                          </td>
                          <td>{modeWord(l.paymentMode)}</td>
                          <td className="end figures">{format.number(l.receipts)}</td>
                          <td className="end figures">{format.money(l.amount)}</td>
                          <td className="end figures">
                            {l.reversals ? `${format.money(l.reversedTotal)} (${format.number(l.reversals)})` : '–'}
                          </td>
                          <td className="end figures">
                            {l.refunds ? `${format.money(l.refundedTotal)} (${format.number(l.refunds)})` : '–'}
                          </td>
                          <td className="end figures">{format.money(l.net)}</td>
                        </tr>
                      ))}
                    </tbody>
                    <tfoot>
                      <tr>
                        <td colSpan={6}>{t('Received less reversed and refunded')}</td>
                        <td className="end figures">{format.money(d.total)}</td>
                      </tr>
                    </tfoot>
                  </table>
                </div>
              </>
            )}
          </Sheet>
        </>
      )}
    </>
  )
}

function FragmentPair({ k, v }: { k: string; v: string }) {
  return (
    <>
      <dt>{k}</dt>
      <dd className="figures">{v}</dd>
    </>
  )
}

function Balance() {
  const plain = usePlainMoney()
  const q = useQuery({
    queryKey: ['/school-admin/fee/trial-balance'],
    queryFn: () => call(api.GET('/school-admin/fee/trial-balance')),
  })
  const b = q.data
  if (!b)
    return q.error ? (
      <div className="reading">
        <Trouble error={q.error} retry={() => void q.refetch()} />
      </div>
    ) : (
      <Lines />
    )
  const even = b.totalDebit === b.totalCredit
  if (b.totalDebit === 0 && b.totalCredit === 0)
    return (
      <div className="panel">
        <Empty
          icon={<IconScale size={32} stroke={1.2} />}
          title={t('No entries yet')}
          text={t(
            "Once something is charged or paid, every account's balance is here. Debit and credit always come to the same.",
          )}
        />
      </div>
    )
  return (
    <>
      <Tools
        paper={{ path: '/school-admin/fee/trial-balance.pdf', name: 'trial-balance.pdf' }}
        csv={() =>
          saveCSV('trial-balance.csv', [
            ['Account', 'Code', 'Kind', 'Debit', 'Credit'],
            ...b.accounts.map((a) => [a.name, a.code, words(a.type), plain(a.debit), plain(a.credit)]),
            ['Total', '', '', plain(b.totalDebit), plain(b.totalCredit)],
          ])
        }
      >
        <Text size="sm" c="dimmed">
          {even ? t('Debit and credit are even.') : t('Debit and credit differ: tell support.')}
        </Text>
      </Tools>
      <Sheet title={t('Trial balance')}>
        <div className="paper-scroll" tabIndex={0} role="region" aria-label={t('Trial balance')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('Account')}</th>
                <th scope="col">{t('Kind')}</th>
                <th scope="col" className="end">
                  {t('Debit')}
                </th>
                <th scope="col" className="end">
                  {t('Credit')}
                </th>
              </tr>
            </thead>
            <tbody>
              {b.accounts.map((a) => (
                <tr key={a.code}>
                  <td>{a.name}</td>
                  <td>{words(a.type)}</td>
                  <td className="end">{a.debit ? <Money of={a.debit} /> : ''}</td>
                  <td className="end">{a.credit ? <Money of={a.credit} /> : ''}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <td colSpan={2}>{t('Total')}</td>
                <td className="end">
                  <Money of={b.totalDebit} />
                </td>
                <td className="end">
                  <Money of={b.totalCredit} />
                </td>
              </tr>
            </tfoot>
          </table>
        </div>
      </Sheet>
    </>
  )
}
