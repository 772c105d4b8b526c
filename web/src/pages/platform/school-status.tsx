import { Status } from '../../patterns/feedback'
import { words } from '../../patterns/format'

const tones = {
  ACTIVE: 'good',
  PROVISIONING: 'busy',
  SUSPENDED: 'warn',
  FAILED: 'bad',
  ARCHIVED: 'off',
} as const

export const stateWords: Record<string, string> = {
  ACTIVE: 'Active',
  PROVISIONING: 'Being set up',
  SUSPENDED: 'Suspended',
  FAILED: 'Set-up stopped',
  ARCHIVED: 'Archived',
}

export function SchoolStatus({ status }: { status: string }) {
  return <Status tone={tones[status as keyof typeof tones] ?? 'off'}>{stateWords[status] ?? words(status)}</Status>
}
