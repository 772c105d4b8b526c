package privacy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/privacy"
	"homeroom/notice"
	"homeroom/tenancy"
	"homeroom/testkit"
)

type record struct{ ID uuid.UUID }

// family is a student with a guardian, known to every part of the school.
type family struct {
	*testkit.School
	office            *testkit.Client
	parent            *testkit.Client
	student, guardian uuid.UUID
	number, phone     string
}

func newFamily(t *testing.T) *family {
	t.Helper()
	f := &family{School: testkit.NewSchool(t), phone: testkit.NewPhone(), number: "A-" + uuid.NewString()[:8]}
	f.office = f.As(t, api.SchoolAdmin)
	seat := f.Seat(t, "Class 5")
	photo := f.upload(t, f.office)
	f.student = testkit.Post[record](t, f.office, "/school-admin/student/create", map[string]any{
		"firstName": "Zuleika", "lastName": "Quartermain", "admissionNumber": f.number, "address": "7 Nightingale Rise",
		"medicalNotes": "Asthma-Klaxon", "photoFileId": photo,
		"classId": seat.ClassID, "divisionId": seat.DivisionID,
	}).ID
	testkit.Post[any](t, f.office, "/school-admin/student/"+f.student.String()+"/guardians",
		map[string]any{"firstName": "Balthazar", "lastName": "Quartermain", "phone": f.phone, "email": "balthazar@quartermain.test",
			"relation": "FATHER"})
	detail := testkit.Get[struct {
		Guardians []struct{ ID, UserID uuid.UUID }
	}](t, f.office, "/school-admin/student/"+f.student.String())
	f.guardian = detail.Guardians[0].ID
	f.parent = f.signIn(t)
	f.parent.UserID = detail.Guardians[0].UserID
	teacher := f.Teacher(t, seat)
	testkit.Post[any](t, f.parent, "/parent/message/send",
		map[string]any{"recipientIds": []any{teacher.UserID}, "studentId": f.student, "body": "Zuleika has a Klaxon-cough"})
	f.exec(t, `insert into attendance (id, student_id, division_id, date, status, remark, source, marked_by, marked_at)
		values (?, ?, ?, current_date - 1, 'ABSENT', 'Klaxon at the doctor', 'TEACHER', ?,
		now())`, api.NewID(), f.student, seat.DivisionID, teacher.UserID)
	f.exec(t, `insert into attendance_revision (attendance_id, version, student_id, date, status, remark, source, reason, marked_by,
		marked_at, replaced_by, replaced_at)
		values (?, 1, ?, current_date - 1, 'ABSENT', 'Klaxon', 'TEACHER', '', ?, now(), ?,
		now())`, api.NewID(), f.student, teacher.UserID, teacher.UserID)
	f.exec(t, `insert into delivery (id, channel, recipient, user_id, purpose, title, body, dedupe_key, next_at, created_at)
		values (?, 'SMS', ?, ?, 'NOTICE', 'x', 'Zuleika Quartermain is absent', ?, now(),
		now())`, api.NewID(), f.phone, f.parent.UserID, uuid.NewString())
	return f
}

func (f *family) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if err := f.DB(t).Exec(sql, args...).Error; err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (f *family) upload(t *testing.T, c *testkit.Client) uuid.UUID {
	t.Helper()
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.4 bytes\r\n--b--\r\n"
	a := c.Send(t, "POST", "/school-admin/file/upload", "multipart/form-data; boundary=b", []byte(body))
	var made record
	a.Read(t, &made)
	return made.ID
}

// signIn signs the guardian in by code, as their phone does.
func (f *family) signIn(t *testing.T) *testkit.Client {
	t.Helper()
	c := f.App.Nobody()
	c.Call(t, "POST", "/parent/user-auth/send-otp", map[string]any{"phone": f.phone})
	var in struct{ AccessToken string }
	a := c.Call(t, "POST", "/parent/user-auth/verify-otp", map[string]any{"phone": f.phone, "otp": f.App.OTP(t, f.phone)})
	if err := json.Unmarshal(a.Body, &in); err != nil || a.Status != 200 {
		t.Fatalf("signing in: %d %s", a.Status, a.Body)
	}
	c.Token = in.AccessToken
	return c
}

// mentions are the tables of the school's whole archive in which a word stands.
func (f *family) mentions(t *testing.T, words ...string) (found []string) {
	t.Helper()
	db := f.DB(t)
	var tables []string
	if err := db.Raw(`select relname from pg_class where relnamespace = current_schema()::regnamespace
		and relkind = 'r'`).Scan(&tables).Error; err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		for _, word := range words {
			var n int
			if err := db.Raw(fmt.Sprintf(`select count(*) from "%s" x where strpos(lower(to_jsonb(x)::text), lower(?)) > 0`, table),
				word).Scan(&n).Error; err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				found = append(found, fmt.Sprintf("%s in %s (%d)", word, table, n))
			}
		}
	}
	return found
}

func TestAPersonGetsAllThatIsKeptOfThem(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	for path, wants := range map[string][]string{
		"/school-admin/student/" + f.student.String(): {"Zuleika", "7 Nightingale Rise", "Asthma-Klaxon", "Klaxon-cough",
			"Klaxon at the doctor", `"enrolments"`, `"changes"`},
		"/school-admin/guardian/" + f.guardian.String(): {"Balthazar", f.phone, "balthazar@quartermain.test", "Klaxon-cough", `"account"`,
			`"deliveries"`},
	} {
		a := f.office.Call(t, "GET", path+"/personal-data", nil)
		var file struct{ Data map[string][]map[string]any }
		if err := json.Unmarshal(a.Body, &file); err != nil || a.Status != 200 ||
			!strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") {
			t.Fatalf("%s: %d %v %s", path, a.Status, err, a.Body)
		}
		for _, want := range wants {
			if !bytes.Contains(a.Body, []byte(want)) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
		if bytes.Contains(a.Body, []byte("pin_hash")) || bytes.Contains(a.Body, []byte("storage_key")) {
			t.Errorf("%s says what lets people in", path)
		}
	}
	if n := f.Count(t, "audit_event", "action = 'export personal data'"); n != 2 {
		t.Errorf("%d lines in the books", n)
	}
	f.parent.Refuses(t, "GET", "/school-admin/student/"+f.student.String()+"/personal-data", nil, 403, "PERMISSION_DENIED")
	f.office.Refuses(t, "GET", "/school-admin/student/"+api.NewID().String()+"/personal-data", nil, 404, "STUDENT_NOT_FOUND")
}

func TestAPersonErasedWhileSomebodyIsToldOfThemIsInNoMessage(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	student := "/school-admin/student/" + f.student.String()
	testkit.Post[any](t, f.office, student+"/transfer", map[string]any{"reason": "Moved to Klaxon"})
	f.exec(t, `update enrolment set start_date = current_date - 9, end_date = current_date - 1 where student_id = ?`, f.student)
	told := func() bool { return f.Count(t, "outbox", "next_at <= now()") == 0 }
	testkit.Eventually(t, "what was to be told is told", told)
	// A message of the same key is being written by somebody else: whoever turns the notice into messages has read it,
	// and waits to learn whether there is one already.
	school, err := f.App.Service.Cluster.FindSchool(t.Context(), f.ID)
	if err != nil {
		t.Fatal(err)
	}
	node, err := f.App.Service.Cluster.Node(t.Context(), school.Node)
	if err != nil {
		t.Fatal(err)
	}
	other, err := node.Admin().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(context.WithoutCancel(t.Context())) }()
	key := uuid.NewString()
	if _, err := other.Exec(t.Context(), `insert into `+tenancy.Ident(school.Schema)+`.delivery (id, channel, recipient, purpose, title, body,
		dedupe_key, next_at, created_at)
		values ($1, 'PUSH', 'x', 'NOTICE', 'x', 'x', $2, now(), now())`, api.NewID(), key+"/PUSH/user_"+f.office.UserID.String()); err != nil {
		t.Fatal(err)
	}
	wait := func(want int) bool { // for the other, or for one who does
		var n int
		err := other.QueryRow(t.Context(), `with first as (select pid from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid)))
			select count(*) from pg_stat_activity where pg_blocking_pids(pid) && (select array_agg(pid) || pg_backend_pid() from first)`).Scan(&n)
		return err == nil && n >= want
	}
	f.exec(t, `with n as (insert into notice (id, type, key, student_id, user_id, title, body, teaser, due_at, told_at, created_at)
			values (?, 'MESSAGE', ?, ?, ?, 'Of Philomena', 'x', 'x', now(), now(), now()) returning id)
		insert into outbox (id, kind, payload, occurred_at, next_at) select ?, ?, jsonb_build_object('ids', array[n.id]), now(), now() from n`,
		api.NewID(), key, f.student, f.office.UserID, api.NewID(), notice.Due)
	f.App.Service.Relay.Wake(f.ID)
	testkit.Eventually(t, "the notice is being told", func() bool { return wait(1) })
	erased := make(chan testkit.Answer, 1)
	go func() {
		a, err := f.office.TryCall("POST", student+"/erase", map[string]any{"admissionNumber": f.number, "reason": "Asked in writing"})
		if err != nil {
			a.Body = []byte(err.Error())
		}
		erased <- a
	}()
	testkit.Eventually(t, "the erasure waits for it, or did not", func() bool { return wait(2) || len(erased) == 1 })
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := <-erased; a.Status != 200 {
		t.Fatalf("erasing: %d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "what was to be told is told", told)
	if left := f.mentions(t, "Philomena"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestAPersonIsErasedAndTheAccountsStay(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	student, guardian := "/school-admin/student/"+f.student.String(), "/school-admin/guardian/"+f.guardian.String()
	// The student's account has history.
	f.exec(t, `insert into ledger_account (id, code, name, type, student_id) values (?, ?, 'Student', 'STUDENT', ?)`, f.student,
		"STUDENT "+f.student.String(), f.student)
	post := func(side, other string) {
		f.exec(t, `with t as (insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
			values (?, 'PAYMENT', current_date, 'x', ?, now()) returning id)
			insert into ledger_entry (transaction_id, line, account_id, entry_type, amount)
			select id, 1, '00000000-0000-4000-8000-000000000001'::uuid, ?, 500 from t union all select id, 2, ?::uuid, ?, 500 from t`,
			api.NewID(), uuid.NewString(), other, f.student, side)
	}
	erase := map[string]any{"admissionNumber": f.number, "reason": "Asked in writing"}
	f.office.Refuses(t, "POST", student+"/erase", erase, 409, "")
	f.office.Refuses(t, "POST", guardian+"/erase", map[string]any{"phone": f.phone, "reason": "Asked"}, 409, "")
	testkit.Post[any](t, f.office, student+"/transfer", map[string]any{"reason": "Moved to Klaxon"})
	f.exec(t, `update enrolment set start_date = current_date - 9, end_date = current_date - 1 where student_id = ?`, f.student)
	post("DR", "CR")
	if said := f.office.Refuses(t, "POST", student+"/erase", erase, 409, ""); !strings.Contains(said.Message, "owes ₹5.00:") {
		t.Errorf("it says %q", said.Message)
	}
	post("CR", "DR")
	f.office.Refuses(t, "POST", student+"/erase", map[string]any{"admissionNumber": "A-wrong", "reason": "Asked"}, 422, "")
	f.office.Refuses(t, "POST", student+"/erase", map[string]any{"admissionNumber": f.number}, 422, "")
	f.parent.Refuses(t, "POST", student+"/erase", erase, 403, "PERMISSION_DENIED")

	entries, books := f.Count(t, "ledger_entry", "account_id = ?", f.student), f.Count(t, "audit_event", "true")
	gone := testkit.Post[privacy.Erased](t, f.office, student+"/erase", erase)
	if !strings.HasPrefix(gone.Name, "Erased person ") {
		t.Errorf("%+v", gone)
	}
	f.office.Refuses(t, "POST", student+"/erase", erase, 409, "")
	f.office.Refuses(t, "GET", student, nil, 404, "STUDENT_NOT_FOUND")
	testkit.Post[privacy.Erased](t, f.office, guardian+"/erase", map[string]any{"phone": f.phone, "reason": "Asked in writing"})
	testkit.Eventually(t, "the guardian's session ends",
		func() bool { return f.parent.Call(t, "GET", "/parent/notification/unread-count", nil).Status == 401 })
	testkit.Eventually(t, "the directory knows them no more", func() bool {
		var n int
		err := f.App.Service.Cluster.PlatformPool().QueryRow(t.Context(), `select count(*) from platform.account where phone = $1`,
			f.phone).Scan(&n)
		return err == nil && n == 0
	})
	testkit.Eventually(t, "what was to be told is told", func() bool { return f.Count(t, "outbox", "next_at <= now()") == 0 })
	if left := f.mentions(t, "Zuleika", "Balthazar", "Quartermain", f.phone, "Nightingale", "Klaxon"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if n := f.Count(t, "file", "true"); n != 0 {
		t.Errorf("%d files are left", n)
	}
	if n := f.Count(t, "ledger_entry", "account_id = ?", f.student); n != entries || n == 0 {
		t.Errorf("of %d entries %d are left", entries, n)
	}
	if n := f.Count(t, "audit_event", "true"); n < books+2 {
		t.Errorf("of %d lines in the books %d are left", books, n)
	}
	if n := f.Count(t, "audit_event", "action = 'erase' and after ->> 'reason' = 'Asked in writing'"); n != 2 {
		t.Errorf("%d lines say that somebody was erased", n)
	}
	// Nobody changes the books otherwise.
	if err := f.DB(t).Exec(`update audit_event set reason = 'x'`).Error; err == nil {
		t.Error("the school's role can change the books")
	}
}

func TestAnEmployeeWhoHasLeftIsErased(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	office, phone := s.As(t, api.SchoolAdmin), testkit.NewPhone()
	made := testkit.Post[struct {
		ID           uuid.UUID
		EmployeeCode string
	}](t, office, "/school-admin/employee/create",
		map[string]any{"firstName": "Peregrine", "lastName": "Oakes", "phone": phone, "employeeType": "TEACHER", "qualification": "M.A."})
	path := "/school-admin/employee/" + made.ID.String()
	erase := map[string]any{"employeeCode": made.EmployeeCode, "reason": "Asked"}
	office.Refuses(t, "POST", path+"/erase", erase, 409, "")
	if a := office.Call(t, "DELETE", path, nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	testkit.Post[privacy.Erased](t, office, path+"/erase", erase)
	f := &family{School: s}
	testkit.Eventually(t, "what was to be told is told", func() bool { return s.Count(t, "outbox", "true") == 0 })
	if left := f.mentions(t, "Peregrine", "Oakes", phone, "M.A."); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
