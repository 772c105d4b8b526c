// What waits for who is signed in, by what they may read; for everybody the pages they may open.
import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, type Schemas } from '../../api/client'
import { useMay, useSession } from '../../api/session'
import { Figure, Figures } from '../../patterns/board'
import { Trouble } from '../../patterns/feedback'
import { useFormat, words } from '../../patterns/format'
import { navFor } from '../../shell/nav'

type Marks = Schemas['Marks']

/** How many are marked, before what share of them came. */
export function Marked({ marks: m, dayOff }: { marks: Marks | undefined; dayOff?: boolean }) {
  const format = useFormat()
  const came = m && m.present + m.late
  const marked = m && m.present + m.late + m.absent + m.leave
  const off = dayOff ?? (m && m.students > 0 && marked! + m.noMark === 0)
  const share = marked ? format.number(Math.round((came! * 1000) / marked) / 10) : ''
  return (
    <Figure
      label="Marked today"
      value={marked}
      to="/register"
      search={{ view: 'unmarked' }}
      text={off ? 'Day off' : m && `${format.number(marked!)} of ${format.number(marked! + m.noMark)}`}
      note={
        m &&
        (off
          ? 'Nothing is marked today'
          : marked
            ? `${share} % at school${m.absent ? `, ${format.number(m.absent)} absent` : ''}`
            : 'Nobody is marked yet')
      }
    />
  )
}

/** Requests of leave that nobody has decided. */
export function LeaveWaiting({ leave: l }: { leave: Schemas['LeaveWaiting'] | undefined }) {
  const format = useFormat()
  const requests = (n: number, of: string) => n && `${format.number(n)} ${of} ${n === 1 ? 'request' : 'requests'}`
  return (
    <Figure
      label="Leave waiting"
      value={l && l.students + l.employees}
      to="/leave"
      search={{ status: 'PENDING' }}
      note={
        l &&
        ([requests(l.students, 'student'), requests(l.employees, 'employee')].filter(Boolean).join(', ') ||
          'Nothing to decide')
      }
    />
  )
}

/** What waits; those who see the board have its figures there. */
export function Today() {
  const may = useMay()
  const format = useFormat()
  const report = may('report', 'read')
  const has = (m: string) => may(m, 'read')
  const some = ['fee', 'student', 'timetable', ...(report ? [] : ['attendance', 'leave'])].some(has)
  const q = useQuery({
    queryKey: ['/school-admin/dashboard/today'],
    queryFn: () => call(api.GET('/school-admin/dashboard/today')),
    enabled: some,
    refetchInterval: 60_000,
    staleTime: 0,
  })
  const { attendance, leave, money, lessons, students } = q.data ?? {}
  const received = money?.modes.reduce((sum, m) => sum + m.amount, 0)
  const count = (n: number, one: string, many: string) => `${format.number(n)} ${n === 1 ? one : many}`
  if (!some) return null
  if (q.error && !q.data)
    return (
      <section aria-label="Waiting today" className="today">
        <Text mb={8}>What waits today could not be loaded.</Text>
        <Trouble error={q.error} retry={() => void q.refetch()} />
      </section>
    )
  return (
    <section aria-label="Waiting today" className="today">
      <Figures>
        {has('attendance') && !report && <Marked marks={attendance} />}
        {has('leave') && !report && <LeaveWaiting leave={leave} />}
        {has('timetable') && (
          <Figure
            label="Lessons without a teacher"
            value={lessons?.withoutTeacher}
            to="/timetable/substitution"
            note={lessons && `${format.number(lessons.staffAway)} staff away`}
          />
        )}
        {has('fee') && !report && (
          <Figure
            label="Collected today"
            value={received}
            text={money && format.money(received!)}
            to="/fees/receipts"
            note={
              money &&
              (money.modes.map((m) => `${words(m.paymentMode)} ${format.money(m.amount)}`).join(', ') || 'Nothing yet')
            }
          />
        )}
        {has('fee') && (
          <Figure
            label="Cheques in clearing"
            value={money?.clearingCount}
            to="/fees/receipts"
            note={money && (money.clearingCount ? format.money(money.clearing) : 'None with the bank')}
          />
        )}
        {has('fee') && (
          <Figure
            label="Day closing"
            value={money?.daysNotClosed}
            text={money && (money.todayClosed ? 'Closed' : 'Open')}
            to="/fees/accounts"
            note={
              money &&
              (money.daysNotClosed
                ? `${count(money.daysNotClosed, 'earlier day', 'earlier days')} not closed`
                : money.todayClosed
                  ? 'Takes no more money'
                  : 'Not counted yet')
            }
          />
        )}
        {has('fee') && (
          <Figure
            label="Dues over 30 days"
            value={money?.overdueMonth}
            text={money && format.money(money.overdueMonth)}
            to="/fees/dues"
            note={
              money &&
              (money.overdueDebtors ? count(money.overdueDebtors, 'student', 'students') : 'Nobody owes so long')
            }
          />
        )}
        {has('student') && (
          <Figure
            label="Admitted this week"
            value={students?.admittedThisWeek}
            to="/students"
            note={students && `${count(students.certificatesThisWeek, 'certificate', 'certificates')} issued`}
          />
        )}
        {has('student') && (
          <Figure
            label="Not in a class"
            value={students?.withoutClass}
            to="/students"
            search={{ unplaced: 'true' }}
            note={students && `${format.number(students.withoutGuardian)} without a guardian`}
          />
        )}
      </Figures>
    </section>
  )
}

/** The pages of who sees no board: nobody starts on an empty page. */
export function Pages() {
  const session = useSession()
  const groups = navFor(session)
    .map((g) => ({ ...g, items: g.items.filter((i) => i.to !== '/') }))
    .filter((g) => g.items.length > 0)
  return (
    <section aria-label="Your pages">
      <Title order={2} mb={8} mt={24}>
        Your pages
      </Title>
      {groups.length === 0 && (
        <Text c="dimmed">Your role opens no page yet. Ask the school's administrator for permissions.</Text>
      )}
      <div className="home-pages">
        {groups.flatMap((g) =>
          g.items.map((i) => (
            <Link key={i.to} to={i.to} className="panel home-page">
              <i.icon size={18} stroke={1.6} aria-hidden />
              {i.title}
            </Link>
          )),
        )}
      </div>
    </section>
  )
}
