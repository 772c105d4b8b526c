package dashboard

import (
	"fmt"

	"homeroom/api"
	"homeroom/tenancy"
)

// Today is what waits for the caller. A part they may not read is left out.
type Today struct {
	Attendance *Marks        `json:"attendance,omitempty" doc:"With attendance and without reports, whose summary has it"`
	Leave      *LeaveWaiting `json:"leave,omitempty" doc:"With leave and without reports, whose summary has it"`
	Money      *MoneyToday   `json:"money,omitempty" doc:"With fees"`
	Lessons    *LessonsToday `json:"lessons,omitempty" doc:"With the timetable"`
	Students   *StudentsNow  `json:"students,omitempty" doc:"With students"`
}

// MoneyToday is an accountant's day, in minor units.
type MoneyToday struct {
	Modes          []ModeToday `json:"modes" doc:"What was received today and not reversed, by mode"`
	Clearing       int64       `json:"clearing" doc:"Cheques that are with the bank"`
	ClearingCount  int         `json:"clearingCount"`
	DaysNotClosed  int         `json:"daysNotClosed" doc:"Before today, with cash received, since the last day that was closed"`
	TodayClosed    bool        `json:"todayClosed"`
	OverdueMonth   int64       `json:"overdueMonth" doc:"What was due more than 30 days ago"`
	OverdueDebtors int         `json:"overdueDebtors" doc:"Who owe it"`
}

// ModeToday is what was received in a mode.
type ModeToday struct {
	PaymentMode string `json:"paymentMode" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Amount      int64  `json:"amount"`
	Receipts    int    `json:"receipts"`
}

// LessonsToday are who is away and what that leaves open.
type LessonsToday struct {
	StaffAway      int `json:"staffAway" doc:"On leave, or absent"`
	WithoutTeacher int `json:"withoutTeacher" doc:"Lessons of today"`
}

// StudentsNow are a registrar's loose ends.
type StudentsNow struct {
	AdmittedThisWeek     int `json:"admittedThisWeek" doc:"In the last seven days"`
	WithoutClass         int `json:"withoutClass" doc:"Active and in no class"`
	WithoutGuardian      int `json:"withoutGuardian" doc:"Active"`
	CertificatesThisWeek int `json:"certificatesThisWeek" doc:"Issued in the last seven days, of all kinds"`
}

const (
	modesToday = `select r.payment_mode, sum(r.amount)::bigint as amount, count(*)::int as receipts from fee_receipt r
		where r.received_on = $1 and not exists (select from ledger_transaction t where t.reverses_id = r.transaction_id)
		group by r.payment_mode order by r.payment_mode`

	// moneyNow takes what was paid off the oldest dues first, as the dues do.
	moneyNow = `select w.clearing, w.clearing_count, o.overdue_month, o.overdue_debtors,
		exists (select from fee_day_closing where day = $1) as today_closed,
		(select count(distinct r.received_on) from fee_receipt r where r.received_on < $1 and r.payment_mode = 'CASH'
			and r.received_on > (select max(day) from fee_day_closing where day < $1))::int as days_not_closed
		from (select coalesce(sum(f.amount), 0)::bigint as clearing, count(*)::int as clearing_count from fee_receipt f where f.in_clearing
				and not exists (select from ledger_transaction t where t.reverses_id = f.transaction_id)
				and not exists (select from ledger_transaction t where t.idempotency_key = 'clearing ' || f.transaction_id)) w,
			(select coalesce(sum(least(total, due - paid)), 0)::bigint as overdue_month, count(*)::int as overdue_debtors
			from (select e.account_id, sum(e.s) as total, coalesce(sum(e.s) filter (where e.due_date < $1::date - 30), 0) as due,
					greatest(0, coalesce(-sum(e.s) filter (where e.due_date is null), 0)) as paid
				from (select account_id, due_date, case entry_type when 'DR' then amount else -amount end as s from ledger_entry) e
				group by e.account_id having sum(e.s) > 0) d
			join ledger_account a on a.id = d.account_id and a.type = 'STUDENT' where d.due > d.paid) o`

	studentsNow = `select count(*) filter (where s.admission_date > $1::date - 7)::int as admitted_this_week,
		count(*) filter (where not exists (select from enrolment e where e.student_id = s.id and e.start_date <= $1
			and (e.end_date is null or e.end_date >= $1)))::int as without_class,
		count(*) filter (where not exists (select from student_guardian g where g.student_id = s.id))::int as without_guardian,
		((select count(*) from certificate where created_at > $2) + (select count(*) from leaving_certificate where created_at > $2))::int
			as certificates_this_week
		from student s where s.deleted_at is null and s.status = 'ACTIVE'`

	leaveWaiting = `select count(student_id)::int as students, count(employee_id)::int as employees from leave where status = 'PENDING'`
)

func (m *Module) today(c api.Ctx, _ api.Nothing) (Today, error) {
	var out Today
	may := map[string]bool{}
	for _, module := range []string{"report", "attendance", "leave", "fee", "timetable", "student"} {
		var err error
		if may[module], err = c.MayRead(module); err != nil {
			return out, err
		}
	}
	day := []any{c.Today()}
	var divisions []divisionRow
	var leave []LeaveWaiting
	var modes []ModeToday
	var money []MoneyToday
	var students []StudentsNow
	var queries []tenancy.Query
	if may["attendance"] && !may["report"] {
		queries = append(queries, tenancy.Query{SQL: registerToday, Args: []any{c.Today(), weekendOf(c)}, Scan: tenancy.Collect(&divisions)})
	}
	if may["leave"] && !may["report"] {
		queries = append(queries, tenancy.Query{SQL: leaveWaiting, Scan: tenancy.Collect(&leave)})
	}
	if may["fee"] {
		queries = append(queries, tenancy.Query{SQL: modesToday, Args: day, Scan: tenancy.Collect(&modes)},
			tenancy.Query{SQL: moneyNow, Args: day, Scan: tenancy.Collect(&money)})
	}
	if may["student"] {
		queries = append(queries, tenancy.Query{SQL: studentsNow, Args: []any{c.Today(), c.Now.AddDate(0, 0, -7)},
			Scan: tenancy.Collect(&students)})
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return out, fmt.Errorf("counting what waits: %w", err)
	}
	if divisions != nil {
		marks := register(divisions).Marks
		out.Attendance = &marks
	}
	out.Leave, out.Money, out.Students = first(leave), first(money), first(students)
	if out.Money != nil {
		out.Money.Modes = modes
	}
	if may["timetable"] {
		away, lessons, err := m.Lessons.Uncovered(c, c.Today())
		if err != nil {
			return out, fmt.Errorf("counting lessons without a teacher: %w", err)
		}
		out.Lessons = &LessonsToday{away, lessons}
	}
	return out, nil
}

// first is the one row of an answer; nil where it was not asked for.
func first[T any](rows []T) *T {
	if len(rows) == 0 {
		return nil
	}
	return &rows[0]
}
