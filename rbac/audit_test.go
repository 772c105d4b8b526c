package rbac_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

func TestAuditRows_ChangeOrRemoval_IsRefusedByTheDatabase(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	s.As(t, api.SchoolAdmin).Call(t, "POST", "/school-admin/class/create", map[string]any{"name": "Class 5"})
	for _, sql := range []string{`update audit_event set action = 'nothing'`, `delete from audit_event`, `truncate audit_event`} {
		if err := s.DB(t).Exec(sql).Error; err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if n := s.Count(t, "audit_event", "entity = 'class'"); n != 1 {
		t.Errorf("%d rows", n)
	}
}
