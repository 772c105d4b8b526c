package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/tenancy"
	"homeroom/testkit"
)

const (
	perPage  = 10
	deepPage = 15
	// besidePage is how often a step may run besides once for each of the page's records.
	besidePage = 20
)

// ownRecords are the lists of what is one person's, in which whose a record is follows from other records, or in an order
// that does. Finding that out is most of the work of the first page too, and a deeper one does no more of it.
var ownRecords = map[string]string{
	"/teacher/exam/list":      "with a paper of a class a teacher teaches",
	"/teacher/subject/list":   "what is assigned to a teacher",
	"/teacher/class/list":     "what is assigned to a teacher",
	"/teacher/result/list":    "of the students who sit where a teacher teaches",
	"/teacher/leave/requests": "of the students a teacher leads",
	"/parent/exam/list":       "of the classes the children sit in",
	"/driver/trip/list":       "a driver's day",
	"/driver/incident/list":   "of a driver's buses",
	"/parent/message/list":    "threads that still concern the caller", "/teacher/message/list": "threads that still concern the caller",
	"/school-admin/message/list":          "threads that still concern the caller",
	"/parent/student/certificate/list":    "of the caller's children",
	"/parent/fee/certificate/list":        "of the caller's children",
	"/parent/library/loan/list":           "what the caller's children borrowed",
	"/school-admin/fee/subscription/list": "in the order of the students' names",
	"/school-admin/leave/balances":        "an employee's leave of each type: records that are no table's",
	"/teacher/leave/balances":             "the same, of one employee",
	"/school-admin/audit/actor/list":      "of the school's people those with an entry",
}

// shortLists have few records by what they are.
var shortLists = map[string]bool{"/teacher/leave/balances": true, "/super-admin/node/list": true, "/school-admin/audit/kind/list": true,
	"/super-admin/audit/deed/list": true}

// TestList_DeepPage_CostsWhatItShows has every list in the row table, of a school and of the platform, read a deep page by each
// of its sorts, among many records of every kind, and Postgres say how often each step of the statements ran.
func TestList_DeepPage_CostsWhatItShows(t *testing.T) {
	t.Parallel()
	app, plans := startExplained(t)
	school := app.NewSchool(t)
	clients := furnishLists(t, app, school)
	known := map[string]bool{}
	for _, m := range app.Service.Kernel.Modules {
		for _, row := range m.Rows {
			if row.Listing == nil || row.Twin || !strings.HasPrefix(row.Response.Name(), "Page[") {
				continue
			}
			read := func(number int, sort string, joins bool) (page api.Page[json.RawMessage], most step) {
				for _, p := range plans.of(func() {
					page = testkit.Get[api.Page[json.RawMessage]](t, clients[row.Roles[0]],
						fmt.Sprintf("%s?limit=%d&page=%d&sort[field]=%s", row.Path, perPage, number, sort))
				}) {
					if s := p.mostExecuted(joins); s.executions > most.executions {
						most = s
					}
				}
				return page, most
			}
			for sort := range row.Listing.Sorts {
				bound := float64(perPage + besidePage)
				// What all records are chosen or sorted by is joined to each, in the way the planner likes.
				joins := sort == strings.TrimPrefix(row.Listing.Default, "-") && ownRecords[row.Path] == ""
				page, deep := read(deepPage, sort, joins)
				if page.Total < perPage*(deepPage+1) && !shortLists[row.Path] {
					t.Errorf("%s has %d records: furnishLists is to make more", row.Path, page.Total)
				}
				if deep.executions == 0 {
					t.Fatalf("%s: Postgres has explained nothing", row.Path)
				}
				if !joins {
					_, first := read(1, sort, joins)
					bound = max(bound, first.executions, float64(page.Total))
				}
				if deep.executions > bound { // the instance's own work may have come in between
					if _, again := read(deepPage, sort, joins); again.executions < deep.executions {
						deep = again
					}
				}
				if deep.executions > bound {
					t.Errorf("%s by %s: %s ran %v times for a page of %d, want at most %v", row.Path, sort, deep.name, deep.executions, perPage, bound)
				}
			}
			for range customPlans + 2 {
				testkit.Get[api.Page[json.RawMessage]](t, clients[row.Roles[0]], row.Path)
			}
			for _, sql := range plannedAnew(t, app, school) {
				if !known[sql] {
					t.Errorf("%s: its first page is planned anew each time: %s", row.Path, sql)
				}
				known[sql] = true
			}
		}
	}
}

// customPlans is how often Postgres plans a statement for its arguments before it weighs a plan for all of them.
const customPlans = 5

// plannedAnew are the pages' statements that the connection used last has planned for their arguments each time.
func plannedAnew(t *testing.T, app *testkit.App, school *testkit.School) (found []string) {
	t.Helper()
	db, err := app.Service.Cluster.School(t.Context(), school.School, tenancy.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Raw(`select statement from pg_prepared_statements where statement like '%cut as materialized%' and custom_plans > ? and generic_plans = 0`, customPlans).Scan(&found).Error
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// plans are what Postgres says of the statements it ran, which auto_explain sends as notices.
type plans struct {
	mu   sync.Mutex
	said bytes.Buffer
}

type plan struct {
	Text string `json:"Query Text"`
	Plan step
}

type step struct {
	Kind     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Parent   string  `json:"Parent Relationship"`
	Subplan  string  `json:"Subplan Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []step

	name       string
	executions float64
}

// mostExecuted is the step that ran most often. What a join has made counts as often as it has rows; without joins, only
// what is worked out for one record counts: subplans and what is below them.
func (p plan) mostExecuted(joins bool) (most step) {
	most.executions = p.Plan.Loops
	var visit func(s step, counts bool)
	visit = func(s step, counts bool) {
		counts = counts || s.Parent == "SubPlan"
		s.executions = s.Loops
		if strings.HasSuffix(s.Kind, "Join") || s.Kind == "Nested Loop" {
			s.executions = max(s.Loops, s.Loops*s.Rows)
		}
		s.name = strings.Join(strings.Fields(s.Subplan+" "+s.Kind+" "+s.Relation), " ")
		if counts && s.executions > most.executions {
			most = s
		}
		for _, below := range s.Plans {
			visit(below, counts)
		}
	}
	visit(p.Plan, joins)
	return most
}

// startExplained runs an instance in a database of its own, where Postgres explains every statement.
func startExplained(t *testing.T) (*testkit.App, *plans) {
	t.Helper()
	stack, name := testkit.Stack(t), "homeroom_explained_"+uuid.NewString()[:8]
	testkit.StartOn(t, stack, name)
	for _, server := range []string{"main", "north"} {
		for _, set := range []string{"session_preload_libraries = auto_explain", "auto_explain.log_min_duration = 0",
			"auto_explain.log_analyze = on", "auto_explain.log_timing = off", "auto_explain.log_format = json",
			"auto_explain.log_level = notice"} {
			on(t, stack.PostgresURL(server), `alter database "`+name+`" set `+set)
		}
	}
	p := &plans{}
	return testkit.StartOn(t, stack, name, func(_ *config.Config, o *service.Options) {
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, address)
			return listened{c, p}, err
		}
		o.DialPlatform = o.Dial
	}), p
}

type listened struct {
	net.Conn
	plans *plans
}

func (l listened) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	l.plans.mu.Lock()
	defer l.plans.mu.Unlock()
	l.plans.said.Write(b[:max(n, 0)])
	return n, err
}

// of are the plans of what f has the instance do.
func (p *plans) of(f func()) (found []plan) {
	p.mu.Lock()
	p.said.Reset()
	p.mu.Unlock()
	f()
	p.mu.Lock()
	defer p.mu.Unlock()
	for rest := p.said.Bytes(); ; {
		var here bool
		if _, rest, here = bytes.Cut(rest, []byte("plan:\n")); !here {
			return found
		}
		var one plan
		if json.NewDecoder(bytes.NewReader(rest)).Decode(&one) == nil {
			found = append(found, one)
		}
	}
}

func on(t *testing.T, address, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// furnishLists gives a school many records of every kind, and signs in somebody of every role who sees them.
func furnishLists(t *testing.T, app *testkit.App, school *testkit.School) map[api.RoleType]*testkit.Client {
	t.Helper()
	f := &fuzz{known: newKnown()}
	f.furnish(t, school)
	for _, sql := range firstRecords {
		if err := school.DB(t).Exec(sql).Error; err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	node, err := app.Service.Cluster.Node(t.Context(), school.Node)
	if err != nil {
		t.Fatal(err)
	}
	copyRecords(t, node.Admin(), school.Schema, schoolCopies, 250)
	on(t, app.Service.Cluster.PlatformPool().Config().ConnString(), firstPlatformRecords)
	copyRecords(t, app.Service.Cluster.PlatformPool(), "platform", platformCopies, 20) // it has those of all tests
	return f.clients
}

// copies are a table's columns that differ from one copy of a record x to the next, n: its other
// columns are the same. Identifiers of copies follow from their original's, so that copies can name each other.
type copies struct{ table, differ string }

// firstRecords are of kinds that furnish makes none of. There is one of every other kind.
var firstRecords = []string{
	`insert into holiday (id, name, start_date, end_date) values (gen_random_uuid(), 'Fair', current_date, current_date)`,
	`insert into grade_scale (id, name, bands) values (gen_random_uuid(), 'A to E', '[{"grade": "A", "minPercent": 0}]')`,
	`insert into term (id, name, academic_year_id, start_date, end_date) select gen_random_uuid(), 'Term', id, start_date, end_date
		from academic_year`,
	`insert into period (id, name, start_time, end_time) values (gen_random_uuid(), 'First', '08:00', '09:00')`,
	`insert into class_subject (id, class_id, subject_id) select gen_random_uuid(), c.id, s.id from class c, subject s`,
	`insert into timetable_slot (id, division_id, day_of_week, period_id, subject_id) select gen_random_uuid(), d.id, 1, p.id, s.id
		from division d, period p, subject s`,
	`insert into student_group (id, name, subject_id) select gen_random_uuid(), 'French', s.id from subject s`,
	`insert into custom_field (id, applies_to, key, label, kind, position) values (gen_random_uuid(), 'STUDENT', 'house', 'House', 'TEXT', 1)`,
	`insert into student_group_division (group_id, division_id) select g.id, d.id from student_group g, division d`,
	`insert into student_group_member (id, group_id, student_id, from_date) select gen_random_uuid(), g.id, s.id, current_date
		from student_group g, student s`,
	`insert into substitution (id, slot_id, date, substitute_teacher_id) select gen_random_uuid(), s.id, current_date, e.id
		from timetable_slot s, employee e where e.employee_type = 'TEACHER'`,
	`insert into leave (id, applicant_type, employee_id, leave_type, from_date, to_date, days, reason, created_by)
		select gen_random_uuid(), 'EMPLOYEE', id, 'SICK', current_date, current_date, 1, 'Fever', user_id from employee
		where employee_type = 'TEACHER'`,
	`insert into leave (id, applicant_type, student_id, leave_type, from_date, to_date, days, reason, created_by)
		select gen_random_uuid(), 'STUDENT', s.id, 'SICK', current_date, current_date, 1, 'Fever', g.user_id from student s, guardian g`,
	`update teacher_assignment set is_class_teacher = true`,
	`update exam set status = 'SCHEDULED', schedule_published_at = now()`,
	`insert into exam_paper (id, exam_id, class_id, subject_id, exam_date, start_time, end_time, max_marks, pass_marks)
		select gen_random_uuid(), e.id, c.id, s.id, current_date, '09:00', '10:00', 100, 30 from exam e, class c, subject s`,
	`insert into exam_result (id, paper_id, student_id, marks_obtained)
		select gen_random_uuid(), p.id, s.id, 50 from exam_paper p, student s`,
	`update announcement set status = 'PUBLISHED', published_at = now()`,
	`insert into book_copy (id, book_id, accession_number) select gen_random_uuid(), id, 'L-1' from book`,
	`insert into library_loan (id, copy_id, student_id, issued_on, due_on) select gen_random_uuid(), c.id, s.id, current_date - 20,
		current_date - 10 from book_copy c, student s`,
	`insert into library_reservation (id, book_id, student_id) select gen_random_uuid(), b.id, s.id from book b, student s`,
	`insert into fee_concession (id, student_id, academic_year_id, mode, value, category, reason)
		select gen_random_uuid(), s.id, y.id, 'PERCENT', 10, 'MERIT', 'First' from student s, academic_year y`,
	`insert into fee_subscription (id, student_id, fee_head_id, from_date)
		select gen_random_uuid(), s.id, h.id, current_date from student s, fee_head h`,
	`insert into fee_rule (id, kind, fee_head_id, percent) select gen_random_uuid(), 'STAFF', id, 10 from fee_head`,
	`with opening as (insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
			values (gen_random_uuid(), 'OPENING', current_date, 'Opening', 'opening', now()) returning id)
		insert into ledger_entry (transaction_id, line, account_id, entry_type, amount)
		select o.id, 1, s.id, 'DR', 100 from opening o, student s union all
		select o.id, 2, a.id, 'CR', 100 from opening o, ledger_account a where a.code = 'OPENING'`,
	`insert into fee_refund (id, academic_year_id, number, refund_number, student_id, transaction_id, amount, payment_mode, reason, paid_on,
		paid_at) select gen_random_uuid(), y.id, 1, 'RF-1', s.id, t.id, 100, 'CASH', 'Left', current_date, now()
		from academic_year y, student s, ledger_transaction t where t.kind = 'OPENING'`,
	`insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
		select gen_random_uuid(), k, current_date, 'Written off: Left', k, now() from unnest(array['CHARGE', 'WRITE_OFF']) k`,
	`insert into fee_invoice (id, academic_year_id, number, student_id, name, due_date, lines, transaction_id, created_at)
		select gen_random_uuid(), y.id, 'INV-1', s.id, 'Fees', current_date, '[]', t.id, now()
		from academic_year y, student s, ledger_transaction t where t.idempotency_key = 'CHARGE'`,
	`insert into ledger_entry (transaction_id, line, account_id, entry_type, amount, invoice_id, due_date)
		select t.id, 2, i.student_id, 'CR', 100, i.id, i.due_date from ledger_transaction t, fee_invoice i
		where t.idempotency_key = 'WRITE_OFF' and i.number = 'INV-1' union all
		select t.id, 1, a.id, 'DR', 100, null, null from ledger_transaction t, ledger_account a
		where t.idempotency_key = 'WRITE_OFF' and a.code = 'WRITE_OFF'`,
	`insert into fee_write_off (transaction_id, academic_year_id, number, write_off_number)
		select t.id, y.id, 1, 'WO-1' from ledger_transaction t, academic_year y where t.idempotency_key = 'WRITE_OFF'`,
	`insert into suppression (channel, recipient, reason, created_at)
		select 'SMS', '+9170000' || (10000 + n), 'STOPPED', now() from generate_series(1, 300) n`,
	`insert into notice_batch (id, kind, sent_at) values (gen_random_uuid(), 'FEE_REMINDER', now())`,
	`insert into sign_in_provider (id, name, issuer, client_id, domains, status)
		values (gen_random_uuid(), 'Google', 'https://accounts.google.com', 'homeroom', '[]', 'ON')`,
	`insert into sign_in_link (id, provider_id, user_id, subject, email, created_at, last_used_at)
		select gen_random_uuid(), p.id, e.user_id, e.id, 'a@b.example', now(), now() from sign_in_provider p, employee e
		where e.user_id is not null limit 1`,
	`insert into import_run (id, kind, state, dry_run) select gen_random_uuid(), k, 'DONE', false from unnest(array['STUDENT', 'EMPLOYEE',
		'GUARDIAN', 'SUBJECT', 'ASSIGNMENT', 'TIMETABLE', 'OPENING_BALANCE', 'BOOK', 'CONCESSION', 'ATTENDANCE', 'ROUTE', 'RIDER',
		'ONEROSTER', 'PHOTO', 'ATTENDANCE_TOTAL', 'EXAM_RESULT']) k`,
	`insert into certificate (id, kind, number, student_id, snapshot) select gen_random_uuid(), k, 1, s.id,
		'{"firstName": "Asha", "lastName": "", "admissionNumber": "1"}' from student s, unnest(array['BONAFIDE', 'FEE']) k`,
	`insert into dispatch (id, channel, body, audience, recipients, created_at) values (gen_random_uuid(), 'SMS', 'Closed', '{}', 1, now())`,
	`insert into dispatch_template (id, channel, name, body, created_at, updated_at)
		values (gen_random_uuid(), 'SMS', 'Closed', 'Closed', now(), now())`,
	`insert into api_key (id, name, secret_hash, per_minute, created_by, created_at)
		select u.id, 'Website', '', 60, u.id, now() from app_user u limit 1`,
	`insert into webhook (id, name, url, kinds, status) values (gen_random_uuid(), 'Accounts', 'https://example.org', '[]', 'OFF')`,
	`insert into webhook_delivery (id, webhook_id, event_id, kind, record_type, record_id, occurred_at, next_at)
		select gen_random_uuid(), id, gen_random_uuid(), 'student.changed', 'student', id, now(), now() from webhook`,
	`insert into incident (id, bus_id, type, occurred_at, reported_by) select gen_random_uuid(), b.id, 'other', now(), e.user_id
		from bus b join employee e on e.id = b.driver_id`,
}

var schoolCopies = []copies{
	{"academic_year", `'name', x.name || n, 'active', false, 'start_date', x.start_date + n * 400, 'end_date', x.end_date + n * 400`},
	{"class", `'name', x.name || n`}, {"division", `'name', x.name || n`}, {"subject", `'code', x.code || n`},
	{"student_group", `'name', x.name || n`}, {"custom_field", `'key', x.key || n, 'label', x.label || n, 'position', n`}, {"class_subject", `'subject_id', pg_temp.nth(x.subject_id, n)`},
	{"employee", `'employee_code', x.employee_code || n, 'user_id', null`},
	{"teacher_assignment", `'division_id', pg_temp.nth(x.division_id, n)`},
	{"student", `'admission_number', x.admission_number || n`},
	{"enrolment", `'student_id', pg_temp.nth(x.student_id, n), 'roll_number', null`},
	{"role", `'name', x.name || n, 'system', false`}, {"api_key", `'name', x.name || n`},
	{"webhook", `'name', x.name || n`}, {"webhook_delivery", `'event_id', pg_temp.nth(x.event_id, n)`},
	{"permission", `'role_id', pg_temp.nth(x.role_id, n)`},
	{"app_user", `'email', null, 'phone', null`}, {"audit_event", `'actor_id', pg_temp.nth(x.actor_id, n)`}, {"holiday", ``},
	{"dispatch", ``}, {"dispatch_template", `'name', x.name || n`},
	{"grade_scale", `'name', x.name || n, 'is_default', false`}, {"term", `'name', x.name || n`},
	{"period", `'name', x.name || n`}, {"substitution", `'date', x.date + n`},
	{"leave", `'from_date', x.from_date + n, 'to_date', x.to_date + n`},
	{"exam", `'name', x.name || n`}, {"exam_class", `'exam_id', pg_temp.nth(x.exam_id, n)`},
	{"exam_paper", `'exam_id', pg_temp.nth(x.exam_id, n), 'exam_date', x.exam_date + n`},
	{"exam_result", `'student_id', pg_temp.nth(x.student_id, n)`},
	{"announcement", ``}, {"event", ``}, {"thread", ``}, {"thread_participant", `'thread_id', pg_temp.nth(x.thread_id, n)`},
	{"message", `'thread_id', pg_temp.nth(x.thread_id, n)`},
	{"book", `'isbn', ''`}, {"book_copy", `'accession_number', x.accession_number || n, 'barcode', '', 'book_id', pg_temp.nth(x.book_id, n)`},
	{"library_loan", `'copy_id', pg_temp.nth(x.copy_id, n)`}, {"library_reservation", `'book_id', pg_temp.nth(x.book_id, n)`},
	{"fee_head", `'code', x.code || n`}, {"fee_structure", `'class_id', pg_temp.nth(x.class_id, n)`},
	{"fee_concession", ``}, {"fee_subscription", `'student_id', pg_temp.nth(x.student_id, n)`},
	{"fee_rule", `'fee_head_id', pg_temp.nth(x.fee_head_id, n)`},
	{"ledger_transaction", `'idempotency_key', x.idempotency_key || n`},
	{"ledger_entry", `'transaction_id', pg_temp.nth(x.transaction_id, n), 'account_id', pg_temp.nth(x.account_id, n)`},
	{"fee_refund", `'number', x.number + n, 'transaction_id', pg_temp.nth(x.transaction_id, n)`},
	{"fee_write_off", `'number', x.number + n, 'transaction_id', pg_temp.nth(x.transaction_id, n)`}, {"import_run", ``},
	{"notice_batch", ``}, {"sign_in_provider", `'name', x.name || n`},
	{"sign_in_link", `'provider_id', pg_temp.nth(x.provider_id, n), 'subject', x.subject || n`},
	{"certificate", `'number', x.number + n`},
	{"fee_receipt", `'number', x.number + n, 'transaction_id', pg_temp.nth(x.transaction_id, n)`},
	{"bus", `'bus_number', x.bus_number || n, 'registration_number', ''`}, {"route", `'name', x.name || n`},
	{"trip", `'scheduled_start_at', x.scheduled_start_at + n * interval '1 minute'`}, {"incident", ``},
}

// firstPlatformRecords are of kinds of the platform's that a new school leaves none of.
const firstPlatformRecords = `insert into platform.dead_letter (id, channel, recipient, type, attempts, last_error, created_at, failed_at)
	values (gen_random_uuid(), 'SMS', '+919812345678', 'FEE', 5, 'refused', now(), now());
insert into platform.school_count (school_id, students, employees, guardians, file_bytes, database_bytes, counted_at)
	select id, 10, 2, 20, 0, 100, now() from platform.school on conflict do nothing;
insert into platform.audit_event (id, actor_id, actor_role, action, entity, entity_id, school_id, occurred_at)
	select gen_random_uuid(), a.id, 'SUPER_ADMIN', 'suspend', 'school', s.id, s.id, now() from platform.school s, platform.super_admin a`

// platformCopies are the platform's. A school's copy is archived and has no schema: no instance serves or migrates it.
var platformCopies = []copies{
	{"school", `'code', x.code || n, 'status', 'ARCHIVED', 'schema_name', null`},
	{"school_count", `'school_id', pg_temp.nth(x.school_id, n)`},
	{"account", `'user_id', pg_temp.nth(x.user_id, n), 'email', x.email || n, 'phone', null`},
	{"super_admin", `'email', x.email || n`}, {"audit_event", `'actor_id', pg_temp.nth(x.actor_id, n)`}, {"dead_letter", ``},
}

// copyRecords makes copies of what there is, of at most so many records of a table.
func copyRecords(t *testing.T, pool *pgxpool.Pool, schema string, tables []copies, most int) {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	exec := func(sql string) {
		t.Helper()
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(`set local search_path = ` + pgx.Identifier{schema}.Sanitize() + `; set local session_replication_role = replica;
		create function pg_temp.nth(id uuid, n int) returns uuid language sql as $$ select md5(id::text || n)::uuid $$`)
	for _, c := range tables {
		exec(fmt.Sprintf(`insert into %[1]s select (jsonb_populate_record(x, jsonb_build_object(%[2]s)
			|| case when to_jsonb(x) ? 'id' then jsonb_build_object('id', pg_temp.nth((to_jsonb(x) ->> 'id')::uuid, n)) else '{}' end)).*
			from %[1]s x, generate_series(1, %[3]d) n where x.ctid = any(array(select ctid from %[1]s limit %[4]d))`,
			c.table, c.differ, perPage*(deepPage+1), most))
		exec(`analyze ` + c.table)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}
