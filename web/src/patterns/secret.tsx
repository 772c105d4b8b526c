import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { t } from '../messages/console'
import { Dialog } from './feedback'

/** A secret that the service has shown once. The dialog is closed by its button alone. */
export function SecretDialog({
  title,
  text,
  secret,
  done,
}: {
  title: string
  text: string
  secret: string
  done: () => void
}) {
  return (
    <Dialog onClose={() => undefined} title={title}>
      <Stack gap={16}>
        <Text>{text}</Text>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} data-testid="secret">
          {secret}
        </Code>
        <Group gap={8} justify="space-between">
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? t('Copied') : t('Copy')}
              </Button>
            )}
          </CopyButton>
          <Button onClick={done}>{t('I have saved it')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
