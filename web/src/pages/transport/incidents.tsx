import { Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client'
import { fetchList } from '../../api/list'
import { useMay } from '../../api/session'
import { MapView } from '../../map/lazy'
import { Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat, words } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts } from '../../patterns/record'
import { Reach } from '../communication/reach'
import { Release } from './release'
import { Resolve } from './resolve'
import { TransportNav, useBuses } from './shared'
import { incidentTypes, incidentWord } from './words'

const tones = { LOW: 'off', MEDIUM: 'warn', HIGH: 'bad' } as const

/** What went wrong with the buses, and how it ended. */
export function Incidents() {
  const format = useFormat()
  const buses = useBuses()
  const number = (id: string) => buses.data?.find((b) => b.id === id)?.busNumber ?? ''
  return (
    <>
      <TransportNav />
      <ListPage
        path="/school-admin/transport/incident/list"
        title="Incidents"
        noun={['incident', 'incidents']}
        id={(i) => i.id}
        name={(i) => incidentWord(i.type)}
        filters={[
          {
            key: 'release',
            label: 'Riders',
            options: [
              { value: 'WAITING', label: 'Not notified yet' },
              { value: 'RELEASED', label: 'Notified' },
              { value: 'DISCARDED', label: 'Not to be notified' },
            ],
          },
          {
            key: 'resolved',
            label: 'State',
            options: [
              { value: 'false', label: 'Open' },
              { value: 'true', label: 'Resolved' },
            ],
          },
          { key: 'busId', label: 'Bus', options: (buses.data ?? []).map((b) => ({ value: b.id, label: b.busNumber })) },
          { key: 'type', label: 'What', options: incidentTypes },
          {
            key: 'severity',
            label: 'Severity',
            options: ['LOW', 'MEDIUM', 'HIGH'].map((v) => ({ value: v, label: words(v) })),
          },
        ]}
        columns={[
          { key: 'type', title: 'What', cell: (i) => incidentWord(i.type) },
          { key: 'bus', title: 'Bus', cell: (i) => number(i.busId), phone: true },
          { key: 'when', title: 'When', cell: (i) => format.dateTime(i.occurredAt), sort: 'occurredAt' },
          {
            key: 'severity',
            title: 'Severity',
            cell: (i) => <Status tone={tones[i.severity as keyof typeof tones] ?? 'off'}>{words(i.severity)}</Status>,
          },
          { key: 'said', title: 'Description', cell: (i) => i.description },
          {
            key: 'state',
            title: 'State',
            cell: (i) => <IncidentState incident={i} />,
            phone: true,
          },
        ]}
        empty={
          <Empty
            icon={<IconAlertTriangle size={32} stroke={1.2} />}
            title="No incidents"
            text="Drivers report breakdowns, traffic and accidents from their phone. Families of those aboard are notified at once, or when the office says so (Settings), and it is kept here."
            example="For example: Held up in traffic at Hill Road, 12 minutes late."
          />
        }
        drawer={(id, close) => <IncidentDrawer id={id} close={close} number={number} key={id} />}
      />
    </>
  )
}

function IncidentState({ incident: i }: { incident: Schemas['Incident'] }) {
  if (i.resolvedAt) return <Status tone="good">Resolved</Status>
  return i.release === 'WAITING' ? <Status tone="bad">Waits for the office</Status> : <Status tone="warn">Open</Status>
}

function IncidentDrawer({ id, close, number }: { id: string; close: () => void; number: (bus: string) => string }) {
  // There is no reading of one incident: it is found in the list, newest first.
  const q = useQuery({
    queryKey: ['/school-admin/transport/incident/list', 'one', id],
    queryFn: async () => {
      for (let page = 1; page <= 20; page++) {
        const got = await fetchList('/school-admin/transport/incident/list', { page, limit: 100 })
        const found = got.items.find((i) => i.id === id)
        if (found || page >= got.totalPages) return found ?? null
      }
      return null
    },
  })
  if (!q.data)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? (
            <Trouble error={q.error} retry={() => void q.refetch()} />
          ) : q.data === null ? (
            <Text>This incident no longer exists.</Text>
          ) : (
            <Lines />
          )}
        </div>
      </>
    )
  return <IncidentView incident={q.data} close={close} number={number(q.data.busId)} />
}

function IncidentView({
  incident: i,
  close,
  number,
}: {
  incident: Schemas['Incident']
  close: () => void
  number: string
}) {
  const format = useFormat()
  const may = useMay()
  return (
    <>
      <DrawerHead
        title={incidentWord(i.type)}
        close={close}
        summary={
          <Group gap={12}>
            <IncidentState incident={i} />
            <span>Bus {number}</span>
            <span>{format.dateTime(i.occurredAt)}</span>
          </Group>
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          {i.description && <Text size="lg">{i.description}</Text>}
          {i.release === 'WAITING' && may('transport', 'write') && <Release id={i.id} />}
          {i.lat !== null && i.lng !== null && (
            <div className="replay">
              <MapView
                height={220}
                label="Where it happened"
                stops={[{ key: i.id, lat: i.lat, lng: i.lng, name: incidentWord(i.type) }]}
                fit={i.id}
              />
            </div>
          )}
          <Facts
            of={[
              ['Severity', words(i.severity)],
              ...(i.release === 'DISCARDED' ? ([['Riders', 'Not to be notified']] as [string, string][]) : []),
              ...(i.resolvedAt
                ? ([
                    ['Resolved', format.dateTime(i.resolvedAt)],
                    ['How it ended', i.resolution],
                  ] as [string, string][])
                : []),
            ]}
          />
          {i.tripId && (
            <Group>
              <Button component={Link} to="/transport" search={{ open: i.tripId } as never} variant="default">
                The trip and its riders
              </Button>
            </Group>
          )}
          {!i.resolvedAt && i.release !== 'WAITING' && may('transport', 'write') && <Resolve id={i.id} />}
          <Reach recordId={i.id} version={i.release === 'WAITING' ? 0 : 1} />
        </Stack>
      </div>
    </>
  )
}
