// What the pages of somebody who is not signed in share.
import { Text, Title } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { asProblem } from '../../api/client'

export function Card({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <main className="sign-in">
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
    </main>
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
