import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, done } from '../../api/client'
import { changed } from '../../api/queries'
import { signOut, useSession } from '../../api/session'
import { t } from '../../messages/console'
import { Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { SecondFactors } from './factors'

export function Account() {
  const { user } = useSession()
  return (
    <div className="page">
      <Title order={1} mb={4}>
        {t('Password and security')}
      </Title>
      <Text c="dimmed" mb={16}>
        {user.email}
      </Text>
      <Stack gap={24} className="reading">
        <Password />
        <SecondFactors />
        <Sessions />
      </Stack>
    </div>
  )
}

function Password() {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const change = useMutation({
    mutationFn: () => call(api.POST('/auth/password/change', { body: { currentPassword, newPassword } })),
    onSuccess: () => {
      setCurrent('')
      setNew('')
      changed('/auth/sessions')
    },
  })
  const fields = change.error ? asProblem(change.error).fields : {}
  return (
    <form
      className="panel"
      onSubmit={(e) => {
        e.preventDefault()
        change.mutate()
      }}
    >
      <Stack p={16} gap={16}>
        <Title order={2}>{t('Change the password')}</Title>
        <PasswordInput
          label={t('Current password')}
          autoComplete="current-password"
          value={currentPassword}
          error={fields.currentPassword}
          onChange={(e) => setCurrent(e.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('Show the current password') }}
        />
        <PasswordInput
          label={t('New password')}
          autoComplete="new-password"
          description={t('At least 12 characters. Your other sessions end.')}
          value={newPassword}
          error={fields.newPassword}
          onChange={(e) => setNew(e.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('Show the new password') }}
        />
        <Trouble error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending} disabled={!currentPassword || newPassword.length < 12}>
            {t('Change')}
          </Button>
          {change.isSuccess && (
            <Text size="sm" c="dimmed" role="status">
              {t('Changed')}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  )
}

function Sessions() {
  const format = useFormat()
  const q = useQuery({ queryKey: ['/auth/sessions'], queryFn: () => call(api.GET('/auth/sessions')) })
  const end = useMutation({
    mutationFn: (id: string) => done(api.DELETE('/auth/sessions/{id}', { params: { path: { id } } })),
    onSuccess: () => changed('/auth/sessions'),
  })
  return (
    <section className="panel" aria-labelledby="sessions">
      <Group p={16} justify="space-between">
        <Title order={2} id="sessions">
          {t('Where you are signed in')}
        </Title>
        <Button variant="default" onClick={() => void signOut(true)}>
          {t('Sign out everywhere')}
        </Button>
      </Group>
      {q.data ? (
        q.data.sessions.map((s) => (
          <Group key={s.id} p={16} justify="space-between" wrap="nowrap" style={{ borderTop: '1px solid var(--line)' }}>
            <div style={{ minWidth: 0 }}>
              <Text truncate>
                {device(s.device)}
                {s.current && (
                  <Text span c="dimmed">
                    {' '}
                    {t('· this one')}
                  </Text>
                )}
              </Text>
              <Text size="sm" c="dimmed" className="figures">
                {t('{ip} · used {lastUsedAt}', { ip: s.ip, lastUsedAt: format.ago(s.lastUsedAt) })}
              </Text>
            </div>
            {!s.current && (
              <Button
                variant="default"
                size="compact-md"
                loading={end.isPending && end.variables === s.id}
                onClick={() => end.mutate(s.id)}
              >
                {t('End')}
              </Button>
            )}
          </Group>
        ))
      ) : (
        <Stack p={16} pt={0}>
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={2} />}
        </Stack>
      )}
    </section>
  )
}

/** A browser's long name in the words people know it by. */
function device(agent: string): string {
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : /Firefox\//.test(agent)
      ? 'Firefox'
      : /Chrome\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : ''
  const system = /Android/.test(agent)
    ? 'Android'
    : /iPhone|iPad/.test(agent)
      ? 'iOS'
      : /Windows/.test(agent)
        ? 'Windows'
        : /Mac OS/.test(agent)
          ? 'macOS'
          : /Linux/.test(agent)
            ? 'Linux'
            : ''
  return browser
    ? [browser, system && t('on {system}', { system })].filter(Boolean).join(' ')
    : agent.slice(0, 60) || t('Unknown')
}
