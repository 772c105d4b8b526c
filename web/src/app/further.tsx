import { type ReactNode, useState } from 'react'
import { type Key, t } from '../messages/messages'
import { Button } from './ui'

/** The next page of a list, once it is asked for. */
export function Further({ ask, children }: { ask: Key; children: () => ReactNode }) {
  const [isShown, setIsShown] = useState(false)
  if (isShown) return children()
  return (
    <Button look="text" onClick={() => setIsShown(true)}>
      {t(ask)}
    </Button>
  )
}
