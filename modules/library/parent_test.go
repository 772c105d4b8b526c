package library_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/library"
	"homeroom/testkit"
)

const childLoansPath = "/parent/library/loan/list"

func TestParent_SeesTheLoansOfTheirChildren(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.set(t, map[string]any{"libraryFinePerDay": 100})
	parent := d.asha.Parents[0]
	past := d.issue(t, d.one, d.asha.ID)
	d.late(t, past, 3)
	d.takeBack(t, past)
	d.late(t, d.issue(t, d.one, d.asha.ID), 2)
	d.issue(t, d.two, d.ravi.ID)
	all := testkit.Get[api.Page[library.ChildLoan]](t, parent, childLoansPath+"?sort[field]=dueOn&sort[order]=desc")
	if all.Total != 2 {
		t.Fatalf("a parent sees %d loans, want 2: %+v", all.Total, all.Items)
	}
	now, before := all.Items[0], all.Items[1]
	if now.Status != "OVERDUE" || now.Title != "Malgudi Days" || now.StudentID != d.asha.ID || now.FineSoFar != 200 ||
		now.DueOn != d.today.AddDays(-2) {
		t.Errorf("the loan that is late: %+v", now)
	}
	if before.Status != "RETURNED" || before.Fine != 300 || before.ClosedOn == nil || *before.ClosedOn != d.today {
		t.Errorf("the loan before: %+v", before)
	}
	if open := testkit.Get[api.Page[library.ChildLoan]](t, parent, childLoansPath+"?filters[open]=true"); open.Total != 1 {
		t.Errorf("%d loans are open, want 1", open.Total)
	}
	theirs := testkit.Get[api.Page[library.ChildLoan]](t, parent, childLoansPath+"?filters[studentId]="+d.ravi.ID.String())
	if theirs.Total != 0 {
		t.Errorf("another family's loans: %+v", theirs.Items)
	}
}

func TestParent_WhoMayNotSeeTheChild_SeesNoLoans(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.issue(t, d.one, d.asha.ID)
	if err := d.DB(t).Exec(`update student_guardian set can_view_data = false where student_id = ?`, d.asha.ID).Error; err != nil {
		t.Fatal(err)
	}
	if seen := testkit.Get[api.Page[library.ChildLoan]](t, d.asha.Parents[0], childLoansPath); seen.Total != 0 {
		t.Errorf("a parent sees %+v", seen.Items)
	}
}
