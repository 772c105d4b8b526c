import { Button, Group, Progress, Text } from '@mantine/core'
import { IconVersions } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, call } from '../../api/client'
import { changed } from '../../api/queries'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { SchoolStatus } from './school-status'
import './platform.css'
import { t } from '../../messages/console'

const states = {
  CURRENT: ['good', t('Up to date')],
  BEHIND: ['busy', t('Behind')],
  FAILED: ['bad', t('Failed')],
} as const

/** Which version every school is at, and how far the fleet's migration has come. */
export function Migrations() {
  const migrate = useMutation({
    mutationFn: (schoolIds: string[]) =>
      call(api.POST('/super-admin/migration/run', { body: { data: { schoolIds } } })),
    onSuccess: () => changed('/super-admin/migration/'),
  })
  return (
    <ListPage
      path="/super-admin/migration/list"
      title={t('Migrations')}
      noun={[t('school'), t('schools')]}
      id={(s) => s.id}
      name={(s) => s.name}
      search={t('Name or code')}
      above={<Fleet />}
      filters={[
        {
          key: 'state',
          label: t('State'),
          options: Object.entries(states).map(([value, [, label]]) => ({ value, label })),
        },
      ]}
      columns={[
        { key: 'name', title: t('School'), cell: (s) => s.name, sort: 'name' },
        {
          key: 'state',
          title: t('Tables'),
          cell: (s) => {
            const [tone, word] = states[s.state as keyof typeof states] ?? ['off', s.state]
            return <Status tone={tone}>{word}</Status>
          },
          phone: true,
        },
        {
          key: 'version',
          title: t('Version'),
          cell: (s) => s.schemaVersion,
          sort: 'schemaVersion',
          end: true,
        },
        { key: 'code', title: t('Code'), cell: (s) => s.code, sort: 'code' },
        { key: 'status', title: t('School is'), cell: (s) => <SchoolStatus status={s.status} /> },
        { key: 'node', title: t('Node'), cell: (s) => s.node ?? '' },
        {
          key: 'error',
          title: t('What went wrong'),
          cell: (s) =>
            s.error ? (
              <Text span c="red.8" size="sm" title={s.error}>
                {s.error}
              </Text>
            ) : (
              ''
            ),
        },
      ]}
      bulk={(rows, clear) => (
        <Button
          size="compact-md"
          loading={migrate.isPending}
          onClick={() =>
            migrate.mutate(
              rows.map((r) => r.id),
              { onSuccess: clear },
            )
          }
        >
          {t('Migrate these')}
        </Button>
      )}
      empty={
        <Empty
          icon={<IconVersions size={32} stroke={1.2} />}
          title={t('No school has tables yet')}
          text={t(
            'Every school has tables of its own. When a new version of the service brings changes to them, they are brought up to date here, school by school, while the schools are in use.',
          )}
        />
      }
    />
  )
}

function Fleet() {
  const format = useFormat()
  const [asking, setAsking] = useState(false)
  const q = useQuery({
    queryKey: ['/super-admin/migration/status'],
    queryFn: () => call(api.GET('/super-admin/migration/status')),
    refetchInterval: (x) => (['QUEUED', 'RUNNING'].includes(x.state.data?.run?.state ?? '') ? 1_000 : 30_000),
    staleTime: 0,
  })
  const settled = () => changed('/super-admin/migration/')
  const run = useMutation({
    mutationFn: () => call(api.POST('/super-admin/migration/run', { body: { data: {} } })),
    onSuccess: () => {
      setAsking(false)
      settled()
    },
  })
  const retry = useMutation({
    mutationFn: () => call(api.POST('/super-admin/migration/retry', {})),
    onSuccess: settled,
  })
  const s = q.data
  const busy = s?.run && ['QUEUED', 'RUNNING'].includes(s.run.state)
  // When a run has ended, the list below tells another story.
  const was = useRef(busy)
  useEffect(() => {
    if (was.current && !busy) changed('/super-admin/migration/list')
    was.current = busy
  }, [busy])
  if (!s)
    return (
      <div className="panel fleet">
        {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={2} />}
      </div>
    )
  return (
    <section className="panel fleet" aria-label={t('The fleet')}>
      <Group justify="space-between" gap={12}>
        <div className="fleet-counts">
          <span>
            <b>{format.number(s.current)}</b>
            <Status tone="good">{t('up to date')}</Status>
          </span>
          <span>
            <b>{format.number(s.behind)}</b>
            <Status tone={s.behind ? 'busy' : 'off'}>{t('behind')}</Status>
          </span>
          <span>
            <b>{format.number(s.failed)}</b>
            <Status tone={s.failed ? 'bad' : 'off'}>{t('failed')}</Status>
          </span>
          <Text span c="dimmed" className="figures">
            {t('This service brings them to version {version}', { version: s.version })}
          </Text>
        </div>
        <Group gap={8}>
          {s.failed > 0 && (
            <Button variant="default" disabled={!!busy} loading={retry.isPending} onClick={() => retry.mutate()}>
              {t('Retry the failed')}
            </Button>
          )}
          <Button disabled={!!busy} variant={s.behind ? 'filled' : 'default'} onClick={() => setAsking(true)}>
            {t('Migrate…')}
          </Button>
        </Group>
      </Group>
      {s.run && (
        <div aria-live="polite">
          <Group justify="space-between" mb={4} gap={8}>
            <Text size="sm">
              {s.run.state === 'QUEUED'
                ? t('Waiting to begin')
                : s.run.state === 'RUNNING'
                  ? t('Under way')
                  : s.run.state === 'FAILED'
                    ? t('It stopped')
                    : s.run.failed
                      ? t('Done, with failures')
                      : t('Done')}
              {s.run.finishedAt ? ` ${format.ago(s.run.finishedAt)}` : ''}
            </Text>
            <Text size="sm" c="dimmed" className="figures">
              {s.run.failed > 0
                ? t('{done} of {total}, {failed} failed', {
                    done: format.number(s.run.done),
                    total: format.number(s.run.total),
                    failed: format.number(s.run.failed),
                  })
                : t('{done} of {total}', { done: format.number(s.run.done), total: format.number(s.run.total) })}
            </Text>
          </Group>
          <Progress
            value={s.run.percent}
            size="sm"
            aria-label={t('Migration')}
            color={s.run.failed || s.run.state === 'FAILED' ? 'red.8' : undefined}
          />
          {s.run.error && (
            <Text size="sm" c="red.8" mt={4}>
              {s.run.error}
            </Text>
          )}
        </div>
      )}
      <Trouble error={retry.error} />
      <Confirm
        opened={asking}
        title={t('Migrate every school that is behind?')}
        action={t('Migrate')}
        busy={run.isPending}
        error={run.error}
        onClose={() => {
          setAsking(false)
          run.reset()
        }}
        onConfirm={() => run.mutate()}
      >
        {s.behind === 0
          ? t(
              'No school is behind; the empty ones kept ready are looked at too. A school that fails is not served until the cause is fixed; the others continue.',
            )
          : t(
              {
                one: '{behind} school is brought to version {version}, one after the other, while they are in use. A school that fails is not served until the cause is fixed; the others continue.',
                other:
                  '{behind} schools are brought to version {version}, one after the other, while they are in use. A school that fails is not served until the cause is fixed; the others continue.',
              },
              { count: s.behind, behind: format.number(s.behind), version: s.version },
            )}
      </Confirm>
    </section>
  )
}
