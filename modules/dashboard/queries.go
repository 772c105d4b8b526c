package dashboard

// The dashboard's questions. $1 is the day it is at the school.
const (
	// registerToday is every division that has students today. $2 is the weekend.
	registerToday = `select d.id as division_id, d.name as division_name, k.id as class_id, k.name as class_name, n.students, n.no_mark,
		n.present, n.absent, n.late, n.leave, n.without,
			extract(dow from $1::date)::int <> all($2::int[]) and not exists (select from holiday h where h.start_date <= $1 and h.end_date >= $1
				and (h.all_classes or exists (select from holiday_class x where x.holiday_id = h.id and x.class_id = k.id)
				or exists (select from holiday_division x where x.holiday_id = h.id and x.division_id = d.id))) as school_today
		from (select e.division_id as of_division, count(*)::int as students, 0 as no_mark, count(*)
		filter (where a.status = 'PRESENT')::int as present,
				count(*) filter (where a.status = 'ABSENT')::int as absent, count(*) filter (where a.status = 'LATE')::int as late,
				count(*) filter (where a.status = 'LEAVE')::int as leave, count(*) filter (where a.id is null)::int as without
			from enrolment e join student s on s.id = e.student_id and s.deleted_at is null left join attendance a on a.student_id = s.id
			and a.date = $1
			where e.start_date <= $1 and (e.end_date is null or e.end_date >= $1) group by e.division_id) n
		join division d on d.id = n.of_division join class k on k.id = d.class_id
		order by k.level, k.name, k.id, d.name, d.id`

	counts = `select (select count(*) from student where deleted_at is null and status = 'ACTIVE')::int as students,
		(select count(*) from employee where status = 'ACTIVE')::int as employees,
		l.student_leave, l.employee_leave, b.issued, b.late
		from (select count(student_id)::int as student_leave, count(employee_id)::int as employee_leave from leave where status = 'PENDING') l,
			(select count(*)::int as issued, count(*) filter (where due_on < $1)::int as late from library_loan where closed_on is null) b`

	// outstanding takes what was paid off the oldest dues first, as the dues do.
	outstanding = `select coalesce(sum(total), 0)::bigint as outstanding,
		coalesce(sum(least(total, greatest(0, due - paid))), 0)::bigint as overdue, count(*)::int as debtors
		from (select e.account_id, sum(e.s) as total, coalesce(sum(e.s) filter (where e.due_date < $1), 0) as due, greatest(0,
		coalesce(-sum(e.s) filter (where e.due_date is null), 0)) as paid
			from (select account_id, due_date, case entry_type when 'DR' then amount else -amount end as s from ledger_entry) e
			group by e.account_id having sum(e.s) > 0) o
		join ledger_account a on a.id = o.account_id and a.type = 'STUDENT'`

	// A reversal counts on the day it was made.
	collectedMonth = `select ((select coalesce(sum(amount), 0) from fee_receipt where received_on between date_trunc('month', $1::date)::date
		and $1)
		- (select coalesce(sum(r.amount), 0) from ledger_transaction t join fee_receipt r on r.transaction_id = t.reverses_id
			where t.kind = 'REVERSAL' and t.value_date between date_trunc('month', $1::date)::date and $1))::bigint as collected`

	// coming is what has not begun; $2 is what the clocks show.
	coming = `select id, title, event_date, to_char(start_time, 'HH24:MI') as start_time, venue from event
		where cancelled_at is null and event_date between $1 and $1::date + 30 and (event_date > $1 or start_time is null
		or start_time > $2::time)
		order by event_date, start_time nulls first, id limit 5`

	// series goes by divisions, as the attendance is indexed.
	series = `select day::date as date, coalesce(m.present, 0)::int as present, coalesce(m.marked, 0)::int as marked, (coalesce(p.amount, 0) -
		coalesce(v.amount, 0))::bigint as collected
		from generate_series($1::date - 29, $1::date, interval '1 day') day
		left join (select a.date, count(*) filter (where a.status in ('PRESENT', 'LATE')) as present, count(*) as marked
			from division d join attendance a on a.division_id = d.id and a.date between $1::date - 29 and $1
			group by a.date) m on m.date = day::date
		left join (select received_on, sum(amount) as amount from fee_receipt where received_on between $1::date - 29 and $1
		group by received_on) p on p.received_on = day::date
		left join (select t.value_date, sum(r.amount) as amount from ledger_transaction t join fee_receipt r on r.transaction_id = t.reverses_id
			where t.kind = 'REVERSAL' and t.value_date between $1::date - 29 and $1 group by t.value_date) v on v.value_date = day::date
		order by day`
)
