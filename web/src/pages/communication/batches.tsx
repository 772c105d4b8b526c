import { IconBellRinging } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/console'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts } from '../../patterns/record'
import { DispatchNav } from './delivery'
import { Reach } from './reach'

const kinds: Record<Schemas['NoticeBatch']['kind'], string> = {
  FEE_REMINDER: t('Fee reminders'),
  FEE_CHARGE: t('Fees charged'),
  OVERDUE_BOOKS: t('Overdue books'),
}

/** What one act of the office told many people, each of their own: whom it reached, and the rest by another channel. */
export function NoticeBatches() {
  const format = useFormat()
  return (
    <>
      <DispatchNav />
      <ListPage
        path="/school-admin/notification/batch/list"
        title={t('Notifications to many')}
        noun={[t('batch of notifications'), t('batches of notifications')]}
        id={(b) => b.id}
        name={(b) => kinds[b.kind]}
        filters={[
          {
            key: 'kind',
            label: t('About'),
            options: Object.entries(kinds).map(([value, label]) => ({ value, label })),
          },
        ]}
        columns={[
          { key: 'kind', title: t('About'), cell: (b) => kinds[b.kind] },
          { key: 'at', title: t('When'), cell: (b) => format.dateTime(b.sentAt), sort: 'sentAt', phone: true },
          { key: 'by', title: t('Sent by'), cell: (b) => b.sentByName },
          { key: 'people', title: t('Recipients'), cell: (b) => format.number(b.people), end: true, phone: true },
        ]}
        empty={
          <Empty
            icon={<IconBellRinging size={32} stroke={1.2} />}
            title={t('Nothing was sent to many yet')}
            text={t(
              'When a class is charged, or reminders of fees or books are sent, each family is notified of its own. Whom it reached shows here, and the rest can be sent it by another channel.',
            )}
          />
        }
        drawer={(id, close) => <BatchDrawer id={id} close={close} key={id} />}
      />
    </>
  )
}

function BatchDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/school-admin/notification/batch/', id],
    queryFn: () => call(api.GET('/school-admin/notification/batch/{id}', { params: { path: { id } } })),
  })
  const b = q.data
  return (
    <>
      <DrawerHead title={b ? kinds[b.kind] : ' '} close={close} />
      <div className="drawer-body">
        {b ? (
          <>
            <Facts
              of={[
                [t('When'), format.dateTime(b.sentAt)],
                ...(b.sentByName ? ([[t('Sent by'), b.sentByName]] as [string, string][]) : []),
              ]}
            />
            <Reach recordId={b.id} version={0} mt={24} />
          </>
        ) : q.error ? (
          <Trouble error={q.error} retry={() => void q.refetch()} />
        ) : (
          <Lines />
        )}
      </div>
    </>
  )
}
