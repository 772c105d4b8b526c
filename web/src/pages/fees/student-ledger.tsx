import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Money } from '../../patterns/money'
import { InvoiceState, lateWords, useReport } from './shared'

/** The account inside a student's drawer: what is open, and what happened last. */
export function StudentLedger({ id }: { id: string }) {
  const format = useFormat()
  const may = useMay()
  const q = useReport(id)
  const r = q.data
  if (!r) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  return (
    <Stack gap={24}>
      <Group justify="space-between" align="flex-end">
        <div>
          <Text size="sm" c="dimmed">
            {r.balance < 0 ? t('Advance') : t('Outstanding')}
          </Text>
          <div className="owed">{format.money(Math.abs(r.balance))}</div>
        </div>
        <Group gap={8}>
          <Button component={Link} to="/fees/ledger" search={{ student: id } as never} variant="default">
            {t('Statement')}
          </Button>
          {may('fee', 'write') && (
            <Button component={Link} to="/fees/collect" search={{ student: id } as never}>
              {t('Collect fee')}
            </Button>
          )}
        </Group>
      </Group>
      {r.entries.length === 0 && (
        <Empty
          title={t('Nothing was charged yet')}
          text={t('Charges, payments, concessions and fines of this student appear here with the balance after each.')}
        />
      )}
      {r.invoices.length > 0 && (
        <section aria-label={t('Invoices')}>
          <Text className="section" mt={0}>
            {t('Invoices')}
          </Text>
          <Stack gap={0} className="panel">
            {r.invoices.map((i, n) => (
              <Group
                key={i.id}
                justify="space-between"
                p={12}
                gap={12}
                wrap="nowrap"
                style={n ? { borderTop: '1px solid var(--line)' } : undefined}
              >
                <div>
                  <Text fw={500}>{i.name}</Text>
                  <Text size="xs" c="dimmed">
                    {format.date(i.dueDate)}
                    {i.open > 0 && ` · ${lateWords(i.dueDate).toLowerCase()}`}
                  </Text>
                </div>
                <div style={{ textAlign: 'end' }}>
                  <Money of={i.open || i.charged - i.concession} strong={i.open > 0} />
                  <Text size="xs" component="div">
                    <InvoiceState of={i.state} />
                  </Text>
                </div>
              </Group>
            ))}
          </Stack>
        </section>
      )}
      {r.entries.length > 0 && (
        <section aria-label={t('Entries')}>
          <Text className="section" mt={0}>
            {t('What happened')}
          </Text>
          <ul className="moments">
            {[...r.entries]
              .reverse()
              .slice(0, 30)
              .map((e, i) => (
                <li key={i}>
                  <Group justify="space-between" wrap="nowrap" gap={12} align="flex-start">
                    <div>
                      <Text>
                        {e.narration}
                        {e.receiptId && (
                          <>
                            ,{' '}
                            <Anchor
                              component={Link}
                              to="/fees/receipt"
                              search={{ id: e.receiptId } as never}
                              underline="always"
                              className="figures"
                            >
                              {e.receiptNumber}
                            </Anchor>
                          </>
                        )}
                      </Text>
                      <Text size="sm" c="dimmed">
                        {format.date(e.date)}
                      </Text>
                    </div>
                    <div style={{ textAlign: 'end', whiteSpace: 'nowrap' }}>
                      <Text className="figures">
                        {e.entryType === 'DR' ? '+' : '−'} {format.money(e.amount)}
                      </Text>
                      <Text size="sm" c="dimmed" className="figures">
                        {format.money(e.balance)}
                      </Text>
                    </div>
                  </Group>
                </li>
              ))}
          </ul>
        </section>
      )}
    </Stack>
  )
}
