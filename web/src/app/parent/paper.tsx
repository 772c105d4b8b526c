import { IconDownload, IconFileText } from '@tabler/icons-react'
import { useState } from 'react'
import { download, openPaper } from '../../api/client'
import { problemText } from '../problem'
import { Button } from '../ui'

interface PaperProps {
  path: string
  query?: Record<string, string>
  name: string
  file: string
}

function usePaper(get: () => Promise<void>) {
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    setError('')
    try {
      await get()
    } catch (e) {
      setError(problemText(e))
    }
    setBusy(false)
  }
  return { run: () => void run(), busy, error }
}

/** A paper that the service makes, to keep or to print. */
export function Paper({ path, query, name, file }: PaperProps) {
  const paper = usePaper(() => download(path, { ...query, format: 'pdf' }, file))
  return (
    <>
      <Button onClick={paper.run} busy={paper.busy}>
        <IconDownload aria-hidden size={20} />
        {name}
      </Button>
      <Refused text={paper.error} />
    </>
  )
}

/** The same, to look at. */
export function OpenPaper({ path, query, name, file }: PaperProps) {
  const paper = usePaper(() => openPaper(path, { ...query, format: 'pdf' }, file))
  return (
    <>
      <Button onClick={paper.run} busy={paper.busy}>
        <IconFileText aria-hidden size={20} />
        {name}
      </Button>
      <Refused text={paper.error} />
    </>
  )
}

function Refused({ text }: { text: string }) {
  if (!text) return null
  return (
    <p className="error" role="alert">
      {text}
    </p>
  )
}
