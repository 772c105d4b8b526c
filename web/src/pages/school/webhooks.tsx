// Webhooks: addresses of other programs that what happened at the school is sent to.
import { Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { known, rich, t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { DateField } from '../../patterns/DateField'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Confirm, Dialog, Empty, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { SubNav } from '../../patterns/SubNav'
import { SecretDialog } from '../../patterns/secret'
import { momentOf } from '../../patterns/zone'
import { integrationPages } from './integration-pages'

const path = '/school-admin/integration/webhook/'
const refresh = () => changed('/school-admin/integration/webhook/')
const labels = { name: t('Name'), url: t('Address'), kinds: t('Facts'), status: t('Status') }
const statuses = {
  ACTIVE: ['good', t('On')],
  OFF: ['off', t('Off')],
  SUSPENDED: ['bad', t('Switched off: it did not work')],
} as const

type Webhook = Schemas['Webhook']
type Secret = { name: string; secret: string }

function HookStatus({ of }: { of: Webhook }) {
  if (of.status === 'ACTIVE' && of.failingSince) return <Status tone="warn">{t('Failing')}</Status>
  const [tone, word] = statuses[of.status]
  return <Status tone={tone}>{word}</Status>
}

export function Webhooks() {
  const may = useMay()
  const format = useFormat()
  const [, setAddress] = useAddress()
  const [shown, setShown] = useState<Secret>()
  const add = may('integration', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a webhook')}
    </Button>
  )
  return (
    <>
      <ListPage
        path="/school-admin/integration/webhook/list"
        title={t('Webhooks')}
        noun={[t('webhook'), t('webhooks')]}
        id={(w) => w.id}
        name={(w) => w.name}
        search={t('Name or address')}
        filters={[
          {
            key: 'status',
            label: t('Status'),
            options: Object.entries(statuses).map(([value, [, label]]) => ({ value, label })),
          },
        ]}
        above={<SubNav label={t('Integrations')} items={integrationPages} />}
        columns={[
          { key: 'name', title: t('Name'), cell: (w) => w.name, sort: 'name' },
          { key: 'status', title: t('Status'), cell: (w) => <HookStatus of={w} />, phone: true },
          { key: 'url', title: t('Address'), cell: (w) => w.url },
          { key: 'facts', title: t('Facts'), cell: (w) => w.kinds.length, end: true },
          {
            key: 'last',
            title: t('Last delivery'),
            cell: (w) => (w.deliveredAt ? format.ago(w.deliveredAt) : t('Never')),
          },
        ]}
        primary={add}
        empty={
          <Empty
            icon={<IconWebhook size={32} stroke={1.2} />}
            title={t('No webhooks yet')}
            text={t(
              'Another program is notified when something happens, such as a payment or an admission, and reads the rest with its API key.',
            )}
            action={add}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? (
            <HookForm
              close={close}
              show={(s) => {
                setShown(s)
                close()
              }}
            />
          ) : (
            <HookDrawer id={id} close={close} show={setShown} key={id} />
          )
        }
      />
      {shown && (
        <SecretDialog
          title={t('The secret of {name}', { name: shown.name })}
          text={t('The receiver checks with it that a call comes from here. Copy it now: it is not shown again.')}
          secret={shown.secret}
          done={() => setShown(undefined)}
        />
      )}
    </>
  )
}

function HookDrawer({ id, close, show }: { id: string; close: () => void; show: (s: Secret) => void }) {
  const q = useQuery({
    queryKey: [path, id],
    queryFn: () => call(api.GET('/school-admin/integration/webhook/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <HookForm of={q.data} close={close} show={show} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

function HookForm({ of, close, show }: { of?: Webhook; close: () => void; show: (s: Secret) => void }) {
  const may = useMay()
  const format = useFormat()
  const kinds = useQuery({
    queryKey: ['/school-admin/integration/webhook/kinds'],
    queryFn: () => call(api.GET('/school-admin/integration/webhook/kinds')),
  })
  const pick = (w?: Webhook) => ({
    name: w?.name ?? '',
    url: w?.url ?? '',
    kinds: (w?.kinds ?? []) as string[],
    status: (w?.status ?? 'ACTIVE') as string,
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels,
    version: of?.version,
    save: async (c, version) => {
      if (of)
        return await call(
          api.PUT('/school-admin/integration/webhook/{id}', {
            params: { path: { id: of.id } },
            body: { data: { ...(c as Schemas['WebhookChange']), version } },
          }),
        )
      const made = await call(
        api.POST('/school-admin/integration/webhook/create', {
          body: { data: draft.values as Schemas['WebhookFields'] },
        }),
      )
      show({ name: made.name, secret: made.secret })
      return made
    },
    onSaved: refresh,
  })
  const renew = useMutation({
    mutationFn: () =>
      call(api.POST('/school-admin/integration/webhook/{id}/secret', { params: { path: { id: of!.id } } })),
    onSuccess: (w) => show({ name: w.name, secret: w.secret }),
  })
  const [asking, setAsking] = useState<'secret' | 'replay'>()
  const editable = may('integration', 'write')
  const toggle = (kind: string, on: boolean) =>
    draft.set('kinds', on ? [...draft.values.kinds, kind] : draft.values.kinds.filter((k) => k !== kind))
  return (
    <>
      <FormDrawer
        title={of?.name ?? t('Add a webhook')}
        what={of?.name ?? ''}
        close={close}
        draft={draft}
        save={save}
        create={!of}
        locked={!editable}
        summary={of && <HookStatus of={of} />}
        remove={
          of && may('integration', 'delete')
            ? () => done(api.DELETE('/school-admin/integration/webhook/{id}', { params: { path: { id: of.id } } }))
            : undefined
        }
        extra={of && <Deliveries of={of} />}
      >
        {of?.failingSince && (
          <Text>
            {t('It has taken nothing since {failingSince}: {lastError}', {
              failingSince: format.dateTime(of.failingSince),
              lastError: of.lastError,
            })}
          </Text>
        )}
        {f.text({ k: 'name', label: labels.name, required: true })}
        {f.text({ k: 'url', label: labels.url, required: true })}
        {of &&
          f.choice({
            k: 'status',
            label: labels.status,
            data: [
              { value: 'ACTIVE', label: t('On') },
              { value: 'OFF', label: t('Off') },
              ...(of.status === 'SUSPENDED' ? [{ value: 'SUSPENDED', label: statuses.SUSPENDED[1] }] : []),
            ],
          })}
        <Trouble error={kinds.error} retry={() => void kinds.refetch()} />
        <fieldset className="plain">
          <Text component="legend" size="sm" fw={500} mb={8}>
            {labels.kinds}
          </Text>
          <div className="pair">
            {kinds.data?.kinds.map((k) => (
              <Checkbox
                key={k.kind}
                label={known(k.title)}
                checked={draft.values.kinds.includes(k.kind)}
                onChange={(e) => toggle(k.kind, e.currentTarget.checked)}
              />
            ))}
          </div>
        </fieldset>
        {of && editable && (
          <Group gap={8}>
            <Button variant="default" size="compact-md" onClick={() => setAsking('secret')}>
              {t('New secret…')}
            </Button>
            <Button variant="default" size="compact-md" onClick={() => setAsking('replay')}>
              {t('Send again…')}
            </Button>
          </Group>
        )}
      </FormDrawer>
      <Confirm
        opened={asking === 'secret'}
        title={t('Make a new secret?')}
        action={t('Make it')}
        busy={renew.isPending}
        error={renew.error}
        onClose={() => setAsking(undefined)}
        onConfirm={() => renew.mutate(undefined, { onSuccess: () => setAsking(undefined) })}
      >
        {t(
          'Calls are signed with the new one at once. Until the receiver has it, it will refuse them, and they are sent again.',
        )}
      </Confirm>
      {of && asking === 'replay' && <Replay of={of} close={() => setAsking(undefined)} />}
    </>
  )
}

function Replay({ of, close }: { of: Webhook; close: () => void }) {
  const { school } = useSession()
  const [day, setDay] = useState('')
  const replay = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/integration/webhook/{id}/replay', {
          params: { path: { id: of.id } },
          body: { data: { from: momentOf(`${day}T00:00`, school?.timeZone ?? 'UTC') } },
        }),
      ),
    onSuccess: refresh,
  })
  return (
    <Dialog onClose={close} size={400} title={t('Send again')}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          replay.mutate()
        }}
      >
        <Stack gap={16}>
          <DateField
            label={t('From')}
            description={t('What happened since then, at most 30 days ago')}
            value={day}
            onChange={setDay}
          />
          {replay.data && (
            <Text role="status">
              {t(
                { one: '{queued} fact is sent again.', other: '{queued} facts are sent again.' },
                { count: replay.data.queued, queued: replay.data.queued },
              )}
            </Text>
          )}
          <Trouble error={replay.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Close')}
            </Button>
            <Button type="submit" loading={replay.isPending} disabled={!/^\d{4}-\d\d-\d\d$/.test(day)}>
              {t('Send again')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

const states = {
  QUEUED: ['busy', t('Waiting')],
  SENT: ['good', t('Delivered')],
  FAILED: ['bad', t('Given up')],
} as const

/** The newest facts that were sent, or wait. */
function Deliveries({ of }: { of: Webhook }) {
  const may = useMay()
  const format = useFormat()
  const log = useQuery({
    queryKey: [`${path}delivery/list`, of.id],
    queryFn: () =>
      call(
        api.GET('/school-admin/integration/webhook/delivery/list', {
          params: { query: { 'filters[webhookId]': of.id, limit: 20 } },
        }),
      ),
  })
  const again = useMutation({
    mutationFn: (id: string) =>
      call(api.POST('/school-admin/integration/webhook/delivery/{id}/redeliver', { params: { path: { id } } })),
    onSuccess: refresh,
  })
  return (
    <section aria-labelledby="deliveries">
      <Title order={3} id="deliveries" mt={24} mb={8}>
        {t('Deliveries')}
      </Title>
      <Trouble error={log.error ?? again.error} retry={() => void log.refetch()} />
      {log.data?.total === 0 && <Text c="dimmed">{t('Nothing was sent yet.')}</Text>}
      {log.data?.items.map((d) => {
        const [tone, word] = states[d.state]
        return (
          <Group key={d.id} justify="space-between" wrap="nowrap" gap={8} py={6}>
            <div style={{ minWidth: 0 }}>
              <Text size="sm">
                {d.kind} · {format.dateTime(d.occurredAt)}
              </Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {rich('{word} · tried {attempts} times{lastError}', {
                  word: <Status tone={tone}>{word}</Status>,
                  attempts: d.attempts,
                  lastError: d.lastError && ` · ${d.lastError}`,
                })}
              </Text>
            </div>
            {may('integration', 'write') && (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t('Send again: {kind}', { kind: d.kind })}
                onClick={() => again.mutate(d.id)}
              >
                {t('Send again')}
              </Button>
            )}
          </Group>
        )
      })}
      {log.data && log.data.total > log.data.items.length && (
        <Text size="sm" c="dimmed" pt={6}>
          {t('The newest {shown} of {total}', {
            shown: format.number(log.data.items.length),
            total: format.number(log.data.total),
          })}
        </Text>
      )}
    </section>
  )
}
