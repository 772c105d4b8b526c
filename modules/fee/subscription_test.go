package fee_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/charging"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

// optional adds an optional head to the class's structure; amount is the structure's.
func (o *office) optional(t *testing.T, amount int64, fields map[string]any) charging.Head {
	t.Helper()
	body := map[string]any{"name": "Lunch", "code": "LUN", "type": "OTHER", "optional": true}
	for k, v := range fields {
		body[k] = v
	}
	head := testkit.Post[charging.Head](t, o.clerk, "/school-admin/fee/head/create", body)
	o.structure = testkit.Put[charging.Structure](t, o.clerk, "/school-admin/fee/structure/"+o.structure.ID.String(), map[string]any{
		"heads": []any{map[string]any{"feeHeadId": o.tuition.ID, "amount": 10_000},
			map[string]any{"feeHeadId": o.exam.ID, "amount": 2_001}, map[string]any{"feeHeadId": head.ID, "amount": amount}}})
	return head
}

func (o *office) subscribe(t *testing.T, head charging.Head, more map[string]any) charging.Subscribed {
	t.Helper()
	body := map[string]any{"feeHeadId": head.ID, "fromDate": o.year.StartDate}
	for k, v := range more {
		body[k] = v
	}
	return testkit.Post[charging.Subscribed](t, o.clerk, "/school-admin/fee/subscription/create", body)
}

func (o *office) dryRun(t *testing.T, instalment int) map[uuid.UUID]string {
	t.Helper()
	got := testkit.Post[charging.Charged](t, o.clerk, "/school-admin/fee/charge",
		map[string]any{"structureId": o.structure.ID, "instalment": instalment, "classId": o.class.ID, "dryRun": true})
	out := map[uuid.UUID]string{}
	for _, s := range got.Students {
		for _, l := range s.Lines {
			out[s.StudentID] += fmt.Sprintf("%s %d; ", l.Name, l.Amount)
		}
	}
	return out
}

// places is a route of a bus with two stops.
func (o *office) places(t *testing.T, direction string) transport.RouteDetail {
	t.Helper()
	type record struct{ ID uuid.UUID }
	bus := testkit.Post[record](t, o.clerk, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "KA-01-" + testkit.NewPhone()[7:], "capacity": 40})
	return testkit.Post[transport.RouteDetail](t, o.clerk, "/school-admin/transport/route/create", map[string]any{
		"name": "Hill Road, " + direction, "busId": bus.ID, "direction": direction, "stops": []any{
			map[string]any{"name": "Near", "lat": 12.9, "lng": 77.5}, map[string]any{"name": "Far", "lat": 12.8, "lng": 77.4}}})
}

func (o *office) ride(t *testing.T, route transport.RouteDetail, from api.Date, riders map[uuid.UUID]uuid.UUID) {
	t.Helper()
	list := []any{}
	for student, stop := range riders {
		list = append(list, map[string]any{"studentId": student, "stopId": stop})
	}
	testkit.Put[transport.RouteDetail](t, o.clerk, "/school-admin/transport/route/"+route.ID.String()+"/students",
		map[string]any{"students": list, "fromDate": from})
}

func TestCharge_OptionalHead_BillsItsSubscribersOnly(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	lunch := o.optional(t, 3_001, nil)
	if o.structure.Total != 12_001 {
		t.Errorf("total %d, want what everybody pays, 12001", o.structure.Total)
	}
	if got := o.subscribe(t, lunch, map[string]any{"studentIds": []uuid.UUID{asha}}); got.Subscribed != 1 {
		t.Errorf("subscribed %+v", got)
	}
	dry := o.dryRun(t, 1)
	if dry[asha] != "Tuition 5000; Exams 1001; Lunch 1501; " {
		t.Errorf("Asha: %q", dry[asha])
	}
	if dry[ravi] != "Tuition 5000; Exams 1001; " {
		t.Errorf("Ravi: %q", dry[ravi])
	}
	o.charge(t, 1)
	o.charge(t, 2)
	if r := o.report(t, asha); r.Balance != 12_001+3_001 {
		t.Errorf("Asha owes %d", r.Balance)
	}
	if r := o.report(t, ravi); r.Balance != 12_001 {
		t.Errorf("Ravi owes %d", r.Balance)
	}
	o.sound(t)
}

func TestCharge_SubscribedAfterAnInstalment_PaysTheDaysWithTheNext(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.set(t, map[string]any{"proRataBy": "DAYS"})
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	lunch := o.optional(t, 2_000, nil)
	o.subscribe(t, lunch, map[string]any{"studentIds": []uuid.UUID{ravi}, "toDate": o.year.StartDate.AddDays(49)})
	o.charge(t, 1)
	o.subscribe(t, lunch, map[string]any{"studentIds": []uuid.UUID{asha}, "fromDate": o.year.StartDate.AddDays(60)})
	o.charge(t, 2)
	if r := o.report(t, asha); r.Balance != 12_001+1_400 { // 140 of 200 days
		t.Errorf("Asha owes %d", r.Balance)
	}
	if r := o.report(t, ravi); r.Balance != 12_001+500 { // 50 of 200 days
		t.Errorf("Ravi owes %d", r.Balance)
	}
	o.sound(t)
}

func TestCharge_HeadWithOptions_BillsTheSubscribersOption(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	hostel := o.optional(t, 0, map[string]any{"name": "Hostel", "amountBy": "OPTION", "amounts": []any{
		map[string]any{"name": "Shared room", "amount": 4_000}, map[string]any{"name": "Own room", "amount": 8_000}}})
	o.refuses(t, "POST", "/school-admin/fee/subscription/create",
		map[string]any{"feeHeadId": hostel.ID, "studentIds": []uuid.UUID{asha}}, 422, "optionId")
	o.subscribe(t, hostel, map[string]any{"classId": o.class.ID, "optionId": hostel.Amounts[1].ID})
	if dry := o.dryRun(t, 1); dry[asha] != "Tuition 5000; Exams 1001; Hostel: Own room 4000; " {
		t.Errorf("Asha: %q", dry[asha])
	}
	// An option somebody has is not taken away.
	o.refuses(t, "PUT", "/school-admin/fee/head/"+hostel.ID.String(),
		map[string]any{"amounts": []any{map[string]any{"name": "Shared room", "amount": 4_000}}}, 409, "")
}

func TestCharge_TransportByStop_BillsWhereTheyRide(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.set(t, map[string]any{"proRataBy": "DAYS"})
	asha, ravi, zoe := o.admit(t, "Asha"), o.admit(t, "Ravi"), o.admit(t, "Zoe")
	route, home := o.places(t, "pickup"), o.places(t, "dropoff")
	near, far := route.Stops[0].ID, route.Stops[1].ID
	bus := o.optional(t, 0, map[string]any{"name": "Bus", "type": "TRANSPORT", "amountBy": "STOP", "amounts": []any{
		map[string]any{"name": "Near", "amount": 2_000, "stopId": near}, map[string]any{"name": "Far", "amount": 6_000, "stopId": far},
		map[string]any{"name": "Home", "amount": 1_000, "stopId": home.Stops[0].ID}}})
	o.ride(t, route, o.year.StartDate, map[uuid.UUID]uuid.UUID{asha: near, ravi: far})
	o.ride(t, home, o.year.StartDate, map[uuid.UUID]uuid.UUID{ravi: home.Stops[0].ID})
	o.subscribe(t, bus, map[string]any{"studentIds": []uuid.UUID{asha, ravi, zoe}})
	got := testkit.Post[charging.Charged](t, o.clerk, "/school-admin/fee/charge",
		map[string]any{"structureId": o.structure.ID, "instalment": 1, "classId": o.class.ID, "dryRun": true})
	if got.WithoutAmount != 1 || !got.Students[2].WithoutAmount {
		t.Errorf("Zoe rides nowhere: %+v", got)
	}
	dry := o.dryRun(t, 1)
	if dry[asha] != "Tuition 5000; Exams 1001; Bus: Near 1000; " {
		t.Errorf("Asha: %q", dry[asha])
	}
	if dry[ravi] != "Tuition 5000; Exams 1001; Bus: Far 3500; " {
		t.Errorf("Ravi: %q", dry[ravi])
	}
	o.charge(t, 1)
	// Asha moves to the far stop half-way: 100 days of each.
	o.ride(t, route, o.year.StartDate.AddDays(100), map[uuid.UUID]uuid.UUID{asha: far, ravi: far})
	o.charge(t, 2)
	if r := o.report(t, asha); r.Balance != 12_001+1_000+3_000 {
		t.Errorf("Asha owes %d", r.Balance)
	}
	if r := o.report(t, ravi); r.Balance != 12_001+7_000 {
		t.Errorf("Ravi owes %d", r.Balance)
	}
	o.sound(t)
}

func TestSubscription_OfAClass_LeavesThoseWhoHaveItAlone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.admit(t, "Ravi")
	lunch := o.optional(t, 3_000, nil)
	o.subscribe(t, lunch, map[string]any{"studentIds": []uuid.UUID{asha}})
	if got := o.subscribe(t, lunch, map[string]any{"classId": o.class.ID}); got.Subscribed != 1 || got.Already != 1 {
		t.Errorf("subscribed %+v", got)
	}
	page := testkit.Get[api.Page[charging.SubscriptionItem]](t, o.clerk,
		"/school-admin/fee/subscription/list?filters[feeHeadId]="+lunch.ID.String())
	if page.Total != 2 || page.Items[0].StudentName != "Asha Rao" || page.Items[0].Status != "ACTIVE" || page.Items[0].ClassName != "Class 5" {
		t.Errorf("list %+v", page)
	}
	path := "/school-admin/fee/subscription/" + page.Items[0].ID.String()
	if got := testkit.Put[charging.SubscriptionItem](t, o.clerk, path, map[string]any{"toDate": o.today.AddDays(-1)}); got.Status != "ENDED" {
		t.Errorf("ended: %+v", got)
	}
	o.refuses(t, "POST", "/school-admin/fee/subscription/create",
		map[string]any{"feeHeadId": o.tuition.ID, "classId": o.class.ID}, 422, "feeHeadId")
	o.refuses(t, "POST", "/school-admin/fee/subscription/create", map[string]any{"feeHeadId": lunch.ID}, 422, "studentIds")
	o.refuses(t, "PUT", path, map[string]any{"toDate": o.year.StartDate.AddDays(-1)}, 422, "toDate")
}

func TestHead_AmountsOfItsOwn_AreForOptionalHeads(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	amounts := []any{map[string]any{"name": "Far", "amount": 1, "routeId": uuid.New()}}
	for field, body := range map[string]map[string]any{
		"amountBy":           {"amountBy": "OPTION", "amounts": amounts},
		"amounts":            {"optional": true, "amountBy": "OPTION"},
		"amounts[0].routeId": {"optional": true, "type": "TRANSPORT", "amountBy": "ROUTE", "amounts": amounts},
		"optional":           {"optional": true, "type": "FINE"},
	} {
		all := map[string]any{"name": "Extra", "code": "X", "type": "OTHER"}
		for k, v := range body {
			all[k] = v
		}
		o.refuses(t, "POST", "/school-admin/fee/head/create", all, 422, field)
	}
}
