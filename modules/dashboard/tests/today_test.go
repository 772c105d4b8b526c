package dashboard_test

import (
	"testing"
	"time"

	"homeroom/api"
	"homeroom/modules/dashboard"
	"homeroom/modules/fee"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

const todayPath = "/school-admin/dashboard/today"

func TestToday_Money_IsTheAccountantsDay(t *testing.T) {
	t.Parallel()
	s := &place{testkit.NewSchool(t)}
	admin := s.As(t, api.SchoolAdmin)
	today := api.DateOf(s.App.Service.Kernel.Clock().In(s.Location()))
	child := s.Child(t, s.Seat(t, "Class 5"), 0)
	for days, amount := range map[int]int64{-40: 500, -10: 300, 0: 5000} {
		s.Owe(t, child.ID, amount, today.AddDays(days))
	}
	only(t, s, "fee")
	if got := testkit.Get[dashboard.Today](t, admin, todayPath).Money; got == nil || got.OverdueMonth != 500 || got.OverdueDebtors != 1 {
		t.Errorf("over 30 days: %+v, want 500 of one student", got)
	}
	only(t, s, "")
	for _, paid := range []map[string]any{{"amount": 100, "paymentMode": "CASH"}, {"amount": 200, "paymentMode": "CASH"},
		{"amount": 400, "paymentMode": "UPI", "referenceNumber": "U1"}} {
		paid["studentId"] = child.ID
		testkit.Post[fee.Collection](t, admin, "/school-admin/fee/collection/record", paid)
	}
	got := testkit.Get[dashboard.Today](t, admin, todayPath).Money
	want := []dashboard.ModeToday{{PaymentMode: "CASH", Amount: 300, Receipts: 2}, {PaymentMode: "UPI", Amount: 400, Receipts: 1}}
	if len(got.Modes) != 2 || got.Modes[0] != want[0] || got.Modes[1] != want[1] {
		t.Errorf("modes %+v, want %+v", got.Modes, want)
	}
	if got.OverdueMonth != 0 {
		t.Errorf("%d is over 30 days after the oldest was paid, want nothing", got.OverdueMonth)
	}
	if got.TodayClosed {
		t.Error("today is closed before anybody closed it")
	}
	testkit.Post[fee.DayClosing](t, admin, "/school-admin/fee/day/close", map[string]any{"counted": 300})
	if got := testkit.Get[dashboard.Today](t, admin, todayPath).Money; !got.TodayClosed {
		t.Error("today is not closed after it was")
	}
}

func TestToday_Students_AreTheRegistrarsLooseEnds(t *testing.T) {
	t.Parallel()
	s := &place{testkit.NewSchool(t)}
	admin := s.As(t, api.SchoolAdmin)
	s.Child(t, s.Seat(t, "Class 5"), 0)
	testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create", map[string]any{"firstName": "Asha",
		"admissionDate": api.DateOf(time.Now().In(s.Location())),
		"guardians":     []any{map[string]any{"firstName": "Meera", "phone": testkit.NewPhone(), "relation": "MOTHER"}}})
	s.exec(t, `update student set admission_date = current_date - 100 where first_name <> 'Asha'`)
	got := testkit.Get[dashboard.Today](t, admin, todayPath).Students
	if want := (dashboard.StudentsNow{AdmittedThisWeek: 1, WithoutClass: 1, WithoutGuardian: 1}); got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestToday_LeavesOutWhatTheCallerMayNotRead(t *testing.T) {
	t.Parallel()
	s := &place{testkit.NewSchool(t)}
	admin := s.As(t, api.SchoolAdmin)
	s.Child(t, s.Seat(t, "Class 5"), 0)
	only(t, s, "attendance")
	got := testkit.Get[dashboard.Today](t, admin, todayPath)
	if got.Money != nil || got.Students != nil || got.Lessons != nil || got.Leave != nil {
		t.Errorf("with attendance alone: %+v", got)
	}
	if got.Attendance == nil || got.Attendance.Students != 1 {
		t.Errorf("attendance %+v, want one student", got.Attendance)
	}
	only(t, s, "timetable")
	if got := testkit.Get[dashboard.Today](t, admin, todayPath); got.Lessons == nil || got.Attendance != nil {
		t.Errorf("with the timetable alone: %+v", got)
	}
	only(t, s, "event")
	admin.Refuses(t, "GET", todayPath, nil, 403, "PERMISSION_DENIED")
}
