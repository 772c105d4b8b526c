import { Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { MapView } from '../../map/lazy'
import { t } from '../../messages/console'
import { Empty, Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListDrawer } from '../../patterns/ListDrawer'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts } from '../../patterns/record'
import { words } from '../../patterns/words'
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
        title={t('Incidents')}
        noun={[t('incident'), t('incidents')]}
        id={(i) => i.id}
        name={(i) => incidentWord(i.type)}
        filters={[
          {
            key: 'release',
            label: t('Riders'),
            options: [
              { value: 'WAITING', label: t('Not notified yet') },
              { value: 'RELEASED', label: t('Notified') },
              { value: 'DISCARDED', label: t('Not to be notified') },
            ],
          },
          {
            key: 'resolved',
            label: t('State'),
            options: [
              { value: 'false', label: t('Not resolved') },
              { value: 'true', label: t('Resolved') },
            ],
          },
          {
            key: 'busId',
            label: t('Bus'),
            options: (buses.data ?? []).map((b) => ({ value: b.id, label: b.busNumber })),
          },
          { key: 'type', label: t('What'), options: incidentTypes },
          {
            key: 'severity',
            label: t('Severity'),
            options: ['LOW', 'MEDIUM', 'HIGH'].map((v) => ({ value: v, label: words(v) })),
          },
        ]}
        columns={[
          { key: 'type', title: t('What'), cell: (i) => incidentWord(i.type) },
          { key: 'bus', title: t('Bus'), cell: (i) => number(i.busId), phone: true },
          { key: 'when', title: t('When'), cell: (i) => format.dateTime(i.occurredAt), sort: 'occurredAt' },
          {
            key: 'severity',
            title: t('Severity'),
            cell: (i) => <Status tone={tones[i.severity as keyof typeof tones] ?? 'off'}>{words(i.severity)}</Status>,
          },
          { key: 'said', title: t('Description'), cell: (i) => i.description },
          {
            key: 'state',
            title: t('State'),
            cell: (i) => <IncidentState incident={i} />,
            phone: true,
          },
        ]}
        empty={
          <Empty
            icon={<IconAlertTriangle size={32} stroke={1.2} />}
            title={t('No incidents')}
            text={t(
              'Drivers report breakdowns, traffic and accidents from their phone. Families of those aboard are notified at once, or when the office says so (Settings), and it is kept here.',
            )}
            example={t('For example: Held up in traffic at Hill Road, 12 minutes late.')}
          />
        }
        drawer={(id, close) => <IncidentDrawer id={id} close={close} number={number} key={id} />}
      />
    </>
  )
}

function IncidentState({ incident: i }: { incident: Schemas['Incident'] }) {
  if (i.resolvedAt) return <Status tone="good">{t('Resolved')}</Status>
  return i.release === 'WAITING' ? (
    <Status tone="bad">{t('Waits for the office')}</Status>
  ) : (
    <Status tone="warn">{t('Not resolved')}</Status>
  )
}

function IncidentDrawer({ id, close, number }: { id: string; close: () => void; number: (bus: string) => string }) {
  const path = '/school-admin/transport/incident/list'
  return (
    <ListDrawer path={path} id={id} close={close} gone={t('This incident no longer exists.')}>
      {(i) => <IncidentView incident={i} close={close} number={number(i.busId)} />}
    </ListDrawer>
  )
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
            <span>{t('Bus {number}', { number })}</span>
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
                label={t('Where it happened')}
                stops={[{ key: i.id, lat: i.lat, lng: i.lng, name: incidentWord(i.type) }]}
                fit={i.id}
              />
            </div>
          )}
          <Facts
            of={[
              [t('Severity'), words(i.severity)],
              ...(i.release === 'DISCARDED' ? ([[t('Riders'), t('Not to be notified')]] as [string, string][]) : []),
              ...(i.resolvedAt
                ? ([
                    [t('Resolved'), format.dateTime(i.resolvedAt)],
                    [t('How it ended'), i.resolution],
                  ] as [string, string][])
                : []),
            ]}
          />
          {i.tripId && (
            <Group>
              <Button component={Link} to="/transport" search={{ open: i.tripId } as never} variant="default">
                {t('The trip and its riders')}
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
