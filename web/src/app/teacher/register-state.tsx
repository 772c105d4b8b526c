import { t } from '../../messages/messages'
import { Status } from '../ui'
import type { RegisterOf } from './lessons'
import { useMarks } from './marks'

/** How a register stands: done, open, or not sent yet. */
export function RegisterState({ of }: { of: RegisterOf }) {
  const { read, unsent, unmarked, isFresh } = useMarks(of)
  if (unsent?.some((i) => i.refused !== undefined)) return <Status tone="bad">{t('queue.refused')}</Status>
  if (unsent?.length) return <Status tone="warn">{t('queue.waiting')}</Status>
  if (!read.data) return null
  if (read.data.dayOff) return <Status tone="plain">{read.data.dayOff}</Status>
  if (read.data.students.length === 0) return <Status tone="plain">{t('register.nobody')}</Status>
  if (unmarked === 0) return <Status tone="good">{t(isFresh ? 'register.done' : 'queue.sent')}</Status>
  return <Status tone="warn">{t('register.unmarked', { count: unmarked })}</Status>
}
