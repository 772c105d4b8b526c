import { t } from '../../messages/console'
import { Status } from '../../patterns/feedback'
import { words } from '../../patterns/words'

const tones = {
  ACTIVE: 'good',
  PROVISIONING: 'busy',
  SUSPENDED: 'warn',
  FAILED: 'bad',
  ARCHIVED: 'off',
} as const

export const stateWords: Record<string, string> = {
  ACTIVE: t('Active'),
  PROVISIONING: t('Being set up'),
  SUSPENDED: t('Suspended'),
  FAILED: t('Set-up stopped'),
  ARCHIVED: t('Archived'),
}

export function SchoolStatus({ status }: { status: string }) {
  return <Status tone={tones[status as keyof typeof tones] ?? 'off'}>{stateWords[status] ?? words(status)}</Status>
}
