package school_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/school"
	"homeroom/testkit"
)

func TestASuperAdminCorrectsWhatThePlatformSaysOfASchool(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.NewSchool(t)
	super, admin := s.App.SuperAdmin(t), s.As(t, api.SchoolAdmin)
	path := "/super-admin/school/" + s.ID.String()
	was := testkit.Get[school.Profile](t, super, path)
	now := testkit.Put[school.Profile](t, super, path, map[string]any{
		"name": "Green Valley High", "timeZone": "Asia/Dubai", "currency": "AED", "weekendDays": []int{5, 6}, "phone": "+971 4 123 4567",
		"email": "office@green.test", "version": was.Version,
	})
	if now.Name != "Green Valley High" || now.TimeZone != "Asia/Dubai" || now.Currency != "AED" || now.Phone != "+97141234567" ||
		len(now.WeekendDays) != 2 || now.WeekendDays[0] != 5 ||
		now.Code != was.Code || now.Locale != was.Locale || now.Version != was.Version+1 {
		t.Fatalf("%+v", now)
	}
	testkit.Eventually(t, "the school itself is told its new name", func() bool {
		me := testkit.Get[struct {
			School struct{ Name, TimeZone string }
		}](t, admin, "/auth/me")
		return me.School.Name == "Green Valley High" && me.School.TimeZone == "Asia/Dubai"
	})
	super.Refuses(t, "PUT", path, map[string]any{"name": "Late", "version": was.Version}, 409, "")
	super.Refuses(t, "PUT", path, map[string]any{"code": strings.ToUpper(other.Code)}, 409, "DUPLICATE_ENTRY")
	bad := super.Refuses(t, "PUT", path, map[string]any{"timeZone": "Mars/Olympus", "currency": "rupees", "name": " ",
		"weekendDays": []int{8}, "email": "nobody"}, 422, "")
	if len(bad.Details) != 5 {
		t.Errorf("%+v", bad.Details)
	}
	super.Refuses(t, "PUT", "/super-admin/school/"+uuid.NewString(), map[string]any{"name": "Nobody's"}, 404, "SCHOOL_NOT_FOUND")

	// Amounts have no currency of their own: once there are some, it stays.
	err := s.DB(t).Exec(`with posted as (insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
			values (gen_random_uuid(), 'CHARGE', current_date, 'Fees', 'test', now()) returning id)
		insert into ledger_entry (transaction_id, line, account_id, entry_type, amount)
		select posted.id, line, ('00000000-0000-4000-8000-00000000000' || line)::uuid, case line when 1 then 'DR' else 'CR' end, 100
		from posted, generate_series(1, 2) line`).Error
	if err != nil {
		t.Fatal(err)
	}
	super.Refuses(t, "PUT", path, map[string]any{"currency": "INR"}, 409, "")
	if now := testkit.Get[school.Profile](t, super, path); now.Version != was.Version+1 {
		t.Errorf("a refused change changed something: %+v", now)
	}
	book := testkit.Get[api.Page[struct {
		Action        string
		Before, After map[string]any
	}]](t, super, "/super-admin/audit/list?filters%5BschoolId%5D="+s.ID.String()+"&filters%5Baction%5D=update")
	if book.Total != 1 || book.Items[0].Before["currency"] != "INR" || book.Items[0].After["currency"] != "AED" {
		t.Errorf("%+v", book)
	}
}

func TestTheProvisioningStreamTellsEveryStepUntilTheSchoolIsReady(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	super := app.SuperAdmin(t)
	code := "w" + uuid.NewString()[:12]
	made := testkit.Post[school.School](t, super, "/super-admin/school/create", map[string]any{
		"name": "Watched", "code": code, "timeZone": "Asia/Kolkata", "currency": "INR",
		"admin": map[string]any{"firstName": "Asha", "email": code + "@watched.test"},
	})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet,
		app.URL+"/super-admin/school/"+made.ID.String()+"/provisioning/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+super.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	type progress struct {
		Status  string
		Percent int
		Steps   []struct{ Name string }
	}
	var seen []progress
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var p progress
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		if len(seen) > 0 && p.Percent < seen[len(seen)-1].Percent {
			t.Errorf("it went back from %d to %d", seen[len(seen)-1].Percent, p.Percent)
		}
		seen = append(seen, p)
	}
	if len(seen) == 0 || seen[len(seen)-1].Status != "ACTIVE" || seen[len(seen)-1].Percent != 100 || len(seen[0].Steps) < 5 {
		t.Fatalf("%+v", seen)
	}
	super.Refuses(t, "GET", "/super-admin/school/"+uuid.NewString()+"/provisioning/stream", nil, 404, "SCHOOL_NOT_FOUND")
}

func TestASchoolsStatsCountItsPeopleItsFilesItsSessionsAndItsRequests(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	super := s.App.SuperAdmin(t)
	path := "/super-admin/school/" + s.ID.String() + "/stats"
	if empty := testkit.Get[school.Stats](t, super, path); empty.Students != 0 || empty.LastActivityAt != nil || empty.DatabaseBytes == 0 ||
		empty.Status != "ACTIVE" {
		t.Errorf("%+v", empty)
	}
	seat := s.Seat(t, "Class 5")
	s.Child(t, seat, 2)
	s.Child(t, seat, 0)
	teacher := s.Teacher(t, seat)
	if err := s.DB(t).Exec(`update student set status = 'WITHDRAWN' where id = ?`, s.Child(t, seat, 0).ID).Error; err != nil {
		t.Fatal(err)
	}
	if err := s.DB(t).Exec(`insert into file (id, purpose, original_name, content_type, size_bytes, sha256, storage_key, uploaded_by,
		created_at)
		values (?, 'ATTACHMENT', 'plan.pdf', 'application/pdf', 1234, '', '', ?, now())`, uuid.New(), teacher.UserID).Error; err != nil {
		t.Fatal(err)
	}
	for range 3 {
		testkit.Get[map[string]any](t, teacher, "/teacher/class/list")
	}
	if err := s.App.Service.Traffic.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := testkit.Get[school.Stats](t, super, path)
	if got.Students != 2 || got.Guardians != 2 || got.Employees != 1 || got.FileBytes != 1234 || got.Sessions != 3 || got.Accounts != 3 ||
		got.Requests != 3 || got.Errors != 0 || got.LastActivityAt == nil {
		t.Errorf("%+v", got)
	}
	super.Refuses(t, "GET", "/super-admin/school/"+uuid.NewString()+"/stats", nil, 404, "SCHOOL_NOT_FOUND")
}

func TestTheListOfSchoolsSaysHowLargeEachWasWhenLastCounted(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	super := s.App.SuperAdmin(t)
	row := func() school.ListedSchool {
		t.Helper()
		found := testkit.Get[api.Page[school.ListedSchool]](t, super, "/super-admin/school/list?filters[search]="+s.Code)
		if len(found.Items) != 1 {
			t.Fatalf("%+v", found)
		}
		return found.Items[0]
	}
	if fresh := row(); fresh.ID != s.ID || fresh.Students != 0 {
		t.Errorf("%+v", fresh)
	}
	seat := s.Seat(t, "Class 5")
	s.Child(t, seat, 1)
	s.Child(t, seat, 0)
	s.RunScheduled(t, "count-schools")
	if counted := row(); counted.Students != 2 || counted.DatabaseBytes == 0 || counted.Name == "" || counted.Node == nil {
		t.Errorf("%+v", counted)
	}
}

func TestWhatAnOperatorSaysOfASchoolTheSchoolSaysItselfFromThenOn(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.NewSchool(t)
	super, admin := s.App.SuperAdmin(t), s.As(t, api.SchoolAdmin)
	path := "/super-admin/school/" + s.ID.String()
	type said struct {
		Name, TimeZone, Website string
		WeekendDays             []int
	}
	testkit.Put[said](t, admin, "/school-admin/setting", map[string]any{"name": "Hill School", "website": "https://hill.test"})

	// Refused, nothing of it is done, neither here nor there.
	super.Refuses(t, "PUT", path, map[string]any{"name": "Half", "code": other.Code}, 409, "DUPLICATE_ENTRY")
	if now := testkit.Get[said](t, admin, "/school-admin/setting"); now.Name != "Hill School" {
		t.Errorf("a refused change is in the settings: %+v", now)
	}

	testkit.Put[school.Profile](t, super, path, map[string]any{"name": "Hill High School", "timeZone": "Asia/Dubai", "weekendDays": []int{5, 7}})
	now := testkit.Get[said](t, admin, "/school-admin/setting")
	if now.Name != "Hill High School" || now.TimeZone != "Asia/Dubai" || len(now.WeekendDays) != 2 || now.WeekendDays[0] != 0 || // 7 is Sunday too
		now.WeekendDays[1] != 5 ||
		now.Website != "https://hill.test" {
		t.Errorf("the school says %+v", now)
	}
	s.RunScheduled(t, "heal-profiles")
	if again := testkit.Get[said](t, admin, "/school-admin/setting"); again.Name != now.Name || again.TimeZone != now.TimeZone {
		t.Errorf("after healing the school says %+v", again)
	}
	if n := s.Count(t, "audit_event", "entity = 'setting' and after ->> 'name' = 'Hill High School'"); n != 1 {
		t.Errorf("%d lines in the school's book", n)
	}
	super.Call(t, "POST", path+"/suspend", map[string]any{})
	super.Refuses(t, "PUT", path, map[string]any{"name": "Shut"}, 409, "")
}

func TestSchoolExports_AreListedWithProgressAndWhoAsked(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	super := s.App.SuperAdmin(t)
	path := "/super-admin/school/" + s.ID.String()
	if none := testkit.Get[school.ExportList](t, super, path+"/exports"); len(none.Exports) != 0 {
		t.Fatalf("before any was asked for: %+v", none)
	}
	made := testkit.Post[school.Export](t, super, path+"/export", nil)
	if made.RequestedBy == nil || *made.RequestedBy != super.UserID {
		t.Errorf("asked for by %v, want %s", made.RequestedBy, super.UserID)
	}
	var ready school.Export
	testkit.Eventually(t, "the archive is ready", func() bool {
		list := testkit.Get[school.ExportList](t, super, path+"/exports").Exports
		if len(list) == 1 {
			ready = list[0]
		}
		return ready.State == "READY"
	})
	if ready.ID != made.ID {
		t.Errorf("listed is %s, want %s", ready.ID, made.ID)
	}
	if ready.RequestedByName == "" {
		t.Error("nobody asked for it")
	}
	if ready.Tables == 0 || ready.TablesDone != ready.Tables {
		t.Errorf("%d of %d tables, want all", ready.TablesDone, ready.Tables)
	}
	if ready.SizeBytes == 0 || ready.FinishedAt == nil || ready.ExpiresAt == nil {
		t.Errorf("it has no size, end or last day: %+v", ready)
	}
	super.Refuses(t, "GET", "/super-admin/school/"+uuid.NewString()+"/exports", nil, 404, "SCHOOL_NOT_FOUND")
	s.As(t, api.SchoolAdmin).Refuses(t, "GET", path+"/exports", nil, 403, "")
}
