package fee

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Ageing is what is owed, by how long it has been due.
type Ageing struct {
	Total      int64 `json:"total"`
	NotDue     int64 `json:"notDue" doc:"Charged, and not due yet"`
	Days0To30  int64 `json:"days0To30" doc:"Due today or for up to 30 days"`
	Days31To60 int64 `json:"days31To60"`
	Days61To90 int64 `json:"days61To90"`
	DaysOver90 int64 `json:"daysOver90"`
}

// ClassDues is what a class owes.
type ClassDues struct {
	ClassID   *uuid.UUID `json:"classId" doc:"None for those who sit nowhere"`
	ClassName string     `json:"className"`
	Students  int64      `json:"students" doc:"How many owe something"`
	Ageing
}

// StudentDues is what a student owes.
type StudentDues struct {
	StudentID       uuid.UUID  `json:"studentId"`
	AdmissionNumber string     `json:"admissionNumber"`
	StudentName     string     `json:"studentName"`
	ClassID         *uuid.UUID `json:"classId"`
	ClassName       string     `json:"className"`
	InClearing      int64      `json:"inClearing" doc:"What of the payments is cheques that the bank has not paid yet"`
	Ageing
}

// Dues is what the school is owed.
type Dues struct {
	Date       api.Date    `json:"date"`
	Ageing     Ageing      `json:"ageing"`
	InClearing int64       `json:"inClearing" doc:"All cheques that the bank has not paid yet: they count as paid; of the whole school"`
	Classes    []ClassDues `json:"classes"`
	api.Page[StudentDues]
}

type duesOf struct {
	ClassID *uuid.UUID `json:"classId"`
	Format  string     `json:"format" validate:"omitempty,oneof=json csv" doc:"csv for all students as a file"`
	Page    int        `json:"page" validate:"omitempty,min=1,max=1000000" doc:"1 unless given"`
	Limit   int        `json:"limit" validate:"omitempty,min=1,max=100" doc:"20 unless given"`
}

// aged is what every student owes on the day $1, by age; $2 narrows it to a class. What
// was charged is added up by its age in one reading of the ledger; what was paid, and
// all else that names no invoice, is then taken off the oldest first.
const aged = `with sums as (
		select account_id,
			sum(s) filter (where due_date < $1::date - 90) as a4, sum(s) filter (where due_date between $1::date - 90 and $1::date - 61) as a3,
			sum(s) filter (where due_date between $1::date - 60 and $1::date - 31) as a2, sum(s) filter (where due_date between $1::date - 30
			and $1::date) as a1,
			sum(s) filter (where due_date > $1::date) as a0, -sum(s) filter (where due_date is null) as paid, sum(s) as total
		from (select account_id, due_date, case entry_type when 'DR' then amount else -amount end as s from ledger_entry) e
		group by account_id having sum(s) > 0),
	oldest as (
		select account_id, total::bigint, coalesce(a0, 0) as a0, coalesce(a4, 0) as c4, coalesce(a4, 0) + coalesce(a3, 0) as c3,
		coalesce(a4, 0) + coalesce(a3, 0) + coalesce(a2, 0) as c2,
			coalesce(a4, 0) + coalesce(a3, 0) + coalesce(a2, 0) + coalesce(a1, 0) as c1, greatest(coalesce(paid, 0), 0) as paid
		from sums),
	owing as (
		select s.id as student_id, s.admission_number, trim(s.first_name || ' ' || s.last_name) as student_name, k.id as class_id,
		coalesce(k.name, '') as class_name, k.level, o.total, coalesce(w.amount, 0) as in_clearing,
			greatest(0, o.c4 - o.paid)::bigint as days_over90,
			(greatest(0, o.c3 - o.paid) - greatest(0, o.c4 - o.paid))::bigint as days61_to90,
			(greatest(0, o.c2 - o.paid) - greatest(0, o.c3 - o.paid))::bigint as days31_to60,
			(greatest(0, o.c1 - o.paid) - greatest(0, o.c2 - o.paid))::bigint as days0_to30,
			(o.total - greatest(0, o.c1 - o.paid))::bigint as not_due
		from oldest o join student s on s.id = o.account_id left join (` + clearingSums + `) w on w.student_id = s.id
			left join enrolment e on e.student_id = s.id and e.start_date <= $1 and (e.end_date is null or e.end_date >= $1)
			left join class k on k.id = coalesce(e.class_id, s.class_id)
		where $2::uuid is null or k.id = $2)`

// duesQuery reads the ledger once, for the classes and for a page of the students.
const duesQuery = aged + `, kept as materialized (select * from owing)
	(select true as is_class, class_id, class_name, '00000000-0000-0000-0000-000000000000'::uuid as student_id, '' as admission_number,
	'' as student_name, count(*) as students, sum(in_clearing)::bigint as in_clearing,
		sum(total)::bigint as total, sum(not_due)::bigint as not_due, sum(days0_to30)::bigint as days0_to30,
			sum(days31_to60)::bigint as days31_to60, sum(days61_to90)::bigint as days61_to90, sum(days_over90)::bigint as days_over90
	from kept group by class_id, class_name, level order by level nulls last, class_name, class_id)
	union all
	(select false, class_id, class_name, student_id, admission_number, student_name, 1, in_clearing, total, not_due, days0_to30,
	days31_to60, days61_to90, days_over90
	from kept order by total desc, student_id limit $3 offset $4)`

type duesRow struct {
	IsClass         bool
	ClassID         *uuid.UUID
	ClassName       string
	StudentID       uuid.UUID
	AdmissionNumber string
	StudentName     string
	Students        int64
	InClearing      int64
	Ageing
}

// dues is what the school is owed: by class, and the students who owe the most first.
func dues(c api.Ctx, r duesOf) (api.MaybeFile[Dues], error) {
	if r.Format == "csv" {
		file, err := duesFile(c, r)
		return api.MaybeFile[Dues]{File: file}, err
	}
	if r.Page == 0 {
		r.Page = 1
	}
	if r.Limit == 0 {
		r.Limit = 20
	}
	out := Dues{Date: c.Today(), Classes: []ClassDues{}, Page: api.Page[StudentDues]{Items: []StudentDues{}, Page: r.Page, Limit: r.Limit}}
	var rows []duesRow
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: duesQuery, Args: []any{c.Today(), r.ClassID, r.Limit, (r.Page - 1) * r.Limit},
		Scan: tenancy.Collect(&rows)},
		tenancy.Query{SQL: `select coalesce(sum(amount), 0)::bigint from (` + clearingSums + `) w`, Scan: tenancy.One(&out.InClearing)})
	if err != nil {
		return api.MaybeFile[Dues]{}, fmt.Errorf("reading the dues: %w", err)
	}
	for _, row := range rows {
		if !row.IsClass {
			out.Items = append(out.Items, StudentDues{row.StudentID, row.AdmissionNumber, row.StudentName, row.ClassID, row.ClassName,
				row.InClearing, row.Ageing})
			continue
		}
		out.Classes = append(out.Classes, ClassDues{row.ClassID, row.ClassName, row.Students, row.Ageing})
		out.Ageing.add(row.Ageing)
		out.Page.Total += int(row.Students)
	}
	out.TotalPages = (out.Page.Total + r.Limit - 1) / r.Limit
	return api.MaybeFile[Dues]{Data: out}, nil
}

func (a *Ageing) add(b Ageing) {
	a.Total, a.NotDue = a.Total+b.Total, a.NotDue+b.NotDue
	a.Days0To30, a.Days31To60, a.Days61To90, a.DaysOver90 = a.Days0To30+b.Days0To30, a.Days31To60+b.Days31To60, a.Days61To90+b.Days61To90,
		a.DaysOver90+b.DaysOver90
}

// owing reads what every student owes.
func owing(c api.Ctx, class *uuid.UUID, more string, args ...any) (list []StudentDues, err error) {
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: aged + ` select student_id, admission_number, student_name, class_id, class_name,
		in_clearing, total, not_due, days0_to30, days31_to60, days61_to90, days_over90
		from owing ` + more, Args: append([]any{c.Today(), class}, args...), Scan: tenancy.Collect(&list)})
	if err != nil {
		return nil, fmt.Errorf("reading the dues: %w", err)
	}
	return list, nil
}
