// The attendance of the whole school, by class and division, of a day or a month.
import { Button, Group, SegmentedControl, Text, TextInput, Title } from '@mantine/core'
import { IconClipboardCheck, IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { api, call, download, type Schemas } from '../../api/client'
import { useSession } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { addDays, addMonths, useToday } from '../../patterns/choices'
import { DateField } from '../../patterns/DateField'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { localeOfWords, useFormat } from '../../patterns/format'
import { Print } from '../../patterns/Print'
import { RegisterTabs } from './register-tabs'
import { Stepper } from './stepper'
import '../../day.css'
import { rich, t } from '../../messages/console'

const dayOf = /^\d{4}-\d\d-\d\d$/
const monthOf = /^\d{4}-\d\d$/

/** Who came, of those who should have: the school, its classes and divisions. */
export function AttendanceSummary() {
  const [address, setAddress] = useAddress()
  const today = useToday()
  const byMonth = address.by === 'month'
  const date = dayOf.test(address.date ?? '') ? address.date! : today
  const month = monthOf.test(address.month ?? '') ? address.month! : today.slice(0, 7)
  const from = byMonth ? `${month}-01` : date
  const to = byMonth ? addDays(`${addMonths(month, 1)}-01`, -1) : date
  return (
    <div className="page">
      <Group justify="space-between" mb={12} gap={12} className="no-print">
        <Title order={1}>{t('Attendance summary')}</Title>
        <Group gap={8}>
          <SegmentedControl
            aria-label={t('Day or month')}
            data={[
              { value: 'day', label: t('Day') },
              { value: 'month', label: t('Month') },
            ]}
            value={byMonth ? 'month' : 'day'}
            onChange={(v) => setAddress({ by: v === 'month' ? v : undefined })}
          />
          {byMonth ? (
            <Stepper
              what={t('month')}
              before={() => setAddress({ month: addMonths(month, -1) })}
              after={month < today.slice(0, 7) ? () => setAddress({ month: addMonths(month, 1) }) : undefined}
            >
              <TextInput
                type="month"
                aria-label={t('Month')}
                value={month}
                max={today.slice(0, 7)}
                onChange={(e) => e.currentTarget.value && setAddress({ month: e.currentTarget.value })}
              />
            </Stepper>
          ) : (
            <Stepper
              what={t('day')}
              before={() => setAddress({ date: addDays(date, -1) })}
              after={date < today ? () => setAddress({ date: addDays(date, 1) }) : undefined}
            >
              <DateField
                aria-label={t('Day')}
                value={date}
                max={today}
                onChange={(day) => setAddress({ date: day || undefined })}
              />
            </Stepper>
          )}
        </Group>
      </Group>
      <RegisterTabs at="summary" />
      <Table key={`${from} ${to}`} from={from} to={to} />
    </div>
  )
}

type Totals = Schemas['AttendanceTotals']

function Table({ from, to }: { from: string; to: string }) {
  const format = useFormat()
  const { school } = useSession()
  const day = from === to
  const q = useQuery({
    queryKey: ['/school-admin/attendance/summary', from, to],
    queryFn: () => call(api.GET('/school-admin/attendance/summary', { params: { query: { from, to } } })),
  })
  const file = useMutation({
    mutationFn: () =>
      download('/school-admin/attendance/summary.csv', { from, to }, `attendance-summary-${from}-${to}.csv`),
  })
  const s = q.data
  if (!s) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={10} />
  if (s.classes.length === 0) {
    return (
      <div className="panel">
        <Empty
          icon={<IconClipboardCheck size={32} stroke={1.2} />}
          title={t('No divisions yet')}
          text={t(
            'The summary counts students by class and division: how many are enrolled, marked, present, absent, late and on leave.',
          )}
          action={
            <Button component={Link} to="/classes">
              {t('Add classes and divisions')}
            </Button>
          }
        />
      </div>
    )
  }
  const title = day
    ? format.date(from)
    : new Intl.DateTimeFormat(localeOfWords(school?.locale), {
        month: 'long',
        year: 'numeric',
        timeZone: 'UTC',
      }).format(new Date(`${from}T00:00:00Z`))
  const percent = (p: number | null) => (p === null ? '–' : `${format.number(p)} %`)
  const cells = (enrolled: number, n: Totals) => (
    <>
      <td className="end">{percent(n.percent)}</td>
      <td className="end">{format.number(enrolled)}</td>
      {[n.present, n.absent, n.late, n.leave, n.marked, n.unmarked].map((v, at) => (
        <td key={at} className="end">
          {format.number(v)}
        </td>
      ))}
    </>
  )
  const line = (key: string, name: ReactNode, enrolled: number, n: Totals, off = '') => (
    <tr key={key}>
      <td>{name}</td>
      {off ? (
        <>
          <td className="end">
            <Text span c="dimmed">
              {off === 'Weekend' ? off : t('Day off')}
            </Text>
          </td>
          <td className="end">{format.number(enrolled)}</td>
          <td colSpan={6}>
            <Text span c="dimmed">
              {off === 'Weekend' ? '' : off}
            </Text>
          </td>
        </>
      ) : (
        cells(enrolled, n)
      )}
    </tr>
  )
  const it = s.totals
  return (
    <>
      <Group justify="space-between" mb={12} gap={8}>
        <Group gap={16} className="figures">
          <Text fw={500} className="no-print">
            {title}
          </Text>
          <span className="tally">{rich('{enrolled} enrolled', { enrolled: <b>{format.number(s.enrolled)}</b> })}</span>
          <span className="tally" data-status="PRESENT">
            {rich('{percent} came, late ones included', { percent: <b>{percent(it.percent)}</b> })}
          </span>
          {it.unmarked > 0 && (
            <span className="tally">
              {day
                ? rich('{unmarked} of {schoolDays} not marked', {
                    unmarked: <b>{format.number(it.unmarked)}</b>,
                    schoolDays: format.number(it.schoolDays),
                  })
                : rich('{unmarked} of {schoolDays} days of students not marked', {
                    unmarked: <b>{format.number(it.unmarked)}</b>,
                    schoolDays: format.number(it.schoolDays),
                  })}
            </span>
          )}
        </Group>
        <Group gap={8} className="no-print">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            loading={file.isPending}
            onClick={() => file.mutate()}
          >
            {t('CSV')}
          </Button>
          <Print
            path="/school-admin/attendance/summary.pdf"
            query={{ from, to }}
            name={`attendance-summary-${from}-${to}.pdf`}
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
          className="list-scroll"
          tabIndex={0}
          role="region"
          aria-label={t('Attendance summary, {title}', { title })}
        >
          <table className="list summary figures">
            <thead>
              <tr>
                <th scope="col">{t('Class')}</th>
                {[
                  t('Came'),
                  t('Enrolled'),
                  t('Present'),
                  t('Absent'),
                  t('Late'),
                  t('Leave'),
                  t('Marked'),
                  t('Not marked'),
                ].map((h) => (
                  <th key={h} scope="col" className="end">
                    {h}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {s.classes.map((k) => (
                <Fragment key={k.classId}>
                  {k.divisions.map((d) =>
                    line(
                      d.divisionId,
                      <Link
                        className="row-name"
                        to="/register"
                        search={
                          (day
                            ? { division: d.divisionId, date: from }
                            : { division: d.divisionId, view: 'month', month: from.slice(0, 7) }) as never
                        }
                      >
                        {k.className} {d.divisionName}
                      </Link>,
                      d.enrolled,
                      d.totals,
                      d.dayOff,
                    ),
                  )}
                  {k.divisions.length > 1 &&
                    line(k.classId, <b>{t('{className} in all', { className: k.className })}</b>, k.enrolled, k.totals)}
                </Fragment>
              ))}
            </tbody>
            <tfoot>{line('school', <b>{t('School')}</b>, s.enrolled, s.totals)}</tfoot>
          </table>
        </div>
      </div>
      <Text size="sm" c="dimmed" mt={8}>
        {day
          ? t('Percentages are of the students who are marked.')
          : t(
              'Marked, present, absent, late and leave are counted in days of students, percentages of those marked; enrolled is on the last of the days.',
            )}
        {s.totals.carriedOver > 0 &&
          ` ${t('{n} of the days marked came as totals from before.', { n: format.number(s.totals.carriedOver) })}`}
      </Text>
    </>
  )
}
