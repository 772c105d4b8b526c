// What the office changes of a trip that is on its way: the driver, and a rider for this trip alone.
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'
import { nameOf } from '../../patterns/format'
import { type Person, PersonPicker } from '../../patterns/PersonPicker'
import { useDrivers } from './shared'

type Trip = Schemas['TripDetail']

function Act({
  title,
  action,
  ready,
  send,
  close,
  children,
}: {
  title: string
  action: string
  ready: boolean
  send: { mutate: () => void; isPending: boolean; error: unknown }
  close: () => void
  children: ReactNode
}) {
  return (
    <Dialog onClose={close} title={title}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          send.mutate()
        }}
      >
        <Stack gap={16}>
          {children}
          <Trouble error={send.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" disabled={!ready} loading={send.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

export function HandOver({ trip, close }: { trip: Trip; close: () => void }) {
  const drivers = useDrivers()
  const [driverId, setDriver] = useState('')
  const [reason, setReason] = useState('')
  const send = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/transport/trip/{id}/driver', {
          params: { path: { id: trip.id } },
          body: { data: { driverId, reason } },
        }),
      ),
    onSuccess: () => {
      changed('/school-admin/transport/')
      close()
    },
  })
  const fields = send.error ? asProblem(send.error).fields : {}
  return (
    <Act title={t('Hand the trip over')} action={t('Hand over')} ready={!!driverId} send={send} close={close}>
      <NativeSelect
        label={t('New driver')}
        value={driverId}
        error={fields.driverId}
        data={[
          { value: '', label: t('Choose') },
          ...(drivers.data ?? []).filter((d) => d.id !== trip.driverId).map((d) => ({ value: d.id, label: nameOf(d) })),
        ]}
        onChange={(e) => setDriver(e.currentTarget.value)}
      />
      <TextInput
        label={t('Reason')}
        maxLength={300}
        value={reason}
        error={fields.reason}
        onChange={(e) => setReason(e.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        {t('The trip goes on where it is: {driverName} no longer has it on the phone, the new driver has.', {
          driverName: trip.driverName || t('the driver of now'),
        })}
      </Text>
    </Act>
  )
}

export function AddRider({ trip, close }: { trip: Trip; close: () => void }) {
  const [person, setPerson] = useState<Person | null>(null)
  const [stopId, setStop] = useState('')
  const route = useQuery({
    queryKey: ['/school-admin/transport/route/', trip.routeId],
    queryFn: () => call(api.GET('/school-admin/transport/route/{id}', { params: { path: { id: trip.routeId } } })),
  })
  const send = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/transport/trip/{id}/rider', {
          params: { path: { id: trip.id } },
          body: { data: { studentId: person!.id, stopId } },
        }),
      ),
    onSuccess: () => {
      changed('/school-admin/transport/')
      close()
    },
  })
  const fields = send.error ? asProblem(send.error).fields : {}
  return (
    <Act title={t('Add a rider to this trip')} action={t('Add')} ready={!!person && !!stopId} send={send} close={close}>
      {person ? (
        <Group justify="space-between">
          <Text fw={500}>{person.name}</Text>
          <Button variant="default" size="compact-md" onClick={() => setPerson(null)}>
            {t('Another student')}
          </Button>
        </Group>
      ) : (
        <PersonPicker label={t('Student')} size="sm" present autoFocus onPick={setPerson} error={fields.studentId} />
      )}
      <NativeSelect
        label={t('Stop')}
        value={stopId}
        error={fields.stopId}
        data={[
          { value: '', label: t('Choose') },
          ...(route.data?.stops ?? []).map((s) => ({ value: s.id, label: s.name })),
        ]}
        onChange={(e) => setStop(e.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        {t('For this trip alone; the riders of the route stay as they are.')}
      </Text>
      <Trouble error={route.error} retry={() => void route.refetch()} />
    </Act>
  )
}
