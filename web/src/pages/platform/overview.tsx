import '@mantine/charts/styles.css'
import { AreaChart, LineChart } from '@mantine/charts'
import { Group, SegmentedControl, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { useAddress } from '../../patterns/address'
import { Figure, Figures } from '../../patterns/board'
import { saveCSV } from '../../patterns/csv'
import { Export } from '../../patterns/Export'
import { Trouble } from '../../patterns/feedback'
import { bytes, useFormat } from '../../patterns/format'
import './platform.css'
import { t } from '../../messages/console'

const ranges = [
  { value: '1', label: '1 h' },
  { value: '6', label: '6 h' },
  { value: '24', label: '24 h' },
  { value: '48', label: '48 h' },
]

/** The platform at a glance: how many, how busy, and who waits longest. */
export function Overview() {
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const hours = ranges.some((r) => r.value === address.hours) ? address.hours! : '24'
  const q = useQuery({
    queryKey: ['/super-admin/stats/overview', hours],
    queryFn: () => call(api.GET('/super-admin/stats/overview', { params: { query: { hours: Number(hours) } } })),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  })
  const o = q.data
  const active = o?.byStatus.find((s) => s.status === 'ACTIVE')?.count ?? 0
  const others = (o?.byStatus ?? [])
    .filter((s) => s.status !== 'ACTIVE' && s.count > 0)
    .map((s) => `${s.count} ${s.status.toLowerCase()}`)
    .join(', ')
  const points = (o?.series ?? []).map((m) => ({
    at: format.time(m.at),
    Requests: m.requests,
    Faults: m.errors,
    'ms per answer': Math.round(m.averageMs * 10) / 10,
  }))
  return (
    <div className="page">
      <Group justify="space-between" mb={16} gap={12}>
        <Title order={1}>{t('Overview')}</Title>
        <SegmentedControl
          aria-label={t('How far back')}
          size="sm"
          data={ranges}
          value={hours}
          onChange={(v) => setAddress({ hours: v === '24' ? undefined : v }, true)}
        />
      </Group>
      {q.error && !o ? (
        <Trouble error={q.error} retry={() => void q.refetch()} />
      ) : (
        <>
          <Figures>
            <Figure
              label={t('Schools')}
              value={o?.schools}
              to="/schools"
              note={o && (others || (active === o.schools ? t('All are active') : ''))}
            />
            <Figure
              label={t('Students')}
              value={o?.students}
              to="/schools"
              note={
                o &&
                t('{employees} employees, {guardians} guardians', {
                  employees: format.number(o.employees),
                  guardians: format.number(o.guardians),
                })
              }
            />
            <Figure
              label={t('Signed-in devices')}
              value={o?.sessions}
              to="/accounts"
              note={
                o &&
                t('{bytes} of tables, {bytes2} of files', { bytes: bytes(o.databaseBytes), bytes2: bytes(o.fileBytes) })
              }
            />
            <Figure
              label={t('Requests in {hours} h', { hours })}
              value={o?.requests}
              to="/overview"
              search={{ hours }}
              note={
                o &&
                (o.requests
                  ? t('{averageMs} ms each, {errors} faults', {
                      averageMs: o.averageMs.toFixed(1),
                      errors: format.number(o.errors),
                    })
                  : t('Nothing was asked yet'))
              }
            />
          </Figures>
          <div className="charts">
            <Chart
              title={t('How much is asked')}
              note={o && t('Requests in every {stepMinutes} min', { stepMinutes: o.stepMinutes })}
              text={
                o &&
                t('From {from} until now: {requests} requests, {errors} faults.', {
                  from: format.dateTime(o.from),
                  requests: format.number(o.requests),
                  errors: format.number(o.errors),
                })
              }
            >
              <AreaChart
                h={220}
                data={points}
                dataKey="at"
                withDots={false}
                curveType="monotone"
                series={[
                  { name: 'Requests', label: t('Requests'), color: 'accent.6' },
                  { name: 'Faults', label: t('Faults'), color: 'red.7' },
                ]}
                areaChartProps={{ accessibilityLayer: false }}
                xAxisProps={{ minTickGap: 48 }}
                tooltipAnimationDuration={0}
                areaProps={{ isAnimationActive: false }}
              />
            </Chart>
            <Chart
              title={t('How long an answer takes')}
              note={t('Milliseconds, on average')}
              text={o && t('{averageMs} milliseconds on average.', { averageMs: o.averageMs.toFixed(1) })}
            >
              <LineChart
                h={220}
                data={points}
                dataKey="at"
                withDots={false}
                curveType="monotone"
                series={[{ name: 'ms per answer', label: t('ms per answer'), color: 'accent.6' }]}
                lineChartProps={{ accessibilityLayer: false }}
                xAxisProps={{ minTickGap: 48 }}
                tooltipAnimationDuration={0}
                lineProps={{ isAnimationActive: false }}
              />
            </Chart>
            <Traffic
              title={t('Slowest schools')}
              empty={t('No school had enough requests to say.')}
              rows={o?.slowest}
            />
            <Traffic title={t('Busiest schools')} empty={t('Nobody asked for anything.')} rows={o?.busiest} />
          </div>
        </>
      )}
    </div>
  )
}

/** A chart answers one question; who cannot see it reads the answer. */
function Chart({
  title,
  note,
  text,
  children,
}: {
  title: string
  note?: ReactNode
  text?: string
  children: ReactNode
}) {
  return (
    <section className="panel chart" aria-label={title}>
      <Group justify="space-between" mb={12} gap={8}>
        <Title order={2}>{title}</Title>
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      </Group>
      <div aria-hidden style={{ minHeight: 220 }}>
        {children}
      </div>
      <p className="hidden">{text}</p>
    </section>
  )
}

function Traffic({
  title,
  empty,
  rows,
}: {
  title: string
  empty: string
  rows: Schemas['SchoolTraffic'][] | undefined
}) {
  const format = useFormat()
  return (
    <section className="panel" aria-label={title}>
      <Group justify="space-between" p={16} pb={8}>
        <Title order={2}>{title}</Title>
        {rows && rows.length > 0 && (
          <Export
            onClick={() =>
              saveCSV(`${title.toLowerCase()}.csv`, [
                ['School', 'Code', 'Requests', 'Faults', 'ms'],
                ...rows.map((r) => [r.name, r.code, r.requests, r.errors, r.averageMs]),
              ])
            }
          />
        )}
      </Group>
      {rows?.length === 0 ? (
        <Text c="dimmed" p={16} pt={0}>
          {empty}
        </Text>
      ) : (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{t('School')}</th>
              <th scope="col" className="end">
                {t('Requests')}
              </th>
              <th scope="col" className="end">
                {t('Faults')}
              </th>
              <th scope="col" className="end">
                {t('ms')}
              </th>
            </tr>
          </thead>
          <tbody>
            {(rows ?? []).map((r) => (
              <tr key={r.schoolId}>
                <td>
                  <Link to="/schools" search={{ open: r.schoolId } as never} className="row-name">
                    {r.name}
                  </Link>
                </td>
                <td className="end figures">{format.number(r.requests)}</td>
                <td className="end figures">{format.number(r.errors)}</td>
                <td className="end figures">{r.averageMs.toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
