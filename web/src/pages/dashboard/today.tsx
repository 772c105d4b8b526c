// What waits for who is signed in, by what they may read; for everybody the pages they may open.
import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { useMay, useSession } from '../../api/session'
import { t } from '../../messages/console'
import { Figure, Figures } from '../../patterns/board'
import { Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { words } from '../../patterns/words'
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
      label={t('Marked today')}
      value={marked}
      to="/register"
      search={{ view: 'unmarked' }}
      text={
        off
          ? t('Day off')
          : m &&
            t('{marked} of {marked2}', { marked: format.number(marked!), marked2: format.number(marked! + m.noMark) })
      }
      note={
        m &&
        (off
          ? t('Nothing is marked today')
          : marked
            ? m.absent
              ? t('{share} % at school, {absent} absent', { share, absent: format.number(m.absent) })
              : t('{share} % at school', { share })
            : t('Nobody is marked yet'))
      }
    />
  )
}

/** Requests of leave that nobody has decided. */
export function LeaveWaiting({ leave: l }: { leave: Schemas['LeaveWaiting'] | undefined }) {
  const format = useFormat()
  return (
    <Figure
      label={t('Leave waiting')}
      value={l && l.students + l.employees}
      to="/leave"
      search={{ status: 'PENDING' }}
      note={
        l &&
        ([
          l.students &&
            t(
              { one: '{n} student request', other: '{n} student requests' },
              { count: l.students, n: format.number(l.students) },
            ),
          l.employees &&
            t(
              { one: '{n} employee request', other: '{n} employee requests' },
              { count: l.employees, n: format.number(l.employees) },
            ),
        ]
          .filter(Boolean)
          .join(', ') ||
          t('Nothing to decide'))
      }
    />
  )
}

/** What waits; those who see the board have its figures there. */
export const Today = memo(function Today() {
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
  if (!some) return null
  if (q.error && !q.data)
    return (
      <section aria-label={t('Waiting today')} className="today">
        <Text mb={8}>{t('What waits today could not be loaded.')}</Text>
        <Trouble error={q.error} retry={() => void q.refetch()} />
      </section>
    )
  return (
    <section aria-label={t('Waiting today')} className="today">
      <Figures>
        {has('attendance') && !report && <Marked marks={attendance} />}
        {has('leave') && !report && <LeaveWaiting leave={leave} />}
        {has('timetable') && (
          <Figure
            label={t('Lessons without a teacher')}
            value={lessons?.withoutTeacher}
            to="/timetable/substitution"
            note={lessons && t('{staffAway} staff away', { staffAway: format.number(lessons.staffAway) })}
          />
        )}
        {has('fee') && !report && (
          <Figure
            label={t('Collected today')}
            value={received}
            text={money && format.money(received!)}
            to="/fees/receipts"
            note={
              money &&
              (money.modes.map((m) => `${words(m.paymentMode)} ${format.money(m.amount)}`).join(', ') ||
                t('Nothing yet'))
            }
          />
        )}
        {has('fee') && (
          <Figure
            label={t('Cheques in clearing')}
            value={money?.clearingCount}
            to="/fees/receipts"
            note={money && (money.clearingCount ? format.money(money.clearing) : t('None with the bank'))}
          />
        )}
        {has('fee') && (
          <Figure
            label={t('Day closing')}
            value={money?.daysNotClosed}
            text={money && (money.todayClosed ? t('Closed') : t('Not closed'))}
            to="/fees/accounts"
            note={
              money &&
              (money.daysNotClosed
                ? t(
                    { one: '{n} earlier day not closed', other: '{n} earlier days not closed' },
                    { count: money.daysNotClosed, n: format.number(money.daysNotClosed) },
                  )
                : money.todayClosed
                  ? t('Takes no more money')
                  : t('Not counted yet'))
            }
          />
        )}
        {has('fee') && (
          <Figure
            label={t('Dues over 30 days')}
            value={money?.overdueMonth}
            text={money && format.money(money.overdueMonth)}
            to="/fees/dues"
            note={
              money &&
              (money.overdueDebtors
                ? t(
                    { one: '{n} student', other: '{n} students' },
                    { count: money.overdueDebtors, n: format.number(money.overdueDebtors) },
                  )
                : t('Nobody owes so long'))
            }
          />
        )}
        {has('student') && (
          <Figure
            label={t('Admitted this week')}
            value={students?.admittedThisWeek}
            to="/students"
            note={
              students &&
              t(
                { one: '{n} certificate issued', other: '{n} certificates issued' },
                { count: students.certificatesThisWeek, n: format.number(students.certificatesThisWeek) },
              )
            }
          />
        )}
        {has('student') && (
          <Figure
            label={t('Not in a class')}
            value={students?.withoutClass}
            to="/students"
            search={{ unplaced: 'true' }}
            note={
              students &&
              t('{withoutGuardian} without a guardian', { withoutGuardian: format.number(students.withoutGuardian) })
            }
          />
        )}
      </Figures>
    </section>
  )
})

/** The pages of who sees no board: nobody starts on an empty page. */
export function Pages() {
  const session = useSession()
  const groups = navFor(session)
    .map((g) => ({ ...g, items: g.items.filter((i) => i.to !== '/') }))
    .filter((g) => g.items.length > 0)
  return (
    <section aria-label={t('Your pages')}>
      <Title order={2} mb={8} mt={24}>
        {t('Your pages')}
      </Title>
      {groups.length === 0 && (
        <Text c="dimmed">{t("Your role opens no page yet. Ask the school's administrator for permissions.")}</Text>
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
