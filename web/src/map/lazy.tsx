// The map as pages use it: Leaflet comes with the first page that shows one, and its place is kept meanwhile.
import { Skeleton } from '@mantine/core'
import type { ComponentProps } from 'react'
import { part } from '../patterns/part'
import type BusMap from './Map'

export type { MapBus, MapStop, Place } from './Map'

const Drawn = part(() => import('./Map'), 'default', <Skeleton height="100%" radius={0} />)

export function MapView({ height, ...props }: ComponentProps<typeof BusMap> & { height: number | string }) {
  return (
    <div style={{ height, borderRadius: 'inherit', overflow: 'hidden' }}>
      <Drawn {...props} />
    </div>
  )
}
