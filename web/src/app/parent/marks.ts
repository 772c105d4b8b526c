// What a day of the register is called and how it looks.
import type { Key } from '../../messages/messages'

type Mark = 'PRESENT' | 'ABSENT' | 'LATE' | 'LEAVE' | 'HOLIDAY' | 'NONE'

export const marks: Record<Mark, { name: Key; short: Key; tone: 'good' | 'bad' | 'warn' | 'off' }> = {
  PRESENT: { name: 'mark.present', short: 'mark.presentShort', tone: 'good' },
  ABSENT: { name: 'mark.absent', short: 'mark.absentShort', tone: 'bad' },
  LATE: { name: 'mark.late', short: 'mark.lateShort', tone: 'warn' },
  LEAVE: { name: 'mark.leave', short: 'mark.leaveShort', tone: 'warn' },
  HOLIDAY: { name: 'mark.dayOff', short: 'mark.dayOffShort', tone: 'off' },
  NONE: { name: 'mark.none', short: 'mark.noneShort', tone: 'off' },
}

export const markOf = (status: string | null | undefined): Mark =>
  status && status in marks ? (status as Mark) : 'NONE'
