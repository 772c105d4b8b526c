// The map as pages use it: Leaflet comes with the first page that shows one, and its place is kept meanwhile.
import { Skeleton } from '@mantine/core'
import { type ComponentProps, lazy, Suspense } from 'react'
import type BusMap from './Map'

export type { MapBus, MapStop, Place } from './Map'

const Drawn = lazy(() => import('./Map'))

export function MapView({ height, ...props }: ComponentProps<typeof BusMap> & { height: number | string }) {
  return (
    <div style={{ height, borderRadius: 'inherit', overflow: 'hidden' }}>
      <Suspense fallback={<Skeleton height="100%" radius={0} />}>
        <Drawn {...props} />
      </Suspense>
    </div>
  )
}
