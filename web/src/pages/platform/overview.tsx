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
        <Title order={1}>Overview</Title>
        <SegmentedControl
          aria-label="How far back"
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
              label="Schools"
              value={o?.schools}
              to="/schools"
              note={o && (others || (active === o.schools ? 'All are active' : ''))}
            />
            <Figure
              label="Students"
              value={o?.students}
              to="/schools"
              note={o && `${format.number(o.employees)} employees, ${format.number(o.guardians)} guardians`}
            />
            <Figure
              label="Signed-in devices"
              value={o?.sessions}
              to="/accounts"
              note={o && `${bytes(o.databaseBytes)} of tables, ${bytes(o.fileBytes)} of files`}
            />
            <Figure
              label={`Requests in ${hours} h`}
              value={o?.requests}
              to="/overview"
              search={{ hours }}
              note={
                o &&
                (o.requests
                  ? `${o.averageMs.toFixed(1)} ms each, ${format.number(o.errors)} faults`
                  : 'Nothing was asked yet')
              }
            />
          </Figures>
          <div className="charts">
            <Chart
              title="How much is asked"
              note={o && `Requests in every ${o.stepMinutes} min`}
              text={
                o &&
                `From ${format.dateTime(o.from)} until now: ${format.number(o.requests)} requests, ${format.number(o.errors)} faults.`
              }
            >
              <AreaChart
                h={220}
                data={points}
                dataKey="at"
                withDots={false}
                curveType="monotone"
                series={[
                  { name: 'Requests', color: 'accent.6' },
                  { name: 'Faults', color: 'red.7' },
                ]}
                areaChartProps={{ accessibilityLayer: false }}
                xAxisProps={{ minTickGap: 48 }}
                tooltipAnimationDuration={0}
                areaProps={{ isAnimationActive: false }}
              />
            </Chart>
            <Chart
              title="How long an answer takes"
              note="Milliseconds, on average"
              text={o && `${o.averageMs.toFixed(1)} milliseconds on average.`}
            >
              <LineChart
                h={220}
                data={points}
                dataKey="at"
                withDots={false}
                curveType="monotone"
                series={[{ name: 'ms per answer', color: 'accent.6' }]}
                lineChartProps={{ accessibilityLayer: false }}
                xAxisProps={{ minTickGap: 48 }}
                tooltipAnimationDuration={0}
                lineProps={{ isAnimationActive: false }}
              />
            </Chart>
            <Traffic title="Slowest schools" empty="No school had enough requests to say." rows={o?.slowest} />
            <Traffic title="Busiest schools" empty="Nobody asked for anything." rows={o?.busiest} />
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
              <th scope="col">School</th>
              <th scope="col" className="end">
                Requests
              </th>
              <th scope="col" className="end">
                Faults
              </th>
              <th scope="col" className="end">
                ms
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
