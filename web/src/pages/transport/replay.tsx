import { ActionIcon, Slider, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { MapView } from '../../map/lazy'
import { t } from '../../messages/console'
import { Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'

/** Where a bus was during a trip: its trail on the map, with a slider through time, and when it was at which stop. */
export default function Replay({ trip }: { trip: Schemas['TripDetail'] }) {
  const format = useFormat()
  const open = trip.status === 'in_progress' || trip.status === 'paused'
  const q = useQuery({
    queryKey: ['/school-admin/transport/trip/', trip.id, 'trail'],
    queryFn: () => call(api.GET('/school-admin/transport/trip/{id}/trail', { params: { path: { id: trip.id } } })),
    refetchInterval: open ? 15_000 : false,
  })
  const [at, setAt] = useState<number>()
  const [playing, setPlaying] = useState(false)
  const points = q.data?.points ?? []
  const last = points.length - 1
  const now = Math.min(at ?? last, last)
  useEffect(() => {
    if (!playing) return
    const step = Math.max(1, Math.round(last / 300)) // any trip is through in about half a minute
    const t = window.setInterval(() => setAt((x) => Math.min(last, (x ?? 0) + step)), 100)
    return () => window.clearInterval(t)
  }, [playing, last])
  useEffect(() => {
    if (playing && now >= last) setPlaying(false)
  }, [playing, now, last])
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  const here = points[now]
  const moment = here ? Date.parse(here.timestamp) : Infinity
  const stops = q.data.stops.map((s) => ({
    key: s.id,
    lat: s.lat,
    lng: s.lng,
    name: s.name,
    done: !!s.arrivedAt && Date.parse(s.arrivedAt) <= moment,
  }))
  return (
    <Stack gap={16}>
      <div className="replay">
        <MapView
          height={300}
          label={t('Where the bus was')}
          stops={stops}
          trail={points.length > 1 ? points : undefined}
          ways={points.length > 1 ? [stops] : []}
          buses={
            here
              ? [
                  {
                    key: trip.busId,
                    lat: here.lat,
                    lng: here.lng,
                    label: trip.busNumber,
                    name: t('Bus {busNumber}, {timestamp}', {
                      busNumber: trip.busNumber,
                      timestamp: format.time(here.timestamp),
                    }),
                  },
                ]
              : []
          }
          fit={`${trip.id} ${points.length > 0}`}
        />
        {here && (
          <div className="replay-bar">
            <ActionIcon
              variant="default"
              size={36}
              aria-label={playing ? t('Pause') : t('Play')}
              onClick={() => {
                if (!playing && now >= last) setAt(0)
                setPlaying(!playing)
              }}
            >
              {playing ? <IconPlayerPause size={18} stroke={1.6} /> : <IconPlayerPlay size={18} stroke={1.6} />}
            </ActionIcon>
            <Slider
              style={{ flex: 1 }}
              min={0}
              max={Math.max(1, last)}
              value={now}
              onChange={(v) => {
                setPlaying(false)
                setAt(v)
              }}
              label={null}
              thumbLabel={t('Moment of the trip')}
              thumbProps={{ 'aria-valuetext': format.time(here.timestamp) }}
            />
            <Text size="sm" className="figures" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              {t('{timestamp} · {round} km/h', {
                timestamp: format.time(here.timestamp),
                round: Math.round(here.speed * 3.6),
              })}
            </Text>
          </div>
        )}
      </div>
      {!here && (
        <Text size="sm" c="dimmed">
          {trip.startedAt
            ? t('No position of this trip is kept. They are kept in full for 30 days and thinned out until 90.')
            : t('The bus has not started. Its route is shown here once it starts.')}
        </Text>
      )}
      <ol className="moments" aria-label={t('Stops')}>
        {q.data.stops.map((s) => (
          <li key={s.id}>
            <Text fw={500}>{s.name}</Text>
            <Text size="sm" c="dimmed" className="figures">
              {[
                s.plannedTime && t('Planned {plannedTime}', { plannedTime: s.plannedTime }),
                s.arrivedAt && t('arrived {arrivedAt}', { arrivedAt: format.time(s.arrivedAt) }),
                s.departedAt && t('left {departedAt}', { departedAt: format.time(s.departedAt) }),
              ]
                .filter(Boolean)
                .join(' · ') || t('No time planned')}
            </Text>
          </li>
        ))}
      </ol>
    </Stack>
  )
}
