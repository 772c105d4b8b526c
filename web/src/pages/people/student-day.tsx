// A student's days and results, as tabs of their drawer.
import { Anchor, Button, Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { addDays, useToday } from '../../patterns/choices'
import { saveCSV } from '../../patterns/csv'
import { Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { words } from '../../patterns/words'
import { Reach } from '../communication/reach'
import { readCard } from '../exams/card'
import '../../day.css'
import { rich, t } from '../../messages/console'

const tones: Record<string, 'good' | 'bad' | 'warn' | 'busy' | 'off'> = {
  PRESENT: 'good',
  ABSENT: 'bad',
  LATE: 'warn',
  LEAVE: 'busy',
}

export function AttendanceTab({ id, name }: { id: string; name: string }) {
  const format = useFormat()
  const today = useToday()
  const [address, setAddress] = useAddress()
  const span = ['30', '90', '365'].includes(address.days ?? '') ? Number(address.days) : 30
  const q = useQuery({
    queryKey: ['/school-admin/attendance/history', id, span, today],
    queryFn: () =>
      call(
        api.GET('/school-admin/attendance/history/{studentId}', {
          params: { path: { studentId: id }, query: { from: addDays(today, -span), to: today } },
        }),
      ),
  })
  const days = q.data?.days ?? []
  const count = (s: string) => days.filter((d) => d.status === s).length
  const marked = days.filter((d) => d.status).length
  return (
    <>
      <Group justify="space-between" mb={12} gap={8}>
        <Text>
          {marked > 0
            ? rich('{b} came; {n} absent, {n2} late, {n3} on leave', {
                b: <b>{format.number(Math.round(((count('PRESENT') + count('LATE')) * 1000) / marked) / 10)} %</b>,
                n: format.number(count('ABSENT')),
                n2: format.number(count('LATE')),
                n3: format.number(count('LEAVE')),
              })
            : ' '}
        </Text>
        <Group gap={8}>
          <NativeSelect
            aria-label={t('How far back')}
            data={[
              { value: '30', label: t('30 days') },
              { value: '90', label: t('90 days') },
              { value: '365', label: t('A year') },
            ]}
            value={String(span)}
            onChange={(e) => setAddress({ days: e.currentTarget.value === '30' ? undefined : e.currentTarget.value })}
          />
          {days.length > 0 && (
            <Button
              variant="default"
              onClick={() =>
                saveCSV(`attendance-${name}.csv`, [
                  ['Day', 'Mark', 'Minutes late', 'Remark', 'Marked by'],
                  ...days.map((d) => {
                    const r = d.revisions.at(-1)
                    return [d.date, words(d.status), r?.lateMinutes, r?.remark, r?.markedByName]
                  }),
                ])
              }
            >
              {t('CSV')}
            </Button>
          )}
        </Group>
      </Group>
      {!q.data ? (
        q.error ? (
          <Trouble error={q.error} retry={() => void q.refetch()} />
        ) : (
          <Lines />
        )
      ) : days.length === 0 ? (
        <Empty
          title={t('No marks in this time')}
          text={t('Every marked day is shown here, with every change and who made it.')}
        />
      ) : (
        <ul className="moments">
          {days.map((d) => (
            <DayLine key={d.date} day={d} />
          ))}
        </ul>
      )}
    </>
  )
}

function DayLine({ day }: { day: Schemas['HistoryDay'] }) {
  const format = useFormat()
  const [reach, setReach] = useState(false)
  const may = useMay()
  const said = (r: Schemas['Revision']) =>
    [
      r.status ? words(r.status) : t('Removed'),
      r.lateMinutes ? t('{lateMinutes} minutes', { lateMinutes: r.lateMinutes }) : '',
      r.remark,
    ]
      .filter(Boolean)
      .join(', ')
  const last = day.revisions.at(-1)!
  return (
    <li>
      <Group gap={12}>
        <Text fw={500} className="figures">
          {format.date(day.date)}
        </Text>
        {day.status ? (
          <Status tone={tones[day.status] ?? 'off'}>{said(last)}</Status>
        ) : (
          <Status tone="off">{t('Removed')}</Status>
        )}
        {may('message', 'read') && day.revisions.some((r) => r.status === 'ABSENT' || r.status === 'LATE') && (
          <Anchor component="button" type="button" size="sm" aria-expanded={reach} onClick={() => setReach(!reach)}>
            {t('Notification')}
          </Anchor>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {last.source === 'LEAVE'
          ? t('From an approved leave, {markedAt}{reason}', {
              markedAt: format.dateTime(last.markedAt),
              reason: last.reason && `: ${last.reason}`,
            })
          : t('By {markedByName}, {markedAt}{reason}', {
              markedByName: last.markedByName || t('somebody who has left'),
              markedAt: format.dateTime(last.markedAt),
              reason: last.reason && `: ${last.reason}`,
            })}
      </Text>
      {day.revisions
        .slice(0, -1)
        .reverse()
        .map((r, i) => (
          <Text key={i} size="sm" c="dimmed">
            {t('Before: {said}, by {markedByName}, {markedAt}', {
              said: said(r),
              markedByName: r.markedByName || t('somebody who has left'),
              markedAt: format.dateTime(r.markedAt),
            })}
          </Text>
        ))}
      {reach && <Reach recordId={day.markId} version={day.revisions.length} mt={8} none />}
    </li>
  )
}

export function ResultsTab({ id }: { id: string }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/school-admin/exam/report-card', id, 'drawer'],
    queryFn: () => readCard(id, { includeUnpublished: true }),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  const sat = q.data.exams.filter((e) => e.results.length > 0)
  if (sat.length === 0)
    return (
      <Empty
        title={t('No results this year')}
        text={t('Marks are shown here as soon as they are entered; parents see them when they are published.')}
      />
    )
  return (
    <>
      <Group justify="space-between" mb={16}>
        <Text>
          {q.data.academicYearName}
          {q.data.overall.percent !== null && (
            <>
              : <b>{format.number(q.data.overall.percent)} %</b> {q.data.overall.grade}
              {q.data.overall.rank
                ? t(', rank {rank} of {outOf}', { rank: q.data.overall.rank, outOf: q.data.overall.outOf })
                : ''}
            </>
          )}
        </Text>
        <Button component={Link} to="/exams/report-card/$id" params={{ id } as never} variant="default">
          {t('Report card')}
        </Button>
      </Group>
      {sat.map((e) => (
        <section key={e.examId} style={{ marginBottom: 24 }}>
          <Group justify="space-between" mb={8}>
            <Anchor
              component={Link}
              to="/exams/$id"
              params={{ id: e.examId } as never}
              search={{ tab: 'results' } as never}
              fw={500}
            >
              {e.name}
            </Anchor>
            <Text size="sm" c="dimmed" className="figures">
              {e.percent === null
                ? e.rank
                  ? t(', rank {rank} of {outOf}', { rank: e.rank, outOf: e.outOf })
                  : ''
                : e.rank
                  ? t('{percent} % {grade}, rank {rank} of {outOf}', {
                      percent: format.number(e.percent),
                      grade: e.grade,
                      rank: e.rank,
                      outOf: e.outOf,
                    })
                  : `${format.number(e.percent)} % ${e.grade}`}
            </Text>
          </Group>
          <div className="panel">
            <table className="list">
              <thead>
                <tr>
                  <th scope="col">{t('Subject')}</th>
                  <th scope="col" className="end">
                    {t('Marks')}
                  </th>
                  <th scope="col">{t('Grade')}</th>
                </tr>
              </thead>
              <tbody>
                {e.results.map((r) => (
                  <tr key={r.id}>
                    <td>{r.subjectName}</td>
                    <td className="end figures">
                      {r.isAbsent
                        ? t('Absent')
                        : r.isExempt
                          ? t('Exempt')
                          : t('{marksObtained} of {maxMarks}', {
                              marksObtained: format.number(r.marksObtained ?? 0),
                              maxMarks: format.number(r.maxMarks),
                            })}
                    </td>
                    <td>{r.grade || '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      ))}
    </>
  )
}
