package web_test

import (
	"testing"

	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestLists_Of2100Students_HoldThemAll: pages, search, the finder of the fees and the file leave nobody out, and say so where they show
// a part.
func TestLists_Of2100Students_HoldThemAll(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, _, stage := office(t, app, lifecycle.NewSchool{})
	seat := s.Seat(t, "Class 5")
	err := s.DB(t).Exec(`with made as (insert into student (id, admission_number, first_name, last_name, admission_date, search_text)
		select gen_random_uuid(), 'M-' || n, 'Child' || n, 'Rao', current_date - 90, 'child' || n || ' rao m-' || n
		from (select lpad(n::text, 4, '0') from generate_series(1, 2100) n) as numbers (n) returning id)
		insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date)
		select gen_random_uuid(), id, ?, ?, ?, current_date - 90 from made`, seat.YearID, seat.ClassID, seat.DivisionID).Error
	if err != nil {
		t.Fatal(err)
	}
	browse(t, app, "many", stage)
}
