// The dashboard's charts, each answering one question. They come with their page only.
import '@mantine/charts/styles.css'
import { AreaChart, BarChart } from '@mantine/charts'
import { Text } from '@mantine/core'
import type { Schemas } from '../../api/client'
import { useSession } from '../../api/session'
import { t } from '../../messages/console'
import { knownLocale, localeOfWords, useFormat } from '../../patterns/format'

type Days = Schemas['DaySeries'][]

export default function Charts({ kind, days }: { kind: 'attendance' | 'money'; days: Days }) {
  const format = useFormat()
  const { school } = useSession()
  const short = new Intl.DateTimeFormat(localeOfWords(school?.locale), {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const name = (d: string) => short.format(new Date(`${d}T00:00:00Z`))
  if (kind === 'attendance') {
    const data = days.map((d) => ({
      day: name(d.date),
      Came: d.marked ? Math.round((d.present * 1000) / d.marked) / 10 : null,
    }))
    const known = data.filter((d) => d.Came !== null)
    if (known.length === 0) return <Nothing text={t('Once registers are marked, this shows how many come.')} />
    const least = Math.min(...known.map((d) => d.Came!))
    return (
      <Frame
        label={t('Attendance of {known} days', { known: known.length })}
        head={[t('Day'), t('Percent')]}
        rows={known.map((d) => [d.day, `${d.Came} %`])}
      >
        <AreaChart
          h={220}
          data={data}
          dataKey="day"
          series={[{ name: 'Came', label: t('Came'), color: 'accent.7' }]}
          curveType="monotone"
          connectNulls
          withDots={known.length < 15}
          dotProps={{ r: 3 }}
          strokeWidth={2}
          fillOpacity={0.12}
          gridAxis="x"
          tickLine="none"
          withGradient={false}
          yAxisProps={{
            domain: [
              least < 50 ? 0 : Math.floor(least / 10) * 10 - 10 < 50 ? 50 : Math.floor(least / 10) * 10 - 10,
              100,
            ],
            width: 52,
            tickCount: 5,
          }}
          xAxisProps={{ minTickGap: 24 }}
          valueFormatter={(v) => `${format.number(v)} %`}
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false }}
        />
      </Frame>
    )
  }
  const data = days.map((d) => ({ day: name(d.date), Collected: d.collected }))
  if (data.every((d) => d.Collected === 0))
    return <Nothing text={t('Payments that are received show here, day by day.')} />
  const digits = school?.currencyDigits ?? 2
  const compact = (v: number) =>
    new Intl.NumberFormat(knownLocale(school?.locale), { notation: 'compact', maximumFractionDigits: 1 }).format(
      v / 10 ** digits,
    )
  return (
    <Frame
      label={t('Collected in {data} days', { data: data.length })}
      head={[t('Day'), t('Collected')]}
      rows={data.filter((d) => d.Collected).map((d) => [d.day, format.money(d.Collected)])}
    >
      <BarChart
        h={220}
        data={data}
        dataKey="day"
        series={[{ name: 'Collected', label: t('Collected'), color: 'accent.7' }]}
        gridAxis="x"
        tickLine="none"
        yAxisProps={{ width: 52, tickFormatter: compact }}
        xAxisProps={{ minTickGap: 24 }}
        valueFormatter={format.money}
        maxBarWidth={24}
        barProps={{ isAnimationActive: false, radius: 3 }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </Frame>
  )
}

function Nothing({ text }: { text: string }) {
  return (
    <div className="chart-empty">
      <Text c="dimmed">{text}</Text>
    </div>
  )
}

/** A chart, and the same as a table for those who hear the page. */
function Frame({
  label,
  head,
  rows,
  children,
}: {
  label: string
  head: string[]
  rows: string[][]
  children: React.ReactNode
}) {
  return (
    <figure className="chart" aria-label={label}>
      <div aria-hidden>{children}</div>
      <table className="hidden">
        <caption>{label}</caption>
        <thead>
          <tr>
            {head.map((h) => (
              <th key={h} scope="col">
                {h}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r[0]}>
              {r.map((c, i) => (
                <td key={i}>{c}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
