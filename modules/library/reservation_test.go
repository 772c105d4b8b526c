package library_test

import (
	"testing"

	"homeroom/modules/library"
	"homeroom/testkit"
)

func TestAReturnedCopyIsKeptForWhoIsNextInTheQueue(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, second := d.Child(t, d.seat, 1), d.Child(t, d.seat, 1)
	a := d.issue(t, d.one, d.asha.ID)
	d.issue(t, d.two, d.ravi.ID)
	if r := d.reserve(t, first.ID); r.Status != "WAITING" || r.Position != 1 {
		t.Errorf("first %+v", r)
	}
	if r := d.reserve(t, second.ID); r.Position != 2 {
		t.Errorf("second %+v", r)
	}
	d.clerk.Refuses(t, "POST", "/school-admin/library/reservation/create", map[string]any{"bookId": d.book.ID, "studentId": first.ID}, 409,
		"DUPLICATE_ENTRY")
	d.clerk.Refuses(t, "POST", "/school-admin/library/reservation/create", map[string]any{"bookId": d.book.ID, "studentId": d.asha.ID}, 409,
		"")
	d.takeBack(t, a)
	r := d.reservation(t, first.ID)
	if r.Status != "READY" || *r.CopyID != d.one.ID || *r.HoldUntil != d.today.AddDays(3) || d.copyStatus(t, d.one) != "HELD" {
		t.Errorf("first %+v", r)
	}
	if n := d.Count(t, "notification", "user_id = ? and type = 'LIBRARY'", first.Parents[0].UserID); n != 1 {
		t.Errorf("told %d times", n)
	}
	if r := d.reservation(t, second.ID); r.Status != "WAITING" || r.Position != 1 {
		t.Errorf("second %+v", r)
	}
	d.clerk.Refuses(t, "POST", "/school-admin/library/loan/issue", lending(d.one, second.ID), 409, "")
	d.issue(t, d.one, first.ID)
	if r := d.reservation(t, first.ID); r.Status != "FULFILLED" {
		t.Errorf("first %+v", r)
	}
}

func TestAHoldNobodyCameForGoesToTheNext(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, second := d.Child(t, d.seat, 1), d.Child(t, d.seat, 1)
	a := d.issue(t, d.one, d.asha.ID)
	d.issue(t, d.two, d.ravi.ID)
	d.reserve(t, first.ID)
	d.reserve(t, second.ID)
	d.takeBack(t, a)
	if err := d.DB(t).Exec(`update library_reservation set hold_until = ? where status = 'READY'`, d.today.AddDays(-1)).Error; err != nil {
		t.Fatal(err)
	}
	if r := d.reservation(t, first.ID); r.Status != "EXPIRED" {
		t.Errorf("first %+v", r)
	}
	testkit.Post[library.Reminded](t, d.clerk, "/school-admin/library/overdue/notice", nil)
	if r := d.reservation(t, second.ID); r.Status != "READY" || *r.CopyID != d.one.ID {
		t.Errorf("second %+v", r)
	}
	d.issue(t, d.one, second.ID)
}

func TestACancelledHoldAndALostCopyLetTheQueueMoveOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, second := d.Child(t, d.seat, 0), d.Child(t, d.seat, 0)
	d.issue(t, d.two, d.ravi.ID)
	r := d.reserve(t, first.ID)
	if r.Status != "READY" || *r.CopyID != d.one.ID {
		t.Errorf("a free copy is kept at once: %+v", r)
	}
	d.reserve(t, second.ID)
	testkit.Post[library.Reservation](t, d.clerk, "/school-admin/library/reservation/cancel", map[string]any{"reservationId": r.ID})
	d.clerk.Refuses(t, "POST", "/school-admin/library/reservation/cancel", map[string]any{"reservationId": r.ID}, 409, "")
	if r := d.reservation(t, second.ID); r.Status != "READY" {
		t.Errorf("second %+v", r)
	}
	testkit.Put[library.CopyView](t, d.clerk, "/school-admin/library/copy/"+d.one.ID.String(), map[string]any{"state": "WITHDRAWN"})
	if r := d.reservation(t, second.ID); r.Status != "WAITING" || r.Position != 1 {
		t.Errorf("second %+v", r)
	}
	d.addCopy(t, d.book.ID, "L-3")
	if r := d.reservation(t, second.ID); r.Status != "READY" || r.AccessionNumber != "L-3" {
		t.Errorf("second %+v", r)
	}
}

func TestReservationsAtOnceStandInOneQueueAndOneGetsTheCopy(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.issue(t, d.one, d.asha.ID)
	var bodies []map[string]any
	for range 6 {
		bodies = append(bodies, map[string]any{"bookId": d.book.ID, "studentId": d.Child(t, d.seat, 0).ID})
	}
	bodies = append(bodies, bodies[0], bodies[0])
	if got := atOnce(t, d.clerk, "/school-admin/library/reservation/create", bodies...); got[201] != 6 || got[409] != 2 {
		t.Errorf("answers %v", got)
	}
	if ready, waiting := d.Count(t, "library_reservation", "status = 'READY'"), d.Count(t, "library_reservation", "status = 'WAITING'"); ready != 1 || waiting != 5 {
		t.Errorf("%d ready, %d waiting", ready, waiting)
	}
}

func TestAHoldNobodyCameForEndsAtNightAndTheNextIsTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, second := d.Child(t, d.seat, 1), d.Child(t, d.seat, 1)
	a := d.issue(t, d.one, d.asha.ID)
	d.issue(t, d.two, d.ravi.ID)
	d.reserve(t, first.ID)
	d.reserve(t, second.ID)
	d.takeBack(t, a)
	night := func() {
		t.Helper()
		d.RunScheduled(t, "library-holds")
	}
	night() // its last day is not over
	if r := d.reservation(t, first.ID); r.Status != "READY" {
		t.Errorf("first %+v", r)
	}
	if err := d.DB(t).Exec(`update library_reservation set hold_until = ? where status = 'READY'`, d.today.AddDays(-1)).Error; err != nil {
		t.Fatal(err)
	}
	night()
	night()
	if n := d.Count(t, "library_reservation", "student_id = ? and status = 'EXPIRED' and copy_id is null", first.ID); n != 1 {
		t.Error("the hold has not ended")
	}
	if r := d.reservation(t, second.ID); r.Status != "READY" || *r.CopyID != d.one.ID || *r.HoldUntil != d.today.AddDays(3) {
		t.Errorf("second %+v", r)
	}
	if n := d.Count(t, "notification", "user_id = ? and type = 'LIBRARY'", second.Parents[0].UserID); n != 1 {
		t.Errorf("told %d times", n)
	}
}
