import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, call, listen, type Schemas } from '../../api/client'
import { changed, queries } from '../../api/queries'
import { t } from '../../messages/console'
import { Lines, Status, Technical, Trouble } from '../../patterns/feedback'
import { words } from '../../patterns/words'

type School = Schemas['School']

const stepWords: Record<string, string> = {
  reserve: t('Reserve a place'),
  schema: t('Make the database schema'),
  permissions: t('Set up roles and permissions'),
  administrator: t('Add the first administrator'),
  invitation: t('Send the invitation'),
  activate: t('Open the school'),
}

/** How far a school's set-up is, live, until it is done or has stopped. Should the stream break, it is asked for again. */
export function Provisioning({ id, onReady }: { id: string; onReady?: (s: School) => void }) {
  const key = ['/super-admin/school/provisioning', id]
  const q = useQuery({
    queryKey: key,
    queryFn: () => call(api.GET('/super-admin/school/{id}/provisioning', { params: { path: { id } } })),
    refetchInterval: (x) => (x.state.data && x.state.data.status !== 'PROVISIONING' ? false : 5_000),
    staleTime: 0,
  })
  const status = q.data?.status
  // biome-ignore lint/correctness/useExhaustiveDependencies: one stream until the set-up ends; key holds id
  useEffect(() => {
    if (status && status !== 'PROVISIONING') return
    const off = new AbortController()
    void listen<Schemas['Onboarding']>(
      `/super-admin/school/${id}/provisioning/stream`,
      (p) => queries.setQueryData(key, p),
      off.signal,
    ).catch(() => undefined)
    return () => off.abort()
  }, [id, status === undefined || status === 'PROVISIONING'])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each status
  useEffect(() => {
    if (status === 'ACTIVE' || status === 'FAILED') changed('/super-admin/school/list', '/super-admin/school/')
    if (status === 'ACTIVE' && onReady)
      void call(api.GET('/super-admin/school/{id}', { params: { path: { id } } })).then(onReady)
  }, [status])
  const again = useMutation({
    mutationFn: () => call(api.POST('/super-admin/school/{id}/retry', { params: { path: { id } } })),
    onSuccess: () => {
      changed('/super-admin/school/')
      void q.refetch()
    },
  })
  const p = q.data
  const stopped = p?.steps.find((s) => s.error && !s.finishedAt)
  const why = stopped?.error || p?.error
  if (!p) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={3} />
  return (
    <Stack gap={16}>
      <Group justify="space-between">
        <Text fw={500}>
          {p.status === 'ACTIVE' ? t('Ready') : p.status === 'FAILED' ? t('The set-up has stopped') : t('Being set up')}
        </Text>
        <Text className="figures" c="dimmed">
          {p.percent} %
        </Text>
      </Group>
      <Progress value={p.percent} aria-label={t('Set-up')} color={p.status === 'FAILED' ? 'red.8' : undefined} />
      {p.status === 'FAILED' && (
        <Stack gap={12} role="alert">
          <Text>
            {stopped
              ? t(
                  'It stopped at “{stepWords}”. What was done before stays. Try again; if it stops at the same step, tell who runs the servers.',
                  { stepWords: stepWords[stopped.name] ?? words(stopped.name) },
                )
              : t(
                  'It stopped before its first step. What was done before stays. Try again; if it stops at the same step, tell who runs the servers.',
                )}
          </Text>
          {why && <Technical>{why}</Technical>}
          <Trouble error={again.error} />
          <Group>
            <Button loading={again.isPending} onClick={() => again.mutate()}>
              {t('Try again')}
            </Button>
          </Group>
        </Stack>
      )}
      <Stack gap={8} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {p.steps.map((s) => (
          <li key={s.name}>
            <Status tone={s.finishedAt ? 'good' : s.error ? 'bad' : s.startedAt ? 'busy' : 'off'}>
              {stepWords[s.name] ?? words(s.name)}
              {s.attempts > 1 && (
                <Text span size="xs" c="dimmed">
                  {t('try {attempts}', { attempts: s.attempts })}
                </Text>
              )}
            </Status>
          </li>
        ))}
      </Stack>
      {p.status === 'PROVISIONING' && (
        <Text c="dimmed" size="sm">
          {t("You can leave this page. The set-up continues, and the school's row in the list shows its progress.")}
        </Text>
      )}
    </Stack>
  )
}
