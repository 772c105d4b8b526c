package transport_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

// absences has those on leave who are put in it.
type absences struct{ away []uuid.UUID }

func (a *absences) OnLeave(_ api.Ctx, _ api.Date, _ []uuid.UUID) ([]uuid.UUID, error) {
	return a.away, nil
}

func TestARiderOnApprovedLeaveIsPresetAbsentAlsoWhenItIsGrantedOnTheWay(t *testing.T) {
	t.Parallel()
	leave := &absences{}
	d := furnish(t, testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Absences = leave }).NewSchool(t), 3)
	leave.away = []uuid.UUID{d.children[0].id}
	trip := d.start(t)
	counts := func() map[string]int {
		return testkit.Get[transport.TripStudents](t, d.driver, "/driver/student/list?tripId="+trip.String()).Counts
	}
	if c := counts(); c["absent"] != 1 || c["waiting"] != 2 {
		t.Errorf("at the start %v", c)
	}
	if n := d.told(t, d.children[0].parent, "%"); n != 0 {
		t.Errorf("the parent of one on leave was told %d times", n)
	}
	fact := fmt.Sprintf(`{"studentId": %q, "fromDate": %q, "toDate": %q, "status": "APPROVED"}`, d.children[1].id, d.today(), d.today())
	if err := d.DB(t).Exec(`insert into outbox (id, kind, payload, occurred_at) values (?, 'leave.decided', ?, now())`, api.NewID(), fact).Error; err != nil {
		t.Fatal(err)
	}
	d.App.Service.Relay.Wake(d.ID)
	testkit.Eventually(t, "the bus waits for one less", func() bool { return counts()["absent"] == 2 })
	d.board(t, trip, d.children[2], "alighted")
	d.command(t, trip, "end")
}
