import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload, IconReceiptOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, asProblem, call, download, type Schemas } from '../../api/client'
import { t } from '../../messages/console'
import { Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money } from '../../patterns/money'
import { DrawerHead, Facts } from '../../patterns/record'
import { type Answer, ReceiptsNav } from './shared'

/** Everything the school gave up of what was due, newest first. */
export function WriteOffs() {
  const format = useFormat()
  return (
    <ListPage
      path="/school-admin/fee/write-off/list"
      title={t('Write-offs')}
      noun={[t('write-off'), t('write-offs')]}
      above={<ReceiptsNav />}
      id={(w) => w.id}
      name={(w) => w.writeOffNumber}
      search={t('Number, student or reason')}
      columns={[
        {
          key: 'number',
          title: t('Write-off'),
          cell: (w) => (
            <>
              <span className="figures">{w.writeOffNumber}</span>
              <Text size="xs" c="dimmed" className="only-narrow">
                {w.studentName}
              </Text>
            </>
          ),
        },
        { key: 'student', title: t('Student'), cell: (w) => w.studentName, sort: 'studentName' },
        {
          key: 'at',
          title: t('Written off'),
          cell: (w) => <span className="figures">{format.date(w.writtenOffOn)}</span>,
          sort: 'writtenOffOn',
        },
        { key: 'reason', title: t('Reason'), cell: (w) => w.reason },
        { key: 'state', title: t('Status'), cell: (w) => w.reversed && <Status tone="off">{t('Reversed')}</Status> },
        { key: 'by', title: t('By'), cell: (w) => w.writtenOffByName, hidden: true },
        {
          key: 'amount',
          title: t('Amount'),
          cell: (w) => <Money of={w.amount} />,
          sort: 'amount',
          end: true,
          phone: true,
        },
      ]}
      empty={
        <Empty
          icon={<IconReceiptOff size={32} stroke={1.2} />}
          title={t('No write-offs yet')}
          text={t(
            "What is due is written off from the student's account. Every write-off has a number of its own, without gaps.",
          )}
        />
      }
      drawer={(id, close) => <WriteOffDrawer id={id} close={close} key={id} />}
    />
  )
}

function WriteOffDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/school-admin/fee/write-off', id],
    queryFn: () =>
      call(
        api.GET('/school-admin/fee/write-off/{id}', { params: { path: { id } } }) as Answer<Schemas['WriteOffReceipt']>,
      ),
  })
  const w = q.data
  if (!w)
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
        title={t('Write-off {writeOffNumber}', { writeOffNumber: w.writeOffNumber })}
        close={close}
        summary={<Money of={w.amount} />}
      />
      <div className="drawer-body">
        <Stack gap={24}>
          <Facts
            of={[
              [
                t('Student'),
                <Link key="s" to="/fees/ledger" search={{ student: w.studentId } as never} style={{ color: 'inherit' }}>
                  {w.studentName}
                </Link>,
              ],
              [t('Admission no.'), w.admissionNumber],
              [t('Class'), w.className],
              [t('Written off'), format.date(w.writtenOffOn)],
              [t('By'), w.writtenOffByName],
              [t('Reason'), w.reason],
              ...w.invoices.map((i) => [i.name, format.money(i.amount)] as [string, string]),
              [t('Status'), w.reversed ? t('Reversed') : ''],
            ]}
          />
          <Group>
            <Button
              leftSection={<IconDownload size={16} stroke={1.6} />}
              onClick={() =>
                void download(
                  `/school-admin/fee/write-off/${w.id}`,
                  { format: 'pdf' },
                  `write-off-${w.writeOffNumber.replaceAll('/', '-')}.pdf`,
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
