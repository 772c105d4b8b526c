package timetable_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

// monday and the day after are in the school year.
const (
	monday  = "2026-11-30"
	tuesday = "2026-12-01"
)

// child is a student of division A with a guardian who is signed in.
func (r *staffroom) child(t *testing.T) (*testkit.Client, uuid.UUID) {
	t.Helper()
	parent := r.As(t, api.Parent)
	student, guardian := api.NewID(), api.NewID()
	db := r.DB(t)
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`insert into student (id, admission_number, first_name, admission_date) values (?, ?, 'Asha', '2026-06-01')`,
			[]any{student, student.String()}},
		{`insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date) select ?, ?, id, ?, ?, start_date
			from academic_year where active`, []any{api.NewID(), student, r.class.ID, r.a.ID}},
		{`insert into guardian (id, user_id, first_name, phone) values (?, ?, 'Usha', ?)`, []any{guardian, parent.UserID, testkit.NewPhone()}},
		{`insert into student_guardian (id, student_id, guardian_id, relation) values (?, ?, ?, 'MOTHER')`,
			[]any{api.NewID(), student, guardian}},
	} {
		if err := db.Exec(q.sql, q.args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	return parent, student
}

func substitution(slot timetable.Slot, date string, teacher uuid.UUID) map[string]any {
	return map[string]any{"slotId": slot.ID, "date": date, "substituteTeacherId": teacher}
}

func TestSubstitution_IsShownOnItsDayOnly(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	meera, nila := r.employ(t, "Meera"), r.employ(t, "Nila")
	parent, student := r.child(t)
	set := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a),
		week(lesson(1, r.first, r.maths, meera.ID, "501"), lesson(1, r.second, r.art, nila.ID, "")))
	testkit.Post[timetable.Substitution](t, r.admin, "/school-admin/timetable/substitution", substitution(set.Slots[0], monday, nila.ID))

	day := func(c *testkit.Client, path, date string) timetable.Day {
		t.Helper()
		return testkit.Get[timetable.Day](t, c, path+"date="+date)
	}
	hers := day(r.App.SignIn(t, "teacher", string(meera.Phone)), "/teacher/timetable/mine?", monday)
	if len(hers.Slots) != 1 || hers.Slots[0].Mine || hers.Slots[0].SubstituteTeacherName != "Nila" || len(hers.Week) != 1 {
		t.Errorf("who is away sees %+v", hers)
	}
	theirs := day(r.App.SignIn(t, "teacher", string(nila.Phone)), "/teacher/timetable/mine?", monday)
	if len(theirs.Slots) != 2 || !theirs.Slots[0].Mine || theirs.Slots[0].TeacherName != "Meera" || !theirs.Slots[1].Mine {
		t.Errorf("who stands in sees %+v", theirs)
	}
	childs := day(parent, "/parent/timetable/get?studentId="+student.String()+"&", monday)
	if len(childs.Slots) != 2 || childs.Slots[0].SubstituteTeacherName != "Nila" || childs.Slots[1].SubstituteTeacherID != nil {
		t.Errorf("the child sees %+v", childs)
	}
	next := day(parent, "/parent/timetable/get?studentId="+student.String()+"&", "2026-12-07")
	if len(next.Slots) != 2 || next.Slots[0].SubstituteTeacherID != nil {
		t.Errorf("a week later %+v", next)
	}
	if early := day(parent, "/parent/timetable/get?studentId="+student.String()+"&", "2026-05-04"); len(early.Slots) != 0 {
		t.Errorf("before the child sat there %+v", early)
	}
	stranger := r.As(t, api.Parent)
	stranger.Refuses(t, "GET", "/parent/timetable/get?studentId="+student.String(), nil, 404, "STUDENT_NOT_FOUND")
	if err := r.DB(t).Exec(`update student_guardian set can_view_data = false`).Error; err != nil {
		t.Fatal(err)
	}
	parent.Refuses(t, "GET", "/parent/timetable/get?studentId="+student.String(), nil, 404, "STUDENT_NOT_FOUND")
}

func TestSubstitution_BusyTeacher_IsRefusedNamingBothLessons(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	meera, nila, omar := r.employ(t, "Meera"), r.employ(t, "Nila"), r.employ(t, "Omar")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	b := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.b), week(lesson(1, r.first, r.art, nila.ID, "")))
	const path = "/school-admin/timetable/substitution"
	f := r.admin.Refuses(t, "POST", path, substitution(a.Slots[0], monday, nila.ID), 409, "")
	if !strings.Contains(f.Message, "Nila is booked twice: Class 5 A Mathematics") || !strings.Contains(f.Message, "Class 5 B Art") {
		t.Errorf("message %q", f.Message)
	}
	// Nila's own lesson is taken by Omar that day: now she is free, and Omar is not.
	freed := testkit.Post[timetable.Substitution](t, r.admin, path, substitution(b.Slots[0], monday, omar.ID))
	r.admin.Refuses(t, "POST", path, substitution(a.Slots[0], monday, omar.ID), 409, "")
	held := testkit.Post[timetable.Substitution](t, r.admin, path, substitution(a.Slots[0], monday, nila.ID))
	r.admin.Refuses(t, "DELETE", path+"/"+freed.ID.String(), nil, 409, "") // she would have two
	if again := testkit.Post[timetable.Substitution](t, r.admin, path, substitution(a.Slots[0], monday, nila.ID)); again.ID != held.ID {
		t.Errorf("said twice: %v and %v", held.ID, again.ID)
	}
	for _, id := range []uuid.UUID{held.ID, freed.ID} {
		if d := r.admin.Call(t, "DELETE", path+"/"+id.String(), nil); d.Status != 204 {
			t.Errorf("%d %s", d.Status, d.Body)
		}
	}
	if page := testkit.Get[api.Page[timetable.Substitution]](t, r.admin, path+"/list"); page.Total != 0 {
		t.Errorf("left %+v", page)
	}
}

func TestSubstitution_WrongDayOrUnknownTeacher_IsInvalid(t *testing.T) {
	t.Parallel()
	r, theirs := newStaffroom(t), newStaffroom(t)
	meera, foreign := r.employ(t, "Meera"), theirs.employ(t, "Nila")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	const path = "/school-admin/timetable/substitution"
	f := r.admin.Refuses(t, "POST", path, substitution(a.Slots[0], tuesday, foreign.ID), 422, "")
	if len(f.Details) != 2 || f.Details[1] != (api.Detail{Field: "date", Message: "2026-12-01 is a Tuesday, the lesson is on Monday"}) {
		t.Errorf("details %+v", f.Details)
	}
	r.admin.Refuses(t, "POST", path, substitution(a.Slots[0], monday, meera.ID), 422, "")
	r.admin.Refuses(t, "POST", path, substitution(timetable.Slot{ID: api.NewID()}, monday, meera.ID), 422, "")
	if n := r.Count(t, "substitution", "true"); n != 0 {
		t.Errorf("%d written", n)
	}
}

func TestWeek_ClashingWithComingSubstitution_IsRefused(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	meera, nila, omar := r.employ(t, "Meera"), r.employ(t, "Nila"), r.employ(t, "Omar")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	const far = "2096-11-26" // a Monday
	testkit.Post[timetable.Substitution](t, r.admin, "/school-admin/timetable/substitution", substitution(a.Slots[0], far, nila.ID))
	f := r.admin.Refuses(t, "PUT", weekPath(r.b), week(lesson(1, r.first, r.art, nila.ID, "")), 409, "")
	if !strings.Contains(f.Message, "Nila is booked twice: Class 5 B Art") || !strings.Contains(f.Message, "Class 5 A Mathematics") {
		t.Errorf("message %q", f.Message)
	}
	// Someone else's lesson may stand there, and go to Nila once she is stood in for herself.
	b := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.b), week(lesson(1, r.first, r.art, uuid.Nil, "")))
	testkit.Post[timetable.Substitution](t, r.admin, "/school-admin/timetable/substitution", substitution(b.Slots[0], far, omar.ID))
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.b), week(lesson(1, r.first, r.art, nila.ID, "")))
}
