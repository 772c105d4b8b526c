package library_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/modules/library"
	"homeroom/testkit"
)

// desk is a school with a library: a book of two copies, two pupils and an employee.
type desk struct {
	*testkit.School
	clerk    *testkit.Client
	seat     testkit.Seat
	asha     testkit.Child
	ravi     testkit.Child
	employee uuid.UUID
	book     library.BookView
	one, two library.CopyView
	today    api.Date
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{School: testkit.NewSchool(t)}
	d.clerk = d.As(t, api.SchoolAdmin)
	d.today = api.DateOf(d.App.Service.Kernel.Clock().In(d.Location()))
	d.seat = d.Seat(t, "Class 5")
	d.asha, d.ravi = d.Child(t, d.seat, 1), d.Child(t, d.seat, 1)
	d.employee = testkit.Post[struct{ ID uuid.UUID }](t, d.clerk, "/school-admin/employee/create",
		map[string]any{"firstName": "Latha", "employeeType": "TEACHER", "phone": testkit.NewPhone()}).ID
	d.book = d.addBook(t, "Malgudi Days", "R. K. Narayan", "978-81-85986-17-3")
	d.one, d.two = d.addCopy(t, d.book.ID, "L-1"), d.addCopy(t, d.book.ID, "L-2")
	return d
}

func (d *desk) addBook(t *testing.T, title, author, isbn string) library.BookView {
	t.Helper()
	return testkit.Post[library.BookView](t, d.clerk, "/school-admin/library/book/create",
		map[string]any{"title": title, "author": author, "isbn": isbn, "price": 25000})
}

func (d *desk) addCopy(t *testing.T, book uuid.UUID, number string) library.CopyView {
	t.Helper()
	return testkit.Post[library.CopyView](t, d.clerk, "/school-admin/library/copy/create",
		map[string]any{"bookId": book, "accessionNumber": number, "barcode": "B" + number})
}

func (d *desk) set(t *testing.T, fields map[string]any) {
	t.Helper()
	testkit.Put[struct{}](t, d.clerk, "/school-admin/setting", fields)
}

func lending(copy library.CopyView, student uuid.UUID) map[string]any {
	return map[string]any{"copyId": copy.ID, "studentId": student}
}

func (d *desk) issue(t *testing.T, copy library.CopyView, student uuid.UUID) library.Loan {
	t.Helper()
	return testkit.Post[library.Loan](t, d.clerk, "/school-admin/library/loan/issue", lending(copy, student))
}

func (d *desk) takeBack(t *testing.T, l library.Loan) library.Loan {
	t.Helper()
	return testkit.Post[library.Loan](t, d.clerk, "/school-admin/library/loan/return", map[string]any{"loanId": l.ID})
}

func (d *desk) reserve(t *testing.T, student uuid.UUID) library.Reservation {
	t.Helper()
	return testkit.Post[library.Reservation](t, d.clerk, "/school-admin/library/reservation/create",
		map[string]any{"bookId": d.book.ID, "studentId": student})
}

func (d *desk) reservation(t *testing.T, student uuid.UUID) library.Reservation {
	t.Helper()
	page := testkit.Get[api.Page[library.Reservation]](t, d.clerk,
		"/school-admin/library/reservation/list?filters%5BstudentId%5D="+student.String())
	if page.Total != 1 {
		t.Fatalf("%d reservations", page.Total)
	}
	return page.Items[0]
}

// late moves a loan so many days into the past.
func (d *desk) late(t *testing.T, l library.Loan, days int) {
	t.Helper()
	if err := d.DB(t).Exec(`update library_loan set issued_on = ?, due_on = ? where id = ?`, d.today.AddDays(-days-14),
		d.today.AddDays(-days), l.ID).Error; err != nil {
		t.Fatal(err)
	}
}

func (d *desk) balance(t *testing.T, student uuid.UUID) int64 {
	t.Helper()
	var n int64
	for _, i := range testkit.Get[fee.Report](t, d.clerk, "/school-admin/fee/report/"+student.String()).Invoices {
		n += i.Open
	}
	return n
}

func (d *desk) copyStatus(t *testing.T, copy library.CopyView) string {
	t.Helper()
	return testkit.Get[library.CopyView](t, d.clerk, "/school-admin/library/copy/"+copy.ID.String()).Status
}

// atOnce posts the bodies to a path at the same time and counts the answers by status.
func atOnce(t *testing.T, c *testkit.Client, path string, bodies ...map[string]any) map[int]int {
	t.Helper()
	answers := make([]testkit.Answer, len(bodies))
	var group sync.WaitGroup
	for i, body := range bodies {
		group.Go(func() {
			a, err := c.TryCall("POST", path, body)
			if err != nil {
				t.Error(err)
			}
			answers[i] = a
		})
	}
	group.Wait()
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.Status]++
		if a.Status >= 500 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	return counts
}

func (d *desk) loansOpen(t *testing.T) int { return d.Count(t, "library_loan", "closed_on is null") }

func codes(n int, format string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, i)
	}
	return out
}
