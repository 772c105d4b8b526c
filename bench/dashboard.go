package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/modules/dashboard"
	"homeroom/modules/transport"
	"homeroom/tenancy"
)

const (
	dashboardStudents = 5_000
	dashboardTarget   = 0.4
	dashboardPath     = "/school-admin/dashboard/summary"
	dashboardAnew     = "/school-admin/dashboard/bench-anew"
)

// dashboardRows is the dashboard once more, counted for every request.
func dashboardRows() []api.Row {
	rows := (&dashboard.Module{Buses: service.Buses{}, Anew: true}).Describe().Rows
	i := slices.IndexFunc(rows, func(r api.Row) bool { return r.Path == dashboardPath })
	rows[i].Path = dashboardAnew
	return rows[i : i+1]
}

// dashboardSQL gives an office with students a month of attendance and of payments, and
// twenty buses on the road.
const dashboardSQL = `begin;
insert into attendance (id, student_id, division_id, date, status, source, marked_by, marked_at)
	select gen_random_uuid(), e.student_id, e.division_id, day::date, case when random() < 0.95 then 'PRESENT'
	else 'ABSENT' end, 'TEACHER', e.student_id, now()
	from enrolment e, generate_series(current_date - 29, current_date, interval '1 day') day;
create temp table t on commit drop as
select gen_random_uuid() as id, md5('student' || (1 + i %% %[1]d))::uuid as student_id, i, current_date - i %% 30 as day
from generate_series(1, 6000) i;
insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
select id, 'PAYMENT', day, 'Payment by cash', 'x' || i, now() from t;
insert into ledger_entry (transaction_id, line, account_id, entry_type, amount) select id, 1, student_id, 'CR', 10 from t union all
select id, 2, '00000000-0000-4000-8000-000000000001', 'DR', 10 from t;
insert into fee_receipt (id, academic_year_id, number, receipt_number, student_id, transaction_id, amount, payment_mode, received_on,
received_at, allocations)
	select gen_random_uuid(), md5('now')::uuid, i, 'now/R-' || i, student_id, id, 10, 'CASH', day, now(), '[]' from t;
insert into bus (id, bus_number, capacity) select md5('bus' || i)::uuid, 'B' || i, 40 from generate_series(1, 20) i;
insert into employee (id, employee_code, first_name, phone, employee_type)
select md5('driver' || i)::uuid, 'D' || i, 'Mani', '+91981000' || 1000 + i, 'DRIVER' from generate_series(1, 20) i;
insert into route (id, name, bus_id, direction) select md5('route' || i)::uuid, 'Route ' || i, md5('bus' || i)::uuid, 'pickup'
from generate_series(1, 20) i;
insert into stop (id, route_id, name, sequence, lat, lng, planned_time)
select gen_random_uuid(), md5('route' || i)::uuid, 'Stop ' || n, n, 12, 77, time '07:00' + n * interval '5 minutes'
from generate_series(1, 20) i, generate_series(1, 10) n;
insert into trip (id, route_id, bus_id, driver_id, trip_type, trip_date, scheduled_start_at, status, started_at)
	select md5('trip' || i)::uuid, md5('route' || i)::uuid, md5('bus' || i)::uuid, md5('driver' || i)::uuid, 'pickup', current_date,
	now() - interval '20 minutes', 'in_progress', now() - interval '20 minutes' from generate_series(1, 20) i;
insert into location (trip_id, at, lat, lng, speed, heading, received_at)
select md5('trip' || i)::uuid, now() - n * interval '5 seconds', 12, 77, 8, 0, now()
from generate_series(1, 20) i, generate_series(0, 200) n;
commit; analyze attendance, enrolment, student, ledger_account, ledger_entry, ledger_transaction, fee_receipt, trip, stop, location`

// measureDashboard asks for a large school's day, counted each time and remembered,
// against the same questions with nothing around them.
func measureDashboard(ctx context.Context, b *bench) error {
	o, err := b.newFeeOffice(ctx, dashboardStudents)
	if err == nil {
		err = o.within(ctx, chargeSQL)
	}
	if err == nil {
		err = o.within(ctx, fmt.Sprintf(dashboardSQL, dashboardStudents))
	}
	if err != nil {
		return err
	}
	conn, err := o.bound(ctx)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	school, err := o.service.Registry.School(ctx, schoolID(o.number))
	if err != nil {
		return err
	}
	var anew, kept, limit []time.Duration
	for range b.rounds {
		counted, err := repeat(10, func() error { return o.ask("GET", dashboardAnew, "") })
		if err != nil {
			return err
		}
		remembered, err := repeat(10, func() error { return o.ask("GET", dashboardPath, "") })
		if err != nil {
			return err
		}
		bare, err := repeat(10, func() error { return askBarely(ctx, conn, school) })
		if err != nil {
			return err
		}
		anew, kept, limit = append(anew, counted), append(kept, remembered), append(limit, bare)
	}
	what := fmt.Sprintf("dashboard of %d students", dashboardStudents)
	b.report.add(line{what: what + ": its bare queries", ours: millis(median(anew)), limit: millis(median(limit)),
		ratio: median(limit).Seconds() / median(anew).Seconds(), target: atLeast(dashboardTarget)})
	b.report.add(line{what: what + ", remembered: its bare queries", ours: millis(median(kept)), limit: millis(median(limit)),
		ratio: median(limit).Seconds() / median(kept).Seconds()})
	return nil
}

// askBarely sends the dashboard's queries in one batch and reads what comes.
func askBarely(ctx context.Context, conn *pgx.Conn, school *tenancy.School) error {
	c := api.Ctx{Context: ctx, School: school, Now: time.Now().UTC()}
	var out []transport.RunningTrip
	batch := &pgx.Batch{}
	for _, q := range append(dashboard.Questions(c), transport.SelectRunningTrips(c, &out)) {
		batch.Queue(q.SQL, q.Args...)
	}
	results := conn.SendBatch(ctx, batch)
	for range batch.Len() {
		rows, err := results.Query()
		if err != nil {
			_ = results.Close()
			return err
		}
		for rows.Next() {
			_ = rows.RawValues()
		}
		if err := rows.Err(); err != nil {
			_ = results.Close()
			return err
		}
	}
	return results.Close()
}
