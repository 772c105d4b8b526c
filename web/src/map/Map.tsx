// A map drawn with Leaflet. It works without the Internet: behind stops and buses is a plain grid, or pictures of
// streets if the operator named where they come from. What imports this loads Leaflet, so pages do it lazily.
import 'leaflet/dist/leaflet.css'
import './map.css'
import L from 'leaflet'
import { useEffect, useRef, useState } from 'react'

export interface Place {
  lat: number
  lng: number
}

export interface MapStop extends Place {
  key: string
  name: string
  radius?: number
  done?: boolean // the bus has been there
}

export interface MapBus extends Place {
  key: string
  label: string
  name: string // in words, for the tooltip and who cannot see the map
  stale?: boolean
  faded?: boolean // as stale, for who waits at a stop: sooner
  trouble?: boolean
}

interface Props {
  label: string
  stops?: MapStop[]
  /** The way the stops are joined by, unless a trail is given. */
  trail?: Place[]
  /** Other ways, in the background: each a line with a dot for every stop. */
  ways?: MapStop[][]
  buses?: MapBus[]
  chosen?: string
  onChoose?: (key: string) => void
  onAdd?: (at: Place) => void
  onMove?: (key: string, to: Place) => void
  /** When it changes, everything is brought into view. */
  fit: string
  /** Where to begin looking while there is nothing to show. */
  around?: Place[]
  /** What is kept in view as it moves. */
  follow?: string
  /** What the two buttons are called. */
  zoom: [nearer: string, farther: string]
}

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
const escapeText = (s: string) => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

const Paper = L.GridLayer.extend({
  createTile() {
    const tile = document.createElement('div')
    tile.className = 'paper-tile'
    return tile
  },
})

function background(): L.Layer {
  const tiles = meta('map-tiles')
  if (/^https?:\/\//.test(tiles))
    return L.tileLayer(tiles, { attribution: escapeText(meta('map-attribution')), maxZoom: 19 })
  return new (Paper as unknown as new () => L.GridLayer)()
}

const still = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches

/** Glides a marker to where it is now, instead of letting it jump. */
function glide(marker: L.Marker, to: Place, gliding: Map<L.Marker, number>) {
  const from = marker.getLatLng()
  window.cancelAnimationFrame(gliding.get(marker) ?? 0)
  if (still() || from.distanceTo([to.lat, to.lng]) > 3000 || document.hidden) {
    marker.setLatLng([to.lat, to.lng])
    return
  }
  const began = performance.now()
  const frame = (now: number) => {
    const part = Math.min(1, (now - began) / 1200)
    marker.setLatLng([from.lat + (to.lat - from.lat) * part, from.lng + (to.lng - from.lng) * part])
    if (part < 1) gliding.set(marker, window.requestAnimationFrame(frame))
    else gliding.delete(marker)
  }
  gliding.set(marker, window.requestAnimationFrame(frame))
}

function sign(className: string, text: string, marks: Record<string, boolean | undefined>): L.DivIcon {
  const el = document.createElement('div')
  el.className = className
  el.textContent = text
  for (const [k, v] of Object.entries(marks)) if (v) el.dataset[k] = ''
  const bus = className === 'map-bus'
  return L.divIcon({ html: el, className: '', iconSize: bus ? [0, 0] : [24, 24], iconAnchor: bus ? [0, 0] : [12, 12] })
}

export default function BusMap({
  label,
  stops = [],
  trail,
  ways = [],
  buses = [],
  chosen,
  onChoose,
  onAdd,
  onMove,
  fit,
  follow,
  around,
  zoom,
}: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<L.Map>()
  const layer = useRef<{ stops: L.LayerGroup; ways: L.LayerGroup; way: L.Polyline; buses: Map<string, L.Marker> }>(null)
  const gliding = useRef(new Map<L.Marker, number>())
  const acts = useRef({ onAdd, onMove, onChoose })
  acts.current = { onAdd, onMove, onChoose }
  const [nearer, farther] = useRef(zoom).current

  useEffect(() => {
    const m = L.map(box.current!, {
      zoomControl: false,
      attributionControl: false,
      fadeAnimation: !still(),
      zoomAnimation: !still(),
      markerZoomAnimation: !still(),
      keyboard: true,
      maxZoom: 19,
      minZoom: 3,
    })
    m.setView([20, 0], 3)
    L.control.zoom({ position: 'topright', zoomInTitle: nearer, zoomOutTitle: farther }).addTo(m)
    L.control.scale({ imperial: false }).addTo(m)
    if (meta('map-tiles')) L.control.attribution({ prefix: false }).addTo(m)
    background().addTo(m)
    const ways = L.layerGroup().addTo(m)
    layer.current = {
      ways,
      way: L.polyline([], {
        className: 'map-way',
        color: 'var(--way)',
        weight: 3,
        opacity: 0.9,
        dashArray: '1 7',
        lineCap: 'round',
        interactive: false,
      }).addTo(m),
      stops: L.layerGroup().addTo(m),
      buses: new Map(),
    }
    m.on('click', (e) => acts.current.onAdd?.({ lat: round(e.latlng.lat), lng: round(e.latlng.lng) }))
    const watch = new ResizeObserver(() => m.invalidateSize({ animate: false }))
    watch.observe(box.current!)
    setMap(m)
    return () => {
      watch.disconnect()
      for (const id of gliding.current.values()) window.cancelAnimationFrame(id)
      m.remove()
    }
  }, [nearer, farther])

  // biome-ignore lint/correctness/useExhaustiveDependencies: stops are compared by value
  useEffect(() => {
    const l = layer.current
    if (!map || !l) return
    l.stops.clearLayers()
    stops.forEach((s, i) => {
      if (s.radius)
        L.circle([s.lat, s.lng], {
          radius: s.radius,
          color: 'var(--way)',
          weight: 1,
          opacity: 0.5,
          fillOpacity: 0.06,
          interactive: false,
        }).addTo(l.stops)
      const marker = L.marker([s.lat, s.lng], {
        icon: sign('map-stop', String(i + 1), { done: s.done, on: chosen === s.key }),
        draggable: !!acts.current.onMove,
        keyboard: false,
        alt: `${i + 1}. ${s.name}`,
        autoPan: true,
      })
      if (s.name) marker.bindTooltip(escapeText(`${i + 1}. ${s.name}`), { direction: 'top', offset: [0, -12] })
      marker.on('click', () => acts.current.onChoose?.(s.key))
      marker.on('dragend', () => {
        const at = marker.getLatLng()
        acts.current.onMove?.(s.key, { lat: round(at.lat), lng: round(at.lng) })
      })
      marker.addTo(l.stops)
    })
    const joined = trail ?? stops
    l.way.setLatLngs(joined.map((p) => [p.lat, p.lng]))
    l.way.setStyle({ dashArray: trail ? undefined : '1 7' })
  }, [map, JSON.stringify(stops), trail, chosen, !!onMove])

  const waysKey = JSON.stringify(ways)
  // biome-ignore lint/correctness/useExhaustiveDependencies: waysKey holds ways
  useEffect(() => {
    const l = layer.current
    if (!map || !l) return
    l.ways.clearLayers()
    for (const way of ways) {
      L.polyline(
        way.map((p) => [p.lat, p.lng]),
        { color: 'var(--way)', weight: 2, opacity: 0.35, dashArray: '1 6', lineCap: 'round', interactive: false },
      ).addTo(l.ways)
      for (const p of way)
        L.circleMarker([p.lat, p.lng], {
          radius: 4,
          color: 'var(--way)',
          weight: 1.5,
          opacity: 0.7,
          fillColor: 'var(--way)',
          fillOpacity: p.done ? 0.7 : 0.08,
        })
          .bindTooltip(escapeText(p.name), { direction: 'top', offset: [0, -4] })
          .addTo(l.ways)
    }
  }, [map, waysKey])

  useEffect(() => {
    const l = layer.current
    if (!map || !l) return
    const here = new Set(buses.map((b) => b.key))
    for (const [key, marker] of l.buses) {
      if (here.has(key)) continue
      marker.remove()
      l.buses.delete(key)
    }
    for (const b of buses) {
      const marks = { stale: b.stale, faded: b.faded, trouble: b.trouble, on: chosen === b.key }
      const looks = JSON.stringify([b.label, b.name, marks])
      let marker = l.buses.get(b.key)
      if (!marker) {
        marker = L.marker([b.lat, b.lng], { zIndexOffset: 1000, keyboard: false })
        marker.on('click', () => acts.current.onChoose?.(b.key))
        marker.addTo(map)
        l.buses.set(b.key, marker)
      } else glide(marker, b, gliding.current)
      const tagged = marker as L.Marker & { looks?: string }
      if (tagged.looks !== looks) {
        tagged.looks = looks
        marker.setIcon(sign('map-bus', b.label, marks))
        marker.unbindTooltip()
        marker.bindTooltip(escapeText(b.name), { direction: 'top', offset: [0, -14] })
      }
      const el = marker.getElement()
      if (el) {
        el.dataset.bus = b.label
        el.dataset.at = `${b.lat.toFixed(6)},${b.lng.toFixed(6)}`
      }
    }
  }, [map, buses, chosen])

  // Everything comes into view when what is shown is another thing, not when a bus moves.
  const ready = stops.length + buses.length + ways.length + (trail?.length ?? 0) > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: a bus that moves must not move the map
  useEffect(() => {
    if (!map || !ready) return
    const all = [...stops, ...buses, ...ways.flat(), ...(trail ?? [])].map((p) => [p.lat, p.lng] as [number, number])
    const show = () => {
      if (all.length === 1) map.setView(all[0]!, 15, { animate: false })
      else map.fitBounds(L.latLngBounds(all), { padding: [48, 48], maxZoom: 16, animate: false })
    }
    if (map.getSize().x > 0) return show()
    map.once('resize', show) // in a drawer that is still sliding in
    return () => void map.off('resize', show)
  }, [map, fit, ready])

  const elsewhere = JSON.stringify(around ?? [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: elsewhere holds around; not when ready changes
  useEffect(() => {
    if (map && !ready && around && around.length > 0)
      map.fitBounds(L.latLngBounds(around.map((p) => [p.lat, p.lng])), {
        padding: [48, 48],
        maxZoom: 14,
        animate: false,
      })
  }, [map, elsewhere])

  const followed = buses.find((b) => b.key === follow)
  // biome-ignore lint/correctness/useExhaustiveDependencies: followed is compared by its position
  useEffect(() => {
    if (map && followed && !map.getBounds().pad(-0.1).contains([followed.lat, followed.lng]))
      map.panTo([followed.lat, followed.lng], { animate: !still() })
  }, [map, followed?.lat, followed?.lng])

  return <div ref={box} className="map" role="region" aria-label={label} data-adds={onAdd ? true : undefined} />
}

/** About a tenth of a metre: finer than any driver parks. */
function round(n: number): number {
  return Math.round(n * 1e6) / 1e6
}
