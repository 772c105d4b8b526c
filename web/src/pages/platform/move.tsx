import { Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { rich, t } from '../../messages/console'
import { Confirm, Dialog, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { moveTones, moveWords, stepWords } from './move-words'

/** Where a school lives, and its way to another node while it is in use. */
export function SchoolMove({ id, node }: { id: string; node: string | null }) {
  const format = useFormat()
  const [choosing, setChoosing] = useState(false)
  const [asking, setAsking] = useState(false)
  const [to, setTo] = useState('')
  const path = { params: { path: { id } } }
  const q = useQuery({
    queryKey: ['/super-admin/school/move', id],
    queryFn: () =>
      call(api.GET('/super-admin/school/{id}/move', path)).catch((e: unknown) => {
        if (asProblem(e).status === 404) return null
        throw e
      }),
    refetchInterval: (x) =>
      x.state.data?.state === 'RUNNING' || (x.state.data?.state === 'MOVED' && !x.state.data.clean) ? 1_000 : false,
    staleTime: 0,
  })
  const nodes = useQuery({
    queryKey: ['/super-admin/node/list', 'all'],
    queryFn: () => fetchAll('/super-admin/node/list', { filters: { state: 'ACTIVE' } }),
  })
  const settled = () => {
    setChoosing(false)
    setAsking(false)
    changed('/super-admin/school/', '/super-admin/node/')
  }
  const move = useMutation({
    mutationFn: () => call(api.POST('/super-admin/school/{id}/move', { ...path, body: { data: { node: to } } })),
    onSuccess: settled,
  })
  const confirm = useMutation({
    mutationFn: () => call(api.POST('/super-admin/school/{id}/move/confirm', path)),
    onSuccess: settled,
  })
  const others = (nodes.data ?? []).filter((n) => n.name !== node)
  const m = q.data
  // When a move has ended, the school lives elsewhere: everything that says where is read anew.
  const was = useRef(m?.state)
  useEffect(() => {
    if (was.current === 'RUNNING' && m?.state !== 'RUNNING') changed('/super-admin/school/', '/super-admin/node/')
    was.current = m?.state
  }, [m?.state])
  const open = m && (m.state === 'RUNNING' || m.state === 'MOVED')
  if (!m && others.length === 0) return null
  const step = m?.steps.find((s) => !s.finishedAt)?.name
  return (
    <section aria-label={t('Node')}>
      <Group justify="space-between" mb={8}>
        <Text>{rich('Hosted on {node}', { node: <b>{node}</b> })}</Text>
        {!open && others.length > 0 && (
          <Button
            variant="default"
            size="compact-md"
            onClick={() => {
              setTo(others[0]!.name)
              setChoosing(true)
            }}
          >
            {t('Move…')}
          </Button>
        )}
        {m?.state === 'MOVED' && (
          <Button variant="default" size="compact-md" disabled={!m.clean} onClick={() => setAsking(true)}>
            {t('Remove the old copy…')}
          </Button>
        )}
      </Group>
      {m && (
        <Stack gap={4}>
          <Group justify="space-between">
            <Status tone={moveTones[m.state as keyof typeof moveTones] ?? 'off'}>
              {t('{moveWords}: {from} to {to}', { moveWords: moveWords[m.state] ?? m.state, from: m.from, to: m.to })}
            </Status>
            <Text size="sm" c="dimmed" className="figures">
              {m.state === 'RUNNING' ? `${m.percent} %` : format.ago(m.endedAt ?? m.movedAt ?? m.createdAt)}
            </Text>
          </Group>
          {m.state === 'RUNNING' && <Progress value={m.percent} size="sm" aria-label={t('Move')} />}
          {m.state === 'RUNNING' && step && (
            <Text size="sm" c="dimmed" aria-live="polite">
              {stepWords[step] ?? step}
            </Text>
          )}
          {m.error && (
            <Text size="sm" c={m.state === 'FAILED' ? 'red.8' : 'dimmed'}>
              {m.error}
            </Text>
          )}
          {m.movedAt && (
            <Text size="sm" c="dimmed">
              {t('{rows} rows compared, writes waited {heldMs} ms', {
                rows: format.number(m.rows),
                heldMs: format.number(m.heldMs),
              })}
            </Text>
          )}
        </Stack>
      )}
      <Trouble error={q.error} />
      <Dialog opened={choosing} onClose={() => setChoosing(false)} title={t('Move this school')}>
        <Stack gap={16}>
          <Text>
            {t(
              'Its tables are copied while it is in use; at the end writes wait for a moment. Should anything go wrong, it stays where it is.',
            )}
          </Text>
          <NativeSelect
            label={t('To')}
            data={others.map((n) => ({
              value: n.name,
              label: t(
                { one: '{name} ({schools} school)', other: '{name} ({schools} schools)' },
                { count: n.schools, name: n.name, schools: n.schools },
              ),
            }))}
            value={to}
            error={move.error ? asProblem(move.error).fields.node : undefined}
            onChange={(e) => setTo(e.currentTarget.value)}
          />
          <Trouble error={move.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={() => setChoosing(false)}>
              {t('Cancel')}
            </Button>
            <Button loading={move.isPending} onClick={() => move.mutate()}>
              {t('Move')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
      <Confirm
        opened={asking}
        title={t('Remove the old copy for good?')}
        action={t('Remove')}
        danger
        busy={confirm.isPending}
        error={confirm.error}
        onClose={() => {
          setAsking(false)
          confirm.reset()
        }}
        onConfirm={() => confirm.mutate()}
      >
        {t('The school is served from {to}. Its old copy on {from} cannot be brought back.', {
          to: m?.to,
          from: m?.from,
        })}
      </Confirm>
    </section>
  )
}
