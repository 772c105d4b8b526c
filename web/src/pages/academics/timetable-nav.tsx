import { t } from '../../messages/console'
import { SubNav } from '../../patterns/SubNav'

/** The pages of the timetable. */
export function TimetableNav() {
  return (
    <SubNav
      label={t('Timetable')}
      items={[
        { to: '/timetable', title: t('Classes and groups') },
        { to: '/timetable/teacher', title: t("A teacher's week") },
        { to: '/timetable/substitution', title: t('Substitution') },
        { to: '/timetable/periods', title: t('Periods') },
      ]}
    />
  )
}
