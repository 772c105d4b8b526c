import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, call, download, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Status, Trouble } from '../../patterns/feedback'
import { bytes, useFormat } from '../../patterns/format'

const states = {
  QUEUED: ['busy', t('Waiting')],
  RUNNING: ['busy', t('Being made')],
  READY: ['good', t('Ready')],
  FAILED: ['bad', t('Failed')],
} as const

/** The archives of a whole school: have one made, watch it, take it. */
export function SchoolExports({ id, code }: { id: string; code: string }) {
  const format = useFormat()
  const path = { params: { path: { id } } }
  const q = useQuery({
    queryKey: ['/super-admin/school/exports', id],
    queryFn: () => call(api.GET('/super-admin/school/{id}/exports', path)),
    refetchInterval: (x) => (x.state.data?.exports.some(isOpen) ? 1_000 : false),
    staleTime: 0,
  })
  const make = useMutation({
    mutationFn: () => call(api.POST('/super-admin/school/{id}/export', path)),
    onSuccess: () => changed('/super-admin/school/exports'),
  })
  const take = useMutation({
    mutationFn: (e: Schemas['Export']) =>
      download(`/super-admin/school/${id}/export`, {}, `${code}-${e.createdAt.slice(0, 10)}.tar.gz`),
  })
  const list = q.data?.exports ?? []
  return (
    <section aria-label={t('Export')}>
      <Group justify="space-between" mb={8}>
        <Text>{t('Export of the whole school')}</Text>
        <Button
          variant="default"
          size="compact-md"
          disabled={!q.data || list.some(isOpen)}
          loading={make.isPending}
          onClick={() => make.mutate()}
        >
          {list.length ? t('Make a new archive') : t('Make an archive')}
        </Button>
      </Group>
      <Stack gap={12}>
        {q.data && list.length === 0 && (
          <Text size="sm" c="dimmed">
            {t(
              'One file with every record and file of the school. It is kept for a day; who made and downloaded it is in the audit log.',
            )}
          </Text>
        )}
        {list.map((e, at) => (
          <Stack gap={4} key={e.id}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Status tone={states[e.state as keyof typeof states]?.[0] ?? 'off'}>
                {states[e.state as keyof typeof states]?.[1] ?? e.state}
              </Status>
              {/* The newest is what the service gives. */}
              {at === 0 && e.state === 'READY' && (
                <Button
                  size="compact-md"
                  leftSection={<IconDownload size={16} stroke={1.6} />}
                  loading={take.isPending}
                  onClick={() => take.mutate(e)}
                >
                  {t('Download ({bytes})', { bytes: bytes(e.sizeBytes) })}
                </Button>
              )}
            </Group>
            {e.state === 'RUNNING' && (
              <>
                <Progress value={e.tables ? (100 * e.tablesDone) / e.tables : 0} size="sm" aria-label={t('Export')} />
                <Text size="sm" c="dimmed" aria-live="polite" className="figures">
                  {t('{tablesDone} of {tables} tables, {rowCount} rows', {
                    tablesDone: format.number(e.tablesDone),
                    tables: format.number(e.tables),
                    rowCount: format.number(e.rowCount),
                  })}
                </Text>
              </>
            )}
            <Text size="sm" c="dimmed">
              {e.requestedByName || t('Somebody')}, {format.dateTime(e.createdAt)}
              {e.state === 'READY' &&
                e.expiresAt &&
                ` ${t('· kept until {expiresAt}', { expiresAt: format.dateTime(e.expiresAt) })}`}
            </Text>
            {e.error && (
              <Text size="sm" c="red.8">
                {e.error}
              </Text>
            )}
          </Stack>
        ))}
        <Trouble error={q.error ?? make.error ?? take.error} />
      </Stack>
    </section>
  )
}

const isOpen = (e: Schemas['Export']) => e.state === 'QUEUED' || e.state === 'RUNNING'
