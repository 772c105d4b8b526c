package timetable_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/leave"
	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

// comingMonday is a day for which leave can be asked.
func comingMonday() string {
	day := time.Now().AddDate(0, 0, 7)
	for day.Weekday() != time.Monday {
		day = day.AddDate(0, 0, 1)
	}
	return day.Format(time.DateOnly)
}

// takeLeave has a teacher ask for leave, and the office approve it.
func (r *staffroom) takeLeave(t *testing.T, e roster.EmployeeDetail, day string, half bool) {
	t.Helper()
	asked := testkit.Post[leave.LeaveView](t, r.App.SignIn(t, "teacher", string(e.Phone)), "/teacher/leave/apply",
		map[string]any{"leaveType": "SICK", "fromDate": day, "toDate": day, "halfDay": half, "reason": "Fever"})
	testkit.Post[leave.LeaveView](t, r.admin, "/school-admin/leave/decide", map[string]any{"leaveId": asked.ID, "status": "APPROVED"})
}

func names(list []timetable.FreeTeacher) string {
	var out []string
	for _, f := range list {
		out = append(out, f.TeacherName)
	}
	return strings.Join(out, " ")
}

const coverPath = "/school-admin/timetable/cover"

func TestSubstitution_TeacherOnLeave_IsRefused(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	day := comingMonday()
	meera, nila := r.employ(t, "Meera"), r.employ(t, "Nila")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	r.takeLeave(t, nila, day, false)
	f := r.admin.Refuses(t, "POST", "/school-admin/timetable/substitution", substitution(a.Slots[0], day, nila.ID), 422, "")
	want := api.Detail{Field: "substituteTeacherId", Message: "Nila is on leave on " + day}
	if len(f.Details) != 1 || f.Details[0] != want {
		t.Errorf("details %+v, want %+v", f.Details, want)
	}
}

func TestCover_ListsLessonsWithoutATeacherAndWhoIsFree(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	day := comingMonday()
	meera, nila, omar, pia := r.employ(t, "Meera"), r.employ(t, "Nila"), r.employ(t, "Omar"), r.employ(t, "Pia")
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a),
		week(lesson(1, r.first, r.maths, meera.ID, ""), lesson(1, r.second, r.maths, meera.ID, ""), lesson(2, r.first, r.maths, meera.ID, "")))
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.b),
		week(lesson(1, r.first, r.art, nila.ID, ""), lesson(3, r.first, r.maths, pia.ID, "")))
	if before := testkit.Get[timetable.Cover](t, r.admin, coverPath+"?date="+day); len(before.Lessons) != 0 || len(before.Away) != 0 {
		t.Errorf("nobody is away: %+v", before)
	}
	r.takeLeave(t, meera, day, false)
	cover := testkit.Get[timetable.Cover](t, r.admin, coverPath+"?date="+day)
	if len(cover.Away) != 1 || cover.Away[0].TeacherName != "Meera" || cover.Away[0].Reason != "LEAVE" {
		t.Errorf("away %+v, want Meera", cover.Away)
	}
	if len(cover.Lessons) != 2 || cover.Lessons[0].Reason != "LEAVE" || cover.Lessons[0].PeriodName != "Period 1" {
		t.Fatalf("lessons %+v, want two of Meera's", cover.Lessons)
	}
	// Pia teaches the subject; Nila has a lesson of her own in the first period.
	if got := names(cover.Lessons[0].Free); got != "Pia Omar" {
		t.Errorf("free in the first period: %s, want Pia Omar", got)
	}
	if got := names(cover.Lessons[1].Free); got != "Pia Omar Nila" {
		t.Errorf("free in the second period: %s, want Pia Omar Nila", got)
	}
	if f := cover.Lessons[0].Free[0]; !f.TeachesSubject || f.Lessons != 0 {
		t.Errorf("Pia %+v, want one who teaches the subject and has no lesson that day", f)
	}

	after := testkit.Put[timetable.Cover](t, r.admin, coverPath, map[string]any{"date": day, "absentTeacherIds": []any{nila.ID},
		"substitutions": []any{
			map[string]any{"slotId": cover.Lessons[0].ID, "substituteTeacherId": pia.ID},
			map[string]any{"slotId": cover.Lessons[1].ID, "substituteTeacherId": omar.ID, "note": "Page 12"},
		}})
	if len(after.Lessons) != 1 || after.Lessons[0].SubjectName != "Art" || after.Lessons[0].Reason != "ABSENT" {
		t.Errorf("left %+v, want Nila's lesson", after.Lessons)
	}
	if got := names(after.Lessons[0].Free); got != "Omar" {
		t.Errorf("free for it: %s, want Omar", got)
	}
	if len(after.Covered) != 2 || after.Covered[0].SubstituteTeacherName != "Pia" || after.Covered[1].Note != "Page 12" {
		t.Errorf("covered %+v", after.Covered)
	}
	if again := testkit.Get[timetable.Cover](t, r.admin, coverPath+"?date="+day); len(again.Away) != 2 {
		t.Errorf("away %+v, want Meera and Nila", again.Away)
	}
}

func TestCover_IsAssignedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	meera, nila, omar := r.employ(t, "Meera"), r.employ(t, "Nila"), r.employ(t, "Omar")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	b := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.b), week(lesson(1, r.first, r.art, nila.ID, "")))
	one := func(s timetable.Slot, teacher uuid.UUID) map[string]any {
		return map[string]any{"slotId": s.ID, "substituteTeacherId": teacher}
	}
	f := r.admin.Refuses(t, "PUT", coverPath, map[string]any{"date": monday, "absentTeacherIds": []any{meera.ID, nila.ID},
		"substitutions": []any{one(a.Slots[0], omar.ID), one(b.Slots[0], omar.ID)}}, 409, "")
	if !strings.Contains(f.Message, "Omar is booked twice") || f.Details[0].Field != "substitutions[0].substituteTeacherId" {
		t.Errorf("one teacher for two lessons: %q %+v", f.Message, f.Details)
	}
	f = r.admin.Refuses(t, "PUT", coverPath, map[string]any{"date": monday, "absentTeacherIds": []any{meera.ID, omar.ID},
		"substitutions": []any{one(a.Slots[0], omar.ID)}}, 422, "")
	if want := fmt.Sprintf("Omar is absent on %s", monday); f.Details[0].Message != want {
		t.Errorf("an absent substitute: %q, want %q", f.Details[0].Message, want)
	}
	if n := r.Count(t, "substitution", "true") + r.Count(t, "teacher_absence", "true"); n != 0 {
		t.Errorf("%d records were written", n)
	}
	// Two who change places.
	testkit.Put[timetable.Cover](t, r.admin, coverPath, map[string]any{"date": monday,
		"substitutions": []any{one(a.Slots[0], nila.ID), one(b.Slots[0], meera.ID)}})
	if n := r.Count(t, "substitution", "true"); n != 2 {
		t.Errorf("%d substitutions, want 2", n)
	}
}

func TestCover_OnAHoliday_NeedsNobody(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	day := comingMonday()
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, uuid.Nil, "")))
	cover := testkit.Get[timetable.Cover](t, r.admin, coverPath+"?date="+day)
	if len(cover.Lessons) != 1 || cover.Lessons[0].Reason != "NO_TEACHER" {
		t.Errorf("lessons %+v, want the one nobody teaches", cover.Lessons)
	}
	testkit.Post[struct{}](t, r.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Fair", "startDate": day, "endDate": day})
	if cover := testkit.Get[timetable.Cover](t, r.admin, coverPath+"?date="+day); len(cover.Lessons) != 0 {
		t.Errorf("on a holiday: %+v", cover.Lessons)
	}
}
