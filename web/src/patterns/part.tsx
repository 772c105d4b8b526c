// Code that comes when it is shown, or about to be: a page, a chart, a map. What cannot be loaded says so and can be tried
// again; the console is never loaded anew by itself, since what is typed elsewhere on it would be lost.
import { Button, Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../messages/console'
import { Trouble } from './feedback'
import { partWith } from './loading'

/** part is a component of a file that is loaded for it; waiting is in its place meanwhile. */
export const part = partWith(NotLoaded)

function NotLoaded({ retry }: { retry: () => void }) {
  const [updated, setUpdated] = useState(false)
  useEffect(() => {
    const running = document.querySelector('script[type=module][src]:not([async])')?.getAttribute('src')
    if (!running) return
    let gone = false
    fetch(window.location.pathname, { cache: 'no-store' })
      .then((r) => r.text())
      .then((html) => !gone && setUpdated(!html.includes(running)))
      .catch(() => {}) // no line: nothing is known of another build
    return () => {
      gone = true
    }
  }, [])
  return (
    <div className="page reading">
      <Trouble error={new Error(t('This could not be loaded. Check the network.'))} retry={retry} />
      {updated && (
        <Group mt={16} gap={12}>
          <Text>{t('Homeroom was updated meanwhile.')}</Text>
          <Button size="compact-sm" variant="default" onClick={() => window.location.reload()}>
            {t('Open the new version')}
          </Button>
        </Group>
      )}
    </div>
  )
}
