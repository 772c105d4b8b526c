import { api, call, type Schemas } from '../../api/client'
import { joined, t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { useAddress } from '../route'
import { Card, Line, Shown, Status } from '../ui'
import { Week } from '../week'
import { SchoolPage } from './children'

/** The lessons of a day of a child, with who stands in for whom. */
export function Timetable({ student }: { student: string }) {
  return (
    <SchoolPage student={student} tab="timetable" title={t('school.timetable')}>
      {(child) => <Lessons student={child.id} />}
    </SchoolPage>
  )
}

export const useLessons = (student: string, date: string) =>
  useRead(['/parent/timetable/get', student, date], () =>
    call(api.GET('/parent/timetable/get', { params: { query: { studentId: student, date } } })),
  )

function Lessons({ student }: { student: string }) {
  const format = useFormat()
  const { query } = useAddress()
  const date = query.get('date') ?? format.today()
  const read = useLessons(student, date)
  const at = (day: string) => `/school/${student}/timetable?date=${day}`
  return (
    <>
      <Week date={date} at={at} />
      <Card label={format.day(date)}>
        <h2>{format.day(date)}</h2>
        <Shown of={read} lines={6} isEmpty={(d) => d.slots.length === 0} empty="timetable.none">
          {(data) => (
            <ol className="rows">
              {data.slots.map((slot) => (
                <Lesson key={slot.id} of={slot} />
              ))}
            </ol>
          )}
        </Shown>
      </Card>
      {read.data && (
        <Card label={t('calendar.title')}>
          <Line to={`/school/${student}/calendar`} title={t('calendar.title')} note={t('calendar.why')} />
        </Card>
      )}
    </>
  )
}

function Lesson({ of }: { of: Schemas['DaySlot'] }) {
  const format = useFormat()
  return (
    <li className="lesson">
      <time>
        {format.clock(of.startTime)}
        <span className="note">{format.clock(of.endTime)}</span>
      </time>
      <div className="grow">
        <span className="line-title">{of.subjectName}</span>
        <span className="note">
          {joined([
            of.substitutionId ? of.substituteTeacherName : of.teacherName,
            of.room && t('timetable.room', { room: of.room }),
          ])}
        </span>
        {of.substitutionId && (
          <Status tone="warn">
            {of.substituteTeacherName ? t('timetable.insteadOf', { name: of.teacherName }) : t('timetable.noTeacher')}
          </Status>
        )}
        {of.note && <p className="note">{of.note}</p>}
      </div>
    </li>
  )
}
