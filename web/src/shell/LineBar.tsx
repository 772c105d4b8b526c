import { Button, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { probe, useLine } from '../api/offline'
import { queries } from '../api/queries'
import { useFormat } from '../patterns/format'

/** Says that there is no line, and how old what is shown may be. When it is back, the page is read again. */
export function LineBar() {
  const line = useLine()
  const format = useFormat()
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
  if (line.up) return null
  return (
    <div className="line-bar no-print" role="status">
      <Text size="sm">
        No connection.{' '}
        {line.since ? `You are reading what was here ${format.dateTime(new Date(line.since).toISOString())}. ` : ''}
        What you type is kept; save it when the line is back.
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => void probe()}>
        Reconnect
      </Button>
    </div>
  )
}
