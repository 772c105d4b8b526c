import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { Month, MonthBar } from '../month'
import { useRead } from '../read'
import { go, useAddress } from '../route'
import { Totals } from '../totals'
import { Card, Shown, Status } from '../ui'
import { SchoolPage } from './children'
import { markOf, marks } from './marks'

type Day = Schemas['ChildDay']

/** One month of a child: every day with its mark, and in words what was not as usual. */
export function Attendance({ student }: { student: string }) {
  return (
    <SchoolPage student={student} tab="attendance" title={t('school.attendance')}>
      {(child) => <ChildMonth student={child.id} />}
    </SchoolPage>
  )
}

export const useMonth = (student: string, month: string, how: { every?: number } = {}) =>
  useRead(
    ['/parent/attendance/list', student, month],
    () => call(api.GET('/parent/attendance/list', { params: { query: { studentId: student, month } } })),
    how,
  )

function ChildMonth({ student }: { student: string }) {
  const format = useFormat()
  const { query } = useAddress()
  const now = format.today().slice(0, 7)
  const month = query.get('month') ?? now
  const read = useMonth(student, month)
  const to = (next: string) => go(`/school/${student}/attendance?month=${next}`, { replace: true })
  return (
    <>
      <Card>
        <MonthBar month={month} to={to} last={now} />
        <Shown of={read} lines={8}>
          {(data) => (
            <>
              <Month
                month={month}
                draw={(date) => {
                  const day = data.days.find((d) => d.date === date)
                  if (!day) return { label: format.day(date), tone: 'off' }
                  const mark = marks[markOf(day.status)]
                  return {
                    label: `${format.day(date)}: ${day.dayOff || t(mark.name)}`,
                    tone: date > format.today() && !day.status ? undefined : mark.tone,
                    sign: day.status && day.status !== 'HOLIDAY' ? t(mark.short) : undefined,
                  }
                }}
              />
              <Totals of={data.totals} />
            </>
          )}
        </Shown>
      </Card>
      {read.data && <Unusual days={read.data.days} />}
    </>
  )
}

function Unusual({ days }: { days: Day[] }) {
  const format = useFormat()
  const shown = days.filter((d) => ['ABSENT', 'LATE', 'LEAVE'].includes(d.status ?? '')).reverse()
  if (shown.length === 0) return null
  return (
    <Card label={t('attendance.unusual')}>
      <h2>{t('attendance.unusual')}</h2>
      <ul className="rows">
        {shown.map((d) => {
          const mark = marks[markOf(d.status)]
          return (
            <li key={d.date}>
              <div className="between">
                {format.day(d.date)}
                <Status tone={mark.tone === 'bad' ? 'bad' : 'warn'}>{t(mark.name)}</Status>
              </div>
              {d.lateMinutes !== null && <p className="note">{t('attendance.lateBy', { count: d.lateMinutes })}</p>}
              {d.halfDay && <p className="note">{t('attendance.halfDay')}</p>}
              {d.remark && <p className="note">{d.remark}</p>}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
