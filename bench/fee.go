package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"

	"homeroom/tenancy"
)

const (
	paymentTarget = 0.4
	chargeTarget  = 0.3
	accountTarget = 0.5
	duesTarget    = 0.5
	// payingSchools is how many schools' clerks work at once: a school has one counter of
	// receipts, and a few desks.
	payingSchools = 16
)

// feeSQL gives an office students in class 5 and what the class pays.
const feeSQL = `
insert into student (id, admission_number, first_name, last_name, class_id, admission_date)
select md5('student' || i)::uuid, 'A-' || i, 'Child' || i, 'Rao', md5('5')::uuid, current_date - 100 from generate_series(1, %[1]d) i;
insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date)
select gen_random_uuid(), md5('student' || i)::uuid, md5('now')::uuid, md5('5')::uuid, md5('Class 5A')::uuid, current_date - 100
from generate_series(1, %[1]d) i;
insert into fee_head (id, name, code, type)
values (md5('tuition')::uuid, 'Tuition', 'TUI', 'TUITION'), (md5('exam')::uuid, 'Exams', 'EXA', 'EXAM');
insert into ledger_account (id, code, name, type)
values (md5('tuition')::uuid, 'HEAD 1', 'Tuition', 'INCOME'), (md5('exam')::uuid, 'HEAD 2', 'Exams', 'INCOME');
insert into fee_structure (id, academic_year_id, class_id, name)
values (md5('structure')::uuid, md5('now')::uuid, md5('5')::uuid, 'Class 5');
insert into fee_structure_head (structure_id, fee_head_id, position, amount)
values (md5('structure')::uuid, md5('tuition')::uuid, 1, 4000000), (md5('structure')::uuid, md5('exam')::uuid, 2, 50000);
insert into fee_instalment (structure_id, number, name, due_date, percent)
values (md5('structure')::uuid, 1, 'Term 1', current_date - 20, 50), (md5('structure')::uuid, 2, 'Term 2', current_date + 60, 50);
analyze student; analyze enrolment`

// newFeeOffice makes a school with so many students and nothing charged yet.
func (b *bench) newFeeOffice(ctx context.Context, students int) (*office, error) {
	o, err := b.newOffice(ctx)
	if err != nil {
		return nil, err
	}
	return o, o.within(ctx, fmt.Sprintf(feeSQL, students))
}

// within runs SQL as the owner, in the office's schema.
func (o *office) within(ctx context.Context, sql string) error {
	return o.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number))+", extensions;"+sql+"; set search_path = ''")
}

const chargeBody = `{"data":{"structureId":"%s","instalment":1,"classId":"%s"}}`

func (o *office) chargeTerm() error {
	return o.ask("POST", "/school-admin/fee/charge", fmt.Sprintf(chargeBody, md5ID("structure"), md5ID("5")))
}

// paymentStudents is how many students of each school pay.
const paymentStudents = 200

// paymentSQL is the rows of one payment, in one transaction and one pipeline: the
// student's account locked, the ledger, the receipt with its number, and what every
// change leaves behind.
const paymentSQL = `\set n random(0, %[1]d)
\set school %[3]s
\set s random(1, %[2]d)
\set a random(1, 1000000000)
\set b random(1, 1000000000)
\startpipeline
begin;
select set_config('search_path', 'school_' || lpad((:school)::text, 32, '0'), true), set_config('role',
'school_' || lpad((:school)::text, 32, '0'), true);
insert into idempotency (actor_id, key, row_name, body_hash)
values (md5('actor')::uuid, :a || '-' || :b, 'POST /school-admin/fee/collection/record', 'x'::bytea) on conflict do nothing;
select id from ledger_account where id = md5('student' || :s)::uuid for no key update;
insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_by, created_at)
values (md5(:a || '-' || :b)::uuid, 'PAYMENT', current_date, 'Payment by cash', 'payment ' || md5(:a || '-' || :b), md5('actor')::uuid,
now());
insert into ledger_entry (transaction_id, line, account_id, entry_type, amount)
values (md5(:a || '-' || :b)::uuid, 1, '00000000-0000-4000-8000-000000000001', 'DR', 100), (md5(:a || '-' || :b)::uuid, 2,
md5('student' || :s)::uuid, 'CR', 100);
with taken as (insert into number_series as s (name, next) values ('fee receipt bench', 2) on conflict (name) do update
set next = s.next + 1 returning s.next - 1 as number)
	insert into fee_receipt (id, academic_year_id, number, receipt_number, student_id, transaction_id, amount, payment_mode, received_on,
	received_at, allocations)
	select gen_random_uuid(), md5('now')::uuid, 10000000 + number, 'now/R-' || number, md5('student' || :s)::uuid, md5(:a || '-' || :b)::uuid,
	100, 'CASH', current_date, now(), '[]' from taken;
insert into audit_event (id, actor_role, action, entity, entity_id, after, occurred_at)
values (gen_random_uuid(), 'SCHOOL_ADMIN', 'create', 'fee receipt', md5(:a || '-' || :b),
'{"id": "00000000-0000-4000-8000-000000000001", "receiptNumber": "now/R-000001", "amount": 100, "paymentMode": "CASH",
 "allocations": [], "balance": 100}', now());
insert into notice (id, type, key, student_id, title, body, teaser, due_at, told_at, created_at)
values (md5(:a || '-' || :b)::uuid, 'FEE', 'fee payment ' || md5(:a || '-' || :b), md5('student' || :s)::uuid, 'Payment received',
'INR 1.00 was received for Child Rao. Receipt now/R-000001. Outstanding: INR 100.00.', 'A fee payment was received', now(), now(), now());
insert into outbox (id, kind, payload, occurred_at) values (md5(:a || '-' || :b)::uuid, 'notices.due', '{}', now());
update idempotency set status = 201,
answer = '{"data":{"id":"00000000-0000-4000-8000-000000000001","amount":100},"message":"Payment recorded"}'
where actor_id = md5('actor')::uuid and key = :a || '-' || :b;
delete from outbox where id = md5(:a || '-' || :b)::uuid;
commit;
\endpipeline
`

// measurePayments has clerks record payments, and pgbench write the same rows.
func measurePayments(ctx context.Context, b *bench) error {
	n := payingSchools
	if b.quick {
		n = 4
	}
	var offices []*office
	for range n {
		o, err := b.newFeeOffice(ctx, paymentStudents)
		if err == nil {
			err = o.chargeTerm()
		}
		if err != nil {
			return err
		}
		offices = append(offices, o)
	}
	f := offices[0].fleet
	server, err := startChild(ctx, "ours", f.childSettings(b.servers))
	if err != nil {
		return err
	}
	defer server.stop()
	l := load{address: server.Address, clients: b.clients, seed: b.seed, request: func(r *rand.Rand, out []byte) []byte {
		o := offices[r.IntN(len(offices))]
		body := fmt.Sprintf(`{"data":{"studentId":%q,"amount":100,"paymentMode":"CASH","confirmRepeat":true}}`,
			md5ID("student"+strconv.Itoa(1+r.IntN(paymentStudents))))
		return fmt.Appendf(out,
			"POST /school-admin/fee/collection/record HTTP/1.1\r\nHost: bench\r\nUser-Agent: bench\r\nContent-Type: "+
				"application/json\r\nIdempotency-Key: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
			uuid.NewString(), o.token, len(body), body)
	}}
	schools := "case"
	for i, o := range offices {
		schools += fmt.Sprintf(" when :n = %d then %d", i, o.number)
	}
	var ours, limit []float64
	for range b.rounds {
		p := pgbench{url: f.url, clients: b.clients, seed: b.seed + uint64(len(limit)),
			whole: fmt.Sprintf(paymentSQL, len(offices)-1, paymentStudents, schools+" end")}
		tps, err := p.run(ctx, 1, b.seconds, func(int) {}, func(int) {})
		if err != nil {
			return err
		}
		var profiled <-chan error
		pace, err := l.run(time.Second, time.Duration(b.seconds)*time.Second, func() {
			if b.profile != "" {
				profiled = server.profile(filepath.Join(b.profile, "payment.prof"), b.seconds)
			}
		})
		if err == nil && b.profile != "" {
			err = <-profiled
		}
		if err != nil {
			return err
		}
		ours, limit = append(ours, pace.perSecond()), append(limit, tps)
		b.report.note(fmt.Sprintf("A payment took %s in the median and %s at 99 %%, with %d clients.", millis(pace.median), millis(pace.p99),
			b.clients))
	}
	b.report.add(line{
		what:  fmt.Sprintf("recording payments at %d schools: pgbench, the same rows in one transaction", n),
		ours:  fmt.Sprintf("%.0f/s", median(ours)),
		limit: fmt.Sprintf("%.0f/s", median(limit)), ratio: median(ours) / median(limit), target: atLeast(paymentTarget),
	})
	return nil
}
