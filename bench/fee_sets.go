package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
)

const (
	chargedStudents = 2_000
	accountEntries  = 500
	duesStudents    = 20_000
)

// chargeSQL writes the rows of a charge by set-based SQL.
const chargeSQL = `begin;
create temp table t on commit drop as
select gen_random_uuid() as id, gen_random_uuid() as invoice, gen_random_uuid() as notice, student_id, row_number() over () as n
from enrolment where class_id = md5('5')::uuid;
insert into ledger_account (id, code, name, type, student_id) select student_id, 'STUDENT ' || student_id, 'Student', 'STUDENT', student_id
from t;
insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
select id, 'CHARGE', current_date, 'Term 1', 'charge ' || md5('structure')::uuid || ' 1 ' || student_id, now() from t;
insert into fee_invoice (id, academic_year_id, number, student_id, structure_id, instalment, name, due_date, lines, transaction_id,
created_at)
	select invoice, md5('now')::uuid, 'now/I-' || lpad(n::text, 6, '0'), student_id, md5('structure')::uuid, 1, 'Term 1', current_date - 20,
		'[{"feeHeadId": "00000000-0000-4000-8000-000000000001", "name": "Tuition", "amount": 2000000},
		  {"feeHeadId": "00000000-0000-4000-8000-000000000001", "name": "Exams", "amount": 25000}]', id, now() from t;
insert into ledger_entry (transaction_id, line, account_id, entry_type, amount, invoice_id, due_date)
	select id, 1, student_id, 'DR', 2025000, invoice, current_date - 20 from t union all
	select id, 2, md5('tuition')::uuid, 'CR', 2000000, null, null from t union all select id, 3, md5('exam')::uuid, 'CR', 25000, null, null
	from t;
insert into notice (id, type, key, record_id, student_id, title, body, teaser, due_at, told_at, created_at)
	select notice, 'FEE', 'fee invoice ' || invoice, invoice, student_id, 'Fees charged',
	'Term 1 for Child Rao: INR 20,250.00, due on 2026-11-30.', 'New fees were charged', now(), now(), now() from t;
insert into outbox (id, kind, payload, occurred_at)
select gen_random_uuid(), 'notices.due', jsonb_build_object('ids', jsonb_agg(notice)), now() from t group by n % 4;
commit`

// timed runs both ways in a fresh office each, as often as the settings say.
func (b *bench) timed(ctx context.Context, students int, ours, limit func(*office) error) (a, z []time.Duration, err error) {
	for range b.rounds {
		for _, by := range []struct {
			run  func(*office) error
			into *[]time.Duration
		}{{ours, &a}, {limit, &z}} {
			o, err := b.newFeeOffice(ctx, students)
			if err != nil {
				return nil, nil, err
			}
			began := time.Now()
			if err := by.run(o); err != nil {
				return nil, nil, err
			}
			*by.into = append(*by.into, time.Since(began))
		}
	}
	return a, z, nil
}

// measureCharging bills a school's students at once.
func measureCharging(ctx context.Context, b *bench) error {
	// The first of anything meets cold caches: one of each goes before.
	if o, err := b.newFeeOffice(ctx, 10); err != nil {
		return err
	} else if err := o.chargeTerm(); err != nil {
		return err
	}
	ours, limit, err := b.timed(ctx, chargedStudents, (*office).chargeTerm, func(o *office) error { return o.within(ctx, chargeSQL) })
	if err != nil {
		return err
	}
	b.report.add(line{
		what: fmt.Sprintf("charging %d students: the same rows by set-based SQL", chargedStudents), ours: millis(median(ours)),
		limit: millis(median(limit)),
		ratio: median(limit).Seconds() / median(ours).Seconds(), target: atLeast(chargeTarget),
	})
	return measureBalancing(ctx, b)
}

// measureBalancing finds what it costs that the database refuses what does not balance:
// the same rows with the trigger and without.
func measureBalancing(ctx context.Context, b *bench) error {
	run := func(o *office) error { return o.within(ctx, chargeSQL) }
	var with, without []time.Duration
	for range b.rounds {
		for _, by := range []struct {
			before string
			into   *[]time.Duration
		}{{"select 1", &with}, {"alter table ledger_entry disable trigger ledger_entry_balances", &without}} {
			o, err := b.newFeeOffice(ctx, chargedStudents)
			if err == nil {
				err = o.within(ctx, by.before)
			}
			if err != nil {
				return err
			}
			began := time.Now()
			if err := run(o); err != nil {
				return err
			}
			*by.into = append(*by.into, time.Since(began))
		}
	}
	b.report.add(line{
		what: fmt.Sprintf("%d balanced transactions by SQL: without the check that they balance", chargedStudents), ours: millis(median(with)),
		limit: millis(median(without)),
		ratio: median(without).Seconds() / median(with).Seconds(),
	})
	return nil
}

// repeat takes the median of many runs, after a few that do not count.
func repeat(n int, run func() error) (time.Duration, error) {
	var took []time.Duration
	for i := range n + 5 {
		began := time.Now()
		if err := run(); err != nil {
			return 0, err
		}
		if i >= 5 {
			took = append(took, time.Since(began))
		}
	}
	return median(took), nil
}

// bound is a connection on which the office's schema is found.
func (o *office) bound(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, o.url)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number)))
	return conn, err
}

// drain reads all of a query's values and keeps none.
func drain(ctx context.Context, conn *pgx.Conn, sql string, args ...any) error {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
		if _, err := rows.Values(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// measureAccounts reads the account of a student with many entries.
func measureAccounts(ctx context.Context, b *bench) error {
	o, err := b.newFeeOffice(ctx, 50)
	if err == nil {
		err = o.chargeTerm()
	}
	if err == nil {
		err = o.within(ctx, fmt.Sprintf(`begin;
			create temp table t on commit drop as select gen_random_uuid() as id, md5('student' || (1 + i %% 50))::uuid as student_id, i
			from generate_series(1, %d) i;
			insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
			select id, 'PAYMENT', current_date, 'Payment by cash', 'x' || i, now() + i * interval '1 second' from t;
			insert into ledger_entry (transaction_id, line, account_id, entry_type, amount) select id, 1, student_id, 'CR', 10 from t union all
			select id, 2, '00000000-0000-4000-8000-000000000001', 'DR', 10 from t;
			insert into fee_receipt (id, academic_year_id, number, receipt_number, student_id, transaction_id, amount, payment_mode, received_on,
			received_at, allocations)
				select gen_random_uuid(), md5('now')::uuid, i, 'now/R-' || i, student_id, id, 10, 'CASH', current_date, now(), '[]' from t;
			commit; analyze ledger_entry; analyze ledger_transaction; analyze fee_receipt; analyze fee_invoice`, 50*(accountEntries-1)))
	}
	if err != nil {
		return err
	}
	conn, err := o.bound(ctx)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	var ours, limit []time.Duration
	for range b.rounds {
		took, err := repeat(100, func() error { return o.ask("GET", "/school-admin/fee/report/"+md5ID("student7").String(), "") })
		if err != nil {
			return err
		}
		plain, err := repeat(100, func() error {
			return drain(ctx, conn, `select e.transaction_id, t.value_date, t.kind, t.narration, e.entry_type, e.amount, e.invoice_id,
				t.reverses_id, t.created_at
				from ledger_entry e join ledger_transaction t on t.id = e.transaction_id where e.account_id = $1
				order by t.created_at, t.id`, md5ID("student7"))
		})
		if err != nil {
			return err
		}
		ours, limit = append(ours, took), append(limit, plain)
	}
	b.report.add(line{
		what: fmt.Sprintf("the account of a student with %d entries: a plain select of them", accountEntries), ours: millis(median(ours)),
		limit: millis(median(limit)),
		ratio: median(limit).Seconds() / median(ours).Seconds(), target: atLeast(accountTarget),
	})
	return nil
}

// duesSQL is the aggregate alone: what every student owes, by age.
const duesSQL = `select account_id, sum(s) filter (where due_date < current_date - 90), sum(s)
	filter (where due_date between current_date - 90 and current_date - 61),
		sum(s) filter (where due_date between current_date - 60 and current_date - 31), sum(s) filter (where due_date between current_date - 30
		and current_date),
		sum(s) filter (where due_date > current_date), -sum(s) filter (where due_date is null), sum(s)
	from (select account_id, due_date, case entry_type when 'DR' then amount else -amount end as s from ledger_entry) e group by account_id
	having sum(s) > 0`

// measureDues asks what a large school is owed.
func measureDues(ctx context.Context, b *bench) error {
	o, err := b.newFeeOffice(ctx, duesStudents)
	if err == nil {
		err = o.within(ctx, chargeSQL)
	}
	if err == nil {
		err = o.within(ctx, `begin;
			create temp table t on commit drop as select gen_random_uuid() as id, md5('student' || i)::uuid as student_id, i
			from generate_series(1, 20000) i;
			insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
			select id, 'PAYMENT', current_date, 'Payment by cash', 'x' || i, now() from t;
			insert into ledger_entry (transaction_id, line, account_id, entry_type, amount) select id, 1, student_id, 'CR', 10 from t union all
			select id, 2, '00000000-0000-4000-8000-000000000001', 'DR', 10 from t;
			commit; analyze ledger_entry`)
	}
	if err != nil {
		return err
	}
	conn, err := o.bound(ctx)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	var ours, limit []time.Duration
	for range b.rounds {
		took, err := repeat(10, func() error { return o.ask("GET", "/school-admin/fee/dues", "") })
		if err != nil {
			return err
		}
		bare, err := repeat(10, func() error { return drain(ctx, conn, duesSQL) })
		if err != nil {
			return err
		}
		ours, limit = append(ours, took), append(limit, bare)
	}
	b.report.add(line{
		what: fmt.Sprintf("dues of %d students, by age and class: the bare aggregate", duesStudents), ours: millis(median(ours)),
		limit: millis(median(limit)),
		ratio: median(limit).Seconds() / median(ours).Seconds(), target: atLeast(duesTarget),
	})
	return nil
}
