package roster_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// TestMoveStudents_Fifty_IsOneCall moves 40 who sit in A since the year began and 10 who sit nowhere.
func TestMoveStudents_Fifty_IsOneCall(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	a, b := s.Seat(t, "Class 5"), s.Seat(t, "Class 6")
	rows := []string{"admissionNumber,firstName,lastName,class,division,rollNumber,admissionDate"}
	for i := range 50 {
		place := fmt.Sprintf("Class 5,A,%d", i+1)
		if i >= 40 {
			place = ",,"
		}
		rows = append(rows, fmt.Sprintf("M-%d,Child,%02d,%s,2026-04-06", i+1, i+1, place))
	}
	if r := admin.Send(t, "POST", "/school-admin/student/import", "text/csv", []byte(strings.Join(rows, "\n"))); r.Status != 200 {
		t.Fatalf("importing: %d %s", r.Status, r.Body)
	}
	var ids []uuid.UUID
	for _, item := range testkit.Get[api.Page[roster.StudentItem]](t, admin, "/school-admin/student/list?limit=100").Items {
		ids = append(ids, item.ID)
	}
	seated := func(division uuid.UUID) int {
		return len(testkit.Get[roster.DivisionRoster](t, admin, "/school-admin/division/"+division.String()+"/students").Students)
	}
	move := map[string]any{"divisionId": b.DivisionID, "studentIds": ids, "dryRun": true}

	want := roster.StudentsMoved{DryRun: true, Moved: 50, RollNumbers: 40}
	if got := testkit.Post[roster.StudentsMoved](t, admin, "/school-admin/student/move", move); got != want {
		t.Errorf("the dry run says %+v, want %+v", got, want)
	}
	if n := seated(b.DivisionID); n != 0 {
		t.Errorf("after a dry run %d sit in the new division", n)
	}
	move["dryRun"] = false
	want.DryRun = false
	if got := testkit.Post[roster.StudentsMoved](t, admin, "/school-admin/student/move", move); got != want {
		t.Errorf("the move says %+v, want %+v", got, want)
	}
	if n := seated(b.DivisionID); n != 50 {
		t.Errorf("%d sit in the new division, want 50", n)
	}
	if n := seated(a.DivisionID); n != 0 {
		t.Errorf("%d sit in the old division", n)
	}
	if n := s.Count(t, "enrolment", "division_id = ? and end_date is not null and outcome = 'MOVED'", a.DivisionID); n != 40 {
		t.Errorf("%d days in the old division are kept, want 40", n)
	}
	if n := s.Count(t, "enrolment e join academic_year y on y.id = e.academic_year_id", "e.division_id = ? and e.start_date = y.start_date",
		b.DivisionID); n != 10 {
		t.Errorf("%d sit there since the year began, want those who sat nowhere", n)
	}
	if n := s.Count(t, "audit_event", "entity = 'enrolment' and action = 'create' and after->>'divisionId' = ?", b.DivisionID.String()); n != 50 {
		t.Errorf("%d new places are in the audit, want 50", n)
	}
	again := testkit.Post[roster.StudentsMoved](t, admin, "/school-admin/student/move", move)
	if again != (roster.StudentsMoved{AlreadyThere: 50}) {
		t.Errorf("sent again: %+v", again)
	}
}

func TestMoveStudents_OneWhoLeft_MovesNobody(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	seat := s.Seat(t, "Class 5")
	admit := func(name string) uuid.UUID {
		return testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create", map[string]any{"firstName": name}).ID
	}
	stays, left := admit("Asha"), admit("Ravi")
	if err := s.DB(t).Exec(`update student set status = 'TRANSFERRED' where id = ?`, left).Error; err != nil {
		t.Fatal(err)
	}
	f := admin.Refuses(t, "POST", "/school-admin/student/move",
		map[string]any{"divisionId": seat.DivisionID, "studentIds": []uuid.UUID{stays, left}}, 422, "")
	if len(f.Details) != 1 || f.Details[0].Field != "studentIds[1]" || !strings.Contains(f.Details[0].Message, "Ravi") {
		t.Errorf("details %+v", f.Details)
	}
	if n := s.Count(t, "enrolment", "true"); n != 0 {
		t.Errorf("%d were moved", n)
	}
}
