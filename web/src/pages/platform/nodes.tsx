import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDatabase, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../api/client'
import type { ItemOf } from '../../api/list'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { bytes, useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { moveTones, moveWords, stepWords } from './move-words'

type Node = ItemOf<'/super-admin/node/list'>

function NodeStatus({ node }: { node: Pick<Node, 'state' | 'reachable'> }) {
  if (!node.reachable) return <Status tone="bad">{t('Does not answer')}</Status>
  return node.state === 'DRAINING' ? (
    <Status tone="warn">{t('Draining')}</Status>
  ) : (
    <Status tone="good">{t('In use')}</Status>
  )
}

/** The databases schools live on: how full, how healthy, and how to drain one. */
export function Nodes() {
  const format = useFormat()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a node')}
    </Button>
  )
  return (
    <ListPage
      path="/super-admin/node/list"
      title={t('Nodes')}
      noun={[t('node'), t('nodes')]}
      id={(n) => n.id}
      name={(n) => n.name}
      search={t('Name')}
      filters={[
        {
          key: 'state',
          label: t('State'),
          options: [
            { value: 'ACTIVE', label: t('In use') },
            { value: 'DRAINING', label: t('Draining') },
          ],
        },
      ]}
      columns={[
        { key: 'name', title: t('Name'), cell: (n) => n.name, sort: 'name' },
        {
          key: 'state',
          title: t('State'),
          cell: (n) => <NodeStatus node={n} />,
          phone: true,
        },
        { key: 'schools', title: t('Schools'), cell: (n) => format.number(n.schools), end: true, phone: true },
        {
          key: 'size',
          title: t('Size'),
          cell: (n) => (n.measuredAt ? bytes(n.sizeBytes) : ''),
          sort: 'sizeBytes',
          end: true,
        },
        {
          key: 'connections',
          title: t('Connections'),
          cell: (n) => (
            <span className="figures">
              {t('{connections} of {maxConnections}', { connections: n.connections, maxConnections: n.maxConnections })}
            </span>
          ),
          end: true,
        },
        {
          key: 'ping',
          title: t('Answers in'),
          cell: (n) => (n.reachable ? t('{pingMs} ms', { pingMs: n.pingMs.toFixed(1) }) : ''),
          end: true,
        },
        {
          key: 'lag',
          title: t('Standby behind'),
          cell: (n) => (n.lagBytes === null ? t('No standby') : bytes(n.lagBytes)),
          end: true,
        },
        { key: 'address', title: t('Address'), cell: (n) => n.address, hidden: true },
        { key: 'version', title: t('Postgres'), cell: (n) => n.serverVersion, hidden: true },
      ]}
      primary={add}
      empty={
        <Empty
          icon={<IconDatabase size={32} stroke={1.2} />}
          title={t('No nodes')}
          text={t('A node is a Postgres server that schools live on. New schools go to the one with the most room.')}
          action={add}
        />
      }
      drawer={(id, close) => (id === 'new' ? <NewNode close={close} /> : <NodeDrawer id={id} close={close} key={id} />)}
    />
  )
}

function NewNode({ close }: { close: () => void }) {
  const [, setAddress] = useAddress()
  const draft = useDraft({ name: '', url: '', poolUrl: '' })
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels: {},
    save: () =>
      call(
        api.POST('/super-admin/node/create', {
          body: {
            data: { name: draft.values.name, url: draft.values.url, poolUrl: draft.values.poolUrl || undefined },
          },
        }),
      ),
    onSaved: (n) => {
      changed('/super-admin/node/')
      setAddress({ open: n.id })
    },
  })
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <DrawerHead title={t('Add a node')} close={close} />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          <Text c="dimmed">
            {t('The database is dialled and set up at once. Its password is kept by the platform and shown to nobody.')}
          </Text>
          {f.text({
            k: 'name',
            label: t('Name'),
            placeholder: t('north'),
            required: true,
            description: t('Small letters, digits and dashes'),
          })}
          {f.text({
            k: 'url',
            label: t('Address'),
            placeholder: t('postgres://homeroom:password@db-north:5432/homeroom'),
            required: true,
            autoComplete: 'off',
          })}
          {f.text({
            k: 'poolUrl',
            label: t("Pooler's address"),
            placeholder: t('postgres://db-north:6432/homeroom'),
            description: t('PgBouncer in transaction mode, if there is one'),
            autoComplete: 'off',
          })}
        </Stack>
      </div>
      <SaveBar draft={draft} {...save} submit={() => undefined} label={t('Add')} always onCancel={close} />
    </form>
  )
}

function NodeDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const [asking, setAsking] = useState(false)
  const [removing, setRemoving] = useState(false)
  const q = useQuery({
    queryKey: ['/super-admin/node/', id],
    queryFn: () => call(api.GET('/super-admin/node/{id}', { params: { path: { id } } })),
    refetchInterval: (x) =>
      x.state.data && (x.state.data.leaving > 0 || x.state.data.arriving > 0 || x.state.data.state === 'DRAINING')
        ? 3_000
        : 30_000,
  })
  const settled = () => {
    setAsking(false)
    changed('/super-admin/node/')
  }
  const path = { params: { path: { id } } }
  const drain = useMutation({
    mutationFn: () => call(api.POST('/super-admin/node/{id}/drain', path)),
    onSuccess: settled,
  })
  const activate = useMutation({
    mutationFn: () => call(api.POST('/super-admin/node/{id}/activate', path)),
    onSuccess: settled,
  })
  const remove = useMutation({
    mutationFn: () => call(api.DELETE('/super-admin/node/{id}', path)),
    onSuccess: () => {
      changed('/super-admin/node/')
      close()
    },
  })
  const n = q.data
  if (!n)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  return (
    <>
      <DrawerHead
        title={n.name}
        close={close}
        summary={<NodeStatus node={n} />}
        actions={
          n.state === 'DRAINING' ? (
            <Group gap={8}>
              <Button
                size="compact-md"
                variant="default"
                loading={activate.isPending}
                onClick={() => activate.mutate()}
              >
                {t('Use it again')}
              </Button>
              {n.name !== 'main' && (
                <Button size="compact-md" variant="default" color="red" onClick={() => setRemoving(true)}>
                  {t('Remove…')}
                </Button>
              )}
            </Group>
          ) : (
            <Button size="compact-md" variant="default" onClick={() => setAsking(true)}>
              {t('Drain…')}
            </Button>
          )
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          {n.error && <Text c="red.8">{n.error}</Text>}
          <Trouble error={activate.error} />
          <Facts
            of={[
              [
                t('Schools'),
                [
                  format.number(n.schools),
                  n.leaving && t('{leaving} leaving', { leaving: n.leaving }),
                  n.arriving && t('{arriving} arriving', { arriving: n.arriving }),
                  n.oldCopies &&
                    t(
                      { one: '{oldCopies} old copy', other: '{oldCopies} old copies' },
                      { count: n.oldCopies, oldCopies: n.oldCopies },
                    ),
                ]
                  .filter(Boolean)
                  .join(', '),
              ],
              [
                t('Size'),
                n.measuredAt
                  ? t('{bytes}, measured {measuredAt}', {
                      bytes: bytes(n.sizeBytes),
                      measuredAt: format.ago(n.measuredAt),
                    })
                  : t('Not measured yet'),
              ],
              [
                t('Address'),
                <span className="figures" key="a">
                  {n.address}
                </span>,
              ],
              [
                t('Connections'),
                t('{connections} of {maxConnections}', {
                  connections: n.connections,
                  maxConnections: n.maxConnections,
                }),
              ],
              [t('Answers in'), n.reachable ? t('{pingMs} ms', { pingMs: n.pingMs.toFixed(1) }) : ''],
              [t('Postgres'), n.serverVersion],
              [t('Pooler'), n.pooled ? t('Yes') : t('No')],
              [
                t('Standbys'),
                n.standbys
                  ? t('{standbys}, at most {bytes} behind', { standbys: n.standbys, bytes: bytes(n.lagBytes ?? 0) })
                  : t('None'),
              ],
              [
                t('Schools can leave'),
                n.walLevel === 'logical'
                  ? t('Yes')
                  : t('No: wal_level is {walLevel}, it must be logical', { walLevel: n.walLevel || t('unknown') }),
              ],
            ]}
          />
          <ReadStandby node={n} key={n.standbyUrl} />
          {n.moves.length > 0 && (
            <section aria-label={t('Moves')}>
              <Text className="section" mt={0}>
                {t('Schools on their way')}
              </Text>
              {n.moves.map((m) => (
                <Group
                  key={`${m.schoolId} ${m.createdAt}`}
                  justify="space-between"
                  py={8}
                  style={{ borderTop: '1px solid var(--line)' }}
                >
                  <div>
                    <Link to="/schools" search={{ open: m.schoolId } as never} className="row-name">
                      {m.schoolName}
                    </Link>
                    <Text size="sm" c="dimmed">
                      {t('{from} to {to}{stepWords}{error}', {
                        from: m.from,
                        to: m.to,
                        stepWords: m.state === 'RUNNING' && m.step && `. ${stepWords[m.step] ?? m.step}`,
                        error: m.error && `: ${m.error}`,
                      })}
                    </Text>
                  </div>
                  <Status tone={moveTones[m.state as keyof typeof moveTones] ?? 'off'}>
                    {moveWords[m.state] ?? m.state}
                  </Status>
                </Group>
              ))}
            </section>
          )}
        </Stack>
      </div>
      <Confirm
        opened={asking}
        title={t('Drain {name}?', { name: n.name })}
        action={t('Drain')}
        danger
        busy={drain.isPending}
        error={drain.error}
        onClose={() => {
          setAsking(false)
          drain.reset()
        }}
        onConfirm={() => drain.mutate()}
      >
        {t(
          {
            one: 'It takes no new schools, and its {schools} school moves to other nodes one after the other, while they are in use. You can use it again at any time; what has not moved by then stays.',
            other:
              'It takes no new schools, and its {schools} schools move to other nodes one after the other, while they are in use. You can use it again at any time; what has not moved by then stays.',
          },
          { count: n.schools, schools: format.number(n.schools) },
        )}
      </Confirm>
      <Confirm
        opened={removing}
        title={t('Remove {name}?', { name: n.name })}
        action={t('Remove')}
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => {
          setRemoving(false)
          remove.reset()
        }}
        onConfirm={() => remove.mutate()}
      >
        {t(
          'Nothing asks for this server any more, and alerts of its absence end. Its schools must have left it, and their moves must be confirmed. What is still on the server stays there.',
        )}
      </Confirm>
    </>
  )
}

const readWords = { OFF: t('Off'), IN_USE: t('In use'), PAUSED: t('Paused') }
const readTones = { OFF: 'off', IN_USE: 'good', PAUSED: 'warn' } as const

/** A server that follows the node's and answers its lists and reports. */
function ReadStandby({ node }: { node: Pick<Node, 'id' | 'standbyUrl' | 'standbyReads' | 'standbyTrouble'> }) {
  const draft = useDraft({ url: node.standbyUrl })
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels: { url: t('Standby') },
    save: () =>
      call(
        api.PUT('/super-admin/node/{id}/standby', {
          params: { path: { id: node.id } },
          body: { data: { url: draft.values.url } },
        }),
      ),
    onSaved: () => changed('/super-admin/node/'),
  })
  const state = node.standbyReads as keyof typeof readWords
  return (
    <form
      aria-label={t('Standby for reading')}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <Group justify="space-between">
        <Text className="section" mt={0}>
          {t('Standby for reading')}
        </Text>
        <Status tone={readTones[state]}>{readWords[state]}</Status>
      </Group>
      <Text size="sm" c="dimmed" mb={8}>
        {t(
          "Lists and reports are answered by a server that follows this one. People see their own changes and the office's at once, those of others up to some seconds late. Leave it empty to have every read answered by the node itself.",
        )}
      </Text>
      {node.standbyTrouble && (
        <Text size="sm" mb={8}>
          {t('Reads go to the node: {standbyTrouble}', { standbyTrouble: node.standbyTrouble })}
        </Text>
      )}
      {f.text({
        k: 'url',
        label: t('Address'),
        placeholder: t('postgres://db-north-2:5432/homeroom'),
        description: t('Address of one server, or of a PgBouncer in front of it; no user is needed'),
        autoComplete: 'off',
      })}
      <SaveBar draft={draft} {...save} submit={() => undefined} label={t('Save')} />
    </form>
  )
}
