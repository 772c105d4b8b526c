import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { IconBus, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { DateField } from '../../patterns/DateField'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { TransportNav, useDrivers } from './shared'
import { busStates, wayWords } from './words'

const tones = { ACTIVE: 'good', MAINTENANCE: 'warn', RETIRED: 'off' } as const
const stateOf = (s: string) => busStates.find((x) => x.value === s)?.label ?? s

export function Buses() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const drivers = useDrivers()
  const driver = (id: string | null) => {
    const d = drivers.data?.find((x) => x.id === id)
    return d ? nameOf(d) : ''
  }
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a bus')}
    </Button>
  )
  return (
    <>
      <TransportNav />
      <ListPage
        path="/school-admin/transport/bus/list"
        title={t('Buses')}
        noun={[t('bus'), t('buses')]}
        id={(b) => b.id}
        name={(b) => b.busNumber}
        search={t('Number or registration')}
        filters={[
          { key: 'status', label: t('State'), options: busStates },
          {
            key: 'driverId',
            label: t('Driver'),
            options: (drivers.data ?? []).map((d) => ({ value: d.id, label: nameOf(d) })),
          },
        ]}
        columns={[
          { key: 'number', title: t('Bus'), cell: (b) => b.busNumber, sort: 'busNumber' },
          {
            key: 'registration',
            title: t('Registration'),
            cell: (b) => <span className="figures">{b.registrationNumber}</span>,
          },
          {
            key: 'driver',
            title: t('Driver'),
            cell: (b) =>
              driver(b.driverId) || (
                <Text span c="dimmed">
                  {t('No driver yet')}
                </Text>
              ),
            phone: true,
          },
          { key: 'seats', title: t('Seats'), cell: (b) => b.capacity, end: true },
          {
            key: 'status',
            title: t('State'),
            cell: (b) => <Status tone={tones[b.status as keyof typeof tones] ?? 'off'}>{stateOf(b.status)}</Status>,
            phone: true,
          },
        ]}
        primary={may('transport', 'write') && add}
        empty={
          <Empty
            icon={<IconBus size={32} stroke={1.2} />}
            title={t('No buses yet')}
            text={t(
              'A bus has a driver and drives routes. Families of its riders follow it on their phone while it is on the way.',
            )}
            action={may('transport', 'write') && add}
            example={t('For example: bus 7, KA-01-AB-1234, 40 seats.')}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <BusForm close={close} /> : <BusDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

const read = (id: string) => call(api.GET('/school-admin/transport/bus/{id}', { params: { path: { id } } }))

function BusDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({ queryKey: ['/school-admin/transport/bus/', id], queryFn: () => read(id) })
  if (!q.data)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  return <BusForm bus={q.data} close={close} />
}

const labels = {
  busNumber: t('Number'),
  registrationNumber: t('Registration'),
  capacity: t('Seats'),
  status: t('State'),
  driverId: t('Driver'),
  attendantId: t('Attendant'),
}

function BusForm({ bus, close }: { bus?: Schemas['BusDetail']; close: () => void }) {
  const may = useMay()
  const write = may('transport', 'write')
  const [, setAddress] = useAddress()
  const drivers = useDrivers()
  const staff = useQuery({
    queryKey: ['/school-admin/employee/list', 'attendants'],
    queryFn: () => fetchAll('/school-admin/employee/list', { filters: { employeeType: 'SUPPORT', status: 'ACTIVE' } }),
    enabled: may('employee', 'read'),
  })
  const pick = (b?: Schemas['Bus']) => ({
    busNumber: b?.busNumber ?? '',
    registrationNumber: b?.registrationNumber ?? '',
    capacity: b?.capacity ?? null,
    status: b?.status ?? 'ACTIVE',
    driverId: b?.driverId ?? null,
    attendantId: b?.attendantId ?? null,
  })
  const draft = useDraft(pick(bus))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels,
    version: bus?.version,
    save: (c, version) =>
      bus
        ? call(
            api.PUT('/school-admin/transport/bus/{id}', {
              params: { path: { id: bus.id } },
              body: { data: { ...(c as Schemas['BusChange']), version } },
            }),
          )
        : call(
            api.POST('/school-admin/transport/bus/create', { body: { data: draft.values as Schemas['BusFields'] } }),
          ),
    reread:
      bus &&
      (async () => {
        const now = await read(bus.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: (b) => {
      changed('/school-admin/transport/')
      if (!bus && b) setAddress({ open: b.id })
    },
  })
  const [asking, setAsking] = useState(false)
  const gone = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/transport/bus/{id}', { params: { path: { id: bus!.id } } })),
    onSuccess: () => {
      changed('/school-admin/transport/')
      close()
    },
  })
  const people = (list: Schemas['Employee'][] | undefined, now: string | null) => {
    const out = (list ?? []).map((e) => ({ value: e.id, label: nameOf(e) }))
    return now && !out.some((o) => o.value === now)
      ? [
          ...out,
          { value: now, label: now === bus?.driverId ? bus.driverName || t('Somebody who left') : t('Chosen before') },
        ]
      : out
  }
  return (
    <>
      <form
        style={{ display: 'contents' }}
        onSubmit={(e) => {
          e.preventDefault()
          save.submit()
        }}
      >
        <DrawerHead
          title={bus ? t('Bus {busNumber}', { busNumber: bus.busNumber }) : t('Add a bus')}
          close={close}
          summary={
            bus && <Status tone={tones[bus.status as keyof typeof tones] ?? 'off'}>{stateOf(bus.status)}</Status>
          }
          actions={
            bus &&
            may('transport', 'delete') && (
              <Button variant="default" size="compact-md" onClick={() => setAsking(true)}>
                {t('Delete…')}
              </Button>
            )
          }
        />
        <div className="drawer-body" style={{ flex: 1 }}>
          <fieldset disabled={!write} style={{ border: 0, padding: 0, margin: 0 }}>
            <div className="pair">
              {f.text({ k: 'busNumber', label: labels.busNumber, required: true, placeholder: '7' })}
              {f.text({ k: 'registrationNumber', label: labels.registrationNumber, placeholder: t('KA-01-AB-1234') })}
              {f.number({ k: 'capacity', label: labels.capacity, min: 1 })}
              {f.choice({ k: 'status', label: labels.status, data: busStates })}
              {f.choice({
                k: 'driverId',
                label: labels.driverId,
                data: people(drivers.data, draft.values.driverId),
                none: t('Nobody yet'),
                description:
                  drivers.data?.length === 0
                    ? t('Add a driver among the employees first')
                    : t('Drives it unless there is a substitute'),
              })}
              {f.choice({
                k: 'attendantId',
                label: labels.attendantId,
                data: people(staff.data, draft.values.attendantId),
                none: t('Nobody'),
                description: t('Rides along'),
              })}
            </div>
          </fieldset>
          {bus && <Substitutes bus={bus} />}
          {bus && (
            <section aria-label={t('Routes')}>
              <Text className="section">{t('Routes')}</Text>
              {bus.routes.length === 0 && <Text c="dimmed">{t('It drives no route yet.')}</Text>}
              {bus.routes.map((r) => (
                <Group key={r.id} justify="space-between" className="rider">
                  <Link to="/transport/routes/$id" params={{ id: r.id } as never} className="row-name">
                    {r.name}
                  </Link>
                  <Text size="sm" c="dimmed">
                    {wayWords[r.direction]}
                  </Text>
                </Group>
              ))}
            </section>
          )}
        </div>
        {write && (
          <SaveBar
            draft={draft}
            {...save}
            submit={() => undefined}
            label={bus ? t('Save') : t('Add')}
            always={!bus}
            onCancel={bus ? undefined : close}
          />
        )}
      </form>
      {save.conflict}
      <Confirm
        opened={asking}
        title={t('Delete bus {busNumber}?', { busNumber: bus?.busNumber })}
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
        {t('It is deleted only if no route and no trip refers to it. A bus that has driven can be retired instead.')}
      </Confirm>
    </>
  )
}

/** Who stands in for the driver, from today on. */
function Substitutes({ bus }: { bus: Schemas['BusDetail'] }) {
  const format = useFormat()
  const may = useMay()
  const drivers = useDrivers()
  const [adding, setAdding] = useState(false)
  const [form, setForm] = useState({ driverId: '', fromDate: '', toDate: '', note: '' })
  const add = useMutation({
    mutationFn: () =>
      call(
        api.PUT('/school-admin/transport/bus/{id}/driver', { params: { path: { id: bus.id } }, body: { data: form } }),
      ),
    onSuccess: () => {
      changed('/school-admin/transport/')
      setAdding(false)
      setForm({ driverId: '', fromDate: '', toDate: '', note: '' })
    },
  })
  const gone = useMutation({
    mutationFn: (id: string) =>
      done(api.DELETE('/school-admin/transport/substitute/{id}', { params: { path: { id } } })),
    onSuccess: () => changed('/school-admin/transport/'),
  })
  const wrong = add.error ? asProblem(add.error).fields : {}
  const others = (drivers.data ?? []).filter((d) => d.id !== bus.driverId)
  return (
    <section aria-label={t('Substitutes')}>
      <Text className="section">{t('Stands in for the driver')}</Text>
      <Stack gap={8}>
        {bus.substitutes.map((s) => (
          <Group key={s.id} className="panel" p={12} justify="space-between" wrap="nowrap">
            <div>
              <Text fw={500}>{s.driverName}</Text>
              <Text size="sm" c="dimmed">
                {format.date(s.fromDate)} – {format.date(s.toDate)}
                {s.note && ` · ${s.note}`}
              </Text>
            </div>
            {may('transport', 'delete') && (
              <Button
                variant="default"
                size="compact-md"
                loading={gone.isPending && gone.variables === s.id}
                onClick={() => gone.mutate(s.id)}
                aria-label={t('Remove {driverName}', { driverName: s.driverName })}
              >
                {t('Remove')}
              </Button>
            )}
          </Group>
        ))}
        <Trouble error={gone.error} />
        {adding ? (
          <Stack gap={12} className="panel" p={12}>
            <NativeSelect
              label={t('Driver')}
              value={form.driverId}
              error={wrong.driverId}
              data={[
                { value: '', label: t('Choose a driver') },
                ...others.map((d) => ({ value: d.id, label: nameOf(d) })),
              ]}
              onChange={(e) => setForm({ ...form, driverId: e.currentTarget.value })}
            />
            <div className="pair">
              <DateField
                label={t('From')}
                value={form.fromDate}
                error={wrong.fromDate}
                onChange={(day) => setForm({ ...form, fromDate: day })}
              />
              <DateField
                label={t('Until')}
                value={form.toDate}
                error={wrong.toDate}
                onChange={(day) => setForm({ ...form, toDate: day })}
              />
            </div>
            <TextInput
              label={t('Note')}
              value={form.note}
              error={wrong.note}
              onChange={(e) => setForm({ ...form, note: e.currentTarget.value })}
            />
            <Trouble error={add.error} />
            <Group gap={8} justify="flex-end">
              <Button variant="default" size="compact-md" onClick={() => setAdding(false)}>
                {t('Cancel')}
              </Button>
              <Button
                size="compact-md"
                disabled={!form.driverId || !form.fromDate || !form.toDate}
                loading={add.isPending}
                onClick={() => add.mutate()}
              >
                {t('Add substitute')}
              </Button>
            </Group>
          </Stack>
        ) : (
          may('transport', 'write') && (
            <Group>
              <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
                {t('Add a substitute')}
              </Button>
            </Group>
          )
        )}
      </Stack>
    </section>
  )
}
