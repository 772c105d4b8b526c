import { notifications } from '@mantine/notifications'
// What the fee pages have in common: how people pay, how late something is, a student's account.
import { useQuery } from '@tanstack/react-query'
import { api, asProblem, call, openPaper, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Status } from '../../patterns/feedback'
import { SubNav } from '../../patterns/SubNav'

export type Report = Schemas['Report']
export type Invoice = Schemas['Invoice']

export const modes = [
  { value: 'CASH', label: t('Cash'), how: t('in cash') },
  { value: 'CHEQUE', label: t('Cheque'), how: t('by cheque') },
  { value: 'UPI', label: t('UPI'), how: t('by UPI') },
  { value: 'CARD', label: t('Card'), how: t('by card') },
  { value: 'BANK_TRANSFER', label: t('Bank transfer'), how: t('by bank transfer') },
  { value: 'ONLINE', label: t('Online'), how: t('online') },
] as const
export const modeHow = (m: string) => modes.find((x) => x.value === m)?.how ?? ''
export const modeWord = (m: string) => modes.find((x) => x.value === m)?.label ?? m

export type Answer<T> = Promise<{ data?: { data: T }; error?: unknown; response: Response }>

/** A student's account: every entry, and what of each invoice is open. */
export function useReport(studentId: string | undefined) {
  return useQuery({
    queryKey: ['/school-admin/fee/report', studentId],
    enabled: !!studentId,
    queryFn: () =>
      call(
        api.GET('/school-admin/fee/report/{studentId}', {
          params: { path: { studentId: studentId! } },
        }) as Answer<Report>,
      ),
  })
}

/** What is open for a student and their siblings. */
export function useFamily(studentId: string | undefined) {
  return useQuery({
    queryKey: ['/school-admin/fee/family', studentId],
    enabled: !!studentId,
    queryFn: () =>
      call(api.GET('/school-admin/fee/family/{studentId}', { params: { path: { studentId: studentId! } } })),
  })
}

export function useReceipt(id: string | undefined) {
  return useQuery({
    queryKey: ['/school-admin/fee/receipt', id],
    enabled: !!id,
    queryFn: () =>
      call(api.GET('/school-admin/fee/receipt/{id}', { params: { path: { id: id! } } }) as Answer<Schemas['Receipt']>),
  })
}

export function useHeads() {
  return useQuery({
    queryKey: ['/school-admin/fee/head/list', 'all'],
    queryFn: () => fetchAll('/school-admin/fee/head/list'),
  })
}

/** After money moved, everything about money is asked for again. */
export const moneyMoved = () => changed('/school-admin/fee/', '/school-admin/dashboard/')

/** Days from a due date to today; below zero it is not due yet. */
function daysLate(due: string): number {
  const today = new Date()
  return Math.round(
    (Date.UTC(today.getFullYear(), today.getMonth(), today.getDate()) - Date.parse(`${due}T00:00:00Z`)) / 86_400_000,
  )
}

export function lateWords(due: string): string {
  const n = daysLate(due)
  return n > 0
    ? t({ one: '{n} day late', other: '{n} days late' }, { count: n, n })
    : n === 0
      ? t('Due today')
      : n === -1
        ? t('In {value} day', { value: -n })
        : t('In {value} days', { value: -n })
}

const states: Record<string, ['good' | 'busy' | 'warn' | 'bad' | 'off', string]> = {
  PAID: ['good', t('Paid')],
  PARTIAL: ['busy', t('Partly paid')],
  UNPAID: ['busy', t('Not paid yet')],
  OVERDUE: ['bad', t('Overdue')],
  WAIVED: ['off', t('Waived')],
}

export function InvoiceState({ of }: { of: string }) {
  const [tone, word] = states[of] ?? ['off', of]
  return <Status tone={tone}>{word}</Status>
}

export const classOf = (s: { className: string; divisionName: string }) => `${s.className} ${s.divisionName}`.trim()

export const SetupNav = () => (
  <SubNav
    label={t('Fee set-up')}
    items={[
      { to: '/fees/structures', title: t('Structures') },
      { to: '/fees/heads', title: t('Fee heads') },
      { to: '/fees/subscriptions', title: t('Subscribers') },
      { to: '/fees/rules', title: t('Automatic concessions') },
      { to: '/fees/charge', title: t('Charge') },
      { to: '/fees/opening-balances', title: t('Opening balances') },
    ]}
  />
)

export const ReceiptsNav = () => (
  <SubNav
    label={t('Receipts')}
    items={[
      { to: '/fees/receipts', title: t('Receipts') },
      { to: '/fees/refunds', title: t('Refunds') },
      { to: '/fees/write-offs', title: t('Write-offs') },
    ]}
  />
)

export const receiptPDF = (r: { id: string; receiptNumber: string }, take = openPaper) =>
  take(
    `/school-admin/fee/receipt/${r.id}`,
    { format: 'pdf' },
    `receipt-${r.receiptNumber.replaceAll('/', '-')}.pdf`,
  ).catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))
