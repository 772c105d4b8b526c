import { ActionIcon, Button, Group, SegmentedControl, Skeleton, Text, Title } from '@mantine/core'
import { IconChevronRight, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { useMay, useSession } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { Figure, Figures } from '../../patterns/board'
import { useToday } from '../../patterns/choices'
import { Trouble } from '../../patterns/feedback'
import { localeOfWords, useFormat } from '../../patterns/format'
import { part } from '../../patterns/part'
import { SetUp, useSetUp, useTotal } from './setup'
import { LeaveWaiting, Marked, Pages, Today } from './today'
import '../../day.css'
import { t } from '../../messages/console'

// The charts are large and wait for the page they are on.
const Charts = part(() => import('./charts'), 'default', <Skeleton height={220} />)

type Day = Schemas['Dashboard'] & { transport?: { out: number; late: number; stale: number } }

/** The day's first page: who is here, what is waiting, what came in; each figure leads to what is behind it. */
export function Dashboard() {
  const { school } = useSession()
  const may = useMay()
  const format = useFormat()
  const today = useToday()
  const [address, setAddress] = useAddress()
  const range = ['7', '14', '30'].includes(address.days ?? '') ? Number(address.days) : 30
  const reads = may('report', 'read')
  const q = useQuery({
    queryKey: ['/school-admin/dashboard/summary'],
    queryFn: () => call(api.GET('/school-admin/dashboard/summary')) as Promise<Day>,
    enabled: reads,
    refetchInterval: 60_000,
    staleTime: 0,
  })
  const counts = may('student', 'read') && !reads
  const counted = useTotal('/school-admin/student/list', { status: 'ACTIVE' }, counts)
  const d = q.data
  const students = d?.students ?? counted
  const setUp = useSetUp()
  const young = setUp && setUp.left > 0
  const bare = students === 0
  const shown = !(bare && setUp?.left !== 0)
  return (
    <div className="page">
      <Group justify="space-between" mb={16} gap={12} align="flex-start">
        <div>
          <Title order={1}>{school?.name}</Title>
          <Text c="dimmed">
            {new Intl.DateTimeFormat(localeOfWords(school?.locale), { dateStyle: 'full', timeZone: 'UTC' }).format(
              new Date(`${d?.date ?? today}T00:00:00Z`),
            )}
            {d && d.students > 0 && (
              <span className="figures only-wide-inline">
                {' '}
                {t('· {students} students, {employees} employees', {
                  students: format.number(d.students),
                  employees: format.number(d.employees),
                })}
              </span>
            )}
          </Text>
        </div>
        {reads && !bare && (
          <Group gap={8}>
            <Text size="sm" c="dimmed" className="figures only-wide" aria-live="off">
              {d ? t('As of {at}', { at: format.time(d.asOf) }) : ''}
            </Text>
            <SegmentedControl
              size="xs"
              aria-label={t('Days in the charts')}
              data={[
                { value: '7', label: t('7 days') },
                { value: '14', label: t('14 days') },
                { value: '30', label: t('30 days') },
              ]}
              value={String(range)}
              onChange={(v) => setAddress({ days: v === '30' ? undefined : v }, true)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Refresh')}
              title={t('Refresh')}
              onClick={() => void q.refetch()}
            >
              <IconRefresh size={18} stroke={1.6} />
            </ActionIcon>
          </Group>
        )}
      </Group>
      <QuickActs />
      {q.error && !d && <Trouble error={q.error} retry={() => void q.refetch()} />}
      {young && bare && <SetUp {...setUp} />}
      {shown && reads && !(q.error && !d) && <Board d={d} range={range} />}
      {shown && (!reads || (q.error && !d)) && <Today />}
      {!reads && <Pages />}
      {young && !bare && (students !== undefined || !(reads || counts)) && (
        <div style={{ marginTop: 32 }}>
          <SetUp {...setUp} working />
        </div>
      )}
    </div>
  )
}

/** What an office begins most often, one click away. */
const QuickActs = memo(function QuickActs() {
  const may = useMay()
  const acts = [
    { to: '/students', search: { open: 'new' }, text: t('Admit a student'), module: 'student' },
    { to: '/fees/collect', search: {}, text: t('Collect fee'), module: 'fee' },
    { to: '/announcements', search: { open: 'new' }, text: t('Write an announcement'), module: 'announcement' },
    { to: '/dispatch/new', search: {}, text: t('Write an SMS or e-mail'), module: 'message' },
  ].filter((a) => may(a.module, 'write'))
  if (acts.length === 0) return null
  return (
    <Group gap={8} mb={16} component="section" aria-label={t('Start')}>
      {acts.map((a) => (
        <Button key={a.to} component={Link} to={a.to} search={a.search as never} variant="default" size="compact-md">
          {a.text}
        </Button>
      ))}
    </Group>
  )
})

const Board = memo(function Board({ d, range }: { d: Day | undefined; range: number }) {
  const may = useMay()
  const format = useFormat()
  const a = d?.attendance
  const school = !a || a.classes.length === 0 || a.classes.some((c) => c.schoolToday)
  return (
    <>
      <Figures>
        {may('attendance', 'read') && <Marked marks={a} dayOff={!school} />}
        {may('attendance', 'read') && (
          <Figure
            label={t('Not yet marked')}
            value={a?.unmarked.length}
            to="/register"
            search={{ view: 'unmarked' }}
            note={
              a
                ? a.unmarked.length
                  ? t(
                      { one: '{noMark} student left', other: '{noMark} students left' },
                      { count: a.noMark, noMark: format.number(a.noMark) },
                    )
                  : school
                    ? t('Every register is finished')
                    : t('No school today')
                : undefined
            }
          />
        )}
        {may('leave', 'read') && <LeaveWaiting leave={d?.leave} />}
        {may('fee', 'read') && (
          <Figure
            label={t('Collected today')}
            value={d?.fees.collectedToday}
            text={d ? format.money(d.fees.collectedToday) : undefined}
            to="/fees/receipts"
            note={
              d ? t('{collectedMonth} this month', { collectedMonth: format.money(d.fees.collectedMonth) }) : undefined
            }
          />
        )}
        {may('fee', 'read') && (
          <Figure
            label={t('Outstanding')}
            value={d?.fees.outstanding}
            text={d ? format.money(d.fees.outstanding) : undefined}
            to="/fees/dues"
            note={
              d
                ? d.fees.overdue
                  ? t('{overdue} overdue', { overdue: format.money(d.fees.overdue) })
                  : d.fees.debtors
                    ? t('Nothing overdue')
                    : t('Nobody owes anything')
                : undefined
            }
          />
        )}
        {may('transport', 'read') && (!d || d.transport) && (
          <Figure
            label={t('Buses out')}
            value={d?.transport?.out}
            to="/live"
            note={
              d?.transport &&
              ([
                d.transport.late && t('{late} late', { late: format.number(d.transport.late) }),
                d.transport.stale && t('{stale} not reached', { stale: format.number(d.transport.stale) }),
              ]
                .filter(Boolean)
                .join(', ') ||
                (d.transport.out ? t('All on time') : t('None on the road')))
            }
          />
        )}
      </Figures>
      <Today />

      <div className="board-row two">
        {may('attendance', 'read') && (
          <Card title={t('Attendance')} note={t('Percent of those marked, day by day')}>
            {d ? <Charts kind="attendance" days={d.series.slice(-range)} /> : <Skeleton height={220} />}
          </Card>
        )}
        {may('fee', 'read') && (
          <Card title={t('Collections')} note={t('Collected day by day, less what was reversed')}>
            {d ? <Charts kind="money" days={d.series.slice(-range)} /> : <Skeleton height={220} />}
          </Card>
        )}
      </div>

      <div className="board-row three">
        {may('attendance', 'read') && (
          <Card
            title={t('Still to be marked')}
            more={
              a && a.unmarked.length > 6
                ? {
                    to: '/register',
                    search: { view: 'unmarked' },
                    label: t('All {unmarked}', { unmarked: a.unmarked.length }),
                  }
                : undefined
            }
          >
            {!a ? (
              <Skeleton height={120} />
            ) : a.unmarked.length === 0 ? (
              <Text c="dimmed">
                {school ? t('Every register of today is finished.') : t('There is no school today.')}
              </Text>
            ) : (
              <Rows>
                {a.unmarked.slice(0, 6).map((u) => (
                  <Row
                    key={u.divisionId}
                    to="/register"
                    search={{ division: u.divisionId }}
                    title={t('Mark {className} {divisionName}', {
                      className: u.className,
                      divisionName: u.divisionName,
                    })}
                    note={
                      u.noMark === u.students
                        ? t('{students} students', { students: format.number(u.students) })
                        : t('{noMark} of {students} left', {
                            noMark: format.number(u.noMark),
                            students: format.number(u.students),
                          })
                    }
                  />
                ))}
              </Rows>
            )}
          </Card>
        )}
        {may('attendance', 'read') && (
          <Card title={t('Today by class')} more={{ to: '/register/summary', label: t('Attendance summary') }}>
            {!a ? (
              <Skeleton height={120} />
            ) : a.classes.length === 0 ? (
              <Text c="dimmed">{t('No student is in a class yet.')}</Text>
            ) : (
              <table className="bars">
                <thead className="hidden">
                  <tr>
                    <th scope="col">{t('Class')}</th>
                    <th scope="col">{t('Came')}</th>
                    <th scope="col">{t('Of')}</th>
                  </tr>
                </thead>
                <tbody>
                  {a.classes.map((c) => {
                    const n = c.present + c.late
                    const of = n + c.absent + c.leave
                    return (
                      <tr key={c.classId}>
                        <th scope="row">{c.className}</th>
                        <td className="bar" aria-hidden>
                          <span>
                            <i style={{ width: of ? `${(n * 100) / of}%` : 0 }} />
                          </span>
                        </td>
                        <td className="end figures">
                          {!c.schoolToday ? (
                            t('off')
                          ) : of ? (
                            t('{n} of {of}', { n: format.number(n), of: format.number(of) })
                          ) : (
                            <Text span c="dimmed">
                              {t('not marked')}
                            </Text>
                          )}
                        </td>
                      </tr>
                    )
                  })}
                </tbody>
              </table>
            )}
          </Card>
        )}
        {may('event', 'read') && (
          <Card title={t('Coming up')} more={{ to: '/events', label: t('All events') }}>
            {!d ? (
              <Skeleton height={120} />
            ) : d.events.length === 0 ? (
              <Text c="dimmed">{t('Nothing is planned in the next 30 days.')}</Text>
            ) : (
              <Rows>
                {d.events.map((e) => (
                  <Row
                    key={e.id}
                    to="/events"
                    search={{ open: e.id }}
                    title={e.title}
                    note={[format.date(e.eventDate), e.startTime.slice(0, 5), e.venue].filter(Boolean).join(' · ')}
                  />
                ))}
              </Rows>
            )}
          </Card>
        )}
      </div>
    </>
  )
})

function Card({
  title,
  note,
  more,
  children,
}: {
  title: string
  note?: string
  more?: { to: string; search?: Record<string, string>; label: string }
  children: ReactNode
}) {
  return (
    <section className="panel board-card" aria-label={title}>
      <Group justify="space-between" align="baseline" mb={note ? 0 : 12} gap={8}>
        <Title order={2}>{title}</Title>
        {more && (
          <Link to={more.to} search={more.search as never} className="quiet-link">
            {more.label}
          </Link>
        )}
      </Group>
      {note && (
        <Text size="sm" c="dimmed" mb={16}>
          {note}
        </Text>
      )}
      {children}
    </section>
  )
}

const Rows = ({ children }: { children: ReactNode }) => <ul className="board-list">{children}</ul>

function Row({ to, search, title, note }: { to: string; search: Record<string, string>; title: string; note: string }) {
  return (
    <li>
      <Link to={to} search={search as never}>
        <span className="grow">
          <span className="medium">{title}</span>
          <Text size="sm" c="dimmed" component="span" display="block">
            {note}
          </Text>
        </span>
        <IconChevronRight size={16} stroke={1.6} aria-hidden />
      </Link>
    </li>
  )
}
