import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBellRinging, IconBookmark, IconCalendarDue, IconNotebook } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../api/client'
import type { ItemOf } from '../../api/list'
import { useClasses } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money } from '../../patterns/money'
import { booksMoved, Due, LibraryNav, type Loan, LoanStatus, loanWords } from './shared'

const toDesk = (
  <Button component={Link} to="/library">
    To the desk
  </Button>
)

function useLoanColumns() {
  const format = useFormat()
  return {
    title: { key: 'title', title: 'Book', cell: (l: Loan) => l.title, sort: 'title' as const },
    number: {
      key: 'number',
      title: 'Copy',
      cell: (l: Loan) => <span className="figures">{l.accessionNumber}</span>,
    },
    who: {
      key: 'who',
      title: 'Borrower',
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
    issued: { key: 'issued', title: 'Issued', cell: (l: Loan) => format.date(l.issuedOn) },
    due: {
      key: 'due',
      title: 'Due',
      cell: (l: Loan) => <Due loan={l} />,
      sort: 'dueOn' as const,
      phone: true,
    },
    back: { key: 'back', title: 'Back', cell: (l: Loan) => format.date(l.closedOn) },
    fine: {
      key: 'fine',
      title: 'Fine',
      cell: (l: Loan) => (l.fine + l.charge + l.fineSoFar ? <Money of={l.fine + l.charge + l.fineSoFar} /> : ''),
      end: true,
    },
    status: {
      key: 'status',
      title: 'Status',
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
        title="Loans"
        noun={['loan', 'loans']}
        id={(l) => l.id}
        name={(l) => l.title}
        filters={[{ key: 'status', label: 'Status', options: loanWords }]}
        columns={[c.title, c.number, c.who, { ...c.issued, sort: 'issuedOn' }, c.due, c.back, c.status, c.fine]}
        primary={toDesk}
        empty={
          <Empty
            icon={<IconNotebook size={32} stroke={1.2} />}
            title="Nothing was lent yet"
            text="Every loan is kept here, with when it came back and what it was fined."
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
        title="Overdue"
        noun={['late book', 'late books']}
        id={(l) => l.id}
        name={(l) => l.title}
        filters={[
          {
            key: 'classId',
            label: 'Class',
            options: (classes.data ?? []).map((x) => ({ value: x.id, label: x.name })),
          },
        ]}
        columns={[
          c.title,
          c.number,
          { ...c.who, sort: 'borrowerName' },
          c.issued,
          c.due,
          { ...c.fine, title: 'Fine so far' },
        ]}
        primary={
          may('library', 'write') && (
            <Button leftSection={<IconBellRinging size={16} stroke={1.6} />} onClick={() => setAsking(true)}>
              Send reminders…
            </Button>
          )
        }
        empty={
          <Empty
            icon={<IconCalendarDue size={32} stroke={1.2} />}
            title="No overdue books"
            text="Books that should be back show here, with the fine so far. A reminder goes to the families or employees who have them."
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
      notifications.show({ message: `${format.number(r.sent)} ${r.sent === 1 ? 'reminder' : 'reminders'} sent` })
      close()
    },
  })
  const p = plan.data
  return (
    <Confirm
      opened
      title={
        !p
          ? 'Who would be reminded?'
          : p.sent
            ? `Send ${format.number(p.sent)} ${p.sent === 1 ? 'reminder' : 'reminders'}?`
            : 'Nobody is left to remind today'
      }
      action={p && !p.sent ? 'Close' : 'Send'}
      busy={plan.isPending || send.isPending}
      error={plan.error ?? send.error}
      onClose={close}
      onConfirm={() => (p?.sent ? send.mutate() : close())}
    >
      {p && (
        <>
          {format.number(p.overdue)} {p.overdue === 1 ? 'book is' : 'books are'} late.{' '}
          {p.sent > 0 && 'Borrowers are notified in the app which book to bring back; that costs nothing. '}
          {p.already > 0 &&
            `For ${format.number(p.already)} somebody was notified today already, or nobody has an account.`}
        </>
      )}
    </Confirm>
  )
}

const queueStates: Record<string, ['good' | 'busy' | 'warn' | 'off', string]> = {
  WAITING: ['busy', 'Waiting'],
  READY: ['good', 'Ready at the desk'],
  FULFILLED: ['off', 'Collected'],
  CANCELLED: ['off', 'Cancelled'],
  EXPIRED: ['warn', 'Not collected'],
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
        title="Reservations"
        noun={['reservation', 'reservations']}
        id={(r) => r.id}
        name={(r) => r.title}
        fixed={address.bookId ? { bookId: address.bookId } : undefined}
        filters={[
          {
            key: 'status',
            label: 'Status',
            options: Object.keys(queueStates).map((v) => ({ value: v, label: word(v) })),
          },
        ]}
        columns={[
          { key: 'title', title: 'Book', cell: (r) => r.title, sort: 'title' },
          { key: 'who', title: 'For', cell: (r) => r.borrowerName, phone: true },
          {
            key: 'position',
            title: 'Place',
            cell: (r) => (r.position ? format.number(r.position) : ''),
            end: true,
          },
          {
            key: 'status',
            title: 'Status',
            cell: (r) => <Status tone={queueStates[r.status]?.[0] ?? 'off'}>{word(r.status)}</Status>,
            phone: true,
          },
          {
            key: 'copy',
            title: 'Copy',
            cell: (r) => <span className="figures">{r.accessionNumber}</span>,
          },
          { key: 'until', title: 'Held until', cell: (r) => format.date(r.holdUntil) },
          { key: 'since', title: 'Since', cell: (r) => format.date(r.createdAt), sort: 'createdAt' },
          {
            key: 'drop',
            title: 'Cancel',
            cell: (r) =>
              may('library', 'write') && (r.status === 'WAITING' || r.status === 'READY') ? (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`Cancel for ${r.borrowerName}`}
                  onClick={() => setDropping(r)}
                >
                  Cancel…
                </Button>
              ) : (
                ''
              ),
            end: true,
          },
        ]}
        primary={
          <Button component={Link} to="/library/books">
            Choose a book
          </Button>
        }
        empty={
          <Empty
            icon={<IconBookmark size={32} stroke={1.2} />}
            title="Nobody waits for a book"
            text="When all copies are out, a borrower can be put in the queue from the book itself. The next free copy is held for three days and they are notified."
            action={
              <Button component={Link} to="/library/books">
                Choose a book
              </Button>
            }
          />
        }
      />
      <Confirm
        opened={!!dropping}
        title="Cancel this reservation?"
        action="Cancel the reservation"
        danger
        busy={drop.isPending}
        error={drop.error}
        onClose={() => {
          setDropping(null)
          drop.reset()
        }}
        onConfirm={() => dropping && drop.mutate(dropping.id)}
      >
        {dropping?.borrowerName} no longer waits for {dropping?.title}. The next in the queue moves up.
      </Confirm>
    </>
  )
}
