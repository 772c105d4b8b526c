package transport_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

func TestTheSameTapsGiveTheSameResultInAnyOrderAndAnyNumberOfTimes(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 3)
	trip := d.start(t)
	began := time.Now().Add(-time.Minute).UTC().Truncate(time.Millisecond)
	tap := func(c child, status, id string, second int) map[string]any {
		return map[string]any{"studentId": c.id, "status": status, "clientEventId": id, "at": began.Add(time.Duration(second) * time.Second)}
	}
	taps := []any{
		tap(d.children[0], "boaded", "a1", 1), tap(d.children[0], "alighted", "a2", 30),
		tap(d.children[1], "no_show", "b1", 5), tap(d.children[1], "boarded", "b2", 9),
		tap(d.children[2], "no_show", "c1", 7),
	}
	for range 6 {
		shuffled := append([]any{}, taps...)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for len(shuffled) > 0 { // in pieces, too
			n := 1 + rand.IntN(len(shuffled))
			got := testkit.Post[transport.Tapped](t, d.driver, "/driver/student/board-many", map[string]any{"tripId": trip, "taps": shuffled[:n]})
			if got.Refused > 0 {
				t.Errorf("refused %+v", got.Results)
			}
			shuffled = shuffled[n:]
		}
	}
	now := testkit.Get[transport.TripStudents](t, d.driver, "/driver/student/list?tripId="+trip.String())
	by := map[uuid.UUID]transport.TripStudent{}
	for _, s := range now.Students {
		by[s.StudentID] = s
	}
	a, b, c := by[d.children[0].id], by[d.children[1].id], by[d.children[2].id]
	if a.Status != "alighted" || !a.BoardedAt.Equal(began.Add(time.Second)) || !a.AlightedAt.Equal(began.Add(30*time.Second)) {
		t.Errorf("the first %+v", a)
	}
	if b.Status != "boarded" || !b.BoardedAt.Equal(began.Add(9*time.Second)) || c.Status != "no_show" {
		t.Errorf("the others %+v %+v", b, c)
	}
	if now.Counts["boarded"] != 1 || now.Counts["alighted"] != 1 || now.Counts["no_show"] != 1 {
		t.Errorf("counted %v", now.Counts)
	}
	d.driver.Refuses(t, "POST", "/driver/student/board", map[string]any{"tripId": trip, "studentId": d.children[0].id, "status": "no_show"},
		409, "")
}

func TestATapFromLongBeforeTheTripCountsAsOfNow(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	before := time.Now().Add(-time.Second)
	late := map[string]any{"studentId": d.children[0].id, "status": "boarded", "clientEventId": "a", "at": before.AddDate(-50, 0, 0)}
	got := testkit.Post[transport.Tapped](t, d.driver, "/driver/student/board-many", map[string]any{"tripId": trip, "taps": []any{late}})
	if got.Applied != 1 || d.Count(t, "boarding", "boarded_at >= ?", before) != 1 {
		t.Errorf("tapped %+v", got)
	}
	if now := d.board(t, trip, d.children[0], "alighted"); now.Status != "alighted" {
		t.Errorf("then %+v", now)
	}
}

func TestBoardingFiftyTimesInParallelIsBoardingOnce(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			data := map[string]any{"tripId": trip, "studentId": d.children[0].id, "status": "boarded"}
			if i%2 == 0 {
				data["clientEventId"] = "tap-1"
			}
			a, err := d.driver.TryCall("POST", "/driver/student/board", data)
			if err != nil || a.Status != 200 {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if n := d.Count(t, "boarding_tap", "trip_id = ?", trip); n != 1 {
		t.Errorf("%d taps count", n)
	}
	if n := d.told(t, d.children[0].parent, "On the bus"); n != 1 {
		t.Errorf("the parent was told %d times", n)
	}
	if n := d.Count(t, "audit_event", "entity = 'boarding'"); n != 1 {
		t.Errorf("%d changes are in the books", n)
	}
}

func TestATapCanBeTakenBackForTenMinutesAndTheBooksKeepIt(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	undo := map[string]any{"tripId": trip, "studentId": d.children[0].id}
	d.driver.Refuses(t, "POST", "/driver/student/undo", undo, 409, "")
	d.board(t, trip, d.children[0], "boarded")
	d.board(t, trip, d.children[0], "alighted")
	if got := testkit.Post[transport.Boarding](t, d.driver, "/driver/student/undo", undo); got.Status != "boarded" || got.AlightedAt != nil {
		t.Errorf("taken back %+v", got)
	}
	if n := d.Count(t, "audit_event", "entity = 'boarding' and action = 'undo'"); n != 1 {
		t.Errorf("%d undos are in the books", n)
	}
	if n := d.told(t, d.children[0].parent, "Correction%"); n != 1 {
		t.Errorf("the parent was corrected %d times", n)
	}
	if err := d.DB(t).Exec(`update boarding_tap set received_at = received_at - interval '11 minutes'`).Error; err != nil {
		t.Fatal(err)
	}
	d.driver.Refuses(t, "POST", "/driver/student/undo", undo, 409, "")
	if got := d.board(t, trip, d.children[0], "alighted"); got.Status != "alighted" {
		t.Errorf("tapped again %+v", got)
	}
}

func TestARiderWhoWillNotRideIsPresetAbsentAndTheirParentIsNotDisturbed(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 3)
	path := "/parent/transport/not-riding"
	said := testkit.Post[transport.NotRidingAnswer](t, d.children[0].parent, path,
		map[string]any{"studentId": d.children[0].id, "reason": "Dentist"})
	if len(said.TripTypes) != 2 {
		t.Errorf("said %+v", said)
	}
	d.children[0].parent.Refuses(t, "POST", path, map[string]any{"studentId": d.children[1].id}, 404, "STUDENT_NOT_FOUND")
	buses := testkit.Get[transport.ParentsBuses](t, d.children[0].parent, "/parent/transport/my-buses")
	if buses.Total != 1 || !buses.Buses[0].NotRiding || buses.Buses[0].BusNumber != "7" || buses.Buses[0].PlannedTime != "07:00" {
		t.Errorf("my buses %+v", buses)
	}
	trip := d.start(t)
	late := testkit.Post[transport.NotRidingAnswer](t, d.children[1].parent, path,
		map[string]any{"studentId": d.children[1].id, "tripType": "pickup"})
	if len(late.TripTypes) != 1 {
		t.Errorf("said late %+v", late)
	}
	list := testkit.Get[transport.TripStudents](t, d.driver, "/driver/student/list?tripId="+trip.String())
	if list.Counts["absent"] != 2 || list.Counts["waiting"] != 1 {
		t.Errorf("riders %+v", list)
	}
	riding := testkit.Post[transport.NotRidingAnswer](t, d.children[2].parent, path,
		map[string]any{"studentId": d.children[2].id, "riding": true})
	if riding.TripTypes == nil || len(riding.TripTypes) != 0 {
		t.Errorf("who rides is answered %#v, not an empty list", riding.TripTypes)
	}
	if n := d.told(t, d.children[0].parent, "%"); n != 0 {
		t.Errorf("a parent who knows was told %d times", n)
	}
	if got := d.board(t, trip, d.children[0], "boarded"); got.Status != "boarded" {
		t.Errorf("one who came after all %+v", got)
	}
}

func TestBoardedInTheMorningAndAbsentInClassAlertsTheOffice(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	trip := d.start(t)
	d.board(t, trip, d.children[0], "boarded")
	d.board(t, trip, d.children[1], "absent")
	fact := fmt.Sprintf(`{"divisionId": %q, "date": %q, "absent": [%q, %q]}`, api.NewID(), d.today(), d.children[0].id, d.children[1].id)
	for range 2 { // heard twice is heard once
		err := d.DB(t).Exec(`insert into outbox (id, kind, payload, occurred_at) values (?, 'attendance.marked', ?, now())`, api.NewID(),
			fact).Error
		if err != nil {
			t.Fatal(err)
		}
		d.App.Service.Relay.Wake(d.ID)
	}
	testkit.Eventually(t, "the office is told", func() bool { return d.told(t, d.admin, "Came by bus%") == 1 })
	testkit.Eventually(t, "everything is heard", func() bool { return d.Count(t, "outbox", "kind = 'attendance.marked'") == 0 })
	if n := d.told(t, d.admin, "Came by bus%"); n != 1 {
		t.Errorf("the office was told %d times", n)
	}
}
