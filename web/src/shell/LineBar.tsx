import { Button, Text } from '@mantine/core'
import { probe } from '../api/offline'
import { t } from '../messages/console'
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
        {line.since
          ? t(
              'No connection. You are reading what was here {at}. What you type is kept; save it when the line is back.',
              { at: format.dateTime(new Date(line.since).toISOString()) },
            )
          : t('No connection. What you type is kept; save it when the line is back.')}
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => void probe()}>
        {t('Reconnect')}
      </Button>
    </div>
  )
}
