// What the pages of somebody who is not signed in share; one of them, of a new password, is for those who are too.
import { Text, Title } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { asProblem } from '../../api/client'
import { useSessionState } from '../../api/session'

export function Card({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const state = useSessionState()
  const [Frame] = useState<'div' | 'main'>(state.status === 'in' ? 'div' : 'main') // who is signed in has the shell's main around it
  return (
    <Frame className="sign-in">
      <div className="panel sign-in-card">
        <img src="/console/icon.svg" width={32} height={32} alt="" />
        <Title order={1} mt={16}>
          {title}
        </Title>
        {text && (
          <Text c="dimmed" mt={4}>
            {text}
          </Text>
        )}
        {children}
      </div>
    </Frame>
  )
}

export function useSubmit(work: () => Promise<void>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  return {
    busy,
    error,
    fields: error ? asProblem(error).fields : {},
    submit: (e: FormEvent) => {
      e.preventDefault()
      setBusy(true)
      setError(null)
      work()
        .catch(setError)
        .finally(() => setBusy(false))
    },
  }
}
