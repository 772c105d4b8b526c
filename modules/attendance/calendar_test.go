package attendance_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/attendance"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

const holidayPath = "/school-admin/attendance/holiday/"

func (r *room) holiday(t *testing.T, name string, from, to api.Date, classes ...uuid.UUID) attendance.Holiday {
	t.Helper()
	return testkit.Post[attendance.Holiday](t, r.admin, holidayPath+"create",
		map[string]any{"name": name, "startDate": from, "endDate": to, "classIds": classes})
}

func TestHolidaysAreKeptAndListed(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 0)
	six := testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	one := testkit.Post[attendance.Holiday](t, r.admin, holidayPath+"create", map[string]any{"name": "Founder's day", "startDate": r.today})
	if one.EndDate != r.today || !one.AllClasses {
		t.Errorf("made %+v", one)
	}
	trip := r.holiday(t, "Trip", r.today.AddDays(2), r.today.AddDays(3), six.ID, six.ID)
	if got := testkit.Get[attendance.Holiday](t, r.admin, holidayPath+trip.ID.String()); len(got.ClassIDs) != 1 ||
		got.ClassIDs[0] != six.ID || got.AllClasses {
		t.Errorf("read %+v", got)
	}
	for query, want := range map[string]int{"": 2, "filters[classId]=" + r.five.ID.String(): 1, "filters[classId]=" + six.ID.String(): 2,
		"filters[from]=" + r.today.AddDays(1).String(): 1, "filters[to]=" + r.today.String(): 1, "filters[search]=tri": 1} {
		if page := testkit.Get[api.Page[attendance.Holiday]](t, r.admin, holidayPath+"list?"+query); page.Total != want {
			t.Errorf("%s: %d", query, page.Total)
		}
	}
	changed := testkit.Put[attendance.Holiday](t, r.admin, holidayPath+trip.ID.String(),
		map[string]any{"name": "Long trip", "endDate": r.today.AddDays(5), "version": 1})
	if changed.Name != "Long trip" || len(changed.ClassIDs) != 1 || changed.Version != 2 {
		t.Errorf("changed %+v", changed)
	}
	all := testkit.Put[attendance.Holiday](t, r.admin, holidayPath+trip.ID.String(), map[string]any{"classIds": []any{}})
	if !all.AllClasses {
		t.Errorf("changed %+v", all)
	}
	r.admin.Refuses(t, "PUT", holidayPath+trip.ID.String(), map[string]any{"name": "Old", "version": 1}, 409, "")
	for _, bad := range []map[string]any{
		{"name": "X", "startDate": r.today, "endDate": r.today.AddDays(-1)}, {"name": "X", "startDate": "2026-02-30"}, {"startDate": r.today},
		{"name": "X", "startDate": r.today, "endDate": r.today.AddDays(4000)},
		{"name": "X", "startDate": r.today, "classIds": []any{uuid.New()}},
	} {
		r.admin.Refuses(t, "POST", holidayPath+"create", bad, 422, "")
	}
	if a := r.admin.Call(t, "DELETE", holidayPath+trip.ID.String(), nil); a.Status != 204 {
		t.Errorf("delete: %d", a.Status)
	}
	if n := r.Count(t, "holiday", "true"); n != 1 {
		t.Errorf("%d holidays", n)
	}
}

func TestADayOffRefusesMarksAndShowsHoliday(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	r.mark(t, record(r.children[0], "PRESENT")) // before anybody knew
	six := testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	r.holiday(t, "Another class's day", r.today, r.today, six.ID)
	r.mark(t, record(r.children[0], "LATE"))
	r.holiday(t, "Flood", r.today, r.today, r.five.ID)
	f := r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, record(r.children[0], "PRESENT")), 422, "")
	if f.Details[0].Field != "date" || !strings.Contains(f.Details[0].Message, "Flood") {
		t.Errorf("details %+v", f.Details)
	}
	reg := testkit.Get[attendance.DayRegister](t, r.teacher, "/teacher/attendance/register?divisionId="+r.a.ID.String())
	if reg.DayOff != "Flood" || *reg.Students[0].Status != "HOLIDAY" || reg.Late != 0 {
		t.Errorf("register %+v", reg)
	}
	if open := testkit.Get[attendance.Unmarked](t, r.admin, "/school-admin/attendance/unmarked"); len(open.Divisions) != 0 {
		t.Errorf("unmarked %+v", open)
	}
	if sum := testkit.Get[attendance.AttendanceSummary](t, r.admin, "/school-admin/attendance/summary?from="+r.today.String()); sum.Totals.Marked != 0 {
		t.Errorf("summary %+v", sum)
	}
}

func TestAWeekendIsADayOff(t *testing.T) {
	t.Parallel()
	now := testkit.Shared(t).Service.Kernel.Clock()
	place, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	weekday := int16(now.In(place).Weekday())
	r := furnish(t, testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{WeekendDays: []int16{weekday}}), 1)
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, record(r.children[0], "PRESENT")), 422, "")
	reg := testkit.Get[attendance.DayRegister](t, r.teacher, "/teacher/attendance/register?divisionId="+r.a.ID.String())
	if reg.DayOff != "Weekend" || *reg.Students[0].Status != "HOLIDAY" {
		t.Errorf("register %+v", reg)
	}
	testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today.AddDays(-1), record(r.children[0], "PRESENT")))
}

func TestTheMonthlyRegisterShowsStudentsByDaysWithTotalsAndPercent(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 3)
	days := []api.Date{r.today.AddDays(-2), r.today.AddDays(-1), r.today}
	statuses := [][]string{{"PRESENT", "PRESENT", "PRESENT"}, {"PRESENT", "ABSENT", "LATE"}, {"LEAVE", "ABSENT", "ABSENT"}}
	for i, day := range days {
		testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, day,
			record(r.children[0], statuses[0][i]), record(r.children[1], statuses[1][i]), record(r.children[2], statuses[2][i])))
	}
	seen := map[string]string{}
	for _, month := range slices.Compact([]string{days[0].String()[:7], days[2].String()[:7]}) {
		p := testkit.Get[attendance.MonthRegister](t, r.teacher, fmt.Sprintf("/teacher/attendance/report?divisionId=%s&month=%s", r.a.ID, month))
		if len(p.Students) != 3 || len(p.Days) < 28 || p.ClassName != "Class 5" {
			t.Fatalf("report %+v", p)
		}
		for _, s := range p.Students {
			if len(s.Statuses) != len(p.Days) {
				t.Fatalf("%d statuses for %d days", len(s.Statuses), len(p.Days))
			}
			for i, day := range p.Days {
				seen[s.FirstName+day.Date.String()] += s.Statuses.At(i)
			}
		}
	}
	for c := range 3 {
		for i, day := range days {
			if got := seen[fmt.Sprintf("Child%d%s", c+1, day)]; got != statuses[c][i] {
				t.Errorf("child %d on %s: %q", c+1, day, got)
			}
		}
	}
	sum := testkit.Get[attendance.AttendanceSummary](t, r.admin,
		fmt.Sprintf("/school-admin/attendance/summary?from=%s&to=%s&classId=%s", days[0], days[2], r.five.ID))
	if sum.Totals.Marked != 9 || sum.Totals.Present != 4 || sum.Totals.Late != 1 || *sum.Totals.Percent != 55.6 || len(sum.Classes) != 1 ||
		len(sum.Classes[0].Divisions) != 2 {
		t.Errorf("summary %+v", sum)
	}
	if sum.Classes[0].Divisions[1].Totals.Percent != nil {
		t.Errorf("nobody was marked there: %+v", sum.Classes[0].Divisions[1])
	}
	r.admin.Refuses(t, "GET", "/school-admin/attendance/summary?classId="+uuid.NewString(), nil, 404, "")
	r.admin.Refuses(t, "GET", "/school-admin/attendance/summary?from=2026-02-30", nil, 422, "")
	r.admin.Refuses(t, "GET", "/school-admin/attendance/summary?from=2020-01-01", nil, 422, "")
	r.admin.Refuses(t, "GET", "/school-admin/attendance/report?month=2026-13&divisionId="+r.a.ID.String(), nil, 422, "")
	r.admin.Refuses(t, "GET", "/school-admin/attendance/report?divisionId="+uuid.NewString(), nil, 404, "")
}

func TestTheRegisterIsAFileForSpreadsheets(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 0)
	child := r.admit(t, "=cmd()", r.a, 1)
	r.mark(t, record(child, "PRESENT"))
	a := r.admin.Call(t, "GET", "/school-admin/attendance/report.csv?divisionId="+r.a.ID.String(), nil)
	if a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv") ||
		!strings.Contains(a.Header.Get("Content-Disposition"), "attendance-Class-5-A-") {
		t.Fatalf("%d %v", a.Status, a.Header)
	}
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(a.Body), "\xEF\xBB\xBF"))).ReadAll()
	if err != nil || len(lines) != 2 {
		t.Fatalf("%v %v", err, lines)
	}
	if lines[1][2] != "'=cmd()" || lines[1][3+r.today.Day] != "PRESENT" || lines[0][3+r.today.Day] != r.today.String() ||
		lines[1][len(lines[1])-1] != "100.0" {
		t.Errorf("%v", lines)
	}
}

func TestWhatIsNotMarkedYetIsListed(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	r.admit(t, "Ravi", r.b, 1)
	open := testkit.Get[attendance.Unmarked](t, r.admin, "/school-admin/attendance/unmarked")
	if len(open.Divisions) != 2 || open.Divisions[0].Unmarked != 2 || open.Divisions[0].ClassTeacherName != "Meera" ||
		open.Divisions[1].ClassTeacherName != "" {
		t.Fatalf("unmarked %+v", open)
	}
	r.mark(t, record(r.children[0], "PRESENT"))
	open = testkit.Get[attendance.Unmarked](t, r.admin, "/school-admin/attendance/unmarked?date="+r.today.String())
	if len(open.Divisions) != 2 || open.Divisions[0].Unmarked != 1 || open.Divisions[0].Students != 2 {
		t.Errorf("unmarked %+v", open)
	}
	r.mark(t, record(r.children[1], "PRESENT"))
	if open = testkit.Get[attendance.Unmarked](t, r.admin, "/school-admin/attendance/unmarked"); len(open.Divisions) != 1 ||
		open.Divisions[0].DivisionID != r.b.ID {
		t.Errorf("unmarked %+v", open)
	}
	r.admin.Refuses(t, "GET", "/school-admin/attendance/unmarked?date="+r.today.AddDays(1).String(), nil, 422, "")
}

func TestAParentSeesTheirChildsDaysAndNobodyElses(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	parent := r.parentOf(t, r.children[0])
	r.mark(t, record(r.children[0], "LATE", map[string]any{"lateMinutes": 5, "remark": "Bus"}), record(r.children[1], "ABSENT"))
	r.holiday(t, "Festival", r.today.AddDays(-1), r.today.AddDays(-1))
	month := testkit.Get[attendance.ChildMonth](t, parent, "/parent/attendance/list?studentId="+r.children[0].ID.String())
	if month.Totals.Late != 1 || *month.Totals.Percent != 100 || string(month.Month) != r.today.String()[:7] {
		t.Errorf("month %+v", month)
	}
	today := month.Days[r.today.Day-1]
	if today.Date != r.today || *today.Status != "LATE" || *today.LateMinutes != 5 || today.Remark != "Bus" {
		t.Errorf("today %+v", today)
	}
	if today.MarkedAt == nil {
		t.Error("the mark has no time")
	}
	before := r.today.AddDays(-1)
	earlier := testkit.Get[attendance.ChildMonth](t, parent,
		fmt.Sprintf("/parent/attendance/list?studentId=%s&month=%s", r.children[0].ID, before.String()[:7]))
	if d := earlier.Days[before.Day-1]; *d.Status != "HOLIDAY" || d.DayOff != "Festival" {
		t.Errorf("yesterday %+v", d)
	}
	sum := testkit.Get[attendance.ChildSummary](t, parent, "/parent/attendance/summary?studentId="+r.children[0].ID.String())
	if sum.From != r.year.StartDate || sum.To != r.today || sum.Totals.Marked != 1 {
		t.Errorf("summary %+v", sum)
	}
	elsewhere := newRoom(t, 1)
	for _, id := range []uuid.UUID{r.children[1].ID, elsewhere.children[0].ID, uuid.New()} {
		for _, what := range []string{"list", "summary"} {
			parent.Refuses(t, "GET", fmt.Sprintf("/parent/attendance/%s?studentId=%s", what, id), nil, 404, "STUDENT_NOT_FOUND")
		}
	}
	if err := r.DB(t).Exec(`update student_guardian set can_view_data = false`).Error; err != nil {
		t.Fatal(err)
	}
	parent.Refuses(t, "GET", "/parent/attendance/list?studentId="+r.children[0].ID.String(), nil, 404, "STUDENT_NOT_FOUND")
	r.admin.Refuses(t, "GET", "/school-admin/attendance/history/"+elsewhere.children[0].ID.String(), nil, 404, "STUDENT_NOT_FOUND")
}
