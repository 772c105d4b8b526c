package fee_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// office is a school with an active year, a class and its fees: 10,000 for tuition and
// 2,001 for exams, in two instalments, the first due ten days ago.
type office struct {
	*testkit.School
	clerk         *testkit.Client
	year          roster.AcademicYear
	class         roster.Class
	division      roster.Division
	tuition, exam charging.Head
	structure     charging.Structure
	today         api.Date
}

func newOffice(t *testing.T, more ...map[string]any) *office {
	t.Helper()
	return furnish(t, testkit.NewSchool(t), more...)
}

func furnish(t *testing.T, s *testkit.School, more ...map[string]any) *office {
	t.Helper()
	o := &office{School: s}
	o.clerk = o.As(t, api.SchoolAdmin)
	o.today = api.DateOf(o.App.Service.Kernel.Clock().In(o.Location()))
	o.year = testkit.Post[roster.AcademicYear](t, o.clerk, "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": o.today.AddDays(-99), "endDate": o.today.AddDays(100)}) // 200 days
	testkit.Post[roster.AcademicYear](t, o.clerk, "/school-admin/academic-year/"+o.year.ID.String()+"/activate", nil)
	o.class = testkit.Post[roster.Class](t, o.clerk, "/school-admin/class/create", map[string]any{"name": "Class 5", "level": 5})
	o.division = testkit.Post[roster.Division](t, o.clerk, "/school-admin/division/create",
		map[string]any{"classId": o.class.ID, "name": "A"})
	o.tuition = testkit.Post[charging.Head](t, o.clerk, "/school-admin/fee/head/create",
		map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	o.exam = testkit.Post[charging.Head](t, o.clerk, "/school-admin/fee/head/create",
		map[string]any{"name": "Exams", "code": "EXA", "type": "EXAM"})
	body := map[string]any{
		"classId": o.class.ID, "name": "Class 5",
		"heads": []any{map[string]any{"feeHeadId": o.tuition.ID, "amount": 10_000},
			map[string]any{"feeHeadId": o.exam.ID, "amount": 2_001}},
		"instalments": []any{map[string]any{"name": "Term 1", "dueDate": o.today.AddDays(-10), "percent": 50},
			map[string]any{"name": "Term 2", "dueDate": o.today.AddDays(60), "percent": 50}},
	}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	o.structure = testkit.Post[charging.Structure](t, o.clerk, "/school-admin/fee/structure/create", body)
	return o
}

// The instalments of 12,001: what is rounded up in the first is not in the second.
const (
	term1 = 5_000 + 1_001
	term2 = 5_000 + 1_000
)

// admit adds a student who sits in the class since the year began.
func (o *office) admit(t *testing.T, name string, more ...map[string]any) uuid.UUID {
	t.Helper()
	body := map[string]any{"firstName": name, "lastName": "Rao", "divisionId": o.division.ID, "admissionDate": o.year.StartDate}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	return testkit.Post[roster.StudentDetail](t, o.clerk, "/school-admin/student/create", body).ID
}

// parent is a signed-in guardian of a student's.
func (o *office) parent(t *testing.T, student uuid.UUID) *testkit.Client {
	t.Helper()
	phone := testkit.NewPhone()
	testkit.Post[struct{ ID uuid.UUID }](t, o.clerk, "/school-admin/student/"+student.String()+"/guardians",
		map[string]any{"firstName": "Meera", "phone": phone, "relation": "MOTHER"})
	nobody := o.App.Nobody()
	nobody.Call(t, "POST", "/parent/user-auth/send-otp", map[string]any{"phone": phone})
	a := nobody.Call(t, "POST", "/parent/user-auth/verify-otp", map[string]any{"phone": phone, "otp": o.App.OTP(t, phone)})
	var in struct{ AccessToken string }
	a.Read(t, &in)
	nobody.Token = in.AccessToken
	return nobody
}

func (o *office) set(t *testing.T, settings map[string]any) {
	t.Helper()
	testkit.Put[struct{}](t, o.clerk, "/school-admin/setting", settings)
}

func (o *office) charge(t *testing.T, instalment any, students ...uuid.UUID) charging.Charged {
	t.Helper()
	body := map[string]any{"structureId": o.structure.ID, "instalment": instalment}
	if students == nil {
		body["classId"] = o.class.ID
	} else {
		body["studentIds"] = students
	}
	return testkit.Post[charging.Charged](t, o.clerk, "/school-admin/fee/charge", body)
}

func (o *office) pay(t *testing.T, student uuid.UUID, amount int64, mode string) fee.Collection {
	t.Helper()
	return testkit.Post[fee.Collection](t, o.clerk, "/school-admin/fee/collection/record",
		map[string]any{"studentId": student, "amount": amount, "paymentMode": mode, "referenceNumber": "000123", "confirmRepeat": true})
}

func (o *office) reverse(t *testing.T, receipt uuid.UUID) fee.Reversed {
	t.Helper()
	return testkit.Post[fee.Reversed](t, o.clerk, "/school-admin/fee/collection/"+receipt.String()+"/reverse",
		map[string]any{"reason": "The cheque bounced"})
}

// refuses checks that a call is refused, because of a field if one is given.
func (o *office) refuses(t *testing.T, method, path string, data any, status int, field string) {
	t.Helper()
	f := o.clerk.Refuses(t, method, path, data, status, "")
	if field != "" && (len(f.Details) == 0 || f.Details[0].Field != field) {
		t.Errorf("%s %s: details %+v, want %s", method, path, f.Details, field)
	}
}

func (o *office) report(t *testing.T, student uuid.UUID) fee.Report {
	t.Helper()
	return testkit.Get[fee.Report](t, o.clerk, "/school-admin/fee/report/"+student.String())
}

// states are the invoices' states and what is open of them, in order.
func states(r fee.Report) string {
	out := ""
	for _, i := range r.Invoices {
		out += fmt.Sprintf("%s %s %d; ", i.Name, i.State, i.Open)
	}
	return out
}

// sound checks what must hold of every ledger, whatever was done to it.
func (o *office) sound(t *testing.T) {
	t.Helper()
	if n := o.Count(t,
		"(select transaction_id from ledger_entry group by transaction_id having sum(case entry_type when 'DR' then amount else -amount end) <> 0) x", "true"); n != 0 {
		t.Errorf("%d transactions do not balance", n)
	}
	if n := o.Count(t, "ledger_transaction t", "not exists (select from ledger_entry e where e.transaction_id = t.id)"); n != 0 {
		t.Errorf("%d transactions have no entries", n)
	}
	if n := o.Count(t,
		"(select academic_year_id from fee_receipt group by academic_year_id having max(number) <> count(*) or min(number) <> 1 or count(distinct number) <> count(*)) x", "true"); n != 0 {
		t.Error("receipt numbers have gaps or doubles")
	}
	if n := o.Count(t,
		"(select student_id, structure_id, instalment from fee_invoice where structure_id is not null group by 1, 2, 3 having count(*) > 1) x",
		"true"); n != 0 {
		t.Error("an instalment was charged twice")
	}
	b := testkit.Get[fee.TrialBalance](t, o.clerk, "/school-admin/fee/trial-balance")
	if b.TotalDebit != b.TotalCredit {
		t.Errorf("debit %d, credit %d", b.TotalDebit, b.TotalCredit)
	}
	for _, a := range b.Accounts {
		if a.Debit < 0 || a.Credit < 0 || (a.Type == "ADVANCE" && a.Debit != 0) {
			t.Errorf("account %+v", a)
		}
	}
}
