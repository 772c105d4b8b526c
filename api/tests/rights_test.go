package api_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// interrupted are what happens in the middle of calls to a row of the lab, by school.
var interrupted sync.Map

type interruption struct {
	DivisionID uuid.UUID `json:"divisionId" validate:"required"`
}

// interrupts says which division a call is about, which is looked up in its transaction.
func interrupts(c api.Ctx, r interruption) (api.Target, error) {
	if act, ok := interrupted.Load(c.School.ID); ok {
		act.(func())()
	}
	return api.Target{DivisionID: r.DivisionID}, nil
}

// As many calls as the school's pool has connections are in their transactions when the
// rules are forgotten: who read them anew then would wait for a connection that nobody gives.
func TestRightsForgottenInTheMiddleOfCallsKeepNoneOfThemWaiting(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	teacher := s.Teacher(t, seat)
	var inside, done sync.WaitGroup
	inside.Add(2)
	interrupted.Store(s.ID, func() {
		inside.Done()
		inside.Wait()
		s.App.Service.RBAC.Forget(s.ID)
	})
	for range 2 {
		done.Go(func() {
			a, err := teacher.TryCall("POST", "/teacher/event/interrupted", map[string]any{"divisionId": seat.DivisionID})
			if err != nil || a.Status != 200 {
				t.Errorf("%d %s %v", a.Status, a.Body, err)
			}
		})
	}
	done.Wait()
}
