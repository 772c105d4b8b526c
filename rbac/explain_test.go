package rbac_test

import (
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

func TestExplain_ModuleThatDoesNotExist_IsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	at := "/school-admin/permission/explain?action=read&userId=" + admin.UserID.String() + "&module="
	admin.Refuses(t, "GET", at+"made-up", nil, 422, "")
	if got := testkit.Get[map[string]any](t, admin, at+"fee"); got["allowed"] != true {
		t.Errorf("of a module that exists: %v", got)
	}
}
