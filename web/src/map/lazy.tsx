// The map as pages use it: Leaflet comes with the first page that shows one, and its place is kept meanwhile.
import { Skeleton } from '@mantine/core'
import type { ComponentProps } from 'react'
import { t } from '../messages/console'
import { part } from '../patterns/part'
import type BusMap from './Map'

export type { MapBus, MapStop, Place } from './Map'

const Drawn = part(() => import('./Map'), 'default', <Skeleton height="100%" radius={0} />)

type Props = Omit<ComponentProps<typeof BusMap>, 'zoom'> & { height: number | string }

export function MapView({ height, ...props }: Props) {
  return (
    <div style={{ height, borderRadius: 'inherit', overflow: 'hidden' }}>
      <Drawn zoom={[t('Zoom in'), t('Zoom out')]} {...props} />
    </div>
  )
}
