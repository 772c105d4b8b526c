// What the library's pages have in common.
import { useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { fetchAll, fetchList } from '../../api/list'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import type { Person } from '../../patterns/PersonPicker'
import { SubNav } from '../../patterns/SubNav'

export type Copy = Schemas['CopyView']
export type Loan = Schemas['Loan']

export const LibraryNav = () => (
  <SubNav
    label={t('Library')}
    items={[
      { to: '/library', title: t('Desk') },
      { to: '/library/books', title: t('Books') },
      { to: '/library/loans', title: t('Loans') },
      { to: '/library/overdue', title: t('Overdue') },
      { to: '/library/reservations', title: t('Reservations') },
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
    queryFn: () =>
      fetchAll('/school-admin/library/loan/list', {
        sort: 'dueOn',
        filters: { [p!.kind === 'student' ? 'studentId' : 'employeeId']: p!.id, open: 'true' },
      }),
  })
}

const loanStates: Record<string, ['good' | 'busy' | 'bad' | 'off', string]> = {
  ISSUED: ['busy', t('Out')],
  OVERDUE: ['bad', t('Overdue')],
  RETURNED: ['good', t('Returned')],
  LOST: ['off', t('Lost')],
}
const copyStates: Record<string, ['good' | 'busy' | 'warn' | 'off', string]> = {
  AVAILABLE: ['good', t('On the shelf')],
  ISSUED: ['busy', t('Out')],
  HELD: ['warn', t('Held')],
  LOST: ['off', t('Lost')],
  WITHDRAWN: ['off', t('Withdrawn')],
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
          {t(
            { one: '{daysLate} day late', other: '{daysLate} days late' },
            { count: loan.daysLate, daysLate: loan.daysLate },
          )}
        </span>
      )}
    </span>
  )
}
