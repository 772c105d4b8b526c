import type { Schemas } from '../../api/client'
import { useSession } from '../../api/session'
import { joined, type Key, t } from '../../messages/messages'
import { Suggestions } from '../account/suggestions'
import { useFormat } from '../format'
import { Link } from '../route'
import { Card, Line, Page, Shown } from '../ui'
import { useRequests } from './leave-requests'
import { placeOf, type RegisterOf, registerPath, type Slot, useClasses, useClock, useDay, useLessons } from './lessons'
import { RegisterState } from './register-state'
import { Substitution } from './substitution'

/** What is the next lesson, and is its register done? Then the rest of the day. */
export function Today() {
  const format = useFormat()
  const { school } = useSession()
  const date = format.today()
  const day = useDay(date)
  const lessons = useLessons(date)
  const classes = useClasses()
  const requests = useRequests()
  const mine = classes.data?.items ?? []
  const byLesson = lessons.data?.attendanceBy === 'PERIOD'
  const registerOf = (slot: Slot): RegisterOf | undefined => {
    if (!slot.mine || !lessons.data) return undefined
    if (byLesson) return { kind: 'lesson', id: slot.id, date }
    const taught = slot.divisionId !== null && mine.some((c) => c.divisionId === slot.divisionId)
    return taught ? { kind: 'day', id: slot.divisionId!, date } : undefined
  }
  const now = useClock()
  const isOff = lessons.data?.lessons.length ? lessons.data.lessons.every((l) => l.state === 'DAY_OFF') : false
  const nextOf = (slots: Slot[]) => (isOff ? undefined : slots.find((s) => s.mine && s.endTime > now))
  const none = (slots: Slot[]): Key =>
    isOff ? 'today.noSchool' : slots.length > 0 ? 'today.lessonsOver' : 'timetable.none'
  return (
    <Page title={t('nav.today')}>
      <p className="note">{joined([school?.name, format.day(date)])}</p>
      <Shown of={day} after={[lessons, classes, requests]} lines={5}>
        {({ slots }) => (
          <>
            <Next of={nextOf(slots)} register={registerOf} now={now} none={none(slots)} />
            {!byLesson && (
              <OwnClass classes={mine.filter((c) => c.divisionId !== nextOf(slots)?.divisionId)} date={date} />
            )}
            <ToDo open={requests.data?.items.length ?? 0} />
            {slots.length > 0 && (
              <Card label={t('today.lessons')}>
                <h2>{t('today.lessons')}</h2>
                <ol className="rows">
                  {slots.map((slot) => (
                    <LessonRow key={slot.id} of={slot} register={registerOf(slot)} />
                  ))}
                </ol>
              </Card>
            )}
            <Card label={t('school.timetable')}>
              <Line to="/timetable" title={t('school.timetable')} note={t('timetable.week')} />
            </Card>
            <Suggestions />
          </>
        )}
      </Shown>
    </Page>
  )
}

function Next(props: { of?: Slot; register: (s: Slot) => RegisterOf | undefined; now: string; none: Key }) {
  const format = useFormat()
  const { of: next, now } = props
  if (!next)
    return (
      <Card label={t('today.next')}>
        <p>{t(props.none)}</p>
      </Card>
    )
  const register = props.register(next)
  const title = t(next.startTime <= now ? 'today.now' : 'today.next')
  return (
    <Card label={title}>
      <div className="between">
        <h2>{title}</h2>
        <span className="note nowrap">
          {format.clock(next.startTime)} – {format.clock(next.endTime)}
        </span>
      </div>
      <p className="amount">{next.subjectName}</p>
      <p>{joined([placeOf(next), next.room && t('timetable.room', { room: next.room })])}</p>
      <Substitution of={next} />
      {register && (
        <>
          <div className="between">
            <span>{t('nav.register')}</span>
            <RegisterState of={register} />
          </div>
          <Link to={registerPath(register)} className="button" data-look="main">
            {t('register.take')}
          </Link>
        </>
      )}
    </Card>
  )
}

function LessonRow({ of, register }: { of: Slot; register: RegisterOf | undefined }) {
  const format = useFormat()
  return (
    <li className="lesson">
      <time>
        {format.clock(of.startTime)}
        <span className="note">{format.clock(of.endTime)}</span>
      </time>
      <div className="grow">
        <span className="line-title">{placeOf(of)}</span>
        <span className="note">{joined([of.subjectName, of.room && t('timetable.room', { room: of.room })])}</span>
        <Substitution of={of} />
        {of.note && <p className="note">{of.note}</p>}
        {register && (
          <Link to={registerPath(register)} className="register-link">
            {t('nav.register')} <RegisterState of={register} />
          </Link>
        )}
      </div>
    </li>
  )
}

/** The register of the class whose class teacher this is, also on a day without a lesson there. */
function OwnClass({ classes, date }: { classes: Schemas['TaughtDivision'][]; date: string }) {
  const own = classes.filter((c) => c.isClassTeacher)
  if (own.length === 0) return null
  return (
    <Card label={t('classes.mine')}>
      <h2>{t('classes.mine')}</h2>
      {own.map((c) => {
        const of: RegisterOf = { kind: 'day', id: c.divisionId, date }
        return (
          <Line
            key={c.divisionId}
            to={registerPath(of)}
            title={placeOf(c)}
            note={t('nav.register')}
            end={<RegisterState of={of} />}
          />
        )
      })}
    </Card>
  )
}

/** What waits for the teacher. Nothing is shown where nothing does. */
function ToDo({ open }: { open: number }) {
  if (open === 0) return null
  return (
    <Card label={t('today.toDo')}>
      <h2>{t('today.toDo')}</h2>
      <Line to="/leave/requests" title={t('leave.toDecide', { count: open })} />
    </Card>
  )
}
