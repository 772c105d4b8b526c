package testkit

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
)

// Seat is a division with its class, in a school year around today.
type Seat struct{ YearID, ClassID, DivisionID uuid.UUID }

// Child is a student with their guardians, signed in.
type Child struct {
	ID      uuid.UUID
	Parents []*Client
}

func (s *School) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if err := s.DB(t).Exec(sql, args...).Error; err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Seat makes a class with one division; the school year is made with the first.
func (s *School) Seat(t testing.TB, class string) Seat {
	t.Helper()
	seat := Seat{YearID: uuid.NewSHA1(s.ID, []byte("year")), ClassID: api.NewID(), DivisionID: api.NewID()}
	s.exec(t, `insert into academic_year (id, name, start_date, end_date, active)
		values (?, 'now', current_date - 100, current_date + 200, true) on conflict do nothing`, seat.YearID)
	s.exec(t, `insert into class (id, name) values (?, ?)`, seat.ClassID, class)
	s.exec(t, `insert into division (id, class_id, name) values (?, ?, 'A')`, seat.DivisionID, seat.ClassID)
	return seat
}

// Child admits a student to a division, with so many parents.
func (s *School) Child(t testing.TB, seat Seat, parents int) Child {
	t.Helper()
	child := Child{ID: api.NewID()}
	s.exec(t, `insert into student (id, admission_number, first_name, last_name, admission_date)
		values (?, ?, 'Asha', 'Rao', current_date - 90)`, child.ID, child.ID.String())
	s.exec(t, `insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date)
		values (?, ?, ?, ?, ?, current_date - 90)`,
		api.NewID(), child.ID, seat.YearID, seat.ClassID, seat.DivisionID)
	for range parents {
		parent := s.As(t, api.Parent)
		s.Link(t, parent, child.ID)
		child.Parents = append(child.Parents, parent)
	}
	return child
}

// Owe lets a student owe an amount that is due on a day, which may be long past: what the
// interface charges never is.
func (s *School) Owe(t testing.TB, student uuid.UUID, amount int64, due api.Date) {
	t.Helper()
	s.exec(t, `with account as (
			insert into ledger_account (id, code, name, type, student_id) values (@student, 'STUDENT ' || @student, 'Student', 'STUDENT', @student)
			on conflict do nothing),
		posted as (
			insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
			values (@id, 'CHARGE', least(cast(@due as date), current_date), 'Dues', 'owe ' || @id, now())),
		billed as (
			insert into fee_invoice (id, academic_year_id, number, student_id, name, due_date, lines, transaction_id, created_at)
			select @id, id, 'owe ' || @id, @student, 'Dues', @due, '[]', @id, now() from academic_year where active)
		insert into ledger_entry (transaction_id, line, account_id, entry_type, amount, invoice_id, due_date)
		values (@id, 1, @student, 'DR', @amount, @id, @due),
			(@id, 2, '00000000-0000-4000-8000-000000000008', 'CR', @amount, null, null)`,
		map[string]any{"id": api.NewID(), "student": student, "amount": amount, "due": due})
}

// Link makes a signed-in parent a guardian of a student.
func (s *School) Link(t testing.TB, parent *Client, student uuid.UUID) {
	t.Helper()
	guardian := uuid.NewSHA1(parent.UserID, []byte("guardian"))
	s.exec(t, `insert into guardian (id, user_id, first_name, last_name, phone, email) select ?, id, 'Meera', 'Rao', phone, ? from app_user
		where id = ? on conflict do nothing`,
		guardian, parent.UserID.String()+"@parents.test", parent.UserID)
	s.exec(t, `insert into student_guardian (id, student_id, guardian_id, relation) values (?, ?, ?, 'MOTHER')`, api.NewID(), student,
		guardian)
}

// Teacher signs a teacher in who is assigned to the divisions.
func (s *School) Teacher(t testing.TB, seats ...Seat) *Client {
	t.Helper()
	teacher := s.As(t, api.Teacher)
	s.exec(t, `insert into employee (id, user_id, employee_code, first_name, last_name, phone, employee_type)
		select ?, id, ?, 'Ravi', 'Iyer', phone, 'TEACHER' from app_user where id = ?`,
		api.NewID(), teacher.UserID.String(), teacher.UserID)
	for _, seat := range seats {
		s.exec(t, `insert into teacher_assignment (id, user_id, academic_year_id, class_id, division_id) values (?, ?, ?, ?, ?)`, api.NewID(),
			teacher.UserID, seat.YearID, seat.ClassID, seat.DivisionID)
	}
	s.exec(t, `update school_setting set policy_version = policy_version + 1`)
	s.App.Service.RBAC.Changed(s.ID)
	return teacher
}

// Phone is the phone a signed-in user has.
func (s *School) Phone(t testing.TB, c *Client) string {
	t.Helper()
	var phone string
	if err := s.DB(t).Raw(`select phone from app_user where id = ?`, c.UserID).Scan(&phone).Error; err != nil {
		t.Fatal(err)
	}
	return phone
}
