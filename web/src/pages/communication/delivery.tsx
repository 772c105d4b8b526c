// What the pages about e-mail and SMS have in common.
import { Button, Group, Pagination, Progress, SegmentedControl, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, download, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { t } from '../../messages/console'
import { Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { SubNav } from '../../patterns/SubNav'

type Sent = Schemas['Progress']

export const DispatchNav = () => (
  <SubNav
    label={t('E-mail and SMS')}
    items={[
      { to: '/dispatch', title: t('Sent') },
      { to: '/dispatch/new', title: t('Write') },
      { to: '/dispatch/templates', title: t('Templates') },
      { to: '/dispatch/batches', title: t('Notifications to many') },
      { to: '/dispatch/blocked', title: t('Blocked addresses') },
    ]}
  />
)

export const channels = [
  { value: 'SMS', label: t('SMS') },
  { value: 'EMAIL', label: t('E-mail') },
]

export const channelWord = (c: string) => channels.find((x) => x.value === c)?.label ?? c

/** How far a dispatch is, in a word. */
export function Arrived({ of: d }: { of: Sent }) {
  const format = useFormat()
  if (d.queued > 0)
    return (
      <Status tone="busy">
        {t('{sent} of {recipients} sent', { sent: format.number(d.sent), recipients: format.number(d.recipients) })}
      </Status>
    )
  if (d.failed > 0)
    return (
      <Status tone="warn">
        {t('{sent} sent, {failed} failed', { sent: format.number(d.sent), failed: format.number(d.failed) })}
      </Status>
    )
  return <Status tone="good">{t('All {sent} sent', { sent: format.number(d.sent) })}</Status>
}

export function useDispatch(id: string) {
  return useQuery({
    queryKey: ['/school-admin/dispatch/', id],
    queryFn: () => call(api.GET('/school-admin/dispatch/{id}', { params: { path: { id } } })),
    refetchInterval: (x) => (x.state.data && x.state.data.queued === 0 ? false : 1500),
  })
}

const deliveryStates: Record<string, ['good' | 'busy' | 'bad', string]> = {
  QUEUED: ['busy', t('Waiting')],
  SENT: ['good', t('Sent')],
  FAILED: ['bad', t('Failed')],
}

/** The bar, and what became of every message. */
export function Delivery({ dispatch: d }: { dispatch: Sent }) {
  const format = useFormat()
  const [state, setState] = useState('')
  const [page, setPage] = useState(1)
  const q = useQuery({
    queryKey: ['/school-admin/dispatch/recipients', d.id, state, page, d.queued],
    placeholderData: keepPreviousData,
    queryFn: () =>
      call(
        api.GET('/school-admin/dispatch/{id}/recipients', {
          params: { path: { id: d.id }, query: { ...(state ? { state } : {}), page, limit: 20 } as never },
        }),
      ),
  })
  const csv = useMutation({
    mutationFn: () =>
      download(
        `/school-admin/dispatch/${d.id}/recipients`,
        { format: 'csv', ...(state ? { state } : {}) },
        'recipients.csv',
      ),
    onError: (e) => notifications.show({ color: 'red', message: asProblem(e).message }),
  })
  const doneCount = d.sent + d.failed
  return (
    <section aria-label={t('Delivery')}>
      <Group justify="space-between" mb={4}>
        <Text fw={500}>{d.queued > 0 ? t('Being sent') : t('Done')}</Text>
        <Text className="figures" c="dimmed">
          {t('{doneCount} of {recipients}', {
            doneCount: format.number(doneCount),
            recipients: format.number(d.recipients),
          })}
        </Text>
      </Group>
      <Progress.Root size="md" aria-hidden>
        <Progress.Section value={(100 * d.sent) / Math.max(1, d.recipients)} />
        <Progress.Section value={(100 * d.failed) / Math.max(1, d.recipients)} color="red.8" />
      </Progress.Root>
      <Group justify="space-between" mt={16} mb={8} gap={8}>
        <SegmentedControl
          size="xs"
          aria-label={t('Which recipients')}
          value={state}
          onChange={(s) => {
            setState(s)
            setPage(1)
          }}
          data={[
            { value: '', label: t('All') },
            { value: 'SENT', label: t('Sent {sent}', { sent: d.sent }) },
            { value: 'QUEUED', label: t('Waiting {queued}', { queued: d.queued }) },
            { value: 'FAILED', label: t('Failed {failed}', { failed: d.failed }) },
          ]}
        />
        <Button variant="default" size="compact-sm" loading={csv.isPending} onClick={() => csv.mutate()}>
          {t('CSV')}
        </Button>
      </Group>
      {q.error ? (
        <Trouble error={q.error} retry={() => void q.refetch()} />
      ) : (
        <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } } as never}>
          <Table fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('To')}</Table.Th>
                <Table.Th>{t('State')}</Table.Th>
                <Table.Th>{t('When')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {q.data?.items.map((r) => (
                <Table.Tr key={r.id}>
                  <Table.Td className="figures">{r.to}</Table.Td>
                  <Table.Td>
                    <Status tone={deliveryStates[r.state]?.[0] ?? 'busy'}>
                      {deliveryStates[r.state]?.[1] ?? r.state}
                    </Status>
                    {r.lastError && <div className="why">{r.lastError}</div>}
                  </Table.Td>
                  <Table.Td className="figures">
                    {r.sentAt
                      ? format.dateTime(r.sentAt)
                      : r.attempts
                        ? t('{attempts} tries', { attempts: r.attempts })
                        : ''}
                  </Table.Td>
                </Table.Tr>
              ))}
              {q.data?.items.length === 0 && (
                <Table.Tr>
                  <Table.Td colSpan={3}>
                    <Text c="dimmed">{t('Nobody')}</Text>
                  </Table.Td>
                </Table.Tr>
              )}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {(q.data?.totalPages ?? 1) > 1 && (
        <Group justify="flex-end" mt={8}>
          <Pagination
            size="xs"
            total={q.data!.totalPages}
            value={page}
            onChange={setPage}
            getControlProps={(c) => ({
              'aria-label': {
                first: t('First page'),
                last: t('Last page'),
                next: t('Next page'),
                previous: t('Previous page'),
              }[c],
            })}
          />
        </Group>
      )}
    </section>
  )
}

export const allTemplates = () => fetchAll('/school-admin/dispatch/template/list')
