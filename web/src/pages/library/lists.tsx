import { Anchor, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBellRinging, IconBookmark, IconCalendarDue, IconNotebook } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../api/client'
import type { ItemOf } from '../../api/list'
import { useClasses } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money } from '../../patterns/money'
import { SMSPrice } from '../communication/no-price'
import { booksMoved, Due, LibraryNav, type Loan, LoanStatus, loanWords } from './shared'

const toDesk = (
  <Button component={Link} to="/library">
    {t('To the desk')}
  </Button>
)

function useLoanColumns() {
  const format = useFormat()
  return {
    title: { key: 'title', title: t('Book'), cell: (l: Loan) => l.title, sort: 'title' as const },
    number: {
      key: 'number',
      title: t('Copy'),
      cell: (l: Loan) => <span className="figures">{l.accessionNumber}</span>,
    },
    who: {
      key: 'who',
      title: t('Borrower'),
      cell: (l: Loan) =>
        l.studentId ? (
          <Link to="/fees/ledger" search={{ student: l.studentId } as never} style={{ color: 'inherit' }}>
            {l.borrowerName}
          </Link>
        ) : (
          l.borrowerName
        ),
      phone: true,
    },
    issued: { key: 'issued', title: t('Issued'), cell: (l: Loan) => format.date(l.issuedOn) },
    due: {
      key: 'due',
      title: t('Due'),
      cell: (l: Loan) => <Due loan={l} />,
      sort: 'dueOn' as const,
      phone: true,
    },
    back: { key: 'back', title: t('Back'), cell: (l: Loan) => format.date(l.closedOn) },
    fine: {
      key: 'fine',
      title: t('Fine'),
      cell: (l: Loan) => (l.fine + l.charge + l.fineSoFar ? <Money of={l.fine + l.charge + l.fineSoFar} /> : ''),
      end: true,
    },
    status: {
      key: 'status',
      title: t('Status'),
      cell: (l: Loan) => <LoanStatus of={l.status} />,
    },
  }
}

export function Loans() {
  const c = useLoanColumns()
  return (
    <>
      <LibraryNav />
      <ListPage
        path="/school-admin/library/loan/list"
        title={t('Loans')}
        noun={[t('loan'), t('loans')]}
        id={(l) => l.id}
        name={(l) => l.title}
        filters={[{ key: 'status', label: t('Status'), options: loanWords }]}
        columns={[c.title, c.number, c.who, { ...c.issued, sort: 'issuedOn' }, c.due, c.back, c.status, c.fine]}
        primary={toDesk}
        empty={
          <Empty
            icon={<IconNotebook size={32} stroke={1.2} />}
            title={t('Nothing was lent yet')}
            text={t('Every loan is kept here, with when it came back and what it was fined.')}
            action={toDesk}
          />
        }
      />
    </>
  )
}

export function Overdue() {
  const c = useLoanColumns()
  const may = useMay()
  const classes = useClasses()
  const [asking, setAsking] = useState(false)
  return (
    <>
      <LibraryNav />
      <ListPage
        path="/school-admin/library/overdue"
        title={t('Overdue')}
        noun={[t('late book'), t('late books')]}
        id={(l) => l.id}
        name={(l) => l.title}
        filters={[
          {
            key: 'classId',
            label: t('Class'),
            options: (classes.data ?? []).map((x) => ({ value: x.id, label: x.name })),
          },
        ]}
        columns={[
          c.title,
          c.number,
          { ...c.who, sort: 'borrowerName' },
          c.issued,
          c.due,
          { ...c.fine, title: t('Fine so far') },
        ]}
        above={
          may('message', 'read') && (
            <Anchor
              component={Link}
              to="/dispatch/batches"
              search={{ kind: 'OVERDUE_BOOKS' } as never}
              size="sm"
              display="block"
              mb={16}
            >
              {t('Reminders sent')}
            </Anchor>
          )
        }
        primary={
          may('library', 'write') && (
            <Button leftSection={<IconBellRinging size={16} stroke={1.6} />} onClick={() => setAsking(true)}>
              {t('Send reminders…')}
            </Button>
          )
        }
        empty={
          <Empty
            icon={<IconCalendarDue size={32} stroke={1.2} />}
            title={t('No overdue books')}
            text={t(
              'Books that should be back show here, with the fine so far. A reminder goes to the families or employees who have them.',
            )}
            action={toDesk}
          />
        }
      />
      {asking && <RemindLate close={() => setAsking(false)} />}
    </>
  )
}

function RemindLate({ close }: { close: () => void }) {
  const format = useFormat()
  const plan = useQuery({
    queryKey: ['/school-admin/library/overdue/notice'],
    staleTime: 0,
    gcTime: 0,
    queryFn: () => call(api.POST('/school-admin/library/overdue/notice', { body: { data: { dryRun: true } } })),
  })
  const send = useMutation({
    mutationFn: () => call(api.POST('/school-admin/library/overdue/notice', { body: { data: {} } })),
    onSuccess: (r) => {
      booksMoved()
      notifications.show({
        message: t(
          { one: '{sent} reminder sent', other: '{sent} reminders sent' },
          { count: r.sent, sent: format.number(r.sent) },
        ),
      })
      close()
    },
  })
  const p = plan.data
  return (
    <Confirm
      opened
      title={
        !p
          ? t('Who would be reminded?')
          : p.sent
            ? t(
                { one: 'Send {sent} reminder?', other: 'Send {sent} reminders?' },
                { count: p.sent, sent: format.number(p.sent) },
              )
            : t('Nobody is left to remind today')
      }
      action={p && !p.sent ? t('Close') : t('Send')}
      busy={plan.isPending || send.isPending}
      error={plan.error ?? send.error}
      onClose={close}
      onConfirm={() => (p?.sent ? send.mutate() : close())}
    >
      {p &&
        (p.overdue === 1
          ? p.sent > 0
            ? p.already > 0
              ? t(
                  '{overdue} book is late. Borrowers are notified which book to bring back. For {already} somebody was notified today already, or nobody has an account.',
                  { overdue: format.number(p.overdue), already: format.number(p.already) },
                )
              : `${t('{overdue} book is late. Borrowers are notified which book to bring back.', { overdue: format.number(p.overdue) })} `
            : p.already > 0
              ? t(
                  '{overdue} book is late. For {already} somebody was notified today already, or nobody has an account.',
                  { overdue: format.number(p.overdue), already: format.number(p.already) },
                )
              : `${t('{overdue} book is late.', { overdue: format.number(p.overdue) })} `
          : p.sent > 0
            ? p.already > 0
              ? t(
                  '{overdue} books are late. Borrowers are notified which book to bring back. For {already} somebody was notified today already, or nobody has an account.',
                  { overdue: format.number(p.overdue), already: format.number(p.already) },
                )
              : `${t('{overdue} books are late. Borrowers are notified which book to bring back.', { overdue: format.number(p.overdue) })} `
            : p.already > 0
              ? t(
                  '{overdue} books are late. For {already} somebody was notified today already, or nobody has an account.',
                  { overdue: format.number(p.overdue), already: format.number(p.already) },
                )
              : `${t('{overdue} books are late.', { overdue: format.number(p.overdue) })} `)}
      {p && p.sent > 0 && <SMSPrice mt={8} />}
    </Confirm>
  )
}

const queueStates: Record<string, ['good' | 'busy' | 'warn' | 'off', string]> = {
  WAITING: ['busy', t('Waiting')],
  READY: ['good', t('Ready at the desk')],
  FULFILLED: ['off', t('Collected')],
  CANCELLED: ['off', t('Cancelled')],
  EXPIRED: ['warn', t('Not collected')],
}
type Reservation = ItemOf<'/school-admin/library/reservation/list'>

export function Reservations() {
  const format = useFormat()
  const may = useMay()
  const [address] = useAddress()
  const [dropping, setDropping] = useState<Reservation | null>(null)
  const drop = useMutation({
    mutationFn: (id: string) =>
      call(api.POST('/school-admin/library/reservation/cancel', { body: { data: { reservationId: id } } })),
    onSuccess: () => {
      booksMoved()
      setDropping(null)
    },
  })
  const word = (s: string) => queueStates[s]?.[1] ?? s
  return (
    <>
      <LibraryNav />
      <ListPage
        path="/school-admin/library/reservation/list"
        title={t('Reservations')}
        noun={[t('reservation'), t('reservations')]}
        id={(r) => r.id}
        name={(r) => r.title}
        fixed={address.bookId ? { bookId: address.bookId } : undefined}
        filters={[
          {
            key: 'status',
            label: t('Status'),
            options: Object.keys(queueStates).map((v) => ({ value: v, label: word(v) })),
          },
        ]}
        columns={[
          { key: 'title', title: t('Book'), cell: (r) => r.title, sort: 'title' },
          { key: 'who', title: t('For'), cell: (r) => r.borrowerName, phone: true },
          {
            key: 'position',
            title: t('Place'),
            cell: (r) => (r.position ? format.number(r.position) : ''),
            end: true,
          },
          {
            key: 'status',
            title: t('Status'),
            cell: (r) => <Status tone={queueStates[r.status]?.[0] ?? 'off'}>{word(r.status)}</Status>,
            phone: true,
          },
          {
            key: 'copy',
            title: t('Copy'),
            cell: (r) => <span className="figures">{r.accessionNumber}</span>,
          },
          { key: 'until', title: t('Held until'), cell: (r) => format.date(r.holdUntil) },
          { key: 'since', title: t('Since'), cell: (r) => format.date(r.createdAt), sort: 'createdAt' },
          {
            key: 'drop',
            title: t('Cancel'),
            cell: (r) =>
              may('library', 'write') && (r.status === 'WAITING' || r.status === 'READY') ? (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={t('Cancel for {borrowerName}', { borrowerName: r.borrowerName })}
                  onClick={() => setDropping(r)}
                >
                  {t('Cancel…')}
                </Button>
              ) : (
                ''
              ),
            end: true,
          },
        ]}
        primary={
          <Button component={Link} to="/library/books">
            {t('Choose a book')}
          </Button>
        }
        empty={
          <Empty
            icon={<IconBookmark size={32} stroke={1.2} />}
            title={t('Nobody waits for a book')}
            text={t(
              'When all copies are out, a borrower can be put in the queue from the book itself. The next free copy is held for three days and they are notified.',
            )}
            action={
              <Button component={Link} to="/library/books">
                {t('Choose a book')}
              </Button>
            }
          />
        }
      />
      <Confirm
        opened={!!dropping}
        title={t('Cancel this reservation?')}
        action={t('Cancel the reservation')}
        danger
        busy={drop.isPending}
        error={drop.error}
        onClose={() => {
          setDropping(null)
          drop.reset()
        }}
        onConfirm={() => dropping && drop.mutate(dropping.id)}
      >
        {t('{borrowerName} no longer waits for {title}. The next in the queue moves up.', {
          borrowerName: dropping?.borrowerName,
          title: dropping?.title,
        })}
      </Confirm>
    </>
  )
}
