package archive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/archive"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// odd are values that a careless way of writing them would change.
var odd = []string{"", " ", `\N`, `\\`, `\`, `a\tb`, "tab\there", "line\nend\r\n", "\b\f\v\x01\x1f\x7f", `"quoted", [1]`, "null",
	"héé 学校 🏫", "{school}", `\.`, "'; drop table student; --"}

// furnish fills a school with odd values of every type there is.
func furnish(t *testing.T, s *testkit.School) (admin *testkit.Client) {
	t.Helper()
	db := s.DB(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := db.Exec(sql, args...).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	seat := s.Seat(t, "Class 5")
	child := s.Child(t, seat, 1)
	for i, text := range odd {
		exec(`insert into class (id, name, code, next_class_id) values (?, ?, ?, null)`, api.NewID(), fmt.Sprint("odd ", i), text)
		exec(`insert into audit_event (id, actor_role, action, entity, entity_id, before, after, occurred_at)
			values (?, 'X', 'x', 'x', ?, to_jsonb(?::text), null, '2026-11-15 08:41:04.123456+05:30')`, api.NewID(), s.ID.String(), text)
	}
	exec(`update class set next_class_id = (select id from class where name = 'odd 1') where name = 'odd 0'`)
	exec(`insert into audit_event (id, actor_role, action, entity, entity_id, before, after, occurred_at)
		values (?, 'X', 'x', 'x', 'x', 'null', '{"n": 1.0, "big": 12345678901234567890.123456789, "e": 1e400}',
		'0044-03-15 00:00:00 BC')`, api.NewID())
	exec(`insert into calendar_feed (token_hash, user_id) values ('\x00ff5c0a09', ?)`, s.As(t, api.Teacher).UserID)
	exec(`insert into leave_entitlement (leave_type, days_per_year) values ('SICK', 0.1::float8 + 0.2::float8), ('CASUAL', 1e-300)`)
	exec(`insert into term (id, academic_year_id, name, start_date, end_date, weight) values (?, ?, 'T', '2026-06-01', '2026-09-30', 12.30)`,
		api.NewID(), seat.YearID)
	exec(`insert into ledger_account (id, code, name, type, student_id) values (?, 'STUDENT x', 'Student', 'STUDENT', ?)`, child.ID, child.ID)
	exec(`with t as (insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
		values (?, 'PAYMENT', current_date, 'x', 'x', now()) returning id)
		insert into ledger_entry (transaction_id, line, account_id, entry_type, amount)
		select id, 1, '00000000-0000-4000-8000-000000000001'::uuid, 'DR', 9223372036854775807 from t
		union all select id, 2, ?::uuid, 'CR', 9223372036854775807 from t`, api.NewID(), child.ID)
	admin = s.As(t, api.SchoolAdmin)
	if a := upload(t, admin, []byte("%PDF-1.4 the bytes of a file")); a.Status >= 300 {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	return admin
}

func upload(t *testing.T, c *testkit.Client, content []byte) testkit.Answer {
	t.Helper()
	var body bytes.Buffer
	body.WriteString("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n")
	body.Write(content)
	body.WriteString("\r\n--b--\r\n")
	return c.Send(t, "POST", "/school-admin/file/upload", "multipart/form-data; boundary=b", body.Bytes())
}

func export(t *testing.T, s *testkit.School) ([]byte, archive.Closing) {
	t.Helper()
	var out bytes.Buffer
	closing, err := s.App.Service.Export(t.Context(), s.ID, &out, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), closing
}

func restore(t *testing.T, app *testkit.App, file []byte) (*testkit.School, archive.Proof) {
	t.Helper()
	made, err := app.Service.Import(t.Context(), newSchool(), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return &testkit.School{School: made.School, App: app}, made.Proof
}

func newSchool() archive.Import {
	return archive.Import{ID: api.NewID(), Code: "r-" + uuid.NewString()[:8], Status: tenancy.Active}
}

func TestASchoolComesBackAsItWasUnderAnotherID(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := furnish(t, s)
	file, written := export(t, s)
	copied, proof := restore(t, s.App, file)
	if copied.ID == s.ID || copied.Schema == s.Schema {
		t.Fatal("it is the same school")
	}
	if proof.Rows() != written.Rows() || len(proof.Files) != 1 {
		t.Errorf("proof %+v, written %+v", proof.Closing, written)
	}
	// The copy's own archive says the same of every table. What waited to be told is the original's to tell.
	_, again := export(t, copied)
	for i, table := range written.Tables {
		if !table.Equal(again.Tables[i]) && table.Name != "outbox" && table.Name != "delivery" {
			t.Errorf("table %s: %+v became %+v", table.Name, table, again.Tables[i])
		}
	}
	if n := copied.Count(t, "audit_event", "entity_id = ?", copied.ID.String()); n != len(odd) {
		t.Errorf("%d of %d rows that had the school's id have the new one", n, len(odd))
	}
	if n := copied.Count(t, "audit_event", "before = 'null'::jsonb and after is not null"); n != 1 {
		t.Error("a JSON null is no NULL")
	}
	// What the database refused before it refuses now.
	db := copied.DB(t)
	if err := db.Exec(`update ledger_entry set amount = 1`).Error; err == nil {
		t.Error("the ledger can be changed")
	}
	// Its people sign in, and its file is there under a name of its own.
	if n := copied.Count(t, "file", "storage_key like ?", copied.ID.String()+"/%"); n != 1 {
		t.Error("its file is kept under the name of the original's")
	}
	office := signInAt(t, s.App, s.Phone(t, admin), copied.ID)
	type classes struct{ Total int }
	if n := testkit.Get[classes](t, office, "/school-admin/class/list").Total; n != len(odd)+1 {
		t.Errorf("its administrator sees %d classes", n)
	}
	// One who is disabled at the copy is still let in at the original.
	if err := db.Exec(`update app_user set status = 'DISABLED' where id = ?`, admin.UserID).Error; err != nil {
		t.Fatal(err)
	}
	if _, err := s.App.Service.Auth.RepairDirectory(t.Context(), copied.ID); err != nil {
		t.Fatal(err)
	}
	office.Refuses(t, "GET", "/school-admin/class/list", nil, 401, "")
	testkit.Get[classes](t, admin, "/school-admin/class/list")
}

// signInAt signs in by code and goes to the account at one of the phone's schools.
func signInAt(t *testing.T, app *testkit.App, phone string, school uuid.UUID) *testkit.Client {
	t.Helper()
	c := app.Nobody()
	c.Call(t, "POST", "/auth/send-otp", map[string]any{"phone": phone})
	var in struct {
		AccessToken  string
		RefreshToken string
		Accounts     []struct{ ID, SchoolID uuid.UUID }
	}
	a := c.Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": phone, "otp": app.OTP(t, phone)})
	if err := json.Unmarshal(a.Body, &in); err != nil || a.Status != 200 {
		t.Fatalf("signing in: %d %s", a.Status, a.Body)
	}
	c.Token = in.AccessToken
	for _, account := range in.Accounts {
		if account.SchoolID == school {
			a := c.Call(t, "POST", "/auth/switch", map[string]any{"accountId": account.ID, "refreshToken": in.RefreshToken})
			if err := json.Unmarshal(a.Body, &in); err != nil || a.Status != 200 {
				t.Fatalf("switching: %d %s", a.Status, a.Body)
			}
			c.Token = in.AccessToken
			return c
		}
	}
	t.Fatalf("no account at the school: %s", a.Body)
	return nil
}

func count(t *testing.T, app *testkit.App, sql string, args ...any) (n int) {
	t.Helper()
	if err := app.Service.Cluster.PlatformPool().QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A damaged archive is found wherever it is damaged, and nothing is made of it.
func TestADamagedArchiveSaysWhereAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	furnish(t, s)
	file, _ := export(t, s)
	if _, _, err := archive.Verify(bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, damaged []byte) {
		t.Helper()
		_, _, err := archive.Verify(bytes.NewReader(damaged))
		var where *archive.DamagedError
		if !errors.As(err, &where) || !strings.Contains(err.Error(), "at byte ") || where.Offset > int64(len(damaged)) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for at := 0; at < len(file); at += max(1, len(file)/300) {
		for _, mask := range []byte{0x01, 0xff} {
			damaged := bytes.Clone(file)
			damaged[at] ^= mask
			refused(fmt.Sprintf("byte %d of %d changed by %x", at, len(file), mask), damaged)
		}
	}
	for at := len(file) - 200; at < len(file); at++ {
		damaged := bytes.Clone(file)
		damaged[at] ^= 0x80
		refused(fmt.Sprintf("byte %d of %d", at, len(file)), damaged)
	}
	for cut := range 60 {
		refused(fmt.Sprintf("cut to %d", len(file)*cut/60), file[:len(file)*cut/60])
	}
	refused("one byte short", file[:len(file)-1])
	refused("one byte more", append(bytes.Clone(file), 0))
	refused("twice", append(bytes.Clone(file), file...))

	i := newSchool()
	damaged := bytes.Clone(file)
	damaged[len(file)/2] ^= 0x10
	if _, err := s.App.Service.Import(t.Context(), i, bytes.NewReader(damaged)); err == nil {
		t.Fatal("it was imported")
	}
	if n := count(t, s.App, `select count(*) from platform.school where id = $1`, i.ID); n != 0 {
		t.Error("there is a school of it")
	}
}

// turncoat is an archive that is whole when it is verified and damaged when it is loaded:
// nothing may be left of what was loaded by then.
type turncoat struct {
	*bytes.Reader
	then []byte
}

func (f *turncoat) Seek(offset int64, whence int) (int64, error) {
	f.Reader = bytes.NewReader(f.then)
	return f.Reader.Seek(offset, whence)
}

func TestAnImportThatFailsHalfwayLeavesNoSchool(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	furnish(t, s)
	file, _ := export(t, s)
	damaged := bytes.Clone(file)
	damaged[len(file)*9/10] ^= 0x10
	i := newSchool()
	_, err := s.App.Service.Import(t.Context(), i, &turncoat{bytes.NewReader(file), damaged})
	var where *archive.DamagedError
	if !errors.As(err, &where) {
		t.Fatalf("it says %v", err)
	}
	if n := count(t, s.App, `select count(*) from platform.school where id = $1`, i.ID); n != 0 {
		t.Error("there is a school of it")
	}
	i.InTx = []tenancy.InTx{func(context.Context, pgx.Tx) error { return errors.New("no room in the books") }}
	if _, err := s.App.Service.Import(t.Context(), i, bytes.NewReader(file)); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Fatalf("it says %v", err)
	}
	if n := count(t, s.App, `select count(*) from platform.school where id = $1`, i.ID); n != 0 {
		t.Error("there is a school of it")
	}
	if _, err := s.App.Service.Import(t.Context(), archive.Import{ID: s.ID, Code: "x-" + uuid.NewString()[:8], Status: tenancy.Active},
		bytes.NewReader(file)); !errors.Is(err, lifecycle.ErrIDTaken) {
		t.Errorf("an id that is taken: %v", err)
	}
	if _, err := s.App.Service.Import(t.Context(), archive.Import{ID: api.NewID(), Code: strings.ToUpper(s.Code), Status: tenancy.Active},
		bytes.NewReader(file)); !errors.Is(err, tenancy.ErrCodeTaken) {
		t.Errorf("a code that is taken: %v", err)
	}
}

func TestAnArchiveIsOneMomentHoweverMuchIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	// Pairs in the first and the last tables that are read, written together or not at all.
	stop, began := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	db := s.DB(t)
	wg.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			id := api.NewID()
			err := db.Exec(`with a as (insert into class (id, name) values (?, ?)), b as (insert into number_series (name) values (?))
				insert into outbox (id, kind, payload, occurred_at, next_at)
				values (?, 'pair', '{}', now(), now() + interval '1 hour')`, id, "pair "+id.String(), "pair "+id.String(), id).Error
			if err != nil {
				t.Errorf("writing a pair: %v", err)
				return
			}
			if n == 20 {
				close(began)
			}
		}
	})
	<-began
	var files [][]byte
	for range 3 {
		file, _ := export(t, s)
		files = append(files, file)
	}
	close(stop)
	wg.Wait()
	for _, file := range files {
		copied, _ := restore(t, s.App, file)
		db := copied.DB(t)
		var classes, numbers, facts int
		if err := db.Raw(`select (select count(*) from class where name like 'pair%'), (select count(*) from number_series
			where name like 'pair%'), (select count(*) from outbox where kind = 'pair')`).
			Row().Scan(&classes, &numbers, &facts); err != nil {
			t.Fatal(err)
		}
		if classes < 20 || classes != numbers || classes != facts {
			t.Errorf("%d classes, %d numbers, %d facts", classes, numbers, facts)
		}
	}
}

func TestAnArchiveOfAnOlderVersionIsBroughtUpToDateAndOfANewerOneRefused(t *testing.T) {
	t.Parallel()
	all := migrations.School()
	older := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_older",
		func(_ *config.Config, o *service.Options) { o.Migrations = all[:len(all)-1] })
	s := older.NewSchool(t)
	s.Seat(t, "Class 5")
	file, written := export(t, s)

	newer := testkit.Shared(t)
	copied, proof := restore(t, newer, file)
	if copied.SchemaVersion != len(all) || proof.Manifest.SchemaVersion != len(all)-1 || proof.Rows() != written.Rows() {
		t.Errorf("version %d, proof of %d with %d rows", copied.SchemaVersion, proof.Manifest.SchemaVersion, proof.Rows())
	}
	if n := copied.Count(t, "class", "name = 'Class 5'"); n != 1 {
		t.Error("its class is not there")
	}
	_, err := older.Service.Import(t.Context(), newSchool(), bytes.NewReader(exportOf(t, copied)))
	if err == nil || !strings.Contains(err.Error(), "use the newer binary") {
		t.Errorf("a newer archive: %v", err)
	}
}

func exportOf(t *testing.T, s *testkit.School) []byte {
	file, _ := export(t, s)
	return file
}

// A restore takes its time; a sweeper of unfinished schemas must not take it away.
func TestASweeperLetsARestoreUnderWayBe(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	file, _ := export(t, s)
	i := newSchool()
	i.Prepare = func(ctx context.Context, made *tenancy.School) error {
		_, err := s.App.Service.Cluster.PlatformPool().Exec(ctx, `update platform.spare_schema set created_at = $1 where schema_name = $2`,
			time.Now().Add(-time.Hour), made.Schema)
		if err == nil {
			_, err = lifecycle.KeepSpares(ctx, s.App.Service.Cluster)
		}
		return err
	}
	made, err := s.App.Service.Import(t.Context(), i, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	copied := &testkit.School{School: made.School, App: s.App}
	if copied.Count(t, "role", "true") == 0 {
		t.Error("it is empty")
	}
}
