import { t } from '../../messages/messages'
import { Status } from '../ui'
import type { Slot } from './lessons'

/** Held for somebody else, or by somebody else. */
export function Substitution({ of }: { of: Slot }) {
  if (!of.substitutionId) return null
  return (
    <Status tone={of.mine ? 'warn' : 'plain'}>
      {of.mine
        ? t('timetable.insteadOf', { name: of.teacherName })
        : of.substituteTeacherName
          ? t('timetable.heldBy', { name: of.substituteTeacherName })
          : t('timetable.noTeacher')}
    </Status>
  )
}
