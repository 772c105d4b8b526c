package fee_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestAClassIsChargedOnceHoweverOftenItIsAsked(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	if got := o.charge(t, 1); got.Charged != 2 || got.AlreadyCharged != 0 || got.Amount != 2*term1 {
		t.Errorf("charged %+v", got)
	}
	zoe := o.admit(t, "Zoe")
	if got := o.charge(t, "term 1"); got.Charged != 1 || got.AlreadyCharged != 2 || got.Amount != term1 {
		t.Errorf("charged again %+v", got)
	}
	if got := o.charge(t, 2, asha, ravi); got.Charged != 2 || got.Amount != 2*term2 {
		t.Errorf("charged term 2 %+v", got)
	}
	if r := o.report(t, asha); r.Balance != 12_001 || len(r.Entries) != 2 || r.Entries[1].Balance != 12_001 ||
		states(r) != "Term 1 UNPAID 6001; Term 2 UNPAID 6000; " {
		t.Errorf("%+v, %s", r, states(r))
	}
	if r := o.report(t, zoe); r.Balance != term1 || r.Invoices[0].Lines[1].Name != "Exams" || r.Invoices[0].Lines[1].Amount != 1_001 {
		t.Errorf("%+v", r)
	}
	o.sound(t)
}

func TestCharge_WaivedWhole_SendsNoNotice(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	o.parent(t, asha)
	o.parent(t, ravi)
	o.grant(t, asha, map[string]any{"mode": "PERCENT", "value": 100})
	o.charge(t, 1)
	if got := states(o.report(t, asha)); got != "Term 1 WAIVED 0; " {
		t.Errorf("invoices %q, want one that is waived", got)
	}
	for student, want := range map[uuid.UUID]int{asha: 0, ravi: 1} {
		if n := o.Count(t, "notice", "student_id = ? and type = 'FEE'", student); n != want {
			t.Errorf("%d notices of %d left, want %d", n, o.report(t, student).Balance, want)
		}
	}
}

func TestTwoChargesOfAnInstalmentAtOnceAreOne(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, name := range []string{"Asha", "Ravi", "Zoe"} {
		o.admit(t, name)
	}
	var all sync.WaitGroup
	charged := make([]int, 8)
	for i := range charged {
		all.Go(func() { charged[i] = o.charge(t, 1).Charged })
	}
	all.Wait()
	sum := 0
	for _, n := range charged {
		sum += n
	}
	if sum != 3 || o.Count(t, "fee_invoice", "true") != 3 {
		t.Errorf("charged %v", charged)
	}
	o.sound(t)
}

func TestWhoJoinsLatePaysForTheDaysThatRemain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.set(t, map[string]any{"proRataBy": "DAYS"})
	// 101 of the year's 200 days remain, today included.
	late := o.admit(t, "Late", map[string]any{"admissionDate": o.today})
	o.charge(t, 1)
	o.charge(t, 2)
	if r := o.report(t, late); r.Balance != 5_050+1_011 { // 10,000 and 2,001 by 101 ÷ 200, rounded
		t.Errorf("balance %d, %+v", r.Balance, r.Invoices)
	}
	flat := newOffice(t, map[string]any{"proRata": false})
	late = flat.admit(t, "Late", map[string]any{"admissionDate": flat.today})
	flat.charge(t, 1)
	if r := flat.report(t, late); r.Balance != term1 {
		t.Errorf("without pro rata: %d", r.Balance)
	}
}

func TestCharge_OfWhoJoinsLate_IsForTheMonthsThatRemain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	months := func(from, to api.Date) int64 { return int64((to.Year-from.Year)*12+int(to.Month)-int(from.Month)) + 1 }
	left, year := months(o.today, o.year.EndDate), months(o.year.StartDate, o.year.EndDate)
	o.admit(t, "Early")
	late := o.admit(t, "Late", map[string]any{"admissionDate": o.today})
	o.set(t, map[string]any{"feeRoundTo": 100})
	rounded := func(amount int64) int64 { return (amount*left/year + 50) / 100 * 100 }
	want := rounded(10_000)/2 + (rounded(2_001)+1)/2
	dry := testkit.Post[charging.Charged](t, o.clerk, "/school-admin/fee/charge",
		map[string]any{"structureId": o.structure.ID, "instalment": 1, "classId": o.class.ID, "dryRun": true})
	if dry.ProRata != 1 || dry.ProRataAmount != want || dry.Charged != 2 || dry.Students[0].ProRata || !dry.Students[1].ProRata {
		t.Errorf("dry run %+v, want one of %d", dry, want)
	}
	o.charge(t, 1)
	if r := o.report(t, late); r.Balance != want {
		t.Errorf("balance %d, want %d", r.Balance, want)
	}
}

func TestCharge_AfterItsDueDate_IsDueToday(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1) // of ten days ago
	if v := o.report(t, asha).Invoices[0]; v.DueDate != o.today || v.State != "UNPAID" {
		t.Errorf("due %s, %s", v.DueDate, v.State)
	}
	if d := testkit.Get[fee.Dues](t, o.clerk, "/school-admin/fee/dues"); d.Ageing.Days0To30 != term1 || d.Ageing.Total != term1 {
		t.Errorf("ageing %+v", d.Ageing)
	}
}

func TestCharge_OfTheNextYear_BillsNobodyWhoIsNotPromoted(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.admit(t, "Asha")
	next := testkit.Post[roster.AcademicYear](t, o.clerk, "/school-admin/academic-year/create",
		map[string]any{"name": "2027-28", "startDate": o.year.EndDate.AddDays(1), "endDate": o.year.EndDate.AddDays(200)})
	fees := testkit.Post[charging.Structure](t, o.clerk, "/school-admin/fee/structure/create", map[string]any{
		"classId": o.class.ID, "academicYearId": next.ID, "name": "Next year",
		"heads":       []any{map[string]any{"feeHeadId": o.tuition.ID, "amount": 40_000}},
		"instalments": []any{map[string]any{"name": "Whole", "dueDate": next.StartDate, "percent": 100}}})
	got := testkit.Post[charging.Charged](t, o.clerk, "/school-admin/fee/charge",
		map[string]any{"structureId": fees.ID, "instalment": 1, "classId": o.class.ID})
	if got.Charged != 0 || got.Amount != 0 {
		t.Errorf("charged %+v", got)
	}
}

func TestWhatWasChargedStaysWhenTheStructureChanges(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	changed := testkit.Put[charging.Structure](t, o.clerk, "/school-admin/fee/structure/"+o.structure.ID.String(), map[string]any{
		"heads": []any{map[string]any{"feeHeadId": o.tuition.ID, "amount": 20_000}}, "lateFine": map[string]any{"type": "FIXED", "amount": 500}})
	if changed.Total != 20_000 || len(changed.Instalments) != 2 || changed.LateFine.Type != "FIXED" || changed.Version != 2 {
		t.Errorf("changed %+v", changed)
	}
	ravi := o.admit(t, "Ravi")
	o.charge(t, 1)
	if a, b := o.report(t, asha).Balance, o.report(t, ravi).Balance; a != term1 || b != 10_000 {
		t.Errorf("balances %d and %d", a, b)
	}
	o.clerk.Refuses(t, "PUT", "/school-admin/fee/structure/"+o.structure.ID.String(), map[string]any{"instalments": []any{
		map[string]any{"name": "Term 1", "dueDate": o.today, "percent": 40},
		map[string]any{"name": "Term 2", "dueDate": o.today, "percent": 60}}}, 409, "")
	read := testkit.Get[charging.Structure](t, o.clerk, "/school-admin/fee/structure/"+o.class.ID.String())
	if read.ID != o.structure.ID || read.Total != 20_000 || read.Instalments[0].Percent != 50 {
		t.Errorf("read %+v", read)
	}
	list := testkit.Get[api.Page[charging.Structure]](t, o.clerk, "/school-admin/fee/structure/list?filters[classId]="+o.class.ID.String())
	if list.Total != 1 || list.Items[0].Total != 20_000 || len(list.Items[0].Heads) != 1 {
		t.Errorf("listed %+v", list)
	}
}

func TestAStructureThatDoesNotFitIsRefusedWithEveryFault(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	other := testkit.NewSchool(t)
	theirs := furnish(t, other)
	six := testkit.Post[struct{ ID string }](t, o.clerk, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	body := func(heads, instalments []any, fine map[string]any) map[string]any {
		return map[string]any{"classId": six.ID, "name": "Six", "heads": heads, "instalments": instalments, "lateFine": fine}
	}
	head := map[string]any{"feeHeadId": o.tuition.ID, "amount": 100}
	term := func(name string, percent float64) map[string]any {
		return map[string]any{"name": name, "dueDate": o.today, "percent": percent}
	}
	f := o.clerk.Refuses(t, "POST", "/school-admin/fee/structure/create",
		body([]any{head, head}, []any{term("A", 33.333), term("a", 50)}, map[string]any{"type": "PER_DAY"}), 422, "")
	if len(f.Details) != 5 {
		t.Errorf("details %+v", f.Details)
	}
	for _, amount := range []any{0, -5, int64(1e18), 10.5, "100"} {
		o.clerk.Refuses(t, "POST", "/school-admin/fee/structure/create",
			body([]any{map[string]any{"feeHeadId": o.tuition.ID, "amount": amount}}, []any{term("A", 100)}, nil), 422, "")
	}
	o.clerk.Refuses(t, "POST", "/school-admin/fee/structure/create",
		body([]any{map[string]any{"feeHeadId": theirs.tuition.ID, "amount": 5}}, []any{term("A", 100)}, nil), 422, "")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/charge",
		map[string]any{"structureId": theirs.structure.ID, "instalment": 1, "classId": o.class.ID}, 404, "")
	stranger := theirs.admit(t, "Stranger")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/charge",
		map[string]any{"structureId": o.structure.ID, "instalment": 1, "studentIds": []any{o.admit(t, "Asha"), stranger}}, 422, "")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/charge",
		map[string]any{"structureId": o.structure.ID, "instalment": 3, "classId": o.class.ID}, 422, "")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/charge", map[string]any{"structureId": o.structure.ID, "instalment": 1}, 422, "")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/structure/create",
		map[string]any{"classId": o.class.ID, "name": "Again", "heads": []any{head}, "instalments": []any{term("A", 100)}}, 409,
		"DUPLICATE_ENTRY")
	if n := o.Count(t, "ledger_entry", "true"); n != 0 {
		t.Errorf("%d entries", n)
	}
}

func TestAFeeHeadInUseIsKept(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := "/school-admin/fee/head/"
	o.clerk.Refuses(t, "DELETE", path+o.tuition.ID.String(), nil, 409, "")
	o.clerk.Refuses(t, "POST", path+"create", map[string]any{"name": "Other", "code": "tui", "type": "OTHER"}, 409, "DUPLICATE_ENTRY")
	spare := testkit.Post[charging.Head](t, o.clerk, path+"create", map[string]any{"name": "Sports", "code": "SPO", "type": "OTHER"})
	if got := testkit.Put[charging.Head](t, o.clerk, path+spare.ID.String(), map[string]any{"name": "Games"}); got.Name != "Games" ||
		got.Code != "SPO" {
		t.Errorf("changed %+v", got)
	}
	if a := o.clerk.Call(t, "DELETE", path+spare.ID.String(), nil); a.Status != 204 {
		t.Errorf("deleting: %d %s", a.Status, a.Body)
	}
	if n := o.Count(t, "ledger_account", "id = ?", spare.ID); n != 0 {
		t.Error("its account is still there")
	}
}

func TestAnEmptyListOfStudentsIsNotTheWholeClass(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.admit(t, "Asha")
	f := o.clerk.Refuses(t, "POST", "/school-admin/fee/charge",
		map[string]any{"structureId": o.structure.ID, "instalment": 1, "studentIds": []any{}}, 422, "")
	if len(f.Details) != 1 || f.Details[0].Field != "studentIds" {
		t.Errorf("charge: %+v", f.Details)
	}
	o.clerk.Refuses(t, "POST", "/school-admin/fee/charge", map[string]any{"structureId": o.structure.ID, "instalment": 1}, 422, "")
	if n := o.Count(t, "fee_invoice", "true"); n != 0 {
		t.Errorf("%d invoices", n)
	}
	o.charge(t, 1)
	f = o.clerk.Refuses(t, "POST", "/school-admin/fee/reminder/send", map[string]any{"studentIds": []any{}}, 422, "")
	if len(f.Details) != 1 || f.Details[0].Field != "studentIds" {
		t.Errorf("reminder: %+v", f.Details)
	}
	if n := o.Count(t, "fee_reminder", "true"); n != 0 {
		t.Errorf("%d reminders", n)
	}
}

func TestWhoChangesClassPaysNoPartOfTheYearTwice(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	o.charge(t, 1)
	six := testkit.Post[roster.Class](t, o.clerk, "/school-admin/class/create", map[string]any{"name": "Class 6", "level": 6})
	other := testkit.Post[roster.Division](t, o.clerk, "/school-admin/division/create", map[string]any{"classId": six.ID, "name": "A"})
	quarter := func(name string, days int) map[string]any {
		return map[string]any{"name": name, "dueDate": o.today.AddDays(days), "percent": 25}
	}
	dearer := testkit.Post[charging.Structure](t, o.clerk, "/school-admin/fee/structure/create", map[string]any{
		"classId": six.ID, "name": "Class 6", "heads": []any{map[string]any{"feeHeadId": o.tuition.ID, "amount": 20_000}},
		"instalments": []any{quarter("Q1", -90), quarter("Q2", -20), quarter("Q3", 30), quarter("Q4", 60)}})
	for _, id := range []uuid.UUID{asha, ravi} {
		testkit.Put[roster.StudentDetail](t, o.clerk, "/school-admin/student/"+id.String(),
			map[string]any{"classId": six.ID, "divisionId": other.ID})
	}
	o.admit(t, "Zoe", map[string]any{"divisionId": other.ID})
	charge := func(instalment any) charging.Charged {
		t.Helper()
		return testkit.Post[charging.Charged](t, o.clerk, "/school-admin/fee/charge",
			map[string]any{"structureId": dearer.ID, "instalment": instalment, "classId": six.ID})
	}
	// Term 1 of the old class was half of the year: the new one's first two quarters.
	for _, quarter := range []string{"Q1", "Q2"} {
		if got := charge(quarter); got.Charged != 1 || got.ChargedElsewhere != 2 || got.AlreadyCharged != 0 || got.Amount != 5_000 {
			t.Errorf("%s: %+v", quarter, got)
		}
	}
	if got := charge("Q3"); got.Charged != 3 || got.ChargedElsewhere != 0 {
		t.Errorf("Q3: %+v", got)
	}
	if r := o.report(t, asha); r.Balance != term1+5_000 {
		t.Errorf("balance %d", r.Balance)
	}
	// An invoice that was waived asks for nothing: the new class may charge for it.
	wrong := o.report(t, ravi).Invoices[0].ID
	testkit.Post[charging.GrantedConcession](t, o.clerk, "/school-admin/fee/concession",
		map[string]any{"studentId": ravi, "invoiceId": wrong, "mode": "PERCENT", "value": 100, "reason": "Never sat there"})
	if got := charge("Q1"); got.Charged != 1 || got.ChargedElsewhere != 1 || got.AlreadyCharged != 1 {
		t.Errorf("Q1 again: %+v", got)
	}
	o.sound(t)
}

func TestADryRunOfAChargeSaysWhomAndHowMuchAndChargesNobody(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	o.grant(t, ravi, map[string]any{"mode": "PERCENT", "value": 100})
	o.charge(t, 1, asha)
	body := map[string]any{"structureId": o.structure.ID, "instalment": 1, "classId": o.class.ID, "dryRun": true}
	got := testkit.Post[charging.Charged](t, o.clerk, "/school-admin/fee/charge", body)
	if !got.DryRun || got.Charged != 1 || got.AlreadyCharged != 1 || got.Amount != term1 || got.Concession != term1 ||
		len(got.Students) != 2 ||
		got.Students[0].StudentID != asha || got.Students[0].Outcome != "ALREADY_CHARGED" || got.Students[1].Outcome != "CHARGED" ||
		got.Students[1].Amount != term1 || got.Students[1].Concession != term1 {
		t.Errorf("would charge %+v", got)
	}
	if n := o.Count(t, "fee_invoice", "true"); n != 1 {
		t.Errorf("%d invoices", n)
	}
	if real := o.charge(t, 1); real.Charged != got.Charged || real.Amount != got.Amount || real.Concession != got.Concession ||
		len(real.Students) != 0 {
		t.Errorf("charged %+v", real)
	}
	o.sound(t)
}
