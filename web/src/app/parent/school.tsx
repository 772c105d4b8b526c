import { joined, t } from '../../messages/messages'
import { useFormat } from '../format'
import { Card, Line, Parts } from '../ui'
import { useMonth } from './attendance'
import { rideOf, useRides } from './bus'
import { useCertificateCount } from './certificates'
import { type Child, ChildPage } from './children'
import { useEvents } from './events'
import { usePapers } from './exams'
import { useLeave } from './leave'
import { useLoans } from './library'
import { markOf, marks } from './marks'
import { useResults } from './results'
import { useLessons } from './timetable'

/** What the school has of a child: a line each, with what is to be known of it now. */
export function School({ student }: { student?: string }) {
  return (
    <ChildPage title={t('nav.school')} student={student} at={(id) => `/school/${id}`}>
      {(child) => (
        <Card label={t('nav.school')}>
          <AttendanceLine of={child} />
          <TimetableLine of={child} />
          <ExamsLine of={child} />
          <ResultsLine of={child} />
          <LeaveLine of={child} />
          <BusLine of={child} />
          <LibraryLine of={child} />
          <EventsLine of={child} />
          <CertificatesLine of={child} />
        </Card>
      )}
    </ChildPage>
  )
}

const at = (child: Child, page: string) => `/school/${child.id}/${page}`

/** Before it is known a line keeps its height. */
const unknown = '\u00a0'

function AttendanceLine({ of }: { of: Child }) {
  const format = useFormat()
  const today = format.today()
  const { data } = useMonth(of.id, today.slice(0, 7))
  const day = data?.days.find((d) => d.date === today)
  const percent = data?.totals.percent
  const note = [
    day && (day.dayOff || t(marks[markOf(day.status)].name)),
    percent != null && t('attendance.percent', { percent: format.percent(percent) }),
  ]
  return (
    <Line
      to={at(of, 'attendance')}
      title={t('school.attendance')}
      note={data ? note.some(Boolean) ? <Parts of={note} /> : t('attendance.none') : unknown}
    />
  )
}

function TimetableLine({ of }: { of: Child }) {
  const format = useFormat()
  const { data } = useLessons(of.id, format.today())
  const count = data?.slots.length ?? 0
  const note = count === 0 ? t('school.noLessons') : t('school.lessons', { count })
  return <Line to={at(of, 'timetable')} title={t('school.timetable')} note={data ? note : unknown} />
}

function ExamsLine({ of }: { of: Child }) {
  const format = useFormat()
  const today = format.today()
  const { data } = usePapers(of.id)
  const next = data?.papers.find((p) => p.examDate >= today)
  const note = next
    ? t('school.nextExam', { subject: next.subjectName, date: format.day(next.examDate) })
    : t('school.noExam')
  return <Line to={at(of, 'exams')} title={t('school.exams')} note={data ? note : unknown} />
}

function ResultsLine({ of }: { of: Child }) {
  const { data } = useResults(of.id)
  const names =
    data &&
    joined(
      data.exams.map((e) => e.examName),
      ', ',
    )
  const note = names || (data?.years.length ? t('school.earlierResults') : t('results.none'))
  return <Line to={at(of, 'results')} title={t('school.results')} note={data ? note : unknown} />
}

function LeaveLine({ of }: { of: Child }) {
  const format = useFormat()
  const { data } = useLeave()
  const mine = data?.items.filter((l) => l.studentId === of.id) ?? []
  const waiting = mine.filter((l) => l.status === 'PENDING').length
  const next = mine.find((l) => l.status === 'APPROVED' && l.toDate >= format.today())
  const note = waiting
    ? t('school.leaveWaiting', { count: waiting })
    : next
      ? t('school.leaveFrom', { date: format.day(next.fromDate) })
      : t('school.noLeave')
  return <Line to={at(of, 'leave')} title={t('school.leave')} note={data ? note : unknown} />
}

function BusLine({ of }: { of: Child }) {
  const format = useFormat()
  const { data } = useRides()
  const ride = rideOf(data?.buses ?? [], of.id) ?? data?.buses.find((r) => r.studentId === of.id)
  if (data && !ride) return null
  const note = ride && joined([t('bus.number', { bus: ride.busNumber }), ride.stopName, format.clock(ride.plannedTime)])
  return <Line to={`/bus/${of.id}`} title={t('bus.title')} note={note ?? unknown} />
}

function LibraryLine({ of }: { of: Child }) {
  const format = useFormat()
  const { data } = useLoans(of.id)
  const open = data?.items.filter((l) => l.closedOn === null) ?? []
  const due = open.map((l) => l.dueOn).sort()[0]
  const note = due ? t('school.books', { count: open.length, date: format.day(due) }) : t('school.noBooks')
  return <Line to={at(of, 'library')} title={t('school.library')} note={data ? note : unknown} />
}

function EventsLine({ of }: { of: Child }) {
  const format = useFormat()
  const { data } = useEvents(of.id)
  const next = data?.items.find((e) => e.status === 'UPCOMING' || e.status === 'ONGOING')
  const note = next ? <Parts of={[next.title, format.day(next.eventDate)]} /> : t('events.none')
  return <Line to={at(of, 'events')} title={t('school.events')} note={data ? note : unknown} />
}

function CertificatesLine({ of }: { of: Child }) {
  const count = useCertificateCount(of.id)
  const note = count ? t('school.certificatesIssued', { count }) : t('certificates.none')
  return (
    <Line to={at(of, 'certificates')} title={t('school.certificates')} note={count === undefined ? unknown : note} />
  )
}
