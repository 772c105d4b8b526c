import { joined, t } from '../../messages/messages'
import { useFormat } from '../format'
import { useAddress } from '../route'
import { Card, Line, Page, Shown } from '../ui'
import { Week } from '../week'
import { placeOf, useDay } from './lessons'
import { Substitution } from './substitution'

/** The teacher's lessons of each day of a week, with who stands in for whom. */
export function Timetable() {
  const format = useFormat()
  const { query } = useAddress()
  const date = query.get('date') ?? format.today()
  const day = useDay(date)
  const at = (d: string) => `/timetable?date=${d}`
  return (
    <Page title={t('school.timetable')} back="/">
      <Week date={date} at={at} />
      <Card label={format.day(date)}>
        <h2>{format.day(date)}</h2>
        <Shown of={day} lines={6} isEmpty={(d) => d.slots.length === 0} empty="timetable.none">
          {({ slots }) => (
            <ol className="rows">
              {slots.map((slot) => (
                <li key={slot.id} className="lesson">
                  <time>
                    {format.clock(slot.startTime)}
                    <span className="note">{format.clock(slot.endTime)}</span>
                  </time>
                  <div className="grow">
                    <span className="line-title">{placeOf(slot)}</span>
                    <span className="note">
                      {joined([slot.subjectName, slot.room && t('timetable.room', { room: slot.room })])}
                    </span>
                    <Substitution of={slot} />
                    {slot.note && <p className="note">{slot.note}</p>}
                  </div>
                </li>
              ))}
            </ol>
          )}
        </Shown>
      </Card>
      {day.data && (
        <Card label={t('calendar.title')}>
          <Line to="/timetable/calendar" title={t('calendar.title')} note={t('calendar.why')} />
        </Card>
      )}
    </Page>
  )
}
