// What is typed and not saved, kept in this browser: after a crash, a power cut or a reload it is offered again. It is of one
// user at one school, and goes when it is saved, discarded or left, when they sign out, and after three days.
import { Alert, Button, Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import { keptPrefix } from '../api/offline'
import { useSessionState } from '../api/session'
import { t } from '../messages/console'
import { useFormat } from './format'

const longest = 3 * 24 * 3_600_000

export interface Kept {
  /** When it was typed. */
  at: number
  restore: () => void
  discard: () => void
}

/**
 * useKept keeps `typed` under a name while there is something (undefined: nothing is typed), and gives what was kept
 * before, until it is restored or discarded. What was typed over something else than `over` is of no use any more.
 */
export function useKept<T>(
  name: string | undefined,
  typed: T | undefined,
  over: unknown,
  restore: (what: T) => void,
): Kept | undefined {
  const session = useSessionState()
  const who = session.status === 'in' || session.status === 'ended' ? session.session : undefined
  const at = name && who && `${keptPrefix}${who.user.id}.${who.school?.id ?? ''}.${name}`
  const [found, setFound] = useState(() => (at ? read<T>(at, JSON.stringify(over)) : undefined))
  const words = typed === undefined ? undefined : JSON.stringify(typed)
  const base = JSON.stringify(over)
  useEffect(() => {
    if (!at || (words === undefined && found)) return
    if (words === undefined) localStorage.removeItem(at)
    else write(at, `{"at":${Date.now()},"over":${JSON.stringify(base)},"what":${words}}`)
  }, [at, words, base, found])
  // A page that is left, after it was asked, takes it along; a page that is gone with the power does not.
  useEffect(() => () => void (at && !found && localStorage.removeItem(at)), [at, found])
  if (!found || !at) return undefined
  return {
    at: found.at,
    restore: () => {
      setFound(undefined)
      restore(found.what)
    },
    discard: () => {
      localStorage.removeItem(at)
      setFound(undefined)
    },
  }
}

function write(at: string, text: string) {
  try {
    localStorage.setItem(at, text)
  } catch {
    // No room: it is not kept, as before.
  }
}

function read<T>(at: string, over: string): { at: number; what: T } | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(at) ?? 'null') as { at: number; over: string; what: T } | null
    if (kept && Date.now() - kept.at < longest && kept.over === over) return kept
  } catch {
    // of another build
  }
  localStorage.removeItem(at)
  return undefined
}

/** The offer to go on where the power, the browser or the line broke off. */
export function KeptOffer({ kept, what }: { kept: Kept | undefined; what: string }) {
  const format = useFormat()
  if (!kept) return null
  return (
    <Alert color="accent" variant="light" role="status" p={12} mb={12} className="no-print">
      <Group gap={12} justify="space-between">
        <span>
          {t('{what} typed {at} and not saved.', {
            what,
            at: format.dateTime(new Date(kept.at).toISOString()),
          })}
        </span>
        <Group gap={8}>
          <Button size="compact-sm" variant="default" onClick={kept.discard}>
            {t('Discard')}
          </Button>
          <Button size="compact-sm" onClick={kept.restore}>
            {t('Put back')}
          </Button>
        </Group>
      </Group>
    </Alert>
  )
}
