// A division's month on one sheet: students by days, with totals.
import { Button, Group, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, download } from '../../api/client'
import { useSession } from '../../api/session'
import { t } from '../../messages/console'
import { useToday } from '../../patterns/choices'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { localeOfWords, nameOf, useFormat } from '../../patterns/format'
import { Print } from '../../patterns/Print'
import { words } from '../../patterns/words'

const letters: Record<string, string> = { PRESENT: 'P', ABSENT: 'A', LATE: 'L', LEAVE: 'E' }

export function Month({ division, month }: { division: string; month: string }) {
  const format = useFormat()
  const today = useToday()
  const { school } = useSession()
  const q = useQuery({
    queryKey: ['/school-admin/attendance/report', division, month],
    queryFn: () =>
      call(api.GET('/school-admin/attendance/report', { params: { query: { divisionId: division, month } } })),
  })
  const r = q.data
  const file = useMutation({
    mutationFn: () =>
      download(
        '/school-admin/attendance/report.csv',
        { divisionId: division, month },
        `register-${r?.className}-${r?.divisionName}-${month}.csv`,
      ),
  })
  if (!r) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={10} />
  if (r.students.length === 0) {
    return (
      <div className="panel">
        <Empty
          title={t('No students in {className} {divisionName} in this month', {
            className: r.className,
            divisionName: r.divisionName,
          })}
          text={t("The month's sheet shows every student who was in the division, even for a day.")}
        />
      </div>
    )
  }
  const title = new Intl.DateTimeFormat(localeOfWords(school?.locale), {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`))
  const percent = (p: number | null) => (p === null ? '–' : `${format.number(p)} %`)
  return (
    <div className="month-sheet">
      <Group justify="space-between" mb={12} gap={8} className="no-print">
        <Text c="dimmed">
          <Text span c="var(--mantine-color-text)" fw={500}>
            {r.className} {r.divisionName}, {title}
          </Text>
          {r.totals.percent !== null &&
            ` ${t('· {percent} came, late ones included', { percent: percent(r.totals.percent) })}`}
        </Text>
        <Group gap={8}>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            loading={file.isPending}
            onClick={() => file.mutate()}
          >
            {t('CSV')}
          </Button>
          <Print
            path="/school-admin/attendance/report.pdf"
            query={{ divisionId: division, month }}
            name={`register-${r.className}-${r.divisionName}-${month}.pdf`}
          />
        </Group>
      </Group>
      {file.error && (
        <Group mb={12}>
          <Trouble error={file.error} />
        </Group>
      )}
      <div className="panel">
        <div
          className="list-scroll sheet-scroll"
          tabIndex={0}
          role="region"
          aria-label={t('Register of {title}', { title })}
        >
          <table className="month figures">
            <thead>
              <tr>
                <th scope="col" className="who">
                  {t('Student')}
                </th>
                {r.days.map((d) => {
                  const n = Number(d.date.slice(8))
                  const weekday = format.weekday(((new Date(`${d.date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1)
                  return (
                    <th key={d.date} scope="col" data-off={d.dayOff ? true : undefined} title={d.dayOff || weekday}>
                      {d.dayOff || d.date > today ? (
                        <span>
                          {n}
                          <span className="hidden">
                            {' '}
                            {weekday}
                            {d.dayOff && `, ${d.dayOff}`}
                          </span>
                          <small aria-hidden>{weekday[0]}</small>
                        </span>
                      ) : (
                        <Link to="/register" search={{ division, date: d.date } as never}>
                          {n}
                          <span className="hidden"> {t('{weekday}, open the day', { weekday })}</span>
                          <small aria-hidden>{weekday[0]}</small>
                        </Link>
                      )}
                    </th>
                  )
                })}
                {['P', 'A', 'L', 'E'].map((l, i) => (
                  <th key={l} scope="col" className="sum" title={[t('Present'), t('Absent'), t('Late'), t('Leave')][i]}>
                    {l}
                  </th>
                ))}
                <th scope="col" className="sum">
                  %
                </th>
              </tr>
            </thead>
            <tbody>
              {r.students.map((s) => (
                <tr key={s.studentId}>
                  <th scope="row" className="who">
                    <span className="roll">{s.rollNumber ?? ''}</span>
                    <Link to="/students" search={{ open: s.studentId, tab: 'attendance' } as never}>
                      {nameOf(s)}
                    </Link>
                  </th>
                  {s.statuses.map((x, i) => (
                    <td key={i} data-status={x ?? undefined} data-off={r.days[i]?.dayOff ? true : undefined}>
                      {x && x !== 'HOLIDAY' ? (
                        <>
                          <span aria-hidden>{x === 'PRESENT' ? '•' : letters[x]}</span>
                          <span className="hidden">{words(x)}</span>
                        </>
                      ) : (
                        ''
                      )}
                    </td>
                  ))}
                  <td className="sum">{s.totals.present}</td>
                  <td className="sum">{s.totals.absent}</td>
                  <td className="sum">{s.totals.late}</td>
                  <td className="sum">{s.totals.leave}</td>
                  <td className="sum" data-low={s.totals.percent !== null && s.totals.percent < 75 ? true : undefined}>
                    {s.totals.percent === null ? '–' : format.number(s.totals.percent)}
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" className="who">
                  {t('Total')}
                </th>
                <td colSpan={r.days.length} />
                <td className="sum">{r.totals.present}</td>
                <td className="sum">{r.totals.absent}</td>
                <td className="sum">{r.totals.late}</td>
                <td className="sum">{r.totals.leave}</td>
                <td className="sum">{r.totals.percent === null ? '–' : format.number(r.totals.percent)}</td>
              </tr>
            </tfoot>
          </table>
        </div>
      </div>
      <Text size="sm" c="dimmed" mt={8}>
        {t('A dot is present, A absent, L late, E leave; shaded days are off. Percent below 75 is underlined.')}
      </Text>
    </div>
  )
}
