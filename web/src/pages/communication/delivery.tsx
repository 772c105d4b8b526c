// What the pages about e-mail and SMS have in common.
import { Button, Group, Pagination, Progress, SegmentedControl, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, download, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { SubNav } from '../../patterns/SubNav'

type Sent = Schemas['Progress']

export const DispatchNav = () => (
  <SubNav
    label="E-mail and SMS"
    items={[
      { to: '/dispatch', title: 'Sent' },
      { to: '/dispatch/new', title: 'Write' },
      { to: '/dispatch/templates', title: 'Templates' },
    ]}
  />
)

export const channels = [
  { value: 'SMS', label: 'SMS' },
  { value: 'EMAIL', label: 'E-mail' },
]

export const channelWord = (c: string) => channels.find((x) => x.value === c)?.label ?? c

/** How far a dispatch is, in a word. */
export function Arrived({ of: d }: { of: Sent }) {
  const format = useFormat()
  if (d.queued > 0)
    return (
      <Status tone="busy">
        {format.number(d.sent)} of {format.number(d.recipients)} sent
      </Status>
    )
  if (d.failed > 0)
    return (
      <Status tone="warn">
        {format.number(d.sent)} sent, {format.number(d.failed)} failed
      </Status>
    )
  return <Status tone="good">All {format.number(d.sent)} sent</Status>
}

export function useDispatch(id: string) {
  return useQuery({
    queryKey: ['/school-admin/dispatch/', id],
    queryFn: () => call(api.GET('/school-admin/dispatch/{id}', { params: { path: { id } } })),
    refetchInterval: (x) => (x.state.data && x.state.data.queued === 0 ? false : 1500),
  })
}

const deliveryStates: Record<string, ['good' | 'busy' | 'bad', string]> = {
  QUEUED: ['busy', 'Waiting'],
  SENT: ['good', 'Sent'],
  FAILED: ['bad', 'Failed'],
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
    <section aria-label="Delivery">
      <Group justify="space-between" mb={4}>
        <Text fw={500}>{d.queued > 0 ? 'Being sent' : 'Done'}</Text>
        <Text className="figures" c="dimmed">
          {format.number(doneCount)} of {format.number(d.recipients)}
        </Text>
      </Group>
      <Progress.Root size="md" aria-hidden>
        <Progress.Section value={(100 * d.sent) / Math.max(1, d.recipients)} />
        <Progress.Section value={(100 * d.failed) / Math.max(1, d.recipients)} color="red.8" />
      </Progress.Root>
      <Group justify="space-between" mt={16} mb={8} gap={8}>
        <SegmentedControl
          size="xs"
          aria-label="Which recipients"
          value={state}
          onChange={(s) => {
            setState(s)
            setPage(1)
          }}
          data={[
            { value: '', label: 'All' },
            { value: 'SENT', label: `Sent ${d.sent}` },
            { value: 'QUEUED', label: `Waiting ${d.queued}` },
            { value: 'FAILED', label: `Failed ${d.failed}` },
          ]}
        />
        <Button variant="default" size="compact-sm" loading={csv.isPending} onClick={() => csv.mutate()}>
          CSV
        </Button>
      </Group>
      {q.error ? (
        <Trouble error={q.error} retry={() => void q.refetch()} />
      ) : (
        <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } } as never}>
          <Table fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>To</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>When</Table.Th>
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
                    {r.sentAt ? format.dateTime(r.sentAt) : r.attempts ? `${r.attempts} tries` : ''}
                  </Table.Td>
                </Table.Tr>
              ))}
              {q.data?.items.length === 0 && (
                <Table.Tr>
                  <Table.Td colSpan={3}>
                    <Text c="dimmed">Nobody</Text>
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
              'aria-label': { first: 'First page', last: 'Last page', next: 'Next page', previous: 'Previous page' }[c],
            })}
          />
        </Group>
      )}
    </section>
  )
}

export const allTemplates = () => fetchAll('/school-admin/dispatch/template/list')
