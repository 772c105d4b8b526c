package timetable_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/timetable"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func TestWeek_IsReadByDivisionAndTeacher(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera", map[string]any{"lastName": "Iyer"})
	set := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(
		lesson(1, r.second, r.art, uuid.Nil, "Studio"), lesson(1, r.first, r.maths, e.ID, "501"), lesson(5, r.first, r.maths, e.ID, "501")))
	if len(set.Slots) != 3 || set.Slots[0].String() != "Class 5 A Mathematics, Monday Period 1 (09:00–09:45)" ||
		set.Slots[0].TeacherName != "Meera Iyer" || set.ClassName != "Class 5" {
		t.Errorf("set %+v", set)
	}
	hers := testkit.Get[timetable.TeacherWeek](t, r.admin, "/school-admin/timetable/teacher/"+e.ID.String())
	if len(hers.Slots) != 2 || hers.TeacherName != "Meera Iyer" || hers.Slots[1].DayOfWeek != 5 {
		t.Errorf("hers %+v", hers)
	}
	// What stays keeps its id, what goes is gone.
	again := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.art, e.ID, "")))
	if len(again.Slots) != 1 || again.Slots[0].ID != set.Slots[0].ID || again.Slots[0].SubjectName != "Art" {
		t.Errorf("again %+v", again)
	}
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week())
	if n := r.Count(t, "timetable_slot", "true"); n != 0 {
		t.Errorf("%d lessons are left", n)
	}
	if n := r.Count(t, "audit_event", "entity = 'timetable'"); n != 3 {
		t.Errorf("%d audit rows", n)
	}
}

func TestWeek_Clashes_AreRefusedNamingBothLessons(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e, other := r.employ(t, "Meera"), r.employ(t, "Nila")
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a),
		week(lesson(1, r.first, r.maths, e.ID, "Lab"), lesson(2, r.first, r.maths, e.ID, "501")))
	long := r.period(t, "Double", "09:30", "10:15")
	a := r.admin.Call(t, "PUT", weekPath(r.b), week(
		lesson(1, r.first, r.art, e.ID, "lab"),      // teacher and room, against A
		lesson(2, long, r.art, e.ID, ""),            // teacher, by overlapping periods
		lesson(3, r.first, r.art, other.ID, ""),     // free
		lesson(3, r.first, r.maths, other.ID, "9"),  // the division itself
		lesson(3, long, r.maths, uuid.Nil, "other"), // and again, overlapping both
	))
	if a.Status != 409 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	f := a.Failure(t)
	var got []string
	for _, d := range f.Details {
		got = append(got, d.Field+": "+d.Message)
	}
	want := []string{
		"slots[0]: Meera is booked twice: Class 5 B Art, Monday Period 1 (09:00–09:45) and Class 5 A Mathematics, Monday Period 1 (09:00–09:45)",
		"slots[0]: Room lab is booked twice: Class 5 B Art, Monday Period 1 (09:00–09:45) and Class 5 A Mathematics, Monday Period 1 (09:00–09:45)",
		"slots[1]: Meera is booked twice: Class 5 B Art, Tuesday Double (09:30–10:15) and Class 5 A Mathematics, Tuesday Period 1 (09:00–09:45)",
		"slots[3]: The division is booked twice: Class 5 B Mathematics, Wednesday Period 1 (09:00–09:45) and Class 5 B Art, Wednesday Period 1 (09:00–09:45)",
		"slots[4]: The division is booked twice: Class 5 B Mathematics, Wednesday Double (09:30–10:15) and Class 5 B Art, Wednesday Period 1 (09:00–09:45)",
		"slots[4]: The division is booked twice: Class 5 B Mathematics, Wednesday Double (09:30–10:15) and Class 5 B Mathematics, Wednesday Period 1 (09:00–09:45)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("details\n%s", strings.Join(got, "\n"))
	}
	if !strings.HasSuffix(f.Message, "(and 5 more)") {
		t.Errorf("message %q", f.Message)
	}
	var body struct {
		Data struct{ Clashes []timetable.Clash }
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || len(body.Data.Clashes) != 6 || *body.Data.Clashes[0].Second.DivisionID != r.a.ID {
		t.Errorf("data %s", a.Body)
	}
	if n := r.Count(t, "timetable_slot", "division_id = ?", r.b.ID); n != 0 {
		t.Errorf("%d lessons were written", n)
	}
}

func TestWeek_UnknownReferences_AreAllNamed(t *testing.T) {
	t.Parallel()
	r, theirs := newStaffroom(t), newStaffroom(t)
	driver, foreign := r.employ(t, "Ravi", map[string]any{"employeeType": "DRIVER"}), theirs.employ(t, "Nila")
	lunch := testkit.Post[timetable.Period](t, r.admin, "/school-admin/timetable/period/create",
		map[string]any{"name": "Lunch", "startTime": "12:00", "endTime": "12:30", "isBreak": true})
	f := r.admin.Refuses(t, "PUT", weekPath(r.a), week(
		lesson(1, theirs.first, r.maths, uuid.Nil, ""), lesson(1, r.first, theirs.maths, uuid.Nil, ""),
		lesson(2, r.first, r.maths, driver.ID, ""),
		lesson(3, r.first, r.maths, foreign.ID, ""), lesson(4, lunch, r.maths, uuid.Nil, "")), 422, "")
	var fields []string
	for _, d := range f.Details {
		fields = append(fields, d.Field)
	}
	if got := strings.Join(fields, " "); got != "slots[0].periodId slots[1].subjectId slots[2].teacherId slots[3].teacherId slots[4].periodId" {
		t.Errorf("fields %s", got)
	}
	r.admin.Refuses(t, "PUT", weekPath(r.a), week(lesson(8, r.first, r.maths, uuid.Nil, "")), 422, "")
	r.admin.Refuses(t, "PUT", weekPath(theirs.a), week(lesson(1, r.first, r.maths, uuid.Nil, "")), 404, "")
	if n := r.Count(t, "timetable_slot", "true"); n != 0 {
		t.Errorf("%d lessons were written", n)
	}
}

func TestPeriod_MovedIntoAnotherLesson_IsRefused(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera")
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, e.ID, "")))
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.b), week(lesson(1, r.second, r.maths, e.ID, "")))
	path := "/school-admin/timetable/period/" + r.second.ID.String()
	f := r.admin.Refuses(t, "PUT", path, map[string]any{"startTime": "09:30"}, 409, "")
	if f.Message != "Meera is booked twice: Class 5 B Mathematics, Monday Period 2 (09:30–10:30) and Class 5 A Mathematics, Monday Period 1 (09:00–09:45)" {
		t.Errorf("message %q", f.Message)
	}
	r.admin.Refuses(t, "PUT", path, map[string]any{"isBreak": true}, 409, "")
	r.admin.Refuses(t, "PUT", path, map[string]any{"endTime": "09:00"}, 422, "")
	r.admin.Refuses(t, "PUT", path, map[string]any{"endTime": "25:00"}, 422, "")
	r.admin.Refuses(t, "DELETE", path, nil, 409, "")
	moved := testkit.Put[timetable.Period](t, r.admin, path, map[string]any{"startTime": "10:00", "version": 1})
	if moved.StartTime != "10:00" || moved.EndTime != "10:30" {
		t.Errorf("moved %+v", moved)
	}
	r.admin.Refuses(t, "PUT", path, map[string]any{"name": "Late", "version": 1}, 409, "")
	r.admin.Refuses(t, "POST", "/school-admin/timetable/period/create",
		map[string]any{"name": "period 1", "startTime": "11:00", "endTime": "11:30"}, 409, "DUPLICATE_ENTRY")
}

func TestWeek_HasTheDaysOfTheSchoolsWeek(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	for _, c := range []struct {
		weekend []int // 0 is Sunday
		want    []int // 1 is Monday
	}{
		{[]int{0}, []int{1, 2, 3, 4, 5, 6}}, {[]int{6}, []int{7, 1, 2, 3, 4, 5}},
		{[]int{5, 6}, []int{7, 1, 2, 3, 4}}, {[]int{}, []int{1, 2, 3, 4, 5, 6, 7}}, {[]int{0, 6}, []int{1, 2, 3, 4, 5}},
	} {
		testkit.Put[struct{}](t, r.admin, "/school-admin/setting", map[string]any{"weekendDays": c.weekend})
		wait.Eventually(t, fmt.Sprintf("days %v with the weekend %v", c.want, c.weekend), func() bool {
			return slices.Equal(testkit.Get[timetable.DivisionWeek](t, r.admin, weekPath(r.a)).Days, c.want)
		})
	}
	set := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(7, r.first, r.maths, uuid.Nil, "")))
	if want := []int{1, 2, 3, 4, 5, 7}; !slices.Equal(set.Days, want) {
		t.Errorf("with a lesson on Sunday: days %v, want %v", set.Days, want)
	}
}
