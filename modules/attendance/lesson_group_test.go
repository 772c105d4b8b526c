package attendance_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/modules/attendance"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// groupDay is a lessonDay whose first child of A and a child of B have French in the third period.
type groupDay struct {
	*lessonDay
	french uuid.UUID // the group
	slot   uuid.UUID
	holder *testkit.Client
	ofB    roster.StudentDetail
}

func newGroupDay(t *testing.T, children int) *groupDay {
	t.Helper()
	d := &groupDay{lessonDay: newLessonDay(t, children)}
	d.ofB = d.admit(t, "Bina", d.b, 1)
	subject := testkit.Post[roster.Subject](t, d.admin, "/school-admin/subject/create",
		map[string]any{"name": "French language", "code": "FRE", "type": "ELECTIVE"})
	d.french = testkit.Post[roster.Group](t, d.admin, "/school-admin/group/create",
		map[string]any{"name": "French", "subjectId": subject.ID, "divisionIds": []any{d.a.ID, d.b.ID}}).ID
	testkit.Put[roster.GroupMembers](t, d.admin, fmt.Sprint("/school-admin/group/", d.french, "/members"),
		map[string]any{"studentIds": []any{d.children[0].ID, d.ofB.ID}, "fromDate": d.year.StartDate})
	period := testkit.Post[struct{ ID uuid.UUID }](t, d.admin, "/school-admin/timetable/period/create",
		map[string]any{"name": "Period 3", "startTime": "11:00", "endTime": "11:45"})
	var teacher uuid.UUID
	d.holder, teacher = d.hire(t)
	week := testkit.Put[struct{ Slots []struct{ ID uuid.UUID } }](t, d.admin, fmt.Sprint("/school-admin/timetable/group/", d.french),
		map[string]any{"slots": []any{map[string]any{"dayOfWeek": (int(d.today.In(time.UTC).Weekday())+6)%7 + 1, "periodId": period.ID,
			"teacherId": teacher}}})
	d.slot = week.Slots[0].ID
	return d
}

func (d *groupDay) markGroup(t *testing.T, records ...map[string]any) attendance.LessonMarked {
	t.Helper()
	return testkit.Post[attendance.LessonMarked](t, d.holder, lessonMark, d.ofGroup(records...))
}

func (d *groupDay) ofGroup(records ...map[string]any) map[string]any {
	return map[string]any{"slotId": d.slot, "date": d.today, "records": append([]map[string]any{}, records...)}
}

// lists reports whether the lessons at a path have the group's.
func (d *groupDay) lists(t *testing.T, c *testkit.Client, path string) bool {
	t.Helper()
	return slices.ContainsFunc(testkit.Get[attendance.LessonList](t, c, path).Lessons,
		func(l attendance.Lesson) bool { return l.SlotID == d.slot })
}

func (d *groupDay) register(t *testing.T) attendance.LessonRegister {
	t.Helper()
	return testkit.Get[attendance.LessonRegister](t, d.admin, "/school-admin/attendance/lesson?slotId="+d.slot.String())
}

// dayIn is the mark of the day of a division's first student.
func (d *groupDay) dayIn(t *testing.T, v roster.Division) string {
	t.Helper()
	s := testkit.Get[attendance.DayRegister](t, d.admin, "/school-admin/attendance/register?divisionId="+v.ID.String()).Students[0]
	if s.Status == nil {
		return "nothing"
	}
	return *s.Status
}

func TestGroupLesson_IsListedForItsTeacherAndTheDivisionsOfItsMembers(t *testing.T) {
	t.Parallel()
	d := newGroupDay(t, 1)
	office := "/school-admin/attendance/lessons"
	for _, v := range []roster.Division{d.a, d.b} {
		if !d.lists(t, d.admin, office+"?divisionId="+v.ID.String()) {
			t.Errorf("division %s does not list the group's lesson", v.Name)
		}
	}
	if other := d.division(t, "C"); d.lists(t, d.admin, office+"?divisionId="+other.ID.String()) {
		t.Error("a division without members lists the group's lesson")
	}
	if d.lists(t, d.teachers[0], "/teacher/attendance/lessons") {
		t.Error("another teacher lists the group's lesson")
	}
	mine := testkit.Get[attendance.LessonList](t, d.holder, "/teacher/attendance/lessons").Lessons
	if len(mine) != 1 {
		t.Fatalf("the teacher has %d lessons, want 1", len(mine))
	}
	l := mine[0]
	if l.GroupName != "French" || l.DivisionID != nil || l.ClassName != "Class 5" || l.SubjectName != "French language" {
		t.Errorf("the lesson is %+v", l)
	}
}

func TestGroupLesson_IsMarkedByItsSubstitute(t *testing.T) {
	t.Parallel()
	d := newGroupDay(t, 1)
	testkit.Post[struct{}](t, d.admin, "/school-admin/timetable/substitution",
		map[string]any{"slotId": d.slot, "date": d.today, "substituteTeacherId": d.teacherID})
	if !d.lists(t, d.teacher, "/teacher/attendance/lessons") {
		t.Error("the substitute does not list the group's lesson")
	}
	d.holder.Refuses(t, "POST", lessonMark, d.ofGroup(), 404, "")
	testkit.Post[attendance.LessonMarked](t, d.teacher, lessonMark, d.ofGroup())
}

func TestGroupLesson_RegisterHasItsMembersOnly(t *testing.T) {
	t.Parallel()
	d := newGroupDay(t, 2)
	reg := d.register(t)
	if reg.Lesson.GroupName != "French" || reg.DivisionID != nil || reg.ClassID != nil {
		t.Errorf("the register is of %+v", reg.Lesson)
	}
	var names []string
	for _, s := range reg.Students {
		names = append(names, s.FirstName+", "+s.Division)
	}
	if want := []string{"Child1, Class 5 A", "Bina, Class 5 B"}; !slices.Equal(names, want) {
		t.Errorf("the register has %q, want %q", names, want)
	}
	d.holder.Refuses(t, "POST", lessonMark, d.ofGroup(record(d.children[1], "ABSENT")), 422, "")
}

func TestGroupLesson_Marked_MakesTheDayOfEachInTheirOwnDivision(t *testing.T) {
	t.Parallel()
	d := newGroupDay(t, 2)
	done := d.markGroup(t, record(d.ofB, "ABSENT"))
	if done.Present != 1 || done.Absent != 1 || done.Version != 1 {
		t.Errorf("marked %+v", done)
	}
	if got := d.dayIn(t, d.b); got != "ABSENT" {
		t.Errorf("the day of the child of B is %s, want ABSENT", got)
	}
	d.wantDay(t, 0, "PRESENT")
	d.wantDay(t, 1, "nothing")
	if n := d.Count(t, "attendance", "student_id = ? and division_id = ?", d.ofB.ID, d.b.ID); n != 1 {
		t.Errorf("%d marks of the child of B in B, want 1", n)
	}
	if again := d.markGroup(t, record(d.ofB, "ABSENT")); again.Version != 1 {
		t.Errorf("said again it is version %d, want 1", again.Version)
	}
	if got := *d.register(t).Students[1].Status; got != "ABSENT" {
		t.Errorf("the register has %s, want ABSENT", got)
	}
}

func TestGroupLesson_AndThoseOfTheDivision_MakeTheDayTogether(t *testing.T) {
	t.Parallel()
	d := newGroupDay(t, 2)
	d.markLesson(t, 0, record(d.children[0], "ABSENT"), record(d.children[1], "ABSENT"))
	d.markGroup(t)
	d.wantDay(t, 0, "LATE")
	d.wantDay(t, 1, "ABSENT")
	// The division's lesson, marked anew, does not forget the group's.
	d.markLesson(t, 1, record(d.children[0], "ABSENT"), record(d.children[1], "ABSENT"))
	d.wantDay(t, 0, "LATE")
	d.wantDay(t, 1, "ABSENT")
}

func TestGroupLesson_WhereOneDivisionIsOff_IsOfTheOthersMembers(t *testing.T) {
	t.Parallel()
	d := newGroupDay(t, 1)
	testkit.Post[attendance.Holiday](t, d.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Trip", "startDate": d.today, "divisionIds": []any{d.b.ID}})
	if reg := d.register(t); len(reg.Students) != 1 || reg.DayOff != "" {
		t.Errorf("the register has %d students and day off %q, want 1 and none", len(reg.Students), reg.DayOff)
	}
	if done := d.markGroup(t); done.Present != 1 {
		t.Errorf("marked %d present, want 1", done.Present)
	}
	testkit.Post[attendance.Holiday](t, d.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Flood", "startDate": d.today, "divisionIds": []any{d.a.ID}})
	if reg := d.register(t); reg.Lesson.State != "DAY_OFF" || reg.DayOff == "" {
		t.Errorf("with both off the lesson is %s, want DAY_OFF", reg.Lesson.State)
	}
	d.holder.Refuses(t, "POST", lessonMark, d.ofGroup(), 422, "")
}
