package attendance_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/attendance"
	"homeroom/modules/leave"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// lessonDay is a room that marks by period: division A has two lessons today, one of each teacher.
type lessonDay struct {
	*room
	teachers  [2]*testkit.Client
	employees [2]uuid.UUID
	slots     [2]uuid.UUID
}

func newLessonDay(t *testing.T, children int) *lessonDay {
	t.Helper()
	d := &lessonDay{room: newRoom(t, children)}
	d.set(t, map[string]any{"attendanceBy": "PERIOD"})
	subject := testkit.Post[roster.Subject](t, d.admin, "/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MAT"})
	var lessons []map[string]any
	for i := range d.slots {
		period := testkit.Post[struct{ ID uuid.UUID }](t, d.admin, "/school-admin/timetable/period/create", map[string]any{
			"name": fmt.Sprintf("Period %d", i+1), "startTime": fmt.Sprintf("%02d:00", 9+i), "endTime": fmt.Sprintf("%02d:45", 9+i)})
		d.teachers[i], d.employees[i] = d.hire(t)
		lessons = append(lessons, map[string]any{"dayOfWeek": (int(d.today.In(time.UTC).Weekday())+6)%7 + 1, "periodId": period.ID,
			"subjectId": subject.ID, "teacherId": d.employees[i]})
	}
	week := testkit.Put[struct{ Slots []struct{ ID uuid.UUID } }](t, d.admin, "/school-admin/timetable/division/"+d.a.ID.String(),
		map[string]any{"slots": lessons})
	for i, s := range week.Slots {
		d.slots[i] = s.ID
	}
	return d
}

const lessonMark = "/teacher/attendance/lesson/mark"

func (d *lessonDay) lesson(i int, records ...map[string]any) map[string]any {
	return map[string]any{"slotId": d.slots[i], "date": d.today, "records": append([]map[string]any{}, records...)}
}

func (d *lessonDay) markLesson(t *testing.T, i int, records ...map[string]any) attendance.LessonMarked {
	t.Helper()
	return testkit.Post[attendance.LessonMarked](t, d.teachers[i], lessonMark, d.lesson(i, records...))
}

// onDay are the marks of the day, by child.
func (d *lessonDay) onDay(t *testing.T) []attendance.RegisterEntry {
	t.Helper()
	return testkit.Get[attendance.DayRegister](t, d.admin, "/school-admin/attendance/register?divisionId="+d.a.ID.String()).Students
}

func (d *lessonDay) wantDay(t *testing.T, child int, want string) {
	t.Helper()
	got := "nothing"
	if s := d.onDay(t)[child].Status; s != nil {
		got = *s
	}
	if got != want {
		t.Errorf("the day of child %d is %s, want %s", child+1, got, want)
	}
}

func TestLesson_WhereTheSchoolMarksByDay_IsNotMarked(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 1)
	d.set(t, map[string]any{"attendanceBy": "DAY"})
	d.teachers[0].Refuses(t, "POST", lessonMark, d.lesson(0), 409, "")
}

func TestLesson_AllPresentThenExceptions_MakesTheDay(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 3)
	parent := d.parentOf(t, d.children[1])
	done := d.markLesson(t, 0, record(d.children[1], "ABSENT"), record(d.children[2], "LATE", map[string]any{"lateMinutes": 10}))
	if done.Present != 1 || done.Absent != 1 || done.Late != 1 || done.Version != 1 {
		t.Errorf("marked %+v", done)
	}
	for i, want := range []string{"PRESENT", "ABSENT", "LATE"} {
		d.wantDay(t, i, want)
	}
	day := d.onDay(t)
	if day[0].Source != "LESSON" || day[2].LateMinutes == nil || *day[2].LateMinutes != 10 {
		t.Errorf("the day has %+v and %+v", day[0], day[2])
	}
	testkit.Eventually(t, "the parent is told of the absence", func() bool { return d.told(t, parent) == 1 })
	reg := testkit.Get[attendance.LessonRegister](t, d.teachers[0],
		fmt.Sprintf("/teacher/attendance/lesson?slotId=%s&date=%s", d.slots[0], d.today))
	if *reg.Students[1].Status != "ABSENT" || reg.Unmarked != 0 || reg.Lesson.PeriodName != "Period 1" {
		t.Errorf("the register %+v", reg)
	}
}

func TestLesson_SeenInALaterOne_IsLateThatDay(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 2)
	d.markLesson(t, 0, record(d.children[0], "ABSENT"), record(d.children[1], "ABSENT"))
	d.markLesson(t, 1, record(d.children[1], "ABSENT"))
	d.wantDay(t, 0, "LATE")
	d.wantDay(t, 1, "ABSENT")
}

func TestLesson_MissedInTheMiddle_LeavesTheDayPresentAndIsSeenByParents(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 1)
	parent := d.parentOf(t, d.children[0])
	d.markLesson(t, 0)
	d.markLesson(t, 1, record(d.children[0], "ABSENT"))
	d.wantDay(t, 0, "PRESENT")
	month := testkit.Get[attendance.ChildMonth](t, parent, "/parent/attendance/list?studentId="+d.children[0].ID.String())
	lessons := month.Days[d.today.Day-1].Lessons
	if len(lessons) != 2 || lessons[0].Status != "PRESENT" || lessons[1].Status != "ABSENT" || lessons[1].SubjectName != "Mathematics" {
		t.Errorf("the parent sees %+v", lessons)
	}
}

func TestLesson_MarkedTwice_IsACorrection(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 1)
	d.markLesson(t, 0, record(d.children[0], "ABSENT"))
	if again := d.markLesson(t, 0, record(d.children[0], "ABSENT")); again.Version != 1 || again.Changed != 0 {
		t.Errorf("said again %+v", again)
	}
	if done := d.markLesson(t, 0); done.Version != 2 {
		t.Errorf("corrected %+v, want version 2", done)
	}
	d.wantDay(t, 0, "PRESENT")
	stale := d.lesson(0, record(d.children[0], "ABSENT"))
	stale["version"] = 1
	d.teachers[0].Refuses(t, "POST", lessonMark, stale, 409, "")
	if n := d.Count(t, "audit_event", "entity = 'lesson register'"); n != 2 {
		t.Errorf("%d audit rows, want 2", n)
	}
}

func TestLesson_AfterTheDayWasMarkedItself_LeavesTheDay(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 1)
	d.mark(t, record(d.children[0], "ABSENT"))
	d.markLesson(t, 0)
	d.wantDay(t, 0, "ABSENT")
}

func TestLesson_IsMarkedByWhoHoldsIt(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 1)
	d.teachers[1].Refuses(t, "POST", lessonMark, d.lesson(0), 404, "")
	testkit.Post[struct{}](t, d.admin, "/school-admin/timetable/substitution",
		map[string]any{"slotId": d.slots[0], "date": d.today, "substituteTeacherId": d.teacherID})
	d.teachers[0].Refuses(t, "POST", lessonMark, d.lesson(0), 404, "")
	testkit.Post[attendance.LessonMarked](t, d.teacher, lessonMark, d.lesson(0))
	testkit.Post[attendance.LessonMarked](t, d.admin, "/school-admin/attendance/lesson/mark", d.lesson(1))
	mine := testkit.Get[attendance.LessonList](t, d.teacher, "/teacher/attendance/lessons")
	if len(mine.Lessons) != 1 || mine.Lessons[0].SlotID != d.slots[0] || !mine.Lessons[0].Substitute {
		t.Errorf("the substitute's lessons are %+v", mine.Lessons)
	}
}

func TestLessons_OfADay_SayWhichAreMarked(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 2)
	d.markLesson(t, 1, record(d.children[0], "ABSENT"))
	all := testkit.Get[attendance.LessonList](t, d.admin, "/school-admin/attendance/lessons")
	if len(all.Lessons) != 2 || all.AttendanceBy != "PERIOD" {
		t.Fatalf("lessons %+v", all)
	}
	if first := all.Lessons[0]; first.State != "OPEN" || first.MarkedAt != nil {
		t.Errorf("the first %+v, want it open", first)
	}
	if second := all.Lessons[1]; second.State != "MARKED" || second.Absent != 1 || second.Present != 1 || second.MarkedAt == nil {
		t.Errorf("the second %+v, want it marked", second)
	}
	other := testkit.Get[attendance.LessonList](t, d.admin, "/school-admin/attendance/lessons?divisionId="+d.b.ID.String())
	if len(other.Lessons) != 0 {
		t.Errorf("of division B %+v", other.Lessons)
	}
	testkit.Post[attendance.Holiday](t, d.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Flood", "startDate": d.today})
	if off := testkit.Get[attendance.LessonList](t, d.admin, "/school-admin/attendance/lessons"); off.Lessons[0].State != "DAY_OFF" {
		t.Errorf("on a day off %+v", off.Lessons[0])
	}
	d.teachers[0].Refuses(t, "POST", lessonMark, d.lesson(0), 422, "")
}

func TestLesson_OnApprovedLeave_IsLeaveUnlessSeen(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 2)
	for _, child := range d.children {
		parent := d.parentOf(t, child)
		asked := testkit.Post[leave.Leave](t, parent, "/parent/leave/apply", map[string]any{
			"studentId": child.ID, "leaveType": "SICK", "fromDate": d.today, "toDate": d.today, "reason": "Fever"})
		testkit.Post[struct{}](t, d.admin, "/school-admin/leave/decide", map[string]any{"leaveId": asked.ID, "status": "APPROVED"})
	}
	if done := d.markLesson(t, 0); done.Leave != 2 {
		t.Errorf("marked %+v, want leave for both", done)
	}
	d.markLesson(t, 1, record(d.children[0], "PRESENT"))
	d.wantDay(t, 0, "PRESENT")
	d.wantDay(t, 1, "LEAVE")
}

func TestLesson_OfADayPast_NeedsTheOfficesReason(t *testing.T) {
	t.Parallel()
	d := newLessonDay(t, 1)
	body := d.lesson(0)
	body["date"] = d.today.AddDays(-7)
	d.admin.Refuses(t, "POST", "/school-admin/attendance/lesson/mark", body, 422, "")
	body["reason"] = "Entered late"
	testkit.Post[attendance.LessonMarked](t, d.admin, "/school-admin/attendance/lesson/mark", body)
	body["date"] = api.Date.AddDays(d.today, -6)
	d.admin.Refuses(t, "POST", "/school-admin/attendance/lesson/mark", body, 404, "")
}
