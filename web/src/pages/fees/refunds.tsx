import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCashBanknoteMinus, IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, asProblem, call, download, type Schemas } from '../../api/client'
import { t } from '../../messages/console'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money } from '../../patterns/money'
import { DrawerHead, Facts } from '../../patterns/record'
import { type Answer, modeWord, ReceiptsNav } from './shared'

/** Every payment out, newest first. */
export function Refunds() {
  const format = useFormat()
  return (
    <ListPage
      path="/school-admin/fee/refund/list"
      title={t('Refunds')}
      noun={[t('refund'), t('refunds')]}
      above={<ReceiptsNav />}
      id={(r) => r.id}
      name={(r) => r.refundNumber}
      search={t('Refund, student or reference')}
      columns={[
        {
          key: 'number',
          title: t('Refund'),
          cell: (r) => (
            <>
              <span className="figures">{r.refundNumber}</span>
              <Text size="xs" c="dimmed" className="only-narrow">
                {r.studentName}
              </Text>
            </>
          ),
        },
        { key: 'student', title: t('Student'), cell: (r) => r.studentName, sort: 'studentName' },
        {
          key: 'at',
          title: t('Paid'),
          cell: (r) => <span className="figures">{format.date(r.paidOn)}</span>,
          sort: 'paidAt',
        },
        { key: 'mode', title: t('Method'), cell: (r) => modeWord(r.paymentMode) },
        { key: 'reason', title: t('Reason'), cell: (r) => r.reason },
        { key: 'by', title: t('By'), cell: (r) => r.paidByName, hidden: true },
        {
          key: 'amount',
          title: t('Amount'),
          cell: (r) => <Money of={r.amount} />,
          sort: 'amount',
          end: true,
          phone: true,
        },
      ]}
      empty={
        <Empty
          icon={<IconCashBanknoteMinus size={32} stroke={1.2} />}
          title={t('No refunds yet')}
          text={t(
            "An advance is given back from the student's account. Every refund has a number of its own, without gaps.",
          )}
        />
      }
      drawer={(id, close) => <RefundDrawer id={id} close={close} key={id} />}
    />
  )
}

function RefundDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/school-admin/fee/refund', id],
    queryFn: () =>
      call(api.GET('/school-admin/fee/refund/{id}', { params: { path: { id } } }) as Answer<Schemas['Refund']>),
  })
  const r = q.data
  if (!r)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  return (
    <>
      <DrawerHead
        title={t('Refund {refundNumber}', { refundNumber: r.refundNumber })}
        close={close}
        summary={<Money of={r.amount} />}
      />
      <div className="drawer-body">
        <Stack gap={24}>
          <Facts
            of={[
              [
                t('Student'),
                <Link key="s" to="/fees/ledger" search={{ student: r.studentId } as never} style={{ color: 'inherit' }}>
                  {r.studentName}
                </Link>,
              ],
              [t('Admission no.'), r.admissionNumber],
              [t('Class'), r.className],
              [t('Paid'), format.date(r.paidOn)],
              [t('By'), r.paidByName],
              [t('Method'), modeWord(r.paymentMode)],
              [t('Reference'), r.referenceNumber],
              [t('Reason'), r.reason],
            ]}
          />
          <Group>
            <Button
              leftSection={<IconDownload size={16} stroke={1.6} />}
              onClick={() =>
                void download(
                  `/school-admin/fee/refund/${r.id}`,
                  { format: 'pdf' },
                  `refund-${r.refundNumber.replaceAll('/', '-')}.pdf`,
                ).catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))
              }
            >
              {t('PDF')}
            </Button>
          </Group>
        </Stack>
      </div>
    </>
  )
}
