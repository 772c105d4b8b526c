package service_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
	"homeroom/testkit/wait"
)

// inspector looks at the schools' records past the service.
type inspector struct{ node string }

// in runs f on a connection of its own that sees one school's tables.
func (i inspector) in(s *marked, f func(ctx context.Context, conn *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait.Limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, i.node)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, `set search_path to `+tenancy.Ident(s.Schema)+`, extensions`); err != nil {
		return err
	}
	return f(ctx, conn)
}

// check compares what a school was told is done with what is: nothing lost, nothing twice,
// nothing of another school. It closes the round's books.
func (i inspector) check(t *testing.T, what string, s *marked) (lost, doubled int) {
	t.Helper()
	b := &s.books
	for _, words := range b.stuck[:min(len(b.stuck), 3)] {
		t.Errorf("%s: never done: %s, and %d more", what, words, len(b.stuck)-1)
	}
	lost += len(b.stuck)
	b.stuck = nil
	err := i.in(s, func(ctx context.Context, conn *pgx.Conn) error {
		for _, look := range []func(context.Context, *testing.T, string, *marked, *pgx.Conn) (int, int, error){checkPayments, checkMarks,
			checkPositions, checkOwnership} {
			missing, twice, err := look(ctx, t, what, s, conn)
			if err != nil {
				return err
			}
			lost, doubled = lost+missing, doubled+twice
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: looking at %s: %v", what, s.mark, err)
	}
	b.payments, b.points = map[uuid.UUID]int64{}, nil
	return lost, doubled
}

func checkPayments(ctx context.Context, t *testing.T, what string, s *marked, conn *pgx.Conn) (lost, doubled int, err error) {
	t.Helper()
	var ids []string
	var amounts []int64
	for id, amount := range s.books.payments {
		ids, amounts = append(ids, id.String()), append(amounts, amount)
	}
	var there, receipts, last, told int
	var amount, off int64
	err = conn.QueryRow(ctx, `select (select count(*) from fee_receipt r
		join unnest($1::text[], $2::bigint[]) u (id, amount) on u.id::uuid = r.id and u.amount = r.amount),
		count(*), coalesce(max(number), 0), coalesce(sum(amount), 0)::bigint, (select count(*) from notification where type = 'FEE'),
		(select coalesce(sum(case entry_type when 'DR' then amount else -amount end), 0)::bigint from ledger_entry) from fee_receipt`,
		ids, amounts).Scan(&there, &receipts, &last, &amount, &told, &off)
	if err != nil {
		return 0, 0, fmt.Errorf("payments: %w", err)
	}
	lost, doubled = len(s.books.payments)-there, max(0, receipts-s.books.paid)
	if lost+doubled > 0 || receipts != s.books.paid || amount != s.books.amount {
		t.Errorf("%s: %s acknowledged %d payments of %d; there are %d receipts of %d, and %d of this round's %d", what, s.mark, s.books.paid,
			s.books.amount, receipts, amount, there, len(s.books.payments))
	}
	if last != receipts {
		t.Errorf("%s: %s has %d receipts, the last of which has the number %d", what, s.mark, receipts, last)
	}
	if off != 0 {
		t.Errorf("%s: the ledger of %s is off by %d", what, s.mark, off)
	}
	if told != receipts { // each child has one parent
		t.Errorf("%s: the parents of %s were told of %d payments of %d", what, s.mark, told, receipts)
	}
	return lost, doubled, nil
}

// checkMarks counts every state the marks were in: each acknowledged remark is there once.
func checkMarks(ctx context.Context, t *testing.T, what string, s *marked, conn *pgx.Conn) (lost, doubled int, err error) {
	t.Helper()
	for _, child := range s.children[:markedChildren] {
		var states, distinct int
		var last string
		err := conn.QueryRow(ctx, `with states as (select remark from attendance where student_id = $1 union all select remark
			from attendance_revision where student_id = $1)
			select count(*), count(distinct remark), coalesce((select remark from attendance where student_id = $1), '')
			from states`, child.ID).Scan(&states, &distinct, &last)
		if err != nil {
			return 0, 0, fmt.Errorf("marks: %w", err)
		}
		if states != s.books.marks || distinct != states || (states > 0 && last != fmt.Sprintf("%s-%d", s.mark, s.books.marks)) {
			t.Errorf("%s: a child of %s was marked %d times; there are %d states, %d of them different, the last is %q", what, s.mark,
				s.books.marks, states, distinct, last)
		}
		lost, doubled = lost+max(0, s.books.marks-distinct), doubled+states-distinct
	}
	return lost, doubled, nil
}

func checkPositions(ctx context.Context, t *testing.T, what string, s *marked, conn *pgx.Conn) (lost, doubled int, err error) {
	t.Helper()
	var there, all int
	err = conn.QueryRow(ctx, `select count(*) filter (where at = any($2)), count(*) from location where trip_id = $1`, s.trip,
		s.books.points).Scan(&there, &all)
	if err != nil {
		return 0, 0, fmt.Errorf("positions: %w", err)
	}
	lost, doubled = len(s.books.points)-there, max(0, all-s.books.driven)
	if lost != 0 || all != s.books.driven {
		t.Errorf("%s: %s acknowledged %d positions, %d in this round; there are %d, and %d of this round", what, s.mark, s.books.driven,
			len(s.books.points), all, there)
	}
	return lost, doubled, nil
}

// checkOwnership looks for what another school's people have written here.
func checkOwnership(ctx context.Context, t *testing.T, what string, s *marked, conn *pgx.Conn) (lost, doubled int, err error) {
	t.Helper()
	var strange int
	err = conn.QueryRow(ctx, `select (select count(*) from fee_receipt where reference_number not like $1) + (select count(*) from attendance
		where remark not like $1)
		+ (select count(*) from attendance_revision where remark not like $1) + (select count(*) from student
		where last_name not like $1)`, s.mark+"%").Scan(&strange)
	if err == nil && strange > 0 {
		t.Errorf("%s: %d records at %s are of another school", what, strange, s.mark)
	}
	return 0, 0, err
}

// waiting counts the facts of a school that should have been told by now.
func (i inspector) waiting(s *marked) (n int, err error) {
	err = i.in(s, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `select count(*) from outbox where next_at <= now()`).Scan(&n)
	})
	return n, err
}
