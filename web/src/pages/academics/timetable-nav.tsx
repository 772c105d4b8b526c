import { SubNav } from '../../patterns/SubNav'

/** The pages of the timetable. */
export function TimetableNav() {
  return (
    <SubNav
      label="Timetable"
      items={[
        { to: '/timetable', title: 'Classes and groups' },
        { to: '/timetable/teacher', title: "A teacher's week" },
        { to: '/timetable/substitution', title: 'Substitution' },
        { to: '/timetable/periods', title: 'Periods' },
      ]}
    />
  )
}
