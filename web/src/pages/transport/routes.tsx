import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Menu,
  NumberInput,
  Stack,
  Tabs,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconDots, IconMapPin, IconPlus, IconRoute } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { fetchList } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { MapView, type Place } from '../../map/lazy'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Lines, Trouble } from '../../patterns/feedback'
import { ListPage } from '../../patterns/ListPage'
import { type Draft, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { Riders } from './riders'
import { TransportNav, useBuses } from './shared'
import { ways, wayWords } from './words'

export function BusRoutes() {
  const may = useMay()
  const buses = useBuses()
  const number = (id: string) => buses.data?.find((b) => b.id === id)?.busNumber ?? ''
  const add = (
    <Button component={Link} to="/transport/routes/new" leftSection={<IconPlus size={16} />}>
      {t('Add a route')}
    </Button>
  )
  return (
    <>
      <TransportNav />
      <ListPage
        path="/school-admin/transport/route/list"
        title={t('Routes')}
        noun={[t('route'), t('routes')]}
        id={(r) => r.id}
        name={(r) => r.name}
        search={t('Name of a route')}
        filters={[
          { key: 'direction', label: t('Direction'), options: ways },
          {
            key: 'busId',
            label: t('Bus'),
            options: (buses.data ?? []).map((b) => ({ value: b.id, label: b.busNumber })),
          },
        ]}
        columns={[
          {
            key: 'name',
            title: t('Route'),
            cell: (r) => (
              <Link to="/transport/routes/$id" params={{ id: r.id } as never} className="row-name">
                {r.name}
              </Link>
            ),
            sort: 'name',
          },
          { key: 'way', title: t('Direction'), cell: (r) => wayWords[r.direction] ?? r.direction, phone: true },
          { key: 'bus', title: t('Bus'), cell: (r) => number(r.busId), phone: true },
        ]}
        primary={may('transport', 'write') && add}
        empty={
          <Empty
            icon={<IconRoute size={32} stroke={1.2} />}
            title={t('No routes yet')}
            text={t(
              'A route is the stops a bus calls at, in order, one way: to school or home. Students ride at a stop; their families hear when the bus comes near it.',
            )}
            action={
              may('transport', 'write') &&
              (buses.data?.length === 0 ? (
                <Button component={Link} to="/transport/buses" search={{ open: 'new' } as never}>
                  {t('Add a bus first')}
                </Button>
              ) : (
                add
              ))
            }
            example={t('For example: Hill Road, morning: Temple Street 7:00, Market Square 7:06, the school 7:25.')}
          />
        }
      />
    </>
  )
}

interface StopDraft extends Place {
  key: string
  id: string | null
  name: string
  plannedTime: string
  radiusMeters: number | null
}

interface Fields {
  name: string
  busId: string | null
  direction: string
  runsOnHolidays: boolean
  stops: StopDraft[]
}

const labels = {
  name: t('Name'),
  busId: t('Bus'),
  direction: t('Direction'),
  runsOnHolidays: t('Runs on holidays'),
  stops: t('Stops'),
}
const read = (id: string) => call(api.GET('/school-admin/transport/route/{id}', { params: { path: { id } } }))

function pick(r?: Schemas['RouteDetail']): Fields {
  return {
    name: r?.name ?? '',
    busId: r?.busId ?? null,
    direction: r?.direction ?? 'pickup',
    runsOnHolidays: r?.runsOnHolidays ?? false,
    stops: (r?.stops ?? []).map((s) => ({
      key: s.id,
      id: s.id,
      name: s.name,
      lat: s.lat,
      lng: s.lng,
      plannedTime: s.plannedTime,
      radiusMeters: s.radiusMeters,
    })),
  }
}

/** One route: its stops on a map and in a list, and who rides at which. */
export function BusRoute() {
  const { id = 'new' } = useParams({ strict: false }) as { id?: string }
  const q = useQuery({
    queryKey: ['/school-admin/transport/route/', id],
    queryFn: () => read(id),
    enabled: id !== 'new',
  })
  if (id === 'new') return <RoutePage key="new" />
  if (!q.data)
    return (
      <div className="page">{q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}</div>
    )
  return <RoutePage route={q.data} key={id} />
}

function RoutePage({ route }: { route?: Schemas['RouteDetail'] }) {
  const may = useMay()
  const [address, setAddress] = useAddress()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const gone = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/transport/route/{id}', { params: { path: { id: route!.id } } })),
    onSuccess: () => {
      changed('/school-admin/transport/')
      void navigate({ to: '/transport/routes' })
    },
  })
  const tab = route && address.tab === 'riders' ? 'riders' : 'stops'
  return (
    <div className="page">
      <Group justify="space-between" mb={16} gap={12}>
        <div>
          <Text size="sm" c="dimmed">
            <Link to="/transport/routes" style={{ color: 'inherit' }}>
              {t('Routes')}
            </Link>
          </Text>
          <Title order={1}>{route?.name ?? t('Add a route')}</Title>
        </div>
        {route && (
          <Group gap={8}>
            {may('transport', 'write') && (
              <Button
                component={Link}
                to="/transport"
                search={{ open: 'new', route: route.id } as never}
                variant="default"
              >
                {t('Schedule a trip')}
              </Button>
            )}
            {may('transport', 'delete') && (
              <Button variant="default" onClick={() => setAsking(true)}>
                {t('Delete…')}
              </Button>
            )}
          </Group>
        )}
      </Group>
      {route && (
        <Tabs value={tab} onChange={(t) => setAddress({ tab: t === 'stops' ? undefined : (t ?? undefined) })} mb={16}>
          <Tabs.List>
            <Tabs.Tab value="stops">{t('Stops ({stops})', { stops: route.stops.length })}</Tabs.Tab>
            <Tabs.Tab value="riders">{t('Riders ({students})', { students: route.students.length })}</Tabs.Tab>
          </Tabs.List>
        </Tabs>
      )}
      {tab === 'riders' && route ? <Riders route={route} /> : <RouteForm route={route} />}
      <Confirm
        opened={asking}
        title={t('Delete {name}?', { name: route?.name })}
        action={t('Delete')}
        danger
        busy={gone.isPending}
        error={gone.error}
        onClose={() => {
          setAsking(false)
          gone.reset()
        }}
        onConfirm={() => gone.mutate()}
      >
        {t('It is deleted only if no trip was ever scheduled on it.')}
      </Confirm>
    </div>
  )
}

/** The stops of another route: a new one is drawn in the same town. */
function useStopsNearby(wanted: boolean): Place[] | undefined {
  return useQuery({
    queryKey: ['/school-admin/transport/route/', 'nearby'],
    queryFn: async () => {
      const [first] = (await fetchList('/school-admin/transport/route/list', { page: 1, limit: 1 })).items
      return first ? (await read(first.id)).stops.map((s) => ({ lat: s.lat, lng: s.lng })) : []
    },
    enabled: wanted,
  }).data
}

let made = 0

function RouteForm({ route }: { route?: Schemas['RouteDetail'] }) {
  const may = useMay()
  const write = may('transport', 'write')
  const buses = useBuses()
  const navigate = useNavigate()
  const draft = useDraft<Fields>(pick(route))
  const f = fieldsOf(draft)
  const [chosen, choose] = useState<string>()
  const [typed, setTyped] = useState(0) // a place that was typed is brought into view
  const around = useStopsNearby(!route || route.stops.length === 0)
  const stops = draft.values.stops
  const wire = (list: StopDraft[]) =>
    list.map(({ id, name, lat, lng, plannedTime, radiusMeters }) => ({
      id,
      name,
      lat,
      lng,
      plannedTime,
      radiusMeters: radiusMeters ?? undefined,
    }))
  const save = useSave({
    draft,
    labels,
    version: route?.version,
    undo: (was) => !!route && !was.stops && was, // a stop that was taken away is none any more
    save: (c, version) =>
      route
        ? call(
            api.PUT('/school-admin/transport/route/{id}', {
              params: { path: { id: route.id } },
              body: { data: { ...(c as Schemas['RouteChange']), stops: c.stops && wire(c.stops), version } },
            }),
          )
        : call(
            api.POST('/school-admin/transport/route/create', {
              body: { data: { ...(draft.values as Schemas['RouteInput']), stops: wire(stops) } },
            }),
          ),
    reread:
      route &&
      (async () => {
        const now = await read(route.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: (r) => {
      changed('/school-admin/transport/')
      if (r) draft.reset(pick(r)) // new stops have their ids now
      if (!route && r) void navigate({ to: '/transport/routes/$id', params: { id: r.id } as never, replace: true })
    },
  })
  const add = (at: Place) => {
    const key = `new-${++made}`
    draft.set('stops', [...stops, { key, id: null, name: '', plannedTime: '', radiusMeters: 300, ...at }])
    choose(key)
  }
  const set = (key: string, c: Partial<StopDraft>) => {
    draft.set(
      'stops',
      stops.map((s) => (s.key === key ? { ...s, ...c } : s)),
    )
    draft.setErrors(
      Object.fromEntries(
        Object.entries(draft.errors).filter(([k]) => !k.startsWith(`stops[${stops.findIndex((s) => s.key === key)}].`)),
      ),
    )
  }
  return (
    <form
      className="route"
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <div className="panel route-map">
        <MapView
          height="var(--map-height)"
          label={t('Map of the stops')}
          stops={stops.map((s) => ({
            key: s.key,
            lat: s.lat,
            lng: s.lng,
            name: s.name || t('New stop'),
            radius: chosen === s.key ? (s.radiusMeters ?? 300) : undefined,
          }))}
          chosen={chosen}
          onChoose={choose}
          fit={`${route?.id ?? 'new'} ${typed}`}
          around={around}
          onAdd={write ? add : undefined}
          onMove={
            write
              ? (key, to) => {
                  set(key, to)
                  choose(key)
                }
              : undefined
          }
        />
      </div>
      <div>
        <Stack gap={16} className="panel" p={16} mb={16}>
          {f.text({ k: 'name', label: labels.name, required: true, placeholder: t('Hill Road, morning') })}
          <div className="pair">
            {f.choice({
              k: 'busId',
              label: labels.busId,
              data: (buses.data ?? [])
                .filter((b) => b.status !== 'RETIRED' || b.id === route?.busId)
                .map((b) => ({ value: b.id, label: t('Bus {busNumber}', { busNumber: b.busNumber }) })),
              none: route ? undefined : t('Choose a bus'),
              required: true,
            })}
            {f.choice({
              k: 'direction',
              label: labels.direction,
              data: ways,
              disabled: !!route,
              description: route ? t('Cannot be changed: students ride it this way') : undefined,
            })}
          </div>
          <Checkbox
            label={t('Runs on holidays too')}
            description={t(
              'Otherwise a day off of the school, or of all its riders, cancels its trips and notifies the riders.',
            )}
            checked={draft.values.runsOnHolidays}
            disabled={!write}
            onChange={(e) => draft.set('runsOnHolidays', e.currentTarget.checked)}
          />
        </Stack>
        <Stops
          draft={draft}
          set={set}
          chosen={chosen}
          choose={choose}
          write={write}
          typed={() => setTyped((n) => n + 1)}
        />
        {write && (
          <Group mt={12} gap={12}>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} />}
              onClick={() => {
                const last = stops.at(-1)
                add(last ? { lat: last.lat, lng: last.lng } : { lat: 0, lng: 0 })
              }}
            >
              {t('Add a stop')}
            </Button>
            <Text size="sm" c="dimmed">
              {t('or click on the map')}
            </Text>
          </Group>
        )}
        {write && (
          <div className="panel save-panel">
            <SaveBar
              draft={draft}
              {...save}
              submit={() => undefined}
              label={route ? t('Save') : t('Add the route')}
              always={!route}
              onCancel={
                route
                  ? undefined
                  : () => {
                      draft.reset()
                      void navigate({ to: '/transport/routes', ignoreBlocker: true })
                    }
              }
            />
          </div>
        )}
        {save.conflict}
      </div>
    </form>
  )
}

function Stops({
  draft,
  set,
  chosen,
  choose,
  write,
  typed,
}: {
  draft: Draft<Fields>
  set: (key: string, c: Partial<StopDraft>) => void
  chosen?: string
  choose: (key: string) => void
  write: boolean
  typed: () => void
}) {
  const stops = draft.values.stops
  const [over, setOver] = useState<string>()
  const [dragged, setDragged] = useState<string>()
  const wrong = (i: number, field: string) => draft.errors[`stops[${i}].${field}`]
  const move = (key: string, to: number) => {
    const from = stops.findIndex((s) => s.key === key)
    if (to < 0 || to >= stops.length || from === to) return
    const next = stops.filter((s) => s.key !== key)
    next.splice(to, 0, stops[from]!)
    draft.set('stops', next)
  }
  if (stops.length === 0)
    return (
      <div className="panel">
        <Empty
          icon={<IconMapPin size={28} stroke={1.2} />}
          title={t('No stops yet')}
          text={
            write
              ? t('Click on the map where the bus stops, in the order it calls there. Drag a stop to move it.')
              : t('Nobody has added one.')
          }
        />
      </div>
    )
  return (
    <div className="panel" role="list" aria-label={t('Stops in order')}>
      {stops.map((s, i) => {
        const open = chosen === s.key || !!wrong(i, 'lat') || !!wrong(i, 'lng') || !!wrong(i, 'radiusMeters')
        return (
          <div
            key={s.key}
            role="listitem"
            className="stop-row"
            data-on={chosen === s.key || undefined}
            data-over={over === s.key || undefined}
            data-bad={Object.keys(draft.errors).some((k) => k.startsWith(`stops[${i}].`)) || undefined}
            onFocus={() => choose(s.key)}
            onDragOver={(e) => {
              if (dragged) {
                e.preventDefault()
                setOver(s.key)
              }
            }}
            onDrop={(e) => {
              e.preventDefault()
              if (dragged) move(dragged, i)
              setOver(undefined)
              setDragged(undefined)
            }}
          >
            <button
              type="button"
              className="stop-number"
              draggable={write}
              aria-label={t('Stop {i}{name}. Arrow keys move it', { i: i + 1, name: s.name && `, ${s.name}` })}
              title={write ? t('Drag, or press an arrow key, to change the order') : undefined}
              onClick={() => choose(s.key)}
              onDragStart={(e) => {
                setDragged(s.key)
                e.dataTransfer.effectAllowed = 'move'
                e.dataTransfer.setData('text/plain', s.name)
              }}
              onDragEnd={() => {
                setDragged(undefined)
                setOver(undefined)
              }}
              onKeyDown={(e) => {
                if (!write || (e.key !== 'ArrowUp' && e.key !== 'ArrowDown')) return
                e.preventDefault()
                move(s.key, i + (e.key === 'ArrowUp' ? -1 : 1))
              }}
            >
              {i + 1}
            </button>
            <TextInput
              aria-label={t('Name of stop {i}', { i: i + 1 })}
              placeholder={t('Name, such as Temple Street')}
              value={s.name}
              disabled={!write}
              error={wrong(i, 'name') ?? wrong(i, 'id')}
              onChange={(e) => set(s.key, { name: e.currentTarget.value })}
              autoFocus={!s.id && s.name === '' && chosen === s.key}
            />
            <TextInput
              type="time"
              aria-label={t('Planned time of stop {i}', { i: i + 1 })}
              value={s.plannedTime}
              disabled={!write}
              error={wrong(i, 'plannedTime')}
              onChange={(e) => set(s.key, { plannedTime: e.currentTarget.value })}
            />
            {write ? (
              <Menu position="bottom-end">
                <Menu.Target>
                  <ActionIcon variant="subtle" color="gray" size={36} aria-label={t('Stop {i}: more', { i: i + 1 })}>
                    <IconDots size={18} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item disabled={i === 0} onClick={() => move(s.key, i - 1)}>
                    {t('Move up')}
                  </Menu.Item>
                  <Menu.Item disabled={i === stops.length - 1} onClick={() => move(s.key, i + 1)}>
                    {t('Move down')}
                  </Menu.Item>
                  <Menu.Item
                    c="red.8"
                    onClick={() =>
                      draft.set(
                        'stops',
                        stops.filter((x) => x.key !== s.key),
                      )
                    }
                  >
                    {t('Remove')}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            ) : (
              <span />
            )}
            {open && (
              <div className="stop-more">
                <NumberInput
                  label={t('Latitude')}
                  hideControls
                  decimalScale={6}
                  min={-90}
                  max={90}
                  value={s.lat}
                  disabled={!write}
                  error={wrong(i, 'lat')}
                  onChange={(v) => set(s.key, { lat: Number(v) })}
                  onBlur={typed}
                />
                <NumberInput
                  label={t('Longitude')}
                  hideControls
                  decimalScale={6}
                  min={-180}
                  max={180}
                  value={s.lng}
                  disabled={!write}
                  error={wrong(i, 'lng')}
                  onChange={(v) => set(s.key, { lng: Number(v) })}
                  onBlur={typed}
                />
                <NumberInput
                  label={t('Near within')}
                  suffix=" m"
                  hideControls
                  allowDecimal={false}
                  min={30}
                  max={5000}
                  value={s.radiusMeters ?? ''}
                  disabled={!write}
                  error={wrong(i, 'radiusMeters')}
                  onChange={(v) => set(s.key, { radiusMeters: v === '' ? null : Number(v) })}
                />
              </div>
            )}
          </div>
        )
      })}
    </div>
  )
}
