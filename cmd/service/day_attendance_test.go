package service_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/attendance"
	"homeroom/modules/leave"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// morning is 6-A as it is marked: the class teacher, five children with a parent each,
// and the leave that was asked for.
type morning struct {
	division         uuid.UUID
	today            api.Date
	teacher          *testkit.Client
	teacherUser      uuid.UUID
	children         []uuid.UUID
	parents          []*testkit.Client
	users            []uuid.UUID // the parents'
	siblings         *testkit.Client
	asked            []leave.LeaveView
	absent, late, ok int // whose index is whose
}

// byPhone signs someone in by the code that is sent to them.
func (d *day) byPhone(t *testing.T, client, phone string) *testkit.Client {
	t.Helper()
	// A code that is gone with Redis, or whose use broke off, is asked for again.
	for tries := 1; ; tries++ {
		d.app.Nobody().Call(t, "POST", "/"+client+"/user-auth/send-otp", map[string]any{"phone": phone})
		if d.at == nil || d.at.night == nil || tries == 4 {
			return d.signIn(t, "/"+client+"/user-auth/verify-otp", map[string]any{"phone": phone, "otp": d.app.OTP(t, phone)})
		}
		if sent := d.app.Sent(t, phone); len(sent) > 0 {
			in := map[string]any{"phone": phone, "otp": sixDigits.FindString(sent[0].Text)}
			if a := d.app.Nobody().Call(t, "POST", "/"+client+"/user-auth/verify-otp", in); a.Status == 200 {
				return d.enters(t, a)
			}
		}
	}
}

// fillClass seats five children, two of them siblings, and gives 6-A its class teacher.
func (d *day) fillClass(t *testing.T) {
	class := testkit.Post[roster.Class](t, d.office, "/school-admin/class/create", map[string]any{"name": "Class 6", "level": 6}).ID
	division := testkit.Post[roster.Division](t, d.office, "/school-admin/division/create", map[string]any{"classId": class, "name": "A"}).ID
	m := &morning{division: division, absent: 0, late: 1, ok: 2}
	d.morning = m
	m.today = api.DateOf(d.app.Service.Kernel.Clock().In(d.asSchool(t).Location()))
	phone := testkit.NewPhone()
	meera := testkit.Post[roster.EmployeeDetail](t, d.office, "/school-admin/employee/create",
		map[string]any{"firstName": "Meera", "phone": phone, "employeeType": "TEACHER"})
	testkit.Put[roster.AssignmentList](t, d.office, "/school-admin/employee/"+meera.ID.String()+"/assignments",
		map[string]any{"assignments": []any{map[string]any{"classId": class, "divisionId": m.division, "isClassTeacher": true}}})
	m.teacher, m.teacherUser = d.byPhone(t, "teacher", phone), *meera.UserID
	d.teaches(t, m.teacher, m.division.String())
	phones := []string{testkit.NewPhone(), testkit.NewPhone(), testkit.NewPhone(), testkit.NewPhone()}
	phones = append(phones, phones[3]) // siblings share a parent
	for i, p := range phones {
		child := testkit.Post[roster.StudentDetail](t, d.office, "/school-admin/student/create", map[string]any{
			"firstName": fmt.Sprint("Child", i+1), "divisionId": m.division, "rollNumber": i + 1,
			"guardians": []any{map[string]any{"firstName": "Parent", "phone": p, "relation": "MOTHER"}},
		})
		m.children = append(m.children, child.ID)
		m.users = append(m.users, child.Guardians[0].UserID)
	}
	for _, p := range phones[:4] {
		m.parents = append(m.parents, d.byPhone(t, "parent", p))
	}
	m.siblings = m.parents[3]
}

// logged counts a user's lines in the log.
func (d *day) logged(t *testing.T, user uuid.UUID, kind string) int {
	t.Helper()
	return d.asSchool(t).Count(t, "notification", "user_id = ? and type = ?", user, kind)
}

func (d *day) asksLeave(t *testing.T) {
	m := d.morning
	for _, child := range m.children[3:] {
		m.asked = append(m.asked, testkit.Post[leave.LeaveView](t, m.siblings, "/parent/leave/apply",
			map[string]any{"studentId": child, "leaveType": "CASUAL", "fromDate": m.today, "toDate": m.today.AddDays(1), "reason": "A wedding"}))
	}
	if n := d.logged(t, m.teacherUser, "LEAVE_REQUEST"); n != 2 {
		t.Errorf("the class teacher has %d leave requests in the log", n)
	}
	if waiting := testkit.Get[api.Page[leave.LeaveView]](t, m.teacher, "/teacher/leave/requests?filters[status]=PENDING"); waiting.Total != 2 {
		t.Errorf("requests %+v", waiting)
	}
}

func (d *day) marksClass(t *testing.T) {
	m := d.morning
	for _, l := range m.asked {
		testkit.Post[leave.LeaveView](t, m.teacher, "/teacher/leave/decide", map[string]any{"leaveId": l.ID, "status": "APPROVED"})
	}
	var records []any
	for i, status := range []string{"ABSENT", "LATE", "PRESENT", "LEAVE", "ABSENT"} {
		records = append(records, map[string]any{"studentId": m.children[i], "status": status})
	}
	done := testkit.Post[attendance.Marked](t, m.teacher, "/teacher/attendance/mark",
		map[string]any{"divisionId": m.division, "date": m.today, "records": records})
	if done.Absent != 1 || done.Late != 1 || done.Present != 1 || done.Leave != 2 {
		t.Errorf("marked %+v", done)
	}
	for i, want := range []int{1, 1, 0, 0, 0} {
		if n := d.logged(t, m.users[i], "ATTENDANCE"); n != want {
			t.Errorf("the parent of child %d was told %d times", i+1, n)
		}
	}
	if n := d.logged(t, m.users[3], "LEAVE_REQUEST"); n != 2 {
		t.Errorf("the parent who asked was told %d times", n)
	}
	open := testkit.Get[attendance.Unmarked](t, d.office, "/school-admin/attendance/unmarked")
	if len(open.Divisions) == 0 {
		t.Error("no other division waits for its mark")
	}
	for _, u := range open.Divisions {
		if u.DivisionID == m.division {
			t.Errorf("not marked: %+v", u)
		}
	}
}

func (d *day) correctsMark(t *testing.T) {
	m := d.morning
	testkit.Post[attendance.Marked](t, m.teacher, "/teacher/attendance/mark",
		map[string]any{"divisionId": m.division, "date": m.today,
			"records": []any{map[string]any{"studentId": m.children[m.absent], "status": "PRESENT"}}})
	h := testkit.Get[attendance.AttendanceHistory](t, d.office, "/school-admin/attendance/history/"+m.children[m.absent].String())
	if len(h.Days) != 1 || len(h.Days[0].Revisions) != 2 || *h.Days[0].Revisions[0].Status != "ABSENT" || *h.Days[0].Status != "PRESENT" {
		t.Errorf("history %+v", h)
	}
	if n := d.logged(t, m.users[m.absent], "ATTENDANCE"); n != 2 {
		t.Errorf("the parent heard %d times: the absence, and one correction", n)
	}
	month := testkit.Get[attendance.ChildMonth](t, m.parents[m.absent], "/parent/attendance/list?studentId="+m.children[m.absent].String())
	if seen := slices.IndexFunc(month.Days, func(c attendance.ChildDay) bool { return c.Date == m.today }); seen < 0 ||
		*month.Days[seen].Status != "PRESENT" {
		t.Errorf("the parent sees %+v", month.Days)
	}
	m.parents[m.late].Refuses(t, "GET", "/parent/attendance/list?studentId="+m.children[m.absent].String(), nil, 404, "STUDENT_NOT_FOUND")
	d.ids["/school-admin/student/"] = m.children[m.ok]
}
