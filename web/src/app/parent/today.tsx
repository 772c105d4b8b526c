import type { Schemas } from '../../api/client'
import { useSession } from '../../api/session'
import { joined, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { Suggestions } from '../account/suggestions'
import { timeOf, useFormat } from '../format'
import { useUnread } from '../messages/box'
import { Link } from '../route'
import { Card, Line, Page, Shown, Status } from '../ui'
import { useMonth } from './attendance'
import { isAboard, type Ride, RideNote, rideOf, useRides } from './bus'
import { type Child, seatOf, useChildren } from './children'
import { useDues } from './fees'
import { useLeave } from './leave'
import { markOf, marks } from './marks'

/** Where each child is now, and what there is to do. */
export function Today() {
  const format = useFormat()
  const { school } = useSession()
  const children = useChildren()
  const rides = useRides()
  const leave = useLeave()
  const dues = useDues()
  const unread = useUnread()
  return (
    <Page title={t('nav.today')}>
      <p className="note">{joined([school?.name, format.day(format.today())])}</p>
      <Shown
        of={children}
        after={[rides, leave, dues, unread]}
        lines={4}
        isEmpty={(d) => d.students.length === 0}
        empty="children.none"
      >
        {({ students }) => (
          <>
            {students.map((child) => (
              <ChildCard
                key={child.id}
                child={child}
                ride={rideOf(rides.data?.buses ?? [], child.id)}
                rides={rides.data?.buses.some((r) => r.studentId === child.id) ?? false}
                ridesAt={rides.data ? rides.dataUpdatedAt : undefined}
                leave={leave.data?.items ?? []}
              />
            ))}
            <ToDo dues={dues} unread={unread.data?.unreadCount ?? 0} />
            <Suggestions />
          </>
        )}
      </Shown>
    </Page>
  )
}

interface ChildCardProps {
  child: Child
  ride?: Ride
  rides: boolean
  ridesAt?: number
  leave: Schemas['LeaveView'][]
}

function ChildCard(props: ChildCardProps) {
  const { child, ride, leave } = props
  const format = useFormat()
  const today = format.today()
  const month = useMonth(child.id, today.slice(0, 7), { every: 60_000 })
  // Where a child was is not where it is: what is older than it should be says when it was so.
  const knownAt = Math.min(
    props.ridesAt ?? Number.MAX_SAFE_INTEGER,
    month.data ? month.dataUpdatedAt : Number.MAX_SAFE_INTEGER,
  )
  const isOld = Date.now() - knownAt > 120_000
  const day = month.data?.days.find((d) => d.date === today)
  const onLeave = leave.some(
    (l) =>
      l.studentId === child.id && l.status === 'APPROVED' && l.fromDate <= today && today <= l.toDate && !l.halfDay,
  )
  return (
    <Card label={nameOf(child)}>
      <div className="between">
        <h2>{nameOf(child)}</h2>
        <span className="note">{seatOf(child)}</span>
      </div>
      <div className="between">
        <Where day={day} ride={ride} onLeave={onLeave} known={month.data !== undefined} />
        {isOld ? (
          <span className="note">{t('common.asOf', { time: timeOf(format, new Date(knownAt).toISOString()) })}</span>
        ) : (
          day?.lateMinutes != null && <span className="note">{t('attendance.lateBy', { count: day.lateMinutes })}</span>
        )}
      </div>
      {ride && <RideNote of={ride} />}
      <div className="buttons three">
        {props.rides && (
          <Link to={`/bus/${child.id}`} className="button">
            {t('bus.title')}
          </Link>
        )}
        <Link to={`/school/${child.id}`} className="button">
          {t('nav.school')}
        </Link>
        <Link to={`/school/${child.id}/leave`} className="button">
          {t('school.leave')}
        </Link>
      </div>
    </Card>
  )
}

/** One answer to the question where a child is: on the bus, else as the register says, else on leave, else not known. */
function Where(props: { day?: Schemas['ChildDay']; ride?: Ride; onLeave: boolean; known: boolean }) {
  const format = useFormat()
  const { day, ride } = props
  if (ride && isAboard(ride)) return <Status tone="good">{t('today.onBus', { bus: ride.busNumber })}</Status>
  switch (day?.status) {
    case 'PRESENT':
      return (
        <Status tone="good">
          {day.markedAt ? t('today.atSchoolSince', { time: format.time(day.markedAt) }) : t('today.atSchool')}
        </Status>
      )
    case 'LATE':
      return <Status tone="warn">{t('today.atSchoolLate')}</Status>
    case 'ABSENT':
      return <Status tone="bad">{t('mark.absent')}</Status>
    case 'LEAVE':
      return <Status tone="warn">{t('today.onLeave')}</Status>
    case 'HOLIDAY':
      return <Status tone="plain">{day.dayOff || t('today.noSchool')}</Status>
  }
  if (props.onLeave) return <Status tone="warn">{t('today.onLeave')}</Status>
  if (!props.known) return <Status tone="plain">{t('today.asking')}</Status>
  return <Status tone="plain">{t(day ? marks[markOf(null)].name : 'today.noSchool')}</Status>
}

/** What waits for the parent. Nothing is shown where nothing does. */
function ToDo({ dues, unread }: { dues: ReturnType<typeof useDues>; unread: number }) {
  const format = useFormat()
  const open = dues.data?.items.flatMap((i) => i.invoices) ?? []
  const overdue = open.some((i) => i.state === 'OVERDUE')
  const total = dues.data?.total ?? 0
  if (total <= 0 && unread === 0) return null
  return (
    <Card label={t('today.toDo')}>
      <h2>{t('today.toDo')}</h2>
      {total > 0 && (
        <Line
          to="/fees"
          title={t('today.feesDue', { amount: format.money(total) })}
          note={t('common.asOf', { time: format.time(new Date(dues.dataUpdatedAt).toISOString()) })}
          end={overdue && <Status tone="bad">{t('fees.overdue')}</Status>}
        />
      )}
      {unread > 0 && <Line to="/messages/notices" title={t('messages.unread', { count: unread })} />}
    </Card>
  )
}
