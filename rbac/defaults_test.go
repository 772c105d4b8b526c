package rbac_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/rbac"
	"homeroom/testkit"
)

// The table of decisions.md, section 3, read across: r, w and d for the
// administrator, the teacher, the parent and the driver.
const decisions = `
	student       rwd r   r   r
	employee      rwd -   -   -
	class         rwd r   -   -
	division      rwd r   -   -
	subject       rwd r   -   -
	timetable     rwd r   r   -
	attendance    rwd rw  r   -
	exam          rwd r   r   -
	result        rwd rw  r   -
	fee           rwd -   r   -
	write-off     rwd -   -   -
	principal-remark rwd - - -
	announcement  rwd rw  r   -
	leave         rwd rw  rw  -
	transport     rwd -   r   rw
	library       rwd r   r   -
	event         rwd rw  r   -
	message       rwd rw  rw  -
	notification  rwd rw  rw  rw
	file          rwd r   -   -
	setting       rwd -   -   -
	permission    rwd -   -   -
	integration   rwd -   -   -
	academic-year rwd -   -   -
	report        rwd -   -   -`

var roles = []api.RoleType{api.SchoolAdmin, api.Teacher, api.Parent, api.Driver}

var actions = map[string]api.Action{"r": api.Read, "w": api.Write, "d": api.Delete}

// ask asks a school's policy one question.
func ask(t *testing.T, s *testkit.School, u api.User, module string, action api.Action) bool {
	t.Helper()
	d, err := s.App.Service.RBAC.Decide(context.Background(), s.School, u, api.Question{Module: module, Action: action})
	if err != nil {
		t.Fatal(err)
	}
	return d.Allowed
}

func TestANewSchoolsRightsAreThoseOfTheDecisions(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	named := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(decisions)) {
		cells := strings.Fields(line)
		named[cells[0]] = true
		for i, role := range roles {
			for letter, action := range actions {
				u := api.User{ID: api.NewID(), Role: role, RoleID: rbac.RoleID(s.ID, role)}
				if got, want := ask(t, s, u, cells[0], action), strings.Contains(cells[i+1], letter); got != want {
					t.Errorf("%s may %s in %s: %v, the decisions say %v", role, action, cells[0], got, want)
				}
			}
		}
	}
	catalogue := s.App.Service.Kernel.Catalogue
	for _, m := range catalogue {
		if !named[m.Key] {
			t.Errorf("permission %s is not in the decisions", m.Key)
		}
	}
	if len(named) != len(catalogue) {
		t.Errorf("the decisions name %d modules, the kernel %d", len(named), len(catalogue))
	}
}

func TestWhatNobodyWasGrantedIsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := api.User{ID: api.NewID(), Role: api.SchoolAdmin, RoleID: rbac.RoleID(s.ID, api.SchoolAdmin)}
	for what, q := range map[string]struct {
		user   api.User
		module string
		action api.Action
	}{
		"no role":           {api.User{ID: admin.ID, Role: api.SchoolAdmin}, "class", api.Read},
		"a role of nobody":  {api.User{ID: admin.ID, RoleID: api.NewID()}, "class", api.Read},
		"another school's":  {api.User{ID: admin.ID, RoleID: rbac.RoleID(testkit.NewSchool(t).ID, api.SchoolAdmin)}, "class", api.Read},
		"no module":         {admin, "", api.Read},
		"an unknown module": {admin, "classes", api.Read},
		"no action":         {admin, "class", ""},
		"an unknown action": {admin, "class", "READ"},
		"nothing at all":    {api.User{}, "", ""},
	} {
		if ask(t, s, q.user, q.module, q.action) {
			t.Errorf("%s: allowed", what)
		}
	}
}

func TestAnEmptyPolicyRefusesEverything(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	if err := s.DB(t).Exec(`delete from permission`).Error; err != nil {
		t.Fatal(err)
	}
	s.App.Service.RBAC.Changed(s.ID)
	for _, role := range roles {
		for _, u := range []api.User{{ID: api.NewID(), Role: role, RoleID: rbac.RoleID(s.ID, role)}, {}} {
			if ask(t, s, u, "class", api.Read) || ask(t, s, u, "", "") {
				t.Errorf("%s is allowed something", role)
			}
		}
	}
}

func TestSeedingAgainLeavesWhatWasChangedSince(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	if err := s.DB(t).Exec(`update permission set can_write = false`).Error; err != nil {
		t.Fatal(err)
	}
	before := s.Count(t, "permission", "true")
	if err := rbac.Seed(context.Background(), s.App.Service.Cluster, s.School, s.App.Service.Kernel.Catalogue); err != nil {
		t.Fatal(err)
	}
	if n := s.Count(t, "permission", "can_write"); n != 0 || s.Count(t, "permission", "true") != before {
		t.Errorf("%d permissions came back", n)
	}
}

// A school keeps permissions that this binary does not know: they are of a newer one.
func TestPolicy_SchoolWithoutAPermission_GetsItAndKeepsTheOthers(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	known := s.App.Service.Kernel.Catalogue
	may := func(catalogue api.Catalogue, role api.RoleType, module string) bool {
		t.Helper()
		r := rbac.New(s.App.Service.Cluster, func(uuid.UUID) {}, time.Now)
		r.Catalogue = catalogue
		d, err := r.Decide(t.Context(), s.School, api.User{ID: api.NewID(), Role: role, RoleID: rbac.RoleID(s.ID, role)},
			api.Question{Module: module, Action: api.Read})
		if err != nil {
			t.Fatal(err)
		}
		return d.Allowed
	}
	newer := append(slices.Clone(known), api.Permission{Key: "nurse", Title: "Nurse", Teacher: "r"})
	for role, want := range map[api.RoleType]bool{api.SchoolAdmin: true, api.Teacher: true, api.Parent: false} {
		if got := may(newer, role, "nurse"); got != want {
			t.Errorf("%s may read nurse: %v, want %v", role, got, want)
		}
	}
	if !may(known, api.SchoolAdmin, "class") || s.Count(t, "module", "name = 'nurse'") != 1 {
		t.Error("the permission is gone after a binary without it asked")
	}
}
