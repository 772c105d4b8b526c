// An account's second factors: authenticator app, passkeys, recovery codes.
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { createPasskey, passkeysWork } from '../../api/passkey'
import { changed } from '../../api/queries'
import { rich, t } from '../../messages/console'
import { AuthenticatorSetup, RecoveryCodes } from '../../patterns/authenticator'
import { Confirm, Dialog, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'

const path = '/auth/second-factor'
const refresh = () => changed(path)

export function SecondFactors() {
  const q = useQuery({ queryKey: [path], queryFn: () => call(api.GET(path)) })
  const [codes, setCodes] = useState<string[]>([])
  const show = (made: string[]) => {
    setCodes(made)
    refresh()
  }
  return (
    <section className="panel" aria-labelledby="second-factor">
      <Stack p={16} gap={4}>
        <Title order={2} id="second-factor">
          {t('Second factor')}
        </Title>
        <Text c="dimmed" size="sm">
          {q.data?.required
            ? t('Required for your account: the last one cannot be removed.')
            : t('With one, a password alone is not enough to sign in.')}
        </Text>
      </Stack>
      {q.data ? (
        <Parts state={q.data} show={show} />
      ) : (
        <Stack p={16} pt={0}>
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={2} />}
        </Stack>
      )}
      <Dialog opened={codes.length > 0} onClose={() => undefined} title={t('Save your recovery codes')}>
        <RecoveryCodes codes={codes} done={() => setCodes([])} />
      </Dialog>
    </section>
  )
}

function Line({ title, text, children }: { title: ReactNode; text: ReactNode; children?: ReactNode }) {
  return (
    <Group p={16} justify="space-between" style={{ borderTop: '1px solid var(--line)' }}>
      <div style={{ flex: '1 1 180px', minWidth: 0 }}>
        <Text component="div" truncate>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </div>
      <Group gap={8} wrap="nowrap">
        {children}
      </Group>
    </Group>
  )
}

function Parts({ state, show }: { state: Schemas['FactorState']; show: (codes: string[]) => void }) {
  const format = useFormat()
  const [asking, setAsking] = useState<'app' | 'codes' | Schemas['PasskeyView']>()
  const [naming, setNaming] = useState(false)
  const begin = useMutation({ mutationFn: () => call(api.POST('/auth/second-factor/totp')) })
  const confirm = useMutation({
    mutationFn: (code: string) => call(api.POST('/auth/second-factor/totp/confirm', { body: { code } })),
    onSuccess: (r) => {
      begin.reset()
      show(r.recoveryCodes)
    },
  })
  const closed = () => setAsking(undefined)
  const remove = useMutation({
    mutationFn: () =>
      asking === 'app'
        ? done(api.DELETE('/auth/second-factor/totp'))
        : done(
            api.DELETE('/auth/second-factor/passkey/{id}', {
              params: { path: { id: (asking as Schemas['PasskeyView']).id } },
            }),
          ),
    onSuccess: () => {
      closed()
      refresh()
    },
  })
  const renew = useMutation({
    mutationFn: () => call(api.POST('/auth/second-factor/recovery-codes')),
    onSuccess: (r) => {
      closed()
      show(r.recoveryCodes)
    },
  })
  const any = state.totp || state.passkeys.length > 0
  return (
    <>
      <Line
        title={
          <Group gap={8}>
            {rich('Authenticator app {value}', {
              value: <Status tone={state.totp ? 'good' : 'off'}>{state.totp ? t('On') : t('Off')}</Status>,
            })}
          </Group>
        }
        text={
          state.totpSince
            ? t('Since {totpSince}', { totpSince: format.date(state.totpSince) })
            : t('Codes from an app on your phone.')
        }
      >
        <Button variant="default" size="compact-md" loading={begin.isPending} onClick={() => begin.mutate()}>
          {state.totp ? t('Replace…') : t('Set up…')}
        </Button>
        {state.totp && (
          <Button
            variant="default"
            size="compact-md"
            aria-label={t('Remove the authenticator app')}
            onClick={() => setAsking('app')}
          >
            {t('Remove…')}
          </Button>
        )}
      </Line>
      {state.passkeys.map((k) => (
        <Line
          key={k.id}
          title={k.name}
          text={
            k.lastUsedAt
              ? t('Passkey · used {lastUsedAt}', { lastUsedAt: format.ago(k.lastUsedAt) })
              : t('Passkey · not used yet')
          }
        >
          <Button
            variant="default"
            size="compact-md"
            aria-label={t('Remove the passkey {name}', { name: k.name })}
            onClick={() => setAsking(k)}
          >
            {t('Remove…')}
          </Button>
        </Line>
      ))}
      <Line
        title={t('Passkeys')}
        text={
          passkeysWork()
            ? t('Your fingerprint, your face, your PIN or a security key.')
            : t('This browser has none at this address.')
        }
      >
        <Button variant="default" size="compact-md" disabled={!passkeysWork()} onClick={() => setNaming(true)}>
          {t('Add a passkey…')}
        </Button>
      </Line>
      {any && (
        <Line
          title={t('Recovery codes')}
          text={
            state.recoveryCodes === 1
              ? t('One is left.')
              : t('{recoveryCodes} are left.', { recoveryCodes: format.number(state.recoveryCodes) })
          }
        >
          <Button variant="default" size="compact-md" onClick={() => setAsking('codes')}>
            {t('New codes…')}
          </Button>
        </Line>
      )}
      <Stack px={16} pb={begin.error ? 16 : 0}>
        <Trouble error={begin.error} />
      </Stack>
      <Dialog
        opened={!!begin.data}
        onClose={() => {
          begin.reset()
          confirm.reset()
        }}
        title={t('Set up an authenticator app')}
      >
        {begin.data && (
          <AuthenticatorSetup
            {...begin.data}
            busy={confirm.isPending}
            error={confirm.error}
            onCode={(code) => confirm.mutate(code)}
          />
        )}
      </Dialog>
      {naming && <NewPasskey close={() => setNaming(false)} show={show} />}
      <Confirm
        opened={asking === 'codes'}
        title={t('Make new recovery codes?')}
        action={t('Make new codes')}
        busy={renew.isPending}
        error={renew.error}
        onClose={() => {
          closed()
          renew.reset()
        }}
        onConfirm={() => renew.mutate()}
      >
        {t('The codes you have now stop working.')}
      </Confirm>
      <Confirm
        opened={asking !== undefined && asking !== 'codes'}
        title={asking === 'app' ? t('Remove the authenticator app?') : t('Remove this passkey?')}
        action={t('Remove')}
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => {
          closed()
          remove.reset()
        }}
        onConfirm={() => remove.mutate()}
      >
        {asking === 'app' ? t('Its codes stop working.') : t('It no longer lets you in.')}
      </Confirm>
    </>
  )
}

function NewPasskey({ close, show }: { close: () => void; show: (codes: string[]) => void }) {
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      const credential = await createPasskey(await call(api.POST('/auth/second-factor/passkey/options')))
      return call(api.POST('/auth/second-factor/passkey', { body: { name, credential } }))
    },
    onSuccess: (made) => {
      close()
      show(made.recoveryCodes)
    },
  })
  return (
    <Dialog onClose={close} title={t('Add a passkey')}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          add.mutate()
        }}
      >
        <Stack gap={16}>
          <TextInput
            label={t('Name')}
            description={t('To recognise it later')}
            placeholder={t('Office laptop')}
            maxLength={60}
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
            required
            withAsterisk={false}
            data-autofocus
          />
          <Trouble error={add.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={add.isPending} disabled={name.trim() === ''}>
              {t('Add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
