import { ActionIcon, Group, Stack, Text, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconAlertTriangle, IconBus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { api, call } from '../../api/client'
import { useLive } from '../../api/live'
import { useMay } from '../../api/session'
import { MapView } from '../../map/lazy'
import { useAddress } from '../../patterns/address'
import { Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { type BusNow, busesFrom, follow, nextStop, ridersOf } from './live-state'
import './live.css'
import { t } from '../../messages/console'
import { incidentWord, tripTones, tripWords } from './words'

const staleAfter = 90

/** Every bus of the day on a map and in a list, as they drive. */
export function Live() {
  const format = useFormat()
  const may = useMay()
  const [address, setAddress] = useAddress()
  const phone = useMediaQuery('(max-width: 900px)', false, { getInitialValueInEffect: false })
  const fleet = useQuery({
    queryKey: ['/school-admin/transport/live'],
    queryFn: () => call(api.GET('/school-admin/transport/live')),
    refetchInterval: 60_000,
    staleTime: 0,
  })
  const [buses, tell] = useReducer(follow, [] as BusNow[])
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (fleet.data) tell({ type: 'fleet', buses: busesFrom(fleet.data), at: Date.now() })
  }, [fleet.data])
  useEffect(() => {
    const t = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(t)
  }, [])
  // A bus that fills up says so fifty times: the API is asked once for all of it.
  const soon = useRef<number>(undefined)
  const refresh = () => {
    soon.current ??= window.setTimeout(() => {
      soon.current = undefined
      void fleet.refetch()
    }, 2_000)
  }
  useEffect(() => () => window.clearTimeout(soon.current), [])
  const line = useLive(
    buses.map((b) => b.id),
    {
      location: (seen) => tell({ type: 'location', seen, at: Date.now() }),
      eta: (eta) => tell({ type: 'eta', eta, at: Date.now() }),
      'trip-status': (trip) => {
        tell({ type: 'trip', trip })
        refresh()
      },
      boarding: refresh,
      incident: (incident) => tell({ type: 'incident', incident }),
    },
    () => void fleet.refetch(),
  )

  const chosen = buses.find((b) => b.id === address.bus)
  const age = (b: BusNow) => (b.seen ? Math.max(0, Math.round(b.seen.age + (now - b.seen.at) / 1000)) : undefined)
  const stale = (b: BusNow) => (age(b) ?? 0) > staleAfter
  // biome-ignore lint/correctness/useExhaustiveDependencies: stale is compared by its answers
  const marks = useMemo(
    () =>
      buses
        .filter((b) => b.seen && (b.open || b.id === chosen?.id))
        .map((b) => ({
          key: b.id,
          lat: b.seen!.lat,
          lng: b.seen!.lng,
          label: b.number,
          name: t('Bus {number}, {route}', { number: b.number, route: b.route }),
          stale: stale(b),
          trouble: b.incidents.length > 0,
        })),
    [buses, chosen?.id, JSON.stringify(buses.map(stale))],
  )
  // One bus has its stops by number; of all others the way is enough.
  const [stops, ways] = useMemo(() => {
    const marked = (b: BusNow) =>
      b.stops.map((s) => ({ key: s.id, lat: s.lat, lng: s.lng, name: s.name, done: !!s.departedAt }))
    const only = chosen ?? (buses.length === 1 ? buses[0] : undefined)
    return [only ? marked(only) : [], buses.filter((b) => b.open && b !== only).map(marked)]
  }, [buses, chosen])
  const out = buses.filter((b) => b.open)
  const aboard = out.reduce((n, b) => n + (b.counts.boarded ?? 0), 0)

  if (fleet.error && !fleet.data)
    return (
      <div className="page reading">
        <Trouble error={fleet.error} retry={() => void fleet.refetch()} />
      </div>
    )
  if (fleet.data && buses.length === 0 && fleet.data.buses.length === 0) {
    return (
      <div className="page">
        <Title order={1} mb={16}>
          {t('Live buses')}
        </Title>
        <div className="panel">
          <Empty
            icon={<IconBus size={32} stroke={1.2} />}
            title={t('No trips today')}
            text={t(
              'As soon as a driver starts a trip, the bus moves on this map: where it is, who is aboard, and when it reaches each stop.',
            )}
            action={
              may('transport', 'write') && (
                <Link to="/transport" search={{ open: 'new' } as never} className="mantine-focus-auto link-button">
                  {t('Schedule a trip')}
                </Link>
              )
            }
            example={t('For example: Hill Road, every weekday at 6:55, from Monday on.')}
          />
        </div>
      </div>
    )
  }
  return (
    <div className="live">
      <div className="live-head">
        <Title order={1}>{t('Live buses')}</Title>
        <Text c="dimmed" className="figures only-wide">
          {out.length === 0
            ? t('No bus is out')
            : t('{out} out · {aboard} aboard', { out: format.number(out.length), aboard: format.number(aboard) })}
        </Text>
        <Text size="sm" component="div" ms="auto" role="status" aria-live="polite">
          {line === 'live' ? (
            <Status tone="good">{t('Live')}</Status>
          ) : line === 'connecting' ? (
            <Status tone="busy">{t('Connecting')}</Status>
          ) : (
            <Status tone="warn">{t('Connection lost. Trying again…')}</Status>
          )}
        </Text>
      </div>
      <div className="live-map">
        <MapView
          height="100%"
          label={t('Map of the buses')}
          buses={marks}
          stops={stops}
          ways={chosen ? [] : ways}
          chosen={address.bus}
          follow={address.bus}
          fit={`${chosen?.id ?? 'all'} ${chosen ? '' : marks.length > 0}`}
          onChoose={(id) => buses.some((b) => b.id === id) && setAddress({ bus: id }, true)}
        />
      </div>
      <div className="live-list">
        {!fleet.data ? (
          <Stack p={16}>
            <Lines />
          </Stack>
        ) : chosen ? (
          <OneBus
            bus={chosen}
            age={age(chosen)}
            stale={stale(chosen)}
            now={now}
            close={() => setAddress({ bus: undefined }, true)}
          />
        ) : (
          <ul aria-label={t('Buses of today')}>
            {buses.map((b) => (
              <BusLine
                key={b.id}
                bus={b}
                age={age(b)}
                stale={stale(b)}
                now={now}
                choose={() => setAddress({ bus: b.id }, true)}
              />
            ))}
          </ul>
        )}
        {phone ? null : (
          <Text size="xs" c="dimmed" p={16}>
            {t('A bus that has not reported for 90 seconds is grey.')}
          </Text>
        )}
      </div>
    </div>
  )
}

/** How old a position is, in words that do not change with every second. */
function ageWords(seconds: number | undefined): string {
  if (seconds === undefined) return t('Not seen yet')
  if (seconds < 10) return t('Just now')
  if (seconds < 90) return t('{seconds} s ago', { seconds: seconds - (seconds % 5) })
  if (seconds < 3600) return t('{floor} min ago', { floor: Math.floor(seconds / 60) })
  return t('{floor} h {floor2} min ago', {
    floor: Math.floor(seconds / 3600),
    floor2: Math.floor((seconds % 3600) / 60),
  })
}

function etaWords(seconds: number | undefined): string {
  if (seconds === undefined) return ''
  return seconds < 45 ? t('arriving') : t('in {max} min', { max: Math.max(1, Math.round(seconds / 60)) })
}

function etaOf(b: BusNow, stopId: string, now: number): number | undefined {
  const e = b.etas[stopId]
  return e && Math.max(0, e.seconds - (now - e.at) / 1000)
}

interface LineProps {
  bus: BusNow
  age: number | undefined
  stale: boolean
  now: number
}

function State({ bus, age, stale }: Omit<LineProps, 'now'>) {
  if (!bus.open) return <Status tone={tripTones[bus.status] ?? 'off'}>{tripWords[bus.status] ?? bus.status}</Status>
  if (stale) return <Status tone="off">{t('Last seen {ageWords}', { ageWords: ageWords(age) })}</Status>
  if (bus.status === 'paused') return <Status tone="warn">{t('Paused')}</Status>
  return <Status tone={bus.seen ? 'good' : 'busy'}>{bus.seen ? ageWords(age) : t('Started, not seen yet')}</Status>
}

function BusLine({ bus, age, stale, now, choose }: LineProps & { choose: () => void }) {
  const format = useFormat()
  const next = nextStop(bus)
  return (
    <li>
      <button type="button" className="live-line" data-stale={stale || undefined} onClick={choose}>
        <span className="live-number" data-stale={stale || !bus.open || undefined}>
          {bus.number}
        </span>
        <span className="live-what">
          <Group component="span" gap={8} justify="space-between" wrap="nowrap">
            <Text span fw={500} truncate>
              {bus.route}
            </Text>
            <Text span size="sm" className="figures">
              <State bus={bus} age={age} stale={stale} />
            </Text>
          </Group>
          <Text span size="sm" c="dimmed" truncate display="block">
            {bus.open
              ? next
                ? next.arrivedAt
                  ? t('At {name}', { name: next.name })
                  : t('Next {name}{etaWords}', {
                      name: next.name,
                      etaWords:
                        !stale && etaOf(bus, next.id, now) !== undefined && ` ${etaWords(etaOf(bus, next.id, now))}`,
                    })
                : t('Past the last stop')
              : bus.status === 'scheduled'
                ? t('Starts {startsAt}', { startsAt: format.time(bus.startsAt) })
                : `${tripWords[bus.status]} ${format.time(bus.endedAt)}`}
          </Text>
          <Text span size="sm" c="dimmed" className="figures" display="block">
            {ridersOf(bus)}
          </Text>
          {bus.incidents.map((i) => (
            <Text span size="sm" key={i.id} className="live-trouble">
              <IconAlertTriangle size={14} stroke={1.8} aria-hidden /> {incidentWord(i.type)}
              {i.description && `: ${i.description}`}
            </Text>
          ))}
        </span>
      </button>
    </li>
  )
}

function OneBus({ bus, age, stale, now, close }: LineProps & { close: () => void }) {
  const format = useFormat()
  // Estimates are said every ten seconds; who has just come asks for the last ones.
  const last = useQuery({
    queryKey: ['/bus-tracking/bus/', bus.id],
    queryFn: async () => ({
      at: Date.now(),
      live: await call(api.GET('/bus-tracking/bus/{busId}/live', { params: { path: { busId: bus.id } } })),
    }),
    enabled: bus.open,
    staleTime: 0,
  })
  const etaAt = (stopId: string) => {
    const heard = etaOf(bus, stopId, now)
    const asked = last.data?.live.stops.find((s) => s.id === stopId)?.etaSeconds
    return (
      heard ??
      (asked === null || asked === undefined || !last.data
        ? undefined
        : Math.max(0, asked - (now - last.data.at) / 1000))
    )
  }
  return (
    <section aria-label={t('Bus {number}', { number: bus.number })} className="live-one">
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap={8}>
        <div style={{ minWidth: 0 }}>
          <Title order={2}>{t('Bus {number}', { number: bus.number })}</Title>
          <Text c="dimmed" size="sm" truncate>
            {[bus.route, bus.driver].filter(Boolean).join(' · ')}
          </Text>
        </div>
        <ActionIcon variant="subtle" color="gray" aria-label={t('All buses')} onClick={close}>
          <IconX size={18} stroke={1.6} />
        </ActionIcon>
      </Group>
      <Group gap={16} mt={8}>
        <State bus={bus} age={age} stale={stale} />
        {bus.seen && !stale && (
          <Text size="sm" c="dimmed" className="figures">
            {t('{round} km/h', { round: Math.round(bus.seen.speed * 3.6) })}
          </Text>
        )}
      </Group>
      <Text size="sm" mt={8} className="figures">
        {ridersOf(bus)}
      </Text>
      {bus.incidents.map((i) => (
        <Text size="sm" key={i.id} className="live-trouble" mt={8}>
          <IconAlertTriangle size={14} stroke={1.8} aria-hidden /> {incidentWord(i.type)}
          {i.description && `: ${i.description}`}, {format.time(i.occurredAt)}
        </Text>
      ))}
      <ol className="live-stops">
        {bus.stops.map((s) => {
          const eta = stale ? undefined : etaAt(s.id)
          return (
            <li
              key={s.id}
              data-done={s.departedAt ? true : undefined}
              data-here={s.arrivedAt && !s.departedAt ? true : undefined}
            >
              <span>{s.name}</span>
              <Text span size="sm" c="dimmed" className="figures">
                {s.departedAt
                  ? t('Left {departedAt}', { departedAt: format.time(s.departedAt) })
                  : s.arrivedAt
                    ? t('Here now')
                    : eta !== undefined && bus.open
                      ? etaWords(eta)
                      : s.plannedTime && t('Planned {plannedTime}', { plannedTime: s.plannedTime })}
              </Text>
            </li>
          )
        })}
      </ol>
      <Link to="/transport" search={{ open: bus.tripId } as never} className="link-button">
        {t('Trip and riders')}
      </Link>
    </section>
  )
}
