package rbac_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/rbac"
	"homeroom/testkit"
)

func TestAChangeIsSeenWithinSecondsEvenWhenNoWordOfItCame(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	now := time.Now()
	deaf := rbac.New(s.App.Service.Cluster, func(uuid.UUID) {}, func() time.Time { return now })
	teacher := api.User{ID: api.NewID(), Role: api.Teacher, RoleID: rbac.RoleID(s.ID, api.Teacher)}
	may := func() bool {
		t.Helper()
		d, err := deaf.Decide(context.Background(), s.School, teacher, api.Question{Module: "attendance", Action: api.Write})
		if err != nil {
			t.Fatal(err)
		}
		return d.Allowed
	}
	if !may() {
		t.Fatal("a teacher may not mark attendance")
	}
	change(t, admin, teacher.RoleID, "attendance", true, false, false)
	if !may() {
		t.Fatal("it heard of a change nobody told it of")
	}
	now = now.Add(29 * time.Second)
	if may() {
		t.Error("the change is not in force after 29 seconds")
	}
}
