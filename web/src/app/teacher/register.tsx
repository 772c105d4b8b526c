import { joined, t } from '../../messages/messages'
import { useFormat } from '../format'
import { Card, Empty, Line, Page, Shown } from '../ui'
import { placeOf, type RegisterOf, registerPath, useClasses, useLessons } from './lessons'
import { RegisterState } from './register-state'

/** The registers of today: of the teacher's classes, or of their lessons where the school marks by lesson. */
export function Register() {
  const format = useFormat()
  const date = format.today()
  const lessons = useLessons(date)
  const classes = useClasses()
  return (
    <Page title={t('nav.register')}>
      <p className="note">{format.day(date)}</p>
      <Shown of={lessons} lines={5}>
        {({ attendanceBy, lessons: held }) =>
          attendanceBy === 'PERIOD' ? (
            held.length === 0 ? (
              <Empty text={t('timetable.none')} />
            ) : (
              <Card label={t('nav.register')}>
                {held.map((l) => (
                  <RegisterLine
                    key={l.slotId}
                    of={{ kind: 'lesson', id: l.slotId, date }}
                    title={joined([format.clock(l.startTime), placeOf(l)])}
                    note={l.subjectName}
                  />
                ))}
              </Card>
            )
          ) : (
            <Shown of={classes} lines={3} isEmpty={(d) => d.items.length === 0} empty="classes.none">
              {({ items }) => (
                <Card label={t('nav.register')}>
                  {[...items]
                    .sort((a, b) => Number(b.isClassTeacher) - Number(a.isClassTeacher))
                    .map((c) => (
                      <RegisterLine
                        key={c.divisionId}
                        of={{ kind: 'day', id: c.divisionId, date }}
                        title={placeOf(c)}
                        note={c.isClassTeacher ? t('classes.mine') : undefined}
                      />
                    ))}
                </Card>
              )}
            </Shown>
          )
        }
      </Shown>
    </Page>
  )
}

function RegisterLine({ of, title, note }: { of: RegisterOf; title: string; note?: string }) {
  return <Line to={registerPath(of)} title={title} note={note} end={<RegisterState of={of} />} />
}
