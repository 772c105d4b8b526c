// How administrators sign in with the accounts they have: the school's identity providers, and who is linked with them.
import { Button, CopyButton, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { IconLogin2, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Confirm, Dialog, Empty, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Facts, fieldsOf, useDraft, useSave } from '../../patterns/record'
import { SubNav } from '../../patterns/SubNav'
import { settingPages } from './setting-pages'

const path = '/school-admin/sign-in/'
const refresh = () => changed(path)
const google = 'https://accounts.google.com'
const microsoft = /^https:\/\/login\.microsoftonline\.com\/([^/]*)\/v2\.0$/
const labels = {
  name: t('Name on the button'),
  kind: t('Provider'),
  tenant: t('Directory (tenant) ID'),
  issuer: t('Address of the provider'),
  clientId: t('Client ID'),
  domains: t('E-mail domains'),
  status: t('Status'),
}

type Provider = Schemas['ProviderDetail']

export function SignInProviders() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = may('setting', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a provider')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/sign-in/provider/list"
      title={t('Sign-in')}
      noun={[t('provider'), t('providers')]}
      id={(p) => p.id}
      name={(p) => p.name}
      search={t('Name or address')}
      filters={[]}
      above={<SubNav label={t('Settings')} items={settingPages} />}
      columns={[
        { key: 'name', title: t('Name'), cell: (p) => p.name, sort: 'name' },
        { key: 'status', title: t('Status'), cell: (p) => <OnOff on={p.status === 'ON'} />, phone: true },
        { key: 'domains', title: labels.domains, cell: (p) => p.domains.join(', ') },
      ]}
      primary={add}
      empty={
        <Empty
          icon={<IconLogin2 size={32} stroke={1.2} />}
          title={t('Administrators sign in with e-mail and password')}
          text={t('Add Google, Microsoft or another provider, and they can use the accounts they have at the school.')}
          action={add}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <ProviderForm close={close} /> : <ProviderDrawer id={id} close={close} key={id} />
      }
    />
  )
}

function OnOff({ on }: { on: boolean }) {
  return <Status tone={on ? 'good' : 'off'}>{on ? t('On') : t('Off')}</Status>
}

function ProviderDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: [`${path}provider`, id],
    queryFn: () => call(api.GET('/school-admin/sign-in/provider/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <ProviderForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const pick = (p?: Provider) => {
  const tenant = microsoft.exec(p?.issuer ?? '')?.[1]
  return {
    name: p?.name ?? 'Google',
    kind: !p || p.issuer === google ? 'GOOGLE' : tenant ? 'MICROSOFT' : 'OTHER',
    tenant: tenant ?? '',
    issuer: p?.issuer ?? '',
    clientId: p?.clientId ?? '',
    domains: p?.domains.join(', ') ?? '',
    status: (p?.status ?? 'ON') as string,
  }
}

const issuerOf = (v: ReturnType<typeof pick>) =>
  v.kind === 'GOOGLE'
    ? google
    : v.kind === 'MICROSOFT'
      ? `https://login.microsoftonline.com/${v.tenant.trim()}/v2.0`
      : v.issuer.trim()

function ProviderForm({ of, close }: { of?: Provider; close: () => void }) {
  const may = useMay()
  const [, setAddress] = useAddress()
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const [secret, setSecret] = useState('') // not in the draft, which the browser keeps
  const [renewing, setRenewing] = useState(false)
  const issuer = issuerOf(draft.values)
  const check = useMutation({
    mutationFn: () => done(api.POST('/school-admin/sign-in/provider/check', { body: { data: { issuer } } })),
  })
  const save = useSave({
    draft,
    labels,
    version: of?.version,
    save: async (_, version, { name, clientId, domains, status }) => {
      const data = {
        name,
        issuer,
        clientId,
        domains: domains.split(/[\s,;]+/).filter(Boolean),
        status: status as Provider['status'],
      }
      if (of)
        return await call(
          api.PUT('/school-admin/sign-in/provider/{id}', {
            params: { path: { id: of.id } },
            body: { data: { ...data, version } },
          }),
        )
      return await call(
        api.POST('/school-admin/sign-in/provider/create', { body: { data: { ...data, clientSecret: secret } } }),
      )
    },
    onSaved: (p) => {
      void refresh()
      if (!of) setAddress({ open: p.id })
    },
  })
  const editable = may('setting', 'write')
  const { kind } = draft.values
  return (
    <>
      <FormDrawer
        title={of?.name ?? t('Add a provider')}
        what={of?.name ?? ''}
        close={close}
        draft={draft}
        save={save}
        create={!of}
        locked={!editable}
        summary={of && <OnOff on={of.status === 'ON'} />}
        remove={
          of && may('setting', 'delete')
            ? () => done(api.DELETE('/school-admin/sign-in/provider/{id}', { params: { path: { id: of.id } } }))
            : undefined
        }
        extra={of && <Links of={of} />}
      >
        {of && (
          <Stack gap={8}>
            <Copied title={t('Enter this redirect address at the provider')} text={of.redirectUrl} />
            <Copied title={t('Give this sign-in page to your administrators')} text={of.signInUrl} />
            <Copied
              title={t('For the app of teachers and drivers, enter this redirect address, too')}
              text={of.appRedirectUrl}
            />
            <Copied title={t('Give this sign-in page to your teachers and drivers')} text={of.appUrl} />
          </Stack>
        )}
        {f.choice({
          k: 'kind',
          label: labels.kind,
          data: [
            { value: 'GOOGLE', label: t('Google') },
            { value: 'MICROSOFT', label: t('Microsoft') },
            { value: 'OTHER', label: t('Another (OpenID Connect)') },
          ],
        })}
        {kind === 'MICROSOFT' && (
          <>
            {f.text({ k: 'tenant', label: labels.tenant, required: true })}
            <Text size="sm" c="dimmed">
              {t(
                'Add the optional claims email and xms_edov to the ID token there, else no e-mail counts as verified.',
              )}
            </Text>
          </>
        )}
        {kind === 'OTHER' && f.text({ k: 'issuer', label: labels.issuer, required: true, placeholder: 'https://' })}
        {f.text({ k: 'name', label: labels.name, required: true })}
        {f.text({ k: 'clientId', label: labels.clientId, required: true })}
        {!of && <SecretInput value={secret} set={setSecret} error={draft.errors.clientSecret} />}
        {f.text({
          k: 'domains',
          label: labels.domains,
          required: true,
          description: t('Only these e-mail addresses may sign in, such as green-valley.example.org'),
        })}
        {of &&
          f.choice({
            k: 'status',
            label: labels.status,
            data: [
              { value: 'ON', label: t('On') },
              { value: 'OFF', label: t('Off') },
            ],
          })}
        {editable && (
          <Group gap={8}>
            <Button variant="default" size="compact-md" loading={check.isPending} onClick={() => check.mutate()}>
              {t('Check the address')}
            </Button>
            {of && (
              <Button variant="default" size="compact-md" onClick={() => setRenewing(true)}>
                {t('New client secret…')}
              </Button>
            )}
          </Group>
        )}
        {check.isSuccess && <Text role="status">{t('The provider answers and can be used.')}</Text>}
        <Trouble error={check.error} />
      </FormDrawer>
      {of && renewing && <NewSecret of={of} close={() => setRenewing(false)} />}
    </>
  )
}

function SecretInput({ value, set, error }: { value: string; set: (v: string) => void; error?: string }) {
  return (
    <PasswordInput
      label={t('Client secret')}
      autoComplete="off"
      value={value}
      error={error}
      onChange={(e) => set(e.currentTarget.value)}
      required
      withAsterisk={false}
    />
  )
}

/** A line to be entered elsewhere. */
function Copied({ title, text }: { title: string; text: string }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap={8}>
      <div style={{ minWidth: 0 }}>
        <Facts of={[[title, text]]} />
      </div>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="default" size="compact-sm" aria-label={t('Copy: {title}', { title })} onClick={copy}>
            {copied ? t('Copied') : t('Copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}

function NewSecret({ of, close }: { of: Provider; close: () => void }) {
  const [secret, setSecret] = useState('')
  const save = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/sign-in/provider/{id}/secret', {
          params: { path: { id: of.id } },
          body: { data: { clientSecret: secret } },
        }),
      ),
    onSuccess: close,
  })
  return (
    <Dialog onClose={close} size={400} title={t('New client secret')}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          save.mutate()
        }}
      >
        <Stack gap={16}>
          <SecretInput
            value={secret}
            set={setSecret}
            error={save.error ? asProblem(save.error).fields.clientSecret : undefined}
          />
          <Trouble error={save.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Who has signed in by the provider. */
function Links({ of }: { of: Provider }) {
  const may = useMay()
  const format = useFormat()
  const [asked, setAsked] = useState<Schemas['Link']>()
  const q = useQuery({
    queryKey: [`${path}link/list`, of.id],
    queryFn: () => fetchAll('/school-admin/sign-in/link/list', { filters: { providerId: of.id } }),
  })
  const remove = useMutation({
    mutationFn: (id: string) => done(api.DELETE('/school-admin/sign-in/link/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      setAsked(undefined)
      void refresh()
    },
  })
  return (
    <section aria-labelledby="links">
      <Title order={3} id="links" mt={24} mb={8}>
        {t('Has signed in')}
      </Title>
      <Trouble error={q.error} retry={() => void q.refetch()} />
      {q.data?.length === 0 && <Text c="dimmed">{t('Nobody has signed in this way yet.')}</Text>}
      {q.data?.map((l) => (
        <Group key={l.id} justify="space-between" wrap="nowrap" gap={8} py={6}>
          <div style={{ minWidth: 0 }}>
            <Text size="sm">{l.userName}</Text>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {l.email} · {format.ago(l.lastUsedAt)}
            </Text>
          </div>
          {may('setting', 'delete') && (
            <Button
              variant="default"
              size="compact-sm"
              aria-label={t('Remove the link of {name}', { name: l.userName })}
              onClick={() => setAsked(l)}
            >
              {t('Remove…')}
            </Button>
          )}
        </Group>
      ))}
      <Confirm
        opened={!!asked}
        title={t('Remove the link of {name}?', { name: asked?.userName ?? '' })}
        action={t('Remove')}
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked && remove.mutate(asked.id)}
      >
        {t('They are signed out. They can sign in this way again if the e-mail of their account is the same.')}
      </Confirm>
    </section>
  )
}
