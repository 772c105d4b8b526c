import { IconPaperclip } from '@tabler/icons-react'
import { useState } from 'react'
import { openPaper } from '../../api/client'
import { t } from '../../messages/messages'
import { problemText } from '../problem'
import { Button } from '../ui'
import { useClient } from './box'

/** The pictures and papers that go with a text. */
export function Files({ ids }: { ids: string[] }) {
  const client = useClient()
  const [busy, setBusy] = useState('')
  const [error, setError] = useState('')
  if (ids.length === 0) return null
  const open = async (id: string, name: string) => {
    setBusy(id)
    setError('')
    try {
      await openPaper(`/${client}/file/${id}`, {}, name)
    } catch (e) {
      setError(problemText(e))
    }
    setBusy('')
  }
  return (
    <div className="buttons">
      {ids.map((id, i) => {
        const name = t('messages.file', { number: i + 1 })
        return (
          <Button key={id} onClick={() => void open(id, name)} busy={busy === id}>
            <IconPaperclip aria-hidden size={18} />
            {name}
          </Button>
        )
      })}
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
