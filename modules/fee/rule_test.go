package fee_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/fee/charging"
	"homeroom/testkit"
)

func (o *office) rule(t *testing.T, fields map[string]any) charging.RuleItem {
	t.Helper()
	return testkit.Post[charging.RuleItem](t, o.clerk, "/school-admin/fee/rule/create", fields)
}

// child admits a student with a guardian of this phone, born so many days ago.
func (o *office) child(t *testing.T, name, phone string, age int) uuid.UUID {
	t.Helper()
	id := o.admit(t, name, map[string]any{"dateOfBirth": o.today.AddDays(-age)})
	testkit.Post[struct{ ID uuid.UUID }](t, o.clerk, "/school-admin/student/"+id.String()+"/guardians",
		map[string]any{"firstName": "Meera", "phone": phone, "relation": "MOTHER"})
	return id
}

func TestCharge_OfSiblings_IsLessForTheYounger(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	phone := testkit.NewPhone()
	third, first, second := o.child(t, "Third", phone, 2_000), o.child(t, "First", phone, 5_000), o.child(t, "Second", phone, 3_000)
	fourth, only := o.child(t, "Fourth", phone, 1_900), o.child(t, "Only", testkit.NewPhone(), 1_000)
	o.rule(t, map[string]any{"kind": "SIBLING", "child": 2, "percent": 10, "feeHeadId": o.tuition.ID})
	o.rule(t, map[string]any{"kind": "SIBLING", "child": 3, "percent": 25, "feeHeadId": o.tuition.ID})
	dry := testkit.Post[charging.Charged](t, o.clerk, "/school-admin/fee/charge",
		map[string]any{"structureId": o.structure.ID, "instalment": 1, "classId": o.class.ID, "dryRun": true})
	if dry.Concession != 500+1_250+1_250 {
		t.Errorf("dry run waives %d", dry.Concession)
	}
	o.charge(t, 1)
	for id, want := range map[uuid.UUID]int64{first: 0, second: 500, third: 1_250, fourth: 1_250, only: 0} {
		r := o.report(t, id)
		if v := r.Invoices[0]; v.Concession != want || v.Lines[0].Waived != want || v.Lines[1].Waived != 0 || r.Balance != term1-want {
			t.Errorf("%s: %+v, want %d waived", r.Student.FirstName, v, want)
		}
	}
	if rule := o.report(t, second).Invoices[0].Lines[0].Rule; rule != "child 2 of the family, 10 %" {
		t.Errorf("the invoice says %q", rule)
	}
	o.sound(t)
}

func TestCharge_OfAnEmployeesChild_TakesTheHighestRule(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	phone := testkit.NewPhone()
	testkit.Post[struct{ ID uuid.UUID }](t, o.clerk, "/school-admin/employee/create",
		map[string]any{"firstName": "Meera", "phone": phone, "employeeType": "SUPPORT"})
	elder, younger := o.child(t, "Elder", phone, 5_000), o.child(t, "Younger", phone, 3_000)
	o.rule(t, map[string]any{"kind": "STAFF", "percent": 50})
	o.rule(t, map[string]any{"kind": "SIBLING", "child": 2, "percent": 60, "feeHeadId": o.exam.ID})
	testkit.Post[charging.GrantedConcession](t, o.clerk, "/school-admin/fee/concession", map[string]any{"studentId": younger,
		"feeHeadId": o.tuition.ID, "mode": "PERCENT", "value": 60, "reason": "Merit"})
	o.charge(t, 1)
	if r := o.report(t, elder); r.Balance != term1-2_500-501 {
		t.Errorf("the elder owes %d", r.Balance)
	}
	r := o.report(t, younger)
	if lines := fmt.Sprint(r.Invoices[0].Lines[0].Waived, r.Invoices[0].Lines[1].Waived); lines != "2500 601" {
		t.Errorf("rules waive %s", lines)
	}
	if r.Balance != max(0, term1-2_500-601-3_000) {
		t.Errorf("the younger owes %d", r.Balance)
	}
	o.sound(t)
}

func TestRule_RefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for field, body := range map[string]map[string]any{
		"child":     {"kind": "SIBLING", "percent": 10},
		"percent":   {"kind": "STAFF", "percent": 101},
		"feeHeadId": {"kind": "STAFF", "percent": 10, "feeHeadId": uuid.New()},
	} {
		o.refuses(t, "POST", "/school-admin/fee/rule/create", body, 422, field)
	}
	o.rule(t, map[string]any{"kind": "STAFF", "percent": 10})
	o.refuses(t, "POST", "/school-admin/fee/rule/create", map[string]any{"kind": "STAFF", "percent": 20}, 409, "")
}
