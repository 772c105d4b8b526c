import type { Schemas } from '../../api/client'
import { fetchWhole } from '../../api/list'
import { type Key, t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { Card, Shown, Status } from '../ui'
import { SchoolPage } from './children'

type Loan = Schemas['ChildLoan']

export const useLoans = (student: string) =>
  useRead(['/parent/library/loan/list', student], () =>
    fetchWhole('/parent/library/loan/list', { filters: { studentId: student }, sort: 'issuedOn', order: 'desc' }),
  )

/** What a child has borrowed: what is to be brought back first. */
export function Library({ student }: { student: string }) {
  return (
    <SchoolPage student={student} tab="library" title={t('school.library')}>
      {(child) => <Loans student={child.id} />}
    </SchoolPage>
  )
}

function Loans({ student }: { student: string }) {
  const read = useLoans(student)
  return (
    <Shown of={read} lines={4} dated isEmpty={(d) => d.items.length === 0} empty="library.none">
      {({ items }) => {
        const open = items.filter((l) => l.closedOn === null)
        const closed = items.filter((l) => l.closedOn !== null)
        return (
          <>
            <LoanCard title={t('library.now')} of={open} />
            <LoanCard title={t('library.before')} of={closed} />
          </>
        )
      }}
    </Shown>
  )
}

function LoanCard({ title, of }: { title: string; of: Loan[] }) {
  if (of.length === 0) return null
  return (
    <Card label={title}>
      <h2>{title}</h2>
      <ul className="rows">
        {of.map((l) => (
          <LoanRow key={l.id} of={l} />
        ))}
      </ul>
    </Card>
  )
}

const states: Record<string, [Key, 'good' | 'bad' | 'plain']> = {
  OVERDUE: ['library.overdue', 'bad'],
  LOST: ['library.lost', 'bad'],
  RETURNED: ['library.returned', 'good'],
}

function LoanRow({ of }: { of: Loan }) {
  const format = useFormat()
  const state = states[of.status]
  const owed = of.fineSoFar || of.fine || of.charge
  return (
    <li>
      <div className="between">
        <span className="line-title">{of.title}</span>
        {state && <Status tone={state[1]}>{t(state[0])}</Status>}
      </div>
      <span className="note">
        {of.closedOn
          ? t('library.backOn', { date: format.date(of.closedOn) })
          : t('fees.dueOn', { date: format.date(of.dueOn) })}
      </span>
      {owed > 0 && (
        <span className="note">
          {t(of.fineSoFar ? 'library.fineSoFar' : 'library.charged', { amount: format.money(owed) })}
        </span>
      )}
    </li>
  )
}
