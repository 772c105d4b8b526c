// Moments are typed in the school's time, whatever zone the browser is in.
function offsetAt(utc: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(utc)
  const n = (type: string) => Number(parts.find((p) => p.type === type)?.value)
  return (
    Date.UTC(n('year'), n('month') - 1, n('day'), n('hour'), n('minute'), n('second')) - Math.floor(utc / 1000) * 1000
  )
}

/** 2026-11-15T09:00 at the school, as a moment. */
export function momentOf(local: string, zone: string): string {
  const wall = Date.parse(`${local}:00Z`)
  const first = wall - offsetAt(wall, zone)
  return new Date(wall - offsetAt(first, zone)).toISOString()
}

/** A moment, as a field for the school's time shows it. */
export function localOf(moment: string, zone: string): string {
  const utc = Date.parse(moment)
  return new Date(utc + offsetAt(utc, zone)).toISOString().slice(0, 16)
}
