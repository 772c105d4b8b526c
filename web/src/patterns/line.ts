// A line that is gone is tried again by itself.
import { useEffect, useRef } from 'react'
import { probe, useLine } from '../api/offline'
import { queries } from '../api/queries'

/** Whether there is a line. When it is back, what is shown is read again. */
export function useMendedLine() {
  const line = useLine()
  const was = useRef(line.up)
  useEffect(() => {
    if (line.up && !was.current) void queries.invalidateQueries()
    was.current = line.up
    if (line.up) return
    const again = () => void probe()
    const timer = window.setInterval(again, 5_000)
    window.addEventListener('online', again)
    return () => {
      window.clearInterval(timer)
      window.removeEventListener('online', again)
    }
  }, [line.up])
  return line
}
