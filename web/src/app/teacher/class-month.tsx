import { IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { joined, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { useFormat } from '../format'
import { Month, MonthBar } from '../month'
import { markOf, marks } from '../parent/marks'
import { useRead } from '../read'
import { go, useAddress } from '../route'
import { Totals } from '../totals'
import { Card, Page, Shown } from '../ui'
import { placeOf } from './lessons'

type MonthData = Schemas['MonthRegister']
type Student = MonthData['students'][number]

/** A month of a class: how often it was there, and each student, whose days a tap shows. */
export function ClassMonth({ division }: { division: string }) {
  const format = useFormat()
  const { query } = useAddress()
  const now = format.today().slice(0, 7)
  const month = query.get('month') ?? now
  const read = useRead(['/teacher/attendance/report', division, month], () =>
    call(api.GET('/teacher/attendance/report', { params: { query: { divisionId: division, month } } })),
  )
  const back = `/classes/${division}`
  return (
    <Page title={t('school.attendance')} back={back}>
      <Card>
        <MonthBar month={month} to={(next) => go(`${back}/attendance?month=${next}`, { replace: true })} last={now} />
        <Shown of={read} lines={3}>
          {(data) => (
            <>
              <h2>{placeOf(data)}</h2>
              <Totals of={data.totals} />
            </>
          )}
        </Shown>
      </Card>
      {read.data && read.data.students.length > 0 && (
        <Card key={month} label={t('classes.list')}>
          <ul className="rows">
            {read.data.students.map((s) => (
              <StudentMonth key={s.studentId} of={s} data={read.data} />
            ))}
          </ul>
        </Card>
      )}
    </Page>
  )
}

const unusual = ['absent', 'late', 'leave'] as const

function StudentMonth({ of, data }: { of: Student; data: MonthData }) {
  const format = useFormat()
  const [isOpen, setIsOpen] = useState(false)
  const said = unusual
    .filter((k) => of.totals[k] > 0)
    .map((k) => t('attendance.times', { mark: t(`mark.${k}`), times: format.number(of.totals[k]) }))
  return (
    <li>
      <button type="button" className="line plain" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className="grow">
          <span className="line-title">{nameOf(of)}</span>
          {said.length > 0 && <span className="note">{joined(said)}</span>}
        </span>
        {of.totals.percent !== null && <span className="nowrap">{format.percent(of.totals.percent)}</span>}
        <IconChevronDown aria-hidden size={18} className="dim" />
      </button>
      {isOpen && (
        <Month
          month={data.month}
          draw={(date) => {
            const at = data.days.findIndex((d) => d.date === date)
            const day = data.days[at]
            if (!day) return { label: format.day(date), tone: 'off' }
            const status = of.statuses[at]
            const mark = marks[markOf(status)]
            return {
              label: `${format.day(date)}: ${day.dayOff || t(mark.name)}`,
              tone: mark.tone,
              sign: status && status !== 'HOLIDAY' ? t(mark.short) : undefined,
            }
          }}
        />
      )}
    </li>
  )
}
