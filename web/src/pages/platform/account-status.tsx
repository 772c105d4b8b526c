import { t } from '../../messages/console'
import { Status } from '../../patterns/feedback'
import { words } from '../../patterns/words'

export const accountStates = {
  ACTIVE: ['good', t('Active')],
  DISABLED: ['bad', t('Disabled here')],
  INACTIVE: ['off', t('Inactive at the school')],
} as const

export function AccountStatus({ status }: { status: string }) {
  const [tone, word] = accountStates[status as keyof typeof accountStates] ?? ['off', words(status)]
  return <Status tone={tone}>{word}</Status>
}
