package platform_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/platform"
	"homeroom/testkit"
)

func TestAudit_Deeds_AreWhatWasDoneToWhat(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	super := s.App.SuperAdmin(t)
	for range 2 {
		testkit.Post[struct{}](t, super, "/super-admin/school/"+s.ID.String()+"/suspend", nil)
		testkit.Post[struct{}](t, super, "/super-admin/school/"+s.ID.String()+"/activate", nil)
	}
	deeds := testkit.Get[api.Page[platform.PlatformDeed]](t, super, "/super-admin/audit/deed/list?limit=100").Items
	for _, action := range []string{"suspend", "activate"} {
		n, want := 0, platform.PlatformDeed{Entity: "school", Action: action}
		for _, d := range deeds {
			if d == want {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is there %d times, want once", action, n)
		}
	}
	if file := super.Call(t, "GET", "/super-admin/audit/deed/list?format=csv", nil); file.Status != 200 ||
		!strings.Contains(string(file.Body), "school,suspend") {
		t.Errorf("as a file: %d %s", file.Status, file.Body)
	}
}

func TestAudit_Entry_IsFoundByItsID(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	super := s.App.SuperAdmin(t)
	testkit.Post[struct{}](t, super, "/super-admin/school/"+s.ID.String()+"/suspend", nil)
	of := testkit.Get[api.Page[platform.PlatformEvent]](t, super, "/super-admin/audit/list?filters[schoolId]="+s.ID.String()).Items[0]
	found := testkit.Get[api.Page[platform.PlatformEvent]](t, super, "/super-admin/audit/list?filters[id]="+of.ID.String())
	if found.Total != 1 || found.Items[0].ID != of.ID {
		t.Errorf("found %+v, want %s", found.Items, of.ID)
	}
}
