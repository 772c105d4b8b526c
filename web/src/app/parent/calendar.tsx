import { api, call, done } from '../../api/client'
import { t } from '../../messages/messages'
import { CalendarAddress } from '../calendar'
import { SchoolPage } from './children'

/** A child's timetable in the parent's own calendar. */
export function Calendar({ student }: { student: string }) {
  return (
    <SchoolPage student={student} tab="calendar" title={t('calendar.title')}>
      {({ id }) => (
        <CalendarAddress
          make={() => call(api.POST('/parent/timetable/feed', { body: { data: { studentId: id } } }))}
          end={() => done(api.DELETE('/parent/timetable/feed/{studentId}', { params: { path: { studentId: id } } }))}
        />
      )}
    </SchoolPage>
  )
}
