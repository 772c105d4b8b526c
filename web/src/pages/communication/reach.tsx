import { Box, Button, Group, Pagination, Table, Text, Title } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Confirm, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { usePlainMoney } from '../../patterns/money'
import { NoPrice } from './no-price'

type Rest = Schemas['RestByWay']
const ways: Record<Schemas['WayReached']['way'], string> = {
  PUSH: t('Push'),
  SMS: 'SMS',
  EMAIL: t('E-mail'),
  WHATSAPP: 'WhatsApp',
}
const by: Record<Rest['way'], string> = { SMS: 'SMS', EMAIL: t('e-mail'), WHATSAPP: 'WhatsApp' }
const reasons: Record<Schemas['Unreached']['reason'], string> = {
  FAILED: t('Not delivered'),
  NO_DEVICE: t('No app or browser'),
  TURNED_OFF: t('Turned off by the person'),
  NO_WAY: t('No channel for this person'),
}
const path = '/school-admin/notification/reach'

/**
 * Reach is whom the newest notification about a record has reached, by which channel, and the rest, who can be sent it by another
 * one. Where nobody was notified it says so, if asked to (none), or is nothing. It is read again when the record's version changes.
 */
export function Reach({
  recordId,
  version,
  mt,
  none,
}: {
  recordId: string
  version: number
  mt?: number
  none?: boolean
}) {
  const format = useFormat()
  const may = useMay()
  const allowed = may('message', 'read')
  const q = useQuery({
    queryKey: [path, recordId, version],
    enabled: allowed,
    queryFn: () => call(api.GET(path, { params: { query: { recordId } } })),
    refetchInterval: (x) => (x.state.data && x.state.data.waiting > 0 ? 3000 : false),
  })
  if (!allowed) return null
  const r = q.data
  if (!r && q.error) return <Trouble error={q.error} retry={() => void q.refetch()} />
  if (!r?.people)
    return r && none ? (
      <Text size="sm" c="dimmed">
        {t('Nobody has been notified.')}
      </Text>
    ) : null
  const n = format.number
  return (
    <Box component="section" aria-label={t('Delivery')} mt={mt}>
      <Title order={3} size="h5" mb={4}>
        {t('Delivery')}
      </Title>
      <Text mb={8}>
        {r.waiting > 0
          ? r.notReached > 0
            ? t('{n} of {n2} reached, {n3} read, {n4} waiting, {n5} not reached', {
                n: n(r.reached),
                n2: n(r.people),
                n3: n(r.read),
                n4: n(r.waiting),
                n5: n(r.notReached),
              })
            : t('{n} of {n2} reached, {n3} read, {n4} waiting', {
                n: n(r.reached),
                n2: n(r.people),
                n3: n(r.read),
                n4: n(r.waiting),
              })
          : r.notReached > 0
            ? t('{n} of {n2} reached, {n3} read, {n4} not reached', {
                n: n(r.reached),
                n2: n(r.people),
                n3: n(r.read),
                n4: n(r.notReached),
              })
            : t('{n} of {n2} reached, {n3} read', { n: n(r.reached), n2: n(r.people), n3: n(r.read) })}
      </Text>
      {r.ways.length > 0 && (
        <Table fz="sm" mb={16}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Channel')}</Table.Th>
              <Table.Th ta="end">{t('Sent')}</Table.Th>
              <Table.Th ta="end">{t('Delivered')}</Table.Th>
              <Table.Th ta="end">{t('Waiting')}</Table.Th>
              <Table.Th ta="end">{t('Failed')}</Table.Th>
              <Table.Th ta="end">{t('No device')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {r.ways.map((w) => (
              <Table.Tr key={w.way}>
                <Table.Td>{ways[w.way]}</Table.Td>
                {[w.sent, w.delivered || null, w.waiting, w.failed, w.noWay].map((x, i) => (
                  <Table.Td key={i} ta="end" className="figures">
                    {x === null ? '–' : n(x)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {r.notReached > 0 && <NotReached recordId={recordId} count={r.notReached} rest={r.rest} />}
    </Box>
  )
}

function NotReached({ recordId, count, rest }: { recordId: string; count: number; rest: Rest[] }) {
  const may = useMay()
  const [page, setPage] = useState(1)
  const [asking, setAsking] = useState<Rest>()
  const q = useQuery({
    queryKey: ['/school-admin/notification/unreached', recordId, page, count],
    placeholderData: keepPreviousData,
    queryFn: () =>
      call(
        api.GET('/school-admin/notification/unreached', { params: { query: { recordId, page, limit: 20 } as never } }),
      ),
  })
  const send = useMutation({
    mutationFn: (way: Rest['way']) =>
      call(api.POST('/school-admin/notification/send-to-rest', { body: { data: { recordId, way } } })),
    onSuccess: () => {
      changed('/school-admin/notification/')
      setAsking(undefined)
    },
  })
  return (
    <>
      <Group justify="space-between" mb={8}>
        <Title order={4} size="h6">
          {t('Not reached')}
        </Title>
        {may('message', 'write') &&
          rest.map((x) => (
            <Button key={x.way} variant="default" size="compact-md" onClick={() => setAsking(x)}>
              {t('Send to the rest by {by}…', { by: by[x.way] })}
            </Button>
          ))}
      </Group>
      {q.error ? (
        <Trouble error={q.error} retry={() => void q.refetch()} />
      ) : (
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Name')}</Table.Th>
              <Table.Th>{t('Reason')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {q.data?.items.map((p) => (
              <Table.Tr key={p.userId}>
                <Table.Td>{p.name}</Table.Td>
                <Table.Td>
                  {reasons[p.reason]}
                  {p.problem && <div className="why">{p.problem}</div>}
                  {!p.hasPhone && !p.hasEmail && <div className="why">{t('Neither phone nor e-mail is known.')}</div>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {(q.data?.totalPages ?? 0) > 1 && (
        <Pagination mt={8} size="sm" total={q.data!.totalPages} value={page} onChange={setPage} />
      )}
      {asking && (
        <Confirm
          opened
          title={t('Send to the rest by {by}?', { by: by[asking.way] })}
          action={t('Send')}
          busy={send.isPending}
          error={send.error}
          onClose={() => {
            setAsking(undefined)
            send.reset()
          }}
          onConfirm={() => !send.isPending && send.mutate(asking.way)}
        >
          <RestWords of={asking} />
        </Confirm>
      )}
    </>
  )
}

function RestWords({ of }: { of: Rest }) {
  const format = useFormat()
  const money = usePlainMoney()
  return (
    <>
      {of.people === 1
        ? of.way === 'SMS'
          ? of.cost != null
            ? t('{people} person gets it, each once. It takes {segments} SMS. It costs {money}.', {
                people: format.number(of.people),
                segments: format.number(of.segments),
                money: money(of.cost),
              })
            : t('{people} person gets it, each once. It takes {segments} SMS.', {
                people: format.number(of.people),
                segments: format.number(of.segments),
              })
          : of.cost != null
            ? t('{people} person gets it, each once. It costs {money}.', {
                people: format.number(of.people),
                money: money(of.cost),
              })
            : t('{people} person gets it, each once.', { people: format.number(of.people) })
        : of.way === 'SMS'
          ? of.cost != null
            ? t('{people} people get it, each once. It takes {segments} SMS. It costs {money}.', {
                people: format.number(of.people),
                segments: format.number(of.segments),
                money: money(of.cost),
              })
            : t('{people} people get it, each once. It takes {segments} SMS.', {
                people: format.number(of.people),
                segments: format.number(of.segments),
              })
          : of.cost != null
            ? t('{people} people get it, each once. It costs {money}.', {
                people: format.number(of.people),
                money: money(of.cost),
              })
            : t('{people} people get it, each once.', { people: format.number(of.people) })}
      {of.cost == null && of.way !== 'EMAIL' && <NoPrice whatsApp={of.way === 'WHATSAPP'} mt={4} />}
    </>
  )
}
