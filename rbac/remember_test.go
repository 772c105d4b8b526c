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

// What callers make up must not be remembered: there is no end of it.
func TestDecisions_OfMadeUpThings_AreNotRemembered(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	teacher := s.Teacher(t, seat)
	alone := rbac.New(s.App.Service.Cluster, func(uuid.UUID) {}, time.Now)
	user := api.User{ID: teacher.UserID, Role: api.Teacher, RoleID: rbac.RoleID(s.ID, api.Teacher)}
	may := func(module string, subject uuid.UUID) bool {
		t.Helper()
		d, err := alone.Decide(context.Background(), s.School, user,
			api.Question{Module: module, Action: api.Read, Target: api.Target{DivisionID: seat.DivisionID, SubjectID: subject}})
		if err != nil {
			t.Fatal(err)
		}
		return d.Allowed
	}
	for range 50 {
		if may(uuid.NewString(), uuid.Nil) {
			t.Fatal("a module that does not exist is allowed")
		}
		if !may("result", uuid.New()) {
			t.Fatal("an assignment to all subjects does not count")
		}
	}
	if n, err := alone.CachedDecisions(context.Background(), s.School); err != nil || n != 1 {
		t.Errorf("%d decisions are remembered (%v)", n, err)
	}
}
