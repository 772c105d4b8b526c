package timetable_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

// electives is a staffroom whose class chooses between French and Sanskrit.
type electives struct {
	*staffroom
	french, sanskrit roster.Group
	asha, bina       uuid.UUID // of division A and B
	ashasMother      *testkit.Client
}

func newElectives(t *testing.T) *electives {
	t.Helper()
	e := &electives{staffroom: newStaffroom(t)}
	for name, into := range map[string]*roster.Group{"French": &e.french, "Sanskrit": &e.sanskrit} {
		subject := testkit.Post[roster.Subject](t, e.admin, "/school-admin/subject/create",
			map[string]any{"name": name, "code": name, "type": "ELECTIVE"})
		*into = testkit.Post[roster.Group](t, e.admin, "/school-admin/group/create",
			map[string]any{"name": name, "subjectId": subject.ID, "divisionIds": []any{e.a.ID, e.b.ID}})
	}
	e.ashasMother, e.asha = e.child(t)
	bina := testkit.Post[roster.StudentDetail](t, e.admin, "/school-admin/student/create",
		map[string]any{"firstName": "Bina", "lastName": "Das", "divisionId": e.b.ID, "admissionDate": "2026-06-01"})
	e.bina = bina.ID
	return e
}

func membersPath(g roster.Group) string { return fmt.Sprint("/school-admin/group/", g.ID, "/members") }

func groupWeek(g roster.Group) string { return fmt.Sprint("/school-admin/timetable/group/", g.ID) }

func (e *electives) join(t *testing.T, g roster.Group, students ...uuid.UUID) roster.GroupMembers {
	t.Helper()
	return testkit.Put[roster.GroupMembers](t, e.admin, membersPath(g),
		map[string]any{"studentIds": append([]uuid.UUID{}, students...), "fromDate": "2026-06-01"})
}

func groupLesson(day int, p timetable.Period, teacher uuid.UUID) map[string]any {
	out := lesson(day, p, roster.Subject{}, teacher, "")
	delete(out, "subjectId")
	return out
}

func TestGroups_DisjointElectivesAtOneHour_AreNoClash(t *testing.T) {
	t.Parallel()
	e := newElectives(t)
	e.join(t, e.french, e.asha)
	e.join(t, e.sanskrit, e.bina)
	meera, nila := e.employ(t, "Meera"), e.employ(t, "Nila")
	testkit.Put[timetable.GroupWeek](t, e.admin, groupWeek(e.french), week(groupLesson(1, e.first, meera.ID)))
	set := testkit.Put[timetable.GroupWeek](t, e.admin, groupWeek(e.sanskrit), week(groupLesson(1, e.first, nila.ID)))
	if len(set.Slots) != 1 || set.Slots[0].GroupName != "Sanskrit" || set.Slots[0].DivisionID != nil {
		t.Errorf("set %+v", set)
	}
	division := testkit.Get[timetable.DivisionWeek](t, e.admin, weekPath(e.a))
	if len(division.Slots) != 0 || len(division.GroupSlots) != 2 {
		t.Errorf("the division's week has %d lessons and %d of groups, want 0 and 2", len(division.Slots), len(division.GroupSlots))
	}
	hers := testkit.Get[timetable.TeacherWeek](t, e.admin, "/school-admin/timetable/teacher/"+meera.ID.String())
	if len(hers.Slots) != 1 || hers.Slots[0].GroupName != "French" || hers.Slots[0].ClassName != "Class 5" {
		t.Errorf("the teacher's week %+v", hers.Slots)
	}
}

func TestGroups_StudentInBothElectivesAtOneHour_IsAClashThatNamesThem(t *testing.T) {
	t.Parallel()
	e := newElectives(t)
	e.join(t, e.french, e.asha, e.bina)
	e.join(t, e.sanskrit, e.bina)
	testkit.Put[timetable.GroupWeek](t, e.admin, groupWeek(e.french), week(groupLesson(1, e.first, uuid.Nil)))
	f := e.admin.Refuses(t, "PUT", groupWeek(e.sanskrit), week(groupLesson(1, e.first, uuid.Nil)), 409, "")
	const want = "Bina Das would sit in both: Sanskrit, Monday Period 1 (09:00–09:45) and French, Monday Period 1 (09:00–09:45)"
	if f.Message != want {
		t.Errorf("message %q, want %q", f.Message, want)
	}
	e.join(t, e.sanskrit)
	testkit.Put[timetable.GroupWeek](t, e.admin, groupWeek(e.sanskrit), week(groupLesson(1, e.first, uuid.Nil)))
	f = e.admin.Refuses(t, "PUT", membersPath(e.sanskrit), map[string]any{"studentIds": []any{e.bina}}, 409, "")
	if !strings.HasPrefix(f.Message, "Bina Das would sit in both") {
		t.Errorf("joining later: %q", f.Message)
	}
	f = e.admin.Refuses(t, "PUT", fmt.Sprint("/school-admin/student/", e.bina, "/groups"),
		map[string]any{"groupIds": []any{e.french.ID, e.sanskrit.ID}}, 409, "")
	if !strings.HasPrefix(f.Message, "Bina Das would sit in both") {
		t.Errorf("joining by the student's page: %q", f.Message)
	}
	if n := e.Count(t, "student_group_member", "group_id = ?", e.sanskrit.ID); n != 0 {
		t.Errorf("%d members were written", n)
	}
}

func TestGroups_LessonBesideOneOfTheWholeDivision_IsAClash(t *testing.T) {
	t.Parallel()
	e := newElectives(t)
	testkit.Put[timetable.GroupWeek](t, e.admin, groupWeek(e.french), week(groupLesson(1, e.first, uuid.Nil)))
	f := e.admin.Refuses(t, "PUT", weekPath(e.a), week(lesson(1, e.first, e.maths, uuid.Nil, "")), 409, "")
	if !strings.Contains(f.Message, "Class 5 A Mathematics") || !strings.Contains(f.Message, "French, Monday") {
		t.Errorf("message %q", f.Message)
	}
	testkit.Put[timetable.DivisionWeek](t, e.admin, weekPath(e.a), week(lesson(2, e.first, e.maths, uuid.Nil, "")))
	e.admin.Refuses(t, "PUT", groupWeek(e.french), week(groupLesson(2, e.first, uuid.Nil)), 409, "")
}

func TestGroups_ParentSeesTheLessonsOfTheChildsOwnGroupOnly(t *testing.T) {
	t.Parallel()
	e := newElectives(t)
	e.join(t, e.french, e.asha)
	e.join(t, e.sanskrit, e.bina)
	testkit.Put[timetable.DivisionWeek](t, e.admin, weekPath(e.a), week(lesson(1, e.second, e.maths, uuid.Nil, "")))
	for _, g := range []roster.Group{e.french, e.sanskrit} {
		testkit.Put[timetable.GroupWeek](t, e.admin, groupWeek(g), week(groupLesson(1, e.first, uuid.Nil)))
	}
	day := testkit.Get[timetable.Day](t, e.ashasMother, "/parent/timetable/get?date="+monday+"&studentId="+e.asha.String())
	var names []string
	for _, s := range day.Slots {
		names = append(names, s.SubjectName)
	}
	if got := strings.Join(names, " "); got != "French Mathematics" {
		t.Errorf("lessons %s, want French Mathematics", got)
	}
	if len(day.Week) != 2 {
		t.Errorf("the week has %d lessons, want 2", len(day.Week))
	}
	feed := testkit.Post[timetable.FeedAddress](t, e.ashasMother, "/parent/timetable/feed", map[string]any{"studentId": e.asha})
	calendar := string(e.ashasMother.Call(t, "GET", feed.URL[strings.Index(feed.URL, "/calendar/"):], nil).Body)
	if !strings.Contains(calendar, "French · French") || strings.Contains(calendar, "Sanskrit") {
		t.Errorf("calendar\n%s", calendar)
	}
}

func TestGroups_LessonsStudentsAreTheGroupsMembersThatDay(t *testing.T) {
	t.Parallel()
	e := newElectives(t)
	meera, nila := e.employ(t, "Meera"), e.employ(t, "Nila")
	e.join(t, e.french, e.asha)
	set := testkit.Put[timetable.GroupWeek](t, e.admin, groupWeek(e.french), week(groupLesson(1, e.first, meera.ID)))
	path := fmt.Sprintf("/teacher/timetable/lesson/%s/students?date=", set.Slots[0].ID)
	teacher := e.App.SignIn(t, "teacher", string(meera.Phone))
	in := testkit.Get[timetable.LessonRoster](t, teacher, path+monday)
	if len(in.Students) != 1 || in.Students[0].ID != e.asha {
		t.Errorf("students %+v, want Asha", in.Students)
	}
	testkit.Put[roster.GroupMembers](t, e.admin, membersPath(e.french), map[string]any{"studentIds": []any{e.bina}, "fromDate": tuesday})
	in = testkit.Get[timetable.LessonRoster](t, teacher, path+monday)
	if len(in.Students) != 1 || in.Students[0].ID != e.asha {
		t.Errorf("the day before the change: %+v, want Asha", in.Students)
	}
	in = testkit.Get[timetable.LessonRoster](t, teacher, path+"2026-12-07")
	if len(in.Students) != 1 || in.Students[0].ID != e.bina {
		t.Errorf("after the change: %+v, want Bina", in.Students)
	}
	e.App.SignIn(t, "teacher", string(nila.Phone)).Refuses(t, "GET", path+monday, nil, 404, "")
}
