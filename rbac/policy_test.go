package rbac_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"homeroom/api"
	"homeroom/rbac"
	"homeroom/testkit"
)

func TestDecisionsGoOnWhileThePolicyChanges(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	r := s.App.Service.RBAC
	teacher := api.User{ID: api.NewID(), Role: api.Teacher, RoleID: rbac.RoleID(s.ID, api.Teacher)}
	admin := api.User{ID: api.NewID(), Role: api.SchoolAdmin, RoleID: rbac.RoleID(s.ID, api.SchoolAdmin)}
	var stop atomic.Bool
	var asked atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for !stop.Load() {
				for _, m := range s.App.Service.Kernel.Catalogue {
					d, err := r.Decide(context.Background(), s.School, admin, api.Question{Module: m.Key, Action: api.Read})
					if err != nil || !d.Allowed {
						t.Errorf("the administrator may not read %s: %v", m.Key, err)
						return
					}
					if _, err := r.Decide(context.Background(), s.School, teacher, api.Question{Module: m.Key, Action: api.Write}); err != nil {
						t.Error(err)
						return
					}
					asked.Add(1)
				}
			}
		})
	}
	for i := range 30 {
		err := s.DB(t).Exec(`with p as (update permission set can_write = ? where role_id = ?)
			update school_setting set policy_version = policy_version + 1`, i%2 == 0, teacher.RoleID).Error
		if err != nil {
			t.Fatal(err)
		}
		r.Changed(s.ID)
		// A decision after the hint of a change is made by the changed policy.
		if got := ask(t, s, teacher, "fee", api.Write); got != (i%2 == 0) {
			t.Errorf("after change %d the teacher may write: %v", i+1, got)
		}
	}
	stop.Store(true)
	wg.Wait()
	if asked.Load() == 0 {
		t.Error("nobody asked")
	}
}

func TestOneSchoolsRightsAreNotAnothers(t *testing.T) {
	t.Parallel()
	one, two := testkit.NewSchool(t), testkit.NewSchool(t)
	err := one.DB(t).Exec(`update permission set can_read = false, can_write = false, can_delete = false`).Error
	if err != nil {
		t.Fatal(err)
	}
	one.App.Service.RBAC.Changed(one.ID)
	one.As(t, api.SchoolAdmin).Refuses(t, "GET", "/school-admin/class/list", nil, 403, "PERMISSION_DENIED")
	testkit.Get[any](t, two.As(t, api.SchoolAdmin), "/school-admin/class/list")
}
