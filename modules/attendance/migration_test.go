package attendance_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/migrations"
	"homeroom/testkit"
)

// A leave of half a day was marked as a whole one by versions that knew no halves.
func TestMigration_MarksOfHalfDayLeave_BecomeHalves(t *testing.T) {
	t.Parallel()
	database := fmt.Sprintf("%s_halves%d", testkit.DatabaseName(), testkit.Unique())
	older := testkit.StartOn(t, testkit.Stack(t), database,
		func(_ *config.Config, o *service.Options) { o.Migrations = migrations.School()[:34] })
	s := older.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	clerk := s.As(t, api.SchoolAdmin)
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := s.DB(t).Exec(sql, args...).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	mark := func(status string, leave *uuid.UUID) uuid.UUID {
		t.Helper()
		child, source := s.Child(t, seat, 0).ID, "TEACHER"
		if leave != nil {
			source = "LEAVE"
			exec(`update leave set student_id = ? where id = ?`, child, *leave)
		}
		exec(`insert into attendance (id, student_id, division_id, date, status, source, leave_id, marked_by, marked_at)
			values (?, ?, ?, current_date, ?, ?, ?, ?, now())`, api.NewID(), child, seat.DivisionID, status, source, leave, clerk.UserID)
		return child
	}
	leave := func(half bool) *uuid.UUID {
		t.Helper()
		id := api.NewID()
		exec(`insert into leave (id, applicant_type, student_id, leave_type, from_date, to_date, half_day, days, reason, status, created_by)
			values (?, 'STUDENT', ?, 'SICK', current_date, current_date, ?, 1, 'Fever', 'APPROVED', ?)`, id, s.Child(t, seat, 0).ID, half, clerk.UserID)
		return &id
	}
	want := map[uuid.UUID]bool{
		mark("LEAVE", leave(true)):   true,
		mark("LEAVE", leave(false)):  false,
		mark("PRESENT", leave(true)): false, // came after all
		mark("LEAVE", nil):           false, // without one
		mark("PRESENT", nil):         false,
	}

	newer := testkit.StartOn(t, testkit.Stack(t), database)
	if err := newer.Service.Migrator.EnsureSchool(t.Context(), s.School); err != nil {
		t.Fatal(err)
	}
	for child, half := range want {
		if n := s.Count(t, "attendance", "student_id = ? and half_day = ?", child, half); n != 1 {
			t.Errorf("%d marks with half_day = %v of a child, want 1", n, half)
		}
	}
}
