package library_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/library"
	"homeroom/testkit"
)

func TestACopyIsIssuedByItsBarcodeAndComesBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l := testkit.Post[library.Loan](t, d.clerk, "/school-admin/library/loan/issue", map[string]any{"code": "bl-1", "studentId": d.asha.ID})
	if l.CopyID != d.one.ID || l.DueOn != d.today.AddDays(14) || l.Status != "ISSUED" || l.BorrowerName != "Asha Rao" ||
		l.Title != "Malgudi Days" {
		t.Errorf("loan %+v", l)
	}
	if k := testkit.Get[library.CopyView](t, d.clerk, "/school-admin/library/copy/lookup?code=L-1"); k.Status != "ISSUED" ||
		k.LoanID == nil || *k.LoanID != l.ID || k.BorrowerName != "Asha Rao" {
		t.Errorf("copy %+v", k)
	}
	if b := testkit.Get[library.BookView](t, d.clerk, "/school-admin/library/book/"+d.book.ID.String()); b.Copies != 2 || b.Available != 1 {
		t.Errorf("book %+v", b)
	}
	d.clerk.Refuses(t, "POST", "/school-admin/library/loan/issue", lending(d.one, d.ravi.ID), 409, "")
	back := testkit.Post[library.Loan](t, d.clerk, "/school-admin/library/loan/return", map[string]any{"code": "L-1"})
	if back.ID != l.ID || back.Status != "RETURNED" || back.Fine != 0 || *back.ClosedOn != d.today {
		t.Errorf("returned %+v", back)
	}
	d.clerk.Refuses(t, "POST", "/school-admin/library/loan/return", map[string]any{"loanId": l.ID}, 409, "")
	d.clerk.Refuses(t, "POST", "/school-admin/library/loan/return", map[string]any{"code": "L-1"}, 409, "")
	if n := d.Count(t, "audit_event", "entity = 'loan' and entity_id = ?", l.ID.String()); n != 2 {
		t.Errorf("%d audit rows", n)
	}
}

func TestOfManyClerksWhoIssueOneCopyAtOnceOneSucceeds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range 4 {
		got := atOnce(t, d.clerk, "/school-admin/library/loan/issue", lending(d.one, d.asha.ID), lending(d.one, d.ravi.ID),
			lending(d.one, d.asha.ID),
			map[string]any{"code": "L-1", "employeeId": d.employee}, lending(d.one, d.ravi.ID))
		if got[201] != 1 || got[409] != 4 || d.loansOpen(t) != 1 {
			t.Errorf("answers %v, %d loans", got, d.loansOpen(t))
		}
		back := map[string]any{"copyId": d.one.ID}
		if got := atOnce(t, d.clerk, "/school-admin/library/loan/return", back, back, back); got[200] != 1 || got[409] != 2 {
			t.Errorf("returns %v", got)
		}
	}
}

func TestTheDatabaseItselfRefusesASecondOpenLoanOfACopy(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.issue(t, d.one, d.asha.ID)
	err := d.DB(t).Exec(`insert into library_loan (id, copy_id, student_id, issued_on, due_on) values (?, ?, ?, current_date, current_date)`,
		api.NewID(), d.one.ID, d.ravi.ID).Error
	if err == nil {
		t.Error("it did not")
	}
}

func TestTwoDesksDoNotLendPastTheLimit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.set(t, map[string]any{"libraryStudentBooks": 2})
	var bodies []map[string]any
	for _, number := range codes(6, "X-%d") {
		b := d.addBook(t, number, "", "")
		bodies = append(bodies, lending(d.addCopy(t, b.ID, number), d.asha.ID))
	}
	if got := atOnce(t, d.clerk, "/school-admin/library/loan/issue", bodies...); got[201] != 2 || got[409] != 4 || d.loansOpen(t) != 2 {
		t.Errorf("answers %v, %d loans", got, d.loansOpen(t))
	}
	// An employee has a limit of their own.
	testkit.Post[library.Loan](t, d.clerk, "/school-admin/library/loan/issue", map[string]any{"copyId": d.one.ID, "employeeId": d.employee})
}

func TestALateBookIsFinedByTheRuleOnTheStudentsAccountOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.set(t, map[string]any{"libraryFinePerDay": 200, "libraryFineGraceDays": 2, "libraryFineMaxAmount": 1500})
	l := d.issue(t, d.one, d.asha.ID)
	d.late(t, l, 5)
	page := testkit.Get[api.Page[library.Loan]](t, d.clerk, "/school-admin/library/overdue")
	if page.Total != 1 || page.Items[0].DaysLate != 5 || page.Items[0].FineSoFar != 600 || page.Items[0].Status != "OVERDUE" {
		t.Errorf("overdue %+v", page.Items)
	}
	keyed := d.clerk.With("Idempotency-Key", "scan-1")
	for range 2 {
		back := testkit.Post[library.Loan](t, keyed, "/school-admin/library/loan/return", map[string]any{"loanId": l.ID})
		if back.Fine != 600 || back.FineTransactionID == nil || back.FineSoFar != 0 {
			t.Errorf("returned %+v", back)
		}
	}
	if n := d.balance(t, d.asha.ID); n != 600 {
		t.Errorf("the student owes %d", n)
	}
	if n := d.Count(t, "notification", "user_id = ? and type = 'FEE'", d.asha.Parents[0].UserID); n != 1 {
		t.Errorf("the parent was told %d times", n)
	}
	// Never more than the most, nothing within the grace, and nothing when it is waived.
	for days, want := range map[int]int64{30: 1500, 2: 0} {
		l := d.issue(t, d.one, d.ravi.ID)
		d.late(t, l, days)
		if back := d.takeBack(t, l); back.Fine != want {
			t.Errorf("%d days late: fined %d", days, back.Fine)
		}
	}
	l = d.issue(t, d.one, d.ravi.ID)
	d.late(t, l, 30)
	back := testkit.Post[library.Loan](t, d.clerk, "/school-admin/library/loan/return", map[string]any{"loanId": l.ID, "waiveFine": true})
	if back.Fine != 0 || d.balance(t, d.ravi.ID) != 1500 {
		t.Errorf("fined %d, owes %d", back.Fine, d.balance(t, d.ravi.ID))
	}
}

func TestALostCopyIsChargedAndCanBeFoundAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l := d.issue(t, d.one, d.asha.ID)
	d.clerk.Refuses(t, "PUT", "/school-admin/library/copy/"+d.one.ID.String(), map[string]any{"state": "LOST"}, 409, "")
	lost := map[string]any{"loanId": l.ID}
	if got := atOnce(t, d.clerk, "/school-admin/library/loan/lost", lost, lost); got[200] != 1 || got[409] != 1 {
		t.Errorf("answers %v", got)
	}
	if d.balance(t, d.asha.ID) != 25000 || d.copyStatus(t, d.one) != "LOST" {
		t.Errorf("owes %d, the copy is %s", d.balance(t, d.asha.ID), d.copyStatus(t, d.one))
	}
	d.clerk.Refuses(t, "POST", "/school-admin/library/loan/issue", lending(d.one, d.ravi.ID), 409, "")
	testkit.Put[library.CopyView](t, d.clerk, "/school-admin/library/copy/"+d.one.ID.String(), map[string]any{"state": "GOOD"})
	d.issue(t, d.one, d.ravi.ID)

	unpriced := testkit.Post[library.BookView](t, d.clerk, "/school-admin/library/book/create", map[string]any{"title": "Pamphlet"})
	l = d.issue(t, d.addCopy(t, unpriced.ID, "P-1"), d.asha.ID)
	d.clerk.Refuses(t, "POST", "/school-admin/library/loan/lost", map[string]any{"loanId": l.ID}, 422, "")
	if got := testkit.Post[library.Loan](t, d.clerk, "/school-admin/library/loan/lost", map[string]any{"loanId": l.ID, "amount": 100}); got.Charge != 100 || got.Status != "LOST" {
		t.Errorf("lost %+v", got)
	}
}

func TestALoanIsRenewedAsOftenAsTheSchoolAllowsAndNotWhileOthersWait(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const path = "/school-admin/library/loan/renew"
	d.set(t, map[string]any{"libraryStudentDays": 20})
	l := d.issue(t, d.one, d.asha.ID)
	d.set(t, map[string]any{"libraryStudentDays": 25})
	body := map[string]any{"loanId": l.ID}
	if again := testkit.Post[library.Loan](t, d.clerk, path, body); again.DueOn != d.today.AddDays(25) || again.Renewals != 1 {
		t.Errorf("renewed %+v", again)
	}
	d.clerk.Refuses(t, "POST", path, body, 409, "")
	d.set(t, map[string]any{"libraryStudentRenewals": 9})
	d.issue(t, d.two, d.ravi.ID)
	third := d.Child(t, d.seat, 0)
	d.reserve(t, third.ID)
	d.clerk.Refuses(t, "POST", path, body, 409, "")
	d.late(t, l, 1)
	testkit.Post[library.Reservation](t, d.clerk, "/school-admin/library/reservation/cancel",
		map[string]any{"reservationId": d.reservation(t, third.ID).ID})
	d.clerk.Refuses(t, "POST", path, body, 409, "")
}

func TestWhatIsNotThereIsRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	d, other := newDesk(t), newDesk(t)
	const path = "/school-admin/library/loan/issue"
	d.clerk.Refuses(t, "POST", path, lending(other.one, d.asha.ID), 404, "")
	d.clerk.Refuses(t, "POST", path, lending(d.one, other.asha.ID), 422, "")
	d.clerk.Refuses(t, "POST", path, map[string]any{"copyId": d.one.ID, "employeeId": other.employee}, 422, "")
	d.clerk.Refuses(t, "POST", path, map[string]any{"copyId": d.one.ID}, 422, "")
	d.clerk.Refuses(t, "POST", path, map[string]any{"copyId": d.one.ID, "studentId": d.asha.ID, "employeeId": d.employee}, 422, "")
	d.clerk.Refuses(t, "POST", path, map[string]any{"studentId": d.asha.ID}, 422, "")
	d.clerk.Refuses(t, "POST", path, map[string]any{"copyId": d.one.ID, "studentId": d.asha.ID, "dueDate": d.today.AddDays(-1)}, 422, "")
	d.clerk.Refuses(t, "POST", "/school-admin/library/loan/return", map[string]any{"loanId": uuid.New()}, 404, "")
	d.clerk.Refuses(t, "POST", "/school-admin/library/reservation/create", map[string]any{"bookId": other.book.ID, "studentId": d.asha.ID},
		404, "")
	d.clerk.Refuses(t, "POST", "/school-admin/library/copy/create", map[string]any{"bookId": other.book.ID, "accessionNumber": "Z"}, 422, "")
	if d.loansOpen(t) != 0 || d.Count(t, "library_reservation", "true") != 0 {
		t.Error("something was written")
	}
}

func TestThoseWhoAreLateAreToldOnceADay(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const path = "/school-admin/library/overdue/notice"
	d.late(t, d.issue(t, d.one, d.asha.ID), 3)
	d.issue(t, d.two, d.ravi.ID)
	if got := testkit.Post[library.Reminded](t, d.clerk, path, map[string]any{"dryRun": true}); got.Sent != 1 || got.Overdue != 1 ||
		!got.DryRun {
		t.Errorf("dry run %+v", got)
	}
	if got := atOnce(t, d.clerk, path, map[string]any{}, map[string]any{}, map[string]any{}); got[200] != 3 {
		t.Errorf("answers %v", got)
	}
	if got := testkit.Post[library.Reminded](t, d.clerk, path, nil); got.Sent != 0 || got.Already != 1 {
		t.Errorf("again %+v", got)
	}
	if n := d.Count(t, "notification", "user_id = ? and type = 'LIBRARY'", d.asha.Parents[0].UserID); n != 1 {
		t.Errorf("the parent was told %d times", n)
	}
	if n := d.Count(t, "notification", "user_id = ?", d.ravi.Parents[0].UserID); n != 0 {
		t.Errorf("who is in time was told %d times", n)
	}
	if n := d.Count(t, "notice_batch", "kind = 'OVERDUE_BOOKS'"); n != 1 {
		t.Errorf("%d acts told somebody, want 1", n)
	}
}
