// What the library's pages have in common.
import { useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { fetchList } from '../../api/list'
import { changed } from '../../api/queries'
import { Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import type { Person } from '../../patterns/PersonPicker'
import { SubNav } from '../../patterns/SubNav'

export type Copy = Schemas['CopyView']
export type Loan = Schemas['Loan']

export const LibraryNav = () => (
  <SubNav
    label="Library"
    items={[
      { to: '/library', title: 'Desk' },
      { to: '/library/books', title: 'Books' },
      { to: '/library/loans', title: 'Loans' },
      { to: '/library/overdue', title: 'Overdue' },
      { to: '/library/reservations', title: 'Reservations' },
    ]}
  />
)

/** After something was lent or came back. A late one is on the fee account. */
export const booksMoved = () => changed('/school-admin/library/', '/school-admin/fee/')

export const lookUp = (code: string) =>
  call(api.GET('/school-admin/library/copy/lookup', { params: { query: { code } } }))

/** The open loan of a copy, with what it would be fined today. */
export async function loanOf(copy: Copy): Promise<Loan | null> {
  if (copy.status !== 'ISSUED') return null
  return (
    (
      await fetchList('/school-admin/library/loan/list', {
        page: 1,
        limit: 1,
        filters: { copyId: copy.id, open: 'true' },
      })
    ).items[0] ?? null
  )
}

export function useOpenLoans(p: Person | null) {
  return useQuery({
    queryKey: ['/school-admin/library/loan/list', 'of', p?.id],
    enabled: !!p,
    queryFn: async () =>
      (
        await fetchList('/school-admin/library/loan/list', {
          page: 1,
          limit: 50,
          sort: 'dueOn',
          filters: { [p!.kind === 'student' ? 'studentId' : 'employeeId']: p!.id, open: 'true' },
        })
      ).items,
  })
}

const loanStates: Record<string, ['good' | 'busy' | 'bad' | 'off', string]> = {
  ISSUED: ['busy', 'Out'],
  OVERDUE: ['bad', 'Overdue'],
  RETURNED: ['good', 'Returned'],
  LOST: ['off', 'Lost'],
}
const copyStates: Record<string, ['good' | 'busy' | 'warn' | 'off', string]> = {
  AVAILABLE: ['good', 'On the shelf'],
  ISSUED: ['busy', 'Out'],
  HELD: ['warn', 'Held'],
  LOST: ['off', 'Lost'],
  WITHDRAWN: ['off', 'Withdrawn'],
}
export const loanWords = Object.entries(loanStates).map(([value, [, label]]) => ({ value, label }))

export function LoanStatus({ of }: { of: string }) {
  const [tone, word] = loanStates[of] ?? ['off', of]
  return <Status tone={tone}>{word}</Status>
}
export function CopyStatus({ of }: { of: string }) {
  const [tone, word] = copyStates[of] ?? ['off', of]
  return <Status tone={tone}>{word}</Status>
}

export function Due({ loan }: { loan: Pick<Loan, 'dueOn' | 'daysLate' | 'closedOn'> }) {
  const format = useFormat()
  return (
    <span className="figures">
      {format.date(loan.dueOn)}
      {loan.daysLate > 0 && !loan.closedOn && (
        <span className="why">
          {' '}
          {loan.daysLate} {loan.daysLate === 1 ? 'day' : 'days'} late
        </span>
      )}
    </span>
  )
}
