package transport_test

import (
	"fmt"
	"testing"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

func TestARiderOnApprovedLeaveIsPresetAbsentAlsoWhenItIsGrantedOnTheWay(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 3)
	err := d.DB(t).Exec(`insert into leave (id, applicant_type, student_id, leave_type, from_date, to_date, reason, days, status, created_by)
		values (?, 'STUDENT', ?, 'SICK', ?, ?, 'A cold', 1, 'APPROVED', ?)`,
		api.NewID(), d.children[0].id, d.today(), d.today(), d.children[0].parent.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
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
	if err := d.DB(t).Exec(`insert into outbox (id, kind, payload, occurred_at) values (?, 'leave.decided', ?, now())`, api.NewID(),
		fact).Error; err != nil {
		t.Fatal(err)
	}
	d.App.Service.Relay.Wake(d.ID)
	testkit.Eventually(t, "the bus waits for one less", func() bool { return counts()["absent"] == 2 })
	d.board(t, trip, d.children[2], "alighted")
	d.command(t, trip, "end")
}
