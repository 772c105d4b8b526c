import { Status } from '../../patterns/feedback'
import { words } from '../../patterns/format'

export const accountStates = {
  ACTIVE: ['good', 'Active'],
  DISABLED: ['bad', 'Disabled here'],
  INACTIVE: ['off', 'Inactive at the school'],
} as const

export function AccountStatus({ status }: { status: string }) {
  const [tone, word] = accountStates[status as keyof typeof accountStates] ?? ['off', words(status)]
  return <Status tone={tone}>{word}</Status>
}
