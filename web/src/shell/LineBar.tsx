import { Button, Text } from '@mantine/core'
import { probe } from '../api/offline'
import { useFormat } from '../patterns/format'
import { useMendedLine } from '../patterns/line'

/** Says that there is no line, and how old what is shown may be. When it is back, the page is read again. */
export function LineBar() {
  const line = useMendedLine()
  const format = useFormat()
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
