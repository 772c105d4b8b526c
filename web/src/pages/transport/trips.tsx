import { Button, Group, Menu, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { IconCalendarTime, IconDots, IconDownload, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { saveCSV } from '../../patterns/csv'
import { DateField } from '../../patterns/DateField'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { part } from '../../patterns/part'
import { DrawerHead, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { Reach } from '../communication/reach'
import { Resolve } from './resolve'
import { Schedule } from './schedule'
import { TransportNav, useBuses, useDrivers } from './shared'
import { AddRider, HandOver } from './under-way'
import { clockIn, incidentWord, riderTones, riderWords, todayIn, tripTones, tripWords, ways, wayWords } from './words'

const Replay = part(() => import('./replay'), 'default', <Lines />)

/** The trips of a day: today's, unless another was chosen. */
export function Trips() {
  const format = useFormat()
  const may = useMay()
  const { school } = useSession()
  const [address, setAddress] = useAddress()
  const buses = useBuses()
  const today = todayIn(school?.timeZone)
  const day = /^\d{4}-\d\d-\d\d$/.test(address.day ?? '') ? address.day! : today
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Schedule a trip')}
    </Button>
  )
  return (
    <>
      <TransportNav />
      <ListPage
        path="/school-admin/transport/trip/list"
        title={day === today ? t('Trips today') : t('Trips on {day}', { day: format.date(day) })}
        noun={[t('trip'), t('trips')]}
        id={(t) => t.id}
        name={(t) => t.routeName}
        fixed={{ tripDate: day }}
        initial={{ sort: 'scheduledStartAt', order: 'asc' }}
        filters={[
          {
            key: 'status',
            label: t('State'),
            options: Object.entries(tripWords).map(([value, label]) => ({ value, label })),
          },
          { key: 'tripType', label: t('Direction'), options: ways },
          {
            key: 'busId',
            label: t('Bus'),
            options: (buses.data ?? []).map((b) => ({ value: b.id, label: b.busNumber })),
          },
        ]}
        columns={[
          { key: 'route', title: t('Route'), cell: (t) => t.routeName },
          {
            key: 'starts',
            title: t('Starts'),
            cell: (t) => <span className="figures">{format.time(t.scheduledStartAt)}</span>,
            sort: 'scheduledStartAt',
            phone: true,
          },
          { key: 'way', title: t('Direction'), cell: (t) => wayWords[t.tripType] ?? t.tripType },
          { key: 'bus', title: t('Bus'), cell: (t) => t.busNumber },
          {
            key: 'driver',
            title: t('Driver'),
            cell: (it) =>
              it.driverName || (
                <Text span c="dimmed">
                  {t('Nobody yet')}
                </Text>
              ),
          },
          {
            key: 'state',
            title: t('State'),
            cell: (t) => <TripStatus status={t.status} />,
            phone: true,
          },
          { key: 'started', title: t('Started'), cell: (t) => format.time(t.startedAt), hidden: true },
          { key: 'ended', title: t('Ended'), cell: (t) => format.time(t.endedAt), hidden: true },
        ]}
        more={
          <DateField
            aria-label={t('Day')}
            value={day}
            onChange={(day) =>
              setAddress({
                day: day === today ? undefined : day || undefined,
                page: undefined,
              })
            }
            w={150}
          />
        }
        primary={may('transport', 'write') && add}
        empty={
          <Empty
            icon={<IconCalendarTime size={32} stroke={1.2} />}
            title={day === today ? t('No trips today') : t('No trips on this day')}
            text={t(
              'A trip is a bus driving a route once. Schedule one for a day, or on weekdays for as long as you like; drivers see theirs on their phone.',
            )}
            action={may('transport', 'write') && add}
            example={t('For example: Hill Road, Monday to Friday at 6:55, until the holidays.')}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <Schedule close={close} /> : <TripDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

function TripStatus({ status }: { status: string }) {
  return <Status tone={tripTones[status] ?? 'off'}>{tripWords[status] ?? status}</Status>
}

const read = (id: string) => call(api.GET('/school-admin/transport/trip/{id}', { params: { path: { id } } }))

function TripDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const q = useQuery({
    queryKey: ['/school-admin/transport/trip/', id],
    queryFn: () => read(id),
    refetchInterval: (x) => (['in_progress', 'paused'].includes(x.state.data?.status ?? '') ? 15_000 : false),
  })
  const it = q.data
  if (!it)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  const tab = ['way', 'incidents', 'change'].includes(address.tab ?? '') ? address.tab! : 'riders'
  return (
    <>
      <DrawerHead
        title={it.routeName}
        close={close}
        actions={<Actions trip={it} />}
        summary={
          <Group gap={12}>
            <TripStatus status={it.status} />
            <span>{t('Bus {busNumber}', { busNumber: it.busNumber })}</span>
            {it.driverName && <span>{it.driverName}</span>}
            <span className="figures">{format.dateTime(it.scheduledStartAt)}</span>
          </Group>
        }
      >
        <Tabs value={tab} onChange={(v) => setAddress({ tab: v === 'riders' ? undefined : (v ?? undefined) })} mt={12}>
          <Tabs.List>
            <Tabs.Tab value="riders">{t('Riders ({students})', { students: it.students.length })}</Tabs.Tab>
            <Tabs.Tab value="way">{it.startedAt ? t('Where it was') : t('Stops')}</Tabs.Tab>
            <Tabs.Tab value="incidents">{t('Incidents')}</Tabs.Tab>
            {it.status === 'scheduled' && <Tabs.Tab value="change">{t('Change')}</Tabs.Tab>}
          </Tabs.List>
        </Tabs>
      </DrawerHead>
      {tab === 'change' && it.status === 'scheduled' ? (
        <Change trip={it} />
      ) : (
        <div className="drawer-body">
          {it.cancelReason && <Text mb={16}>{t('Cancelled: {cancelReason}', { cancelReason: it.cancelReason })}</Text>}
          {tab === 'riders' ? (
            <>
              <TripRiders trip={it} />
              <Reach recordId={it.id} version={it.version} mt={24} />
            </>
          ) : tab === 'incidents' ? (
            <TripIncidents trip={it} />
          ) : (
            <Replay trip={it} />
          )}
        </div>
      )}
    </>
  )
}

function TripRiders({ trip }: { trip: Schemas['TripDetail'] }) {
  const format = useFormat()
  const counts = Object.entries(riderWords)
    .map(([k, word]) => [word, trip.students.filter((s) => s.status === k).length] as const)
    .filter(([, n]) => n > 0)
  if (trip.students.length === 0)
    return (
      <Empty
        title={t('No riders')}
        text={t('Students ride a route at one of its stops.')}
        action={
          <Button
            component={Link}
            to="/transport/routes/$id"
            params={{ id: trip.routeId } as never}
            search={{ tab: 'riders' } as never}
            variant="default"
          >
            {t('Riders of the route')}
          </Button>
        }
      />
    )
  const csv = () =>
    saveCSV(`riders ${trip.routeName} ${trip.tripDate}.csv`, [
      ['Stop', 'Student', 'State', 'Reason', 'Boarded', 'Got off'],
      ...trip.students.map((s) => [
        s.stopName,
        nameOf(s),
        riderWords[s.status] ?? s.status,
        s.reason,
        format.dateTime(s.boardedAt),
        format.dateTime(s.alightedAt),
      ]),
    ])
  const stops = [...new Map(trip.students.map((s) => [s.stopId, s.stopName]))]
  return (
    <>
      <Group justify="space-between" mb={8}>
        <Text className="figures">{counts.map(([word, n]) => `${n} ${word.toLowerCase()}`).join(' · ')}</Text>
        <Button
          variant="subtle"
          color="gray"
          c="dimmed"
          size="compact-sm"
          leftSection={<IconDownload size={16} stroke={1.6} />}
          onClick={csv}
        >
          {t('CSV')}
        </Button>
      </Group>
      {stops.map(([stopId, name]) => (
        <section key={stopId} aria-label={name}>
          <div className="stop-head">
            <Text size="sm" c="dimmed" fw={500}>
              {name}
            </Text>
          </div>
          {trip.students
            .filter((s) => s.stopId === stopId)
            .map((s) => (
              <div key={s.studentId} className="rider">
                <Link to="/students" search={{ open: s.studentId } as never} className="row-name">
                  {nameOf(s)}
                </Link>
                <Group gap={12} wrap="nowrap">
                  <Text size="sm" c="dimmed" className="figures">
                    {s.status === 'alighted'
                      ? format.time(s.alightedAt)
                      : s.status === 'boarded'
                        ? format.time(s.boardedAt)
                        : s.reason}
                  </Text>
                  <Status tone={riderTones[s.status] ?? 'off'}>{riderWords[s.status] ?? s.status}</Status>
                </Group>
              </div>
            ))}
        </section>
      ))}
    </>
  )
}

function TripIncidents({ trip }: { trip: Schemas['TripDetail'] }) {
  const format = useFormat()
  const may = useMay()
  const q = useQuery({
    queryKey: ['/school-admin/transport/incident/list', 'trip', trip.id],
    queryFn: () => fetchAll('/school-admin/transport/incident/list', { filters: { tripId: trip.id } }),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={3} />
  if (q.data.length === 0)
    return <Empty title={t('No incidents')} text={t('What the driver reports on the way is shown here.')} />
  return (
    <Stack gap={16}>
      {q.data.map((i) => (
        <Stack key={i.id} gap={8}>
          <Group justify="space-between">
            <Text fw={500}>{incidentWord(i.type)}</Text>
            {i.resolvedAt ? (
              <Status tone="good">{t('Resolved')}</Status>
            ) : (
              <Status tone="warn">{t('Not resolved')}</Status>
            )}
          </Group>
          <Text c="dimmed" size="sm">
            {format.dateTime(i.occurredAt)}
            {i.description && ` · ${i.description}`}
          </Text>
          {i.resolution && <Text size="sm">{i.resolution}</Text>}
          {!i.resolvedAt && may('transport', 'write') && <Resolve id={i.id} />}
        </Stack>
      ))}
    </Stack>
  )
}

/** The bus, driver and time of a trip that has not started. */
function Change({ trip }: { trip: Schemas['TripDetail'] }) {
  const may = useMay()
  const { school } = useSession()
  const buses = useBuses()
  const drivers = useDrivers()
  const pick = (t: Schemas['TripDetail']) => ({
    busId: t.busId as string | null,
    driverId: t.driverId,
    scheduledStartTime: clockIn(t.scheduledStartAt, school?.timeZone),
  })
  const draft = useDraft(pick(trip))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels: { busId: t('Bus'), driverId: t('Driver'), scheduledStartTime: t('Starts at') },
    version: trip.version,
    save: (c, version) =>
      call(
        api.PUT('/school-admin/transport/trip/{id}', {
          params: { path: { id: trip.id } },
          body: { data: { ...c, version } },
        }),
      ),
    reread: async () => {
      const now = await read(trip.id)
      return { ...pick(now), version: now.version }
    },
    onSaved: () => changed('/school-admin/transport/'),
  })
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          <div className="pair">
            {f.choice({
              k: 'busId',
              label: t('Bus'),
              data: (buses.data ?? []).map((b) => ({
                value: b.id,
                label: t('Bus {busNumber}', { busNumber: b.busNumber }),
              })),
            })}
            {f.text({ k: 'scheduledStartTime', label: t('Starts at'), type: 'time' })}
          </div>
          {f.choice({
            k: 'driverId',
            label: t('Driver'),
            data: (drivers.data ?? []).map((d) => ({ value: d.id, label: nameOf(d) })),
            none: t("The bus's driver of the day"),
          })}
        </Stack>
      </div>
      {may('transport', 'write') && <SaveBar draft={draft} {...save} submit={() => undefined} />}
      {save.conflict}
    </form>
  )
}

function Actions({ trip }: { trip: Schemas['TripDetail'] }) {
  const may = useMay()
  const [asking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  const cancel = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/transport/trip/{id}/cancel', {
          params: { path: { id: trip.id } },
          body: { data: { reason } },
        }),
      ),
    onSuccess: () => {
      changed('/school-admin/transport/')
      setAsking(false)
    },
  })
  const [doing, setDoing] = useState<'driver' | 'rider' | null>(null)
  const underWay = ['in_progress', 'paused'].includes(trip.status)
  const mayCancel = ['scheduled', 'paused'].includes(trip.status)
  if (!may('transport', 'write') || !(underWay || mayCancel)) return null
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="subtle" color="gray" size="compact-md" px={6} aria-label={t('More')}>
            <IconDots size={18} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {underWay && (
            <>
              <Menu.Item onClick={() => setDoing('driver')}>{t('Hand over to another driver…')}</Menu.Item>
              <Menu.Item onClick={() => setDoing('rider')}>{t('Add a rider…')}</Menu.Item>
            </>
          )}
          {mayCancel && (
            <Menu.Item c="red.8" onClick={() => setAsking(true)}>
              {t('Cancel the trip…')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {doing === 'driver' && <HandOver trip={trip} close={() => setDoing(null)} />}
      {doing === 'rider' && <AddRider trip={trip} close={() => setDoing(null)} />}
      <Confirm
        opened={asking}
        title={t('Cancel this trip?')}
        action={t('Cancel the trip')}
        danger
        busy={cancel.isPending}
        error={cancel.error}
        onClose={() => {
          setAsking(false)
          cancel.reset()
        }}
        onConfirm={() => cancel.mutate()}
      >
        {t(
          'The driver no longer sees it, and families who watch the bus are notified. This cannot be undone; you can schedule another.',
        )}
        <TextInput
          component="input"
          label={t('Reason')}
          mt={16}
          value={reason}
          error={cancel.error ? asProblem(cancel.error).fields.reason : undefined}
          onChange={(e) => setReason(e.currentTarget.value)}
        />
      </Confirm>
    </>
  )
}
