// Over the page, when what was asked needs a fresh proof: the call goes on afterwards by itself.
import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { askPasskey, passkeysWork } from '../../api/passkey'
import { answerProof } from '../../api/proof'
import { t } from '../../messages/console'
import { CodeInput } from '../../patterns/authenticator'
import { Trouble } from '../../patterns/feedback'

type Way = 'password' | 'code' | 'passkey'
const words: Record<Way, string> = {
  password: t('Use the password'),
  code: t('Use a code of the authenticator app'),
  passkey: t('Use a passkey'),
}

export function ProveAgain() {
  const [chosen, setWay] = useState<Way>()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  // An account with a second factor proves itself by it; the password alone would take it away.
  const { data: has, isPending } = useQuery({
    queryKey: ['/auth/second-factor'],
    queryFn: () => call(api.GET('/auth/second-factor')),
  })
  const factors: Way[] = [
    ...(has?.totp ? ['code' as const] : []),
    ...(has?.passkeys.length && passkeysWork() ? ['passkey' as const] : []),
  ]
  const ways: Way[] = factors.length > 0 || has?.passkeys.length ? factors : ['password']
  const way = isPending ? undefined : (chosen ?? ways[0] ?? 'passkey')
  const prove = useMutation({
    mutationFn: async () => {
      const body =
        way === 'password'
          ? { password }
          : way === 'code'
            ? { code }
            : { passkey: await askPasskey(await call(api.POST('/auth/reauthenticate/options'))) }
      return call(api.POST('/auth/reauthenticate', { body: body as never }))
    },
    onSuccess: () => answerProof(true),
  })
  const fields = prove.error ? asProblem(prove.error).fields : {}
  return (
    <Modal.Root
      opened
      onClose={() => answerProof(false)}
      size={400}
      zIndex={900}
      centered
      transitionProps={{ duration: 120 }}
    >
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-label={t('Confirm that it is you')}>
        <Modal.Body p={24}>
          <Title order={2}>{t('Confirm that it is you')}</Title>
          <Text c="dimmed" mt={4} mb={16}>
            {t('For security, this is asked again every ten minutes.')}
          </Text>
          <form
            onSubmit={(e) => {
              e.preventDefault()
              e.stopPropagation()
              prove.mutate()
            }}
          >
            <Stack gap={16}>
              {way === 'password' && (
                <PasswordInput
                  label={t('Your password')}
                  autoComplete="current-password"
                  value={password}
                  onChange={(e) => setPassword(e.currentTarget.value)}
                  error={fields.password && t('This is not your password')}
                  required
                  withAsterisk={false}
                  data-autofocus
                  visibilityToggleButtonProps={{ 'aria-label': t('Show your password') }}
                />
              )}
              {way === 'code' && (
                <CodeInput
                  label={t('Code of the authenticator app')}
                  value={code}
                  onChange={setCode}
                  error={fields.code && t('This code is wrong or was used before')}
                />
              )}
              {Object.keys(fields).length === 0 && <Trouble error={prove.error} />}
              <Group justify="flex-end" gap={8}>
                <Button variant="default" onClick={() => answerProof(false)}>
                  {t('Cancel')}
                </Button>
                <Button
                  type="submit"
                  loading={prove.isPending}
                  disabled={!way || (way === 'password' && password === '') || (way === 'code' && code.length !== 6)}
                >
                  {way === 'passkey' ? t('Use a passkey') : t('Confirm')}
                </Button>
              </Group>
              {way &&
                ways
                  .filter((w) => w !== way)
                  .map((w) => (
                    <Anchor
                      key={w}
                      component="button"
                      type="button"
                      size="sm"
                      ta="start"
                      onClick={() => {
                        prove.reset()
                        setWay(w)
                      }}
                    >
                      {words[w]}
                    </Anchor>
                  ))}
            </Stack>
          </form>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
