package roster_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/rbac"
	"homeroom/testkit"
)

// admissionFrame is a school with a bus of one seat, a route and an optional fee head.
type admissionFrame struct {
	*frame
	route  transport.RouteDetail
	lunch  charging.Head
	option uuid.UUID
}

func newAdmissions(t *testing.T) *admissionFrame {
	f := &admissionFrame{frame: newFrame(t)}
	bus := testkit.Post[transport.Bus](t, f.admin, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "KA-01-1", "capacity": 1})
	f.route = testkit.Post[transport.RouteDetail](t, f.admin, "/school-admin/transport/route/create", map[string]any{"name": "Hill Road",
		"busId": bus.ID, "direction": "pickup", "stops": []any{map[string]any{"name": "Mill", "lat": 12.9, "lng": 77.6}}})
	f.lunch = testkit.Post[charging.Head](t, f.admin, "/school-admin/fee/head/create", map[string]any{"name": "Lunch", "code": "LUN",
		"type": "OTHER", "optional": true, "amountBy": "OPTION", "amounts": []any{map[string]any{"name": "Vegetarian", "amount": 50_00}}})
	f.option = *f.lunch.Amounts[0].ID
	return f
}

// sheet is a whole admission.
func (f *admissionFrame) sheet(first string, more map[string]any) map[string]any {
	body := map[string]any{"firstName": first, "divisionId": f.fiveA.ID, "admissionDate": f.today,
		"guardians": []any{map[string]any{"firstName": "Sunita", "phone": "+919848012345", "relation": "MOTHER"}},
		"rides":     []any{map[string]any{"routeId": f.route.ID, "stopId": f.route.Stops[0].ID}},
		"feeHeads":  []any{map[string]any{"feeHeadId": f.lunch.ID, "optionId": f.option}}}
	for k, v := range more {
		body[k] = v
	}
	return body
}

func (f *admissionFrame) riders(t *testing.T) []transport.Rider {
	t.Helper()
	return testkit.Get[transport.RouteDetail](t, f.admin, "/school-admin/transport/route/"+f.route.ID.String()).Students
}

func TestAdmission_OneCall_HasBusAndFees(t *testing.T) {
	t.Parallel()
	f := newAdmissions(t)
	asha := testkit.Post[roster.StudentDetail](t, f.admin, "/school-admin/student/create", f.sheet("Asha", nil))
	if r := f.riders(t); len(r) != 1 || r[0].StudentID != asha.ID || r[0].StartDate != f.today {
		t.Errorf("riders: got %+v, want Asha since today", r)
	}
	had := testkit.Get[api.Page[charging.SubscriptionItem]](t, f.admin, "/school-admin/fee/subscription/list?filters%5BstudentId%5D="+asha.ID.String())
	if had.Total != 1 || had.Items[0].OptionName != "Vegetarian" || had.Items[0].FromDate != f.today {
		t.Errorf("optional fees: got %+v, want lunch since today", had.Items)
	}
	if len(asha.Guardians) != 1 {
		t.Errorf("guardians: got %+v, want one", asha.Guardians)
	}
}

func TestAdmission_BadPart_AdmitsNobody(t *testing.T) {
	t.Parallel()
	f := newAdmissions(t)
	for name, c := range map[string]struct {
		more   map[string]any
		status int
		field  string
	}{
		"a stop of no route": {map[string]any{"rides": []any{map[string]any{"routeId": f.route.ID, "stopId": uuid.New()}}}, 422, "rides[0].stopId"},
		"no such route":      {map[string]any{"rides": []any{map[string]any{"routeId": uuid.New(), "stopId": uuid.New()}}}, 404, ""},
		"the same ride twice": {map[string]any{"rides": []any{map[string]any{"routeId": f.route.ID, "stopId": f.route.Stops[0].ID},
			map[string]any{"routeId": f.route.ID, "stopId": f.route.Stops[0].ID}}}, 422, "rides[1].routeId"},
		"no option": {map[string]any{"feeHeads": []any{map[string]any{"feeHeadId": f.lunch.ID}}}, 422, "feeHeads[0].optionId"},
		"a fee twice": {map[string]any{"feeHeads": []any{map[string]any{"feeHeadId": f.lunch.ID, "optionId": f.option},
			map[string]any{"feeHeadId": f.lunch.ID, "optionId": f.option}}}, 422, "feeHeads[1].feeHeadId"},
	} {
		refused := f.admin.Refuses(t, "POST", "/school-admin/student/create", f.sheet("Asha", c.more), c.status, "")
		if c.field != "" && (len(refused.Details) != 1 || refused.Details[0].Field != c.field) {
			t.Errorf("%s: got %+v, want the field %s", name, refused.Details, c.field)
		}
	}
	if n := testkit.Get[api.Page[roster.StudentItem]](t, f.admin, "/school-admin/student/list").Total; n != 0 {
		t.Errorf("students: got %d, want none", n)
	}
	if n := len(f.riders(t)); n != 0 {
		t.Errorf("riders: got %d, want none", n)
	}
}

func TestAdmission_FullBus_IsRefused(t *testing.T) {
	t.Parallel()
	f := newAdmissions(t)
	testkit.Post[roster.StudentDetail](t, f.admin, "/school-admin/student/create", f.sheet("Asha", nil))
	f.admin.Refuses(t, "POST", "/school-admin/student/create", f.sheet("Bala", nil), 409, "")
	if n := len(f.riders(t)); n != 1 {
		t.Errorf("riders: got %d, want 1", n)
	}
}

func TestAdmission_BusAndFees_NeedTheirOwnRights(t *testing.T) {
	t.Parallel()
	f := newAdmissions(t)
	role := testkit.Post[rbac.Role](t, f.admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Registrar", "type": "SCHOOL_ADMIN"})
	registrar := f.As(t, api.SchoolAdmin)
	if err := f.DB(t).Exec(`update app_user set role_id = ? where id = ?`, role.ID, registrar.UserID).Error; err != nil {
		t.Fatal(err)
	}
	modules := testkit.Get[struct{ Modules []rbac.Module }](t, f.admin, "/school-admin/permission/modules").Modules
	i := slices.IndexFunc(modules, func(m rbac.Module) bool { return m.Name == "student" })
	testkit.Put[struct{}](t, f.admin, "/school-admin/permission/update", map[string]any{"roleId": role.ID,
		"permissions": []any{map[string]any{"moduleId": modules[i].ID, "canRead": true, "canWrite": true, "canDelete": false}}})
	registrar.Refuses(t, "POST", "/school-admin/student/create", f.sheet("Asha", map[string]any{"rides": nil}), 403, "PERMISSION_DENIED")
	registrar.Refuses(t, "POST", "/school-admin/student/create", f.sheet("Asha", map[string]any{"feeHeads": nil}), 403, "PERMISSION_DENIED")
	testkit.Post[roster.StudentDetail](t, registrar, "/school-admin/student/create",
		f.sheet("Asha", map[string]any{"rides": nil, "feeHeads": nil}))
}
