import { api, call, done } from '../../api/client'
import { t } from '../../messages/messages'
import { CalendarAddress } from '../calendar'
import { Page } from '../ui'

/** The teacher's lessons in their own calendar. */
export function Calendar() {
  return (
    <Page title={t('calendar.title')} back="/timetable">
      <CalendarAddress
        make={() => call(api.POST('/teacher/timetable/feed'))}
        end={() => done(api.DELETE('/teacher/timetable/feed'))}
      />
    </Page>
  )
}
