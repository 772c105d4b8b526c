package setting_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/exam"
	"homeroom/modules/fee/charging"
	"homeroom/modules/notification"
	"homeroom/modules/setting"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

const path = "/school-admin/setting"

// TestSettings_OfANewSchool_AreTheDefaultsOfThePage holds the page of decisions against what a school has that chose nothing.
func TestSettings_OfANewSchool_AreTheDefaultsOfThePage(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchool(t)
	if err := s.DB(t).Exec(`update school_setting set quiet_from = default, quiet_to = default`).Error; err != nil {
		t.Fatal(err) // schools of tests have no quiet hours
	}
	page, err := os.ReadFile("../../docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(string(page), "| Defaults |")
	row, _, _ = strings.Cut(row, " |\n")
	said := map[string]string{}
	for _, found := range regexp.MustCompile("`(\\w+)` ([^,. ]+)").FindAllStringSubmatch(row, -1) {
		said[found[1]] = strings.Replace(found[2], "none", "", 1)
	}
	set := testkit.Get[map[string]any](t, s.As(t, api.SchoolAdmin), path)
	for _, part := range []reflect.Type{reflect.TypeFor[setting.Attendance](), reflect.TypeFor[setting.Fees](),
		reflect.TypeFor[setting.Grading](), reflect.TypeFor[setting.Library](), reflect.TypeFor[setting.Delivery](),
		reflect.TypeFor[setting.Fields]()} {
		for i := range part.NumField() {
			field := part.Field(i)
			name := api.JSONName(field)
			if field.Anonymous || slices.Contains([]string{"currency", "feeReminderText", "gradeScaleId"}, name) {
				continue // a school's own, or a text
			}
			want, ok := said[name]
			if got := fmt.Sprint(set[name]); !ok || got != want {
				t.Errorf("a new school has the %s %q, the page says %q", name, got, want)
			}
			delete(said, name)
		}
	}
	for name := range said {
		t.Errorf("the page has a default of %s, which is no setting", name)
	}
}

func TestTheSettingsAreOnePageOfWhichAPutChangesWhatItNames(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{Address: "1 Hill Road", Phone: "+914422223333", Email: "office@hill.test"})
	admin := s.As(t, api.SchoolAdmin)
	seat := s.Seat(t, "Class 5")
	scale := testkit.Post[exam.GradeScale](t, admin, "/school-admin/exam/grade-scale/create",
		map[string]any{"name": "A to E", "bands": []any{map[string]any{"grade": "A", "minPercent": 0, "isPass": true}}})

	first := testkit.Get[setting.Setting](t, admin, path)
	if first.Name != s.Name || first.TimeZone != "Asia/Kolkata" || first.Currency != "INR" || first.Locale != "en-IN" ||
		first.Address != "1 Hill Road" || first.Phone != "+914422223333" ||
		!reflect.DeepEqual(first.WeekendDays, []int16{0, 6}) || first.Version != 1 || first.AcademicYear == nil ||
		first.AcademicYear.ID != seat.YearID || first.AttendanceTeacherDays != 7 || first.SMSDailyLimit != 2000 {
		t.Errorf("as onboarded: %+v", first)
	}
	changed := testkit.Put[setting.Setting](t, admin, path, map[string]any{
		"principalName": "Dr. Mehta", "website": "https://hill.example.org", "email": "", "gradeScaleId": scale.ID, "lateFineType": "PER_DAY",
		"lateFineAmount": 50, "lateFineGraceDays": 2,
		"quietFrom": "21:00", "quietTo": "06:30", "smsDailyLimit": 10, "attendanceCutOff": "10:30", "firstDayOfWeek": 0, "version": 1,
	})
	want := first
	want.PrincipalName, want.Website, want.Email, want.GradeScaleID, want.LateFineType, want.LateFineAmount,
		want.LateFineGraceDays = "Dr. Mehta", "https://hill.example.org", "", &scale.ID, "PER_DAY", 50, 2
	want.QuietFrom, want.QuietTo, want.SMSDailyLimit, want.AttendanceCutOff, want.FirstDayOfWeek = "21:00", "06:30", 10, "10:30", 0
	if got := testkit.Get[setting.Setting](t, admin, path); !reflect.DeepEqual(got.Fields, want.Fields) || got.Version != 2 ||
		!reflect.DeepEqual(got.Fields, changed.Fields) {
		t.Errorf("changed to %+v, want %+v", got.Fields, want.Fields)
	}

	// What has rows of its own is the same truth, under the same version.
	if d := testkit.Get[notification.DeliverySetting](t, admin, "/school-admin/notification/setting"); d.QuietFrom != "21:00" ||
		d.SMSDailyLimit != 10 || d.Version != 2 {
		t.Errorf("the delivery's %+v", d)
	}
	testkit.Put[notification.DeliverySetting](t, admin, "/school-admin/notification/setting",
		map[string]any{"smsDailyLimit": 11, "version": 2})
	if got := testkit.Get[setting.Setting](t, admin, path); got.SMSDailyLimit != 11 || got.Version != 3 || got.QuietFrom != "21:00" ||
		got.Name != s.Name {
		t.Errorf("after the delivery's change %+v", got)
	}
	if g := testkit.Get[exam.GradeScale](t, admin, "/school-admin/exam/grade-scale/"+scale.ID.String()); !g.IsDefault {
		t.Error("the scale is not the default")
	}
	head := testkit.Post[struct{ ID uuid.UUID }](t, admin, "/school-admin/fee/head/create",
		map[string]any{"name": "Tuition", "code": "T", "type": "TUITION"})
	structure := testkit.Post[charging.Structure](t, admin, "/school-admin/fee/structure/create",
		map[string]any{"classId": seat.ClassID, "name": "Class 5", "heads": []any{map[string]any{"feeHeadId": head.ID, "amount": 1000}},
			"instalments": []any{map[string]any{"name": "All", "dueDate": "2031-01-01", "percent": 100}}})
	if structure.LateFine != (charging.LateFine{Type: "PER_DAY", Amount: 50, GraceDays: 2}) {
		t.Errorf("the structure's fine %+v", structure.LateFine)
	}

	// A stale version is refused, and so is what is wrong, all of it at once.
	admin.Refuses(t, "PUT", path, map[string]any{"name": "Other", "version": 2}, 409, "")
	f := admin.Refuses(t, "PUT", path, map[string]any{"name": " ", "timeZone": "Mars/Olympus", "currency": "rupees",
		"weekendDays": []int{1, 1}, "quietFrom": "25:00",
		"attendanceTeacherDays": 61, "phone": "12", "lateFineType": "DAILY"}, 422, "")
	if len(f.Details) != 8 {
		t.Errorf("%+v", f.Details)
	}
	for _, bad := range []map[string]any{
		{"website": "javascript:alert(1)"}, {"logoFileId": api.NewID()}, {"gradeScaleId": api.NewID()}, {"quietFrom": ""},
		{"evaluationModeUntil": time.Now().Add(time.Hour)},
		{"evaluationMode": true, "evaluationModeReason": "x", "evaluationModeUntil": time.Now().Add(-time.Hour)}, {"lateFineAmount": 0},
		{"evaluationMode": true, "evaluationModeReason": "x", "evaluationModeFrom": time.Now().Add(2 * time.Hour),
			"evaluationModeUntil": time.Now().Add(time.Hour)},
	} {
		admin.Refuses(t, "PUT", path, bad, 422, "")
	}
	if got := testkit.Get[setting.Setting](t, admin, path); got.Version != 3 {
		t.Errorf("a refused change is at version %d", got.Version)
	}

	// The books have what was and what is.
	var book struct{ Before, After string }
	if err := s.DB(t).Raw(`select before, after from audit_event where entity = 'setting' order by occurred_at limit 1`).Scan(&book).Error; err != nil {
		t.Fatal(err)
	}
	var was, is setting.Setting
	if json.Unmarshal([]byte(book.Before), &was) != nil || json.Unmarshal([]byte(book.After), &is) != nil || was.PrincipalName != "" ||
		is.PrincipalName != "Dr. Mehta" || was.Version != 1 || is.Version != 2 {
		t.Errorf("the audit says %s, %s", book.Before, book.After)
	}
	s.As(t, api.Teacher).Refuses(t, "GET", path, nil, 403, "")
}

func TestWhatASchoolSaysOfItselfIsInForceOnEveryInstanceAndSurvivesACrash(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.Start(t)
	admin := s.As(t, api.SchoolAdmin)
	type me struct {
		School struct{ Name, TimeZone, Currency, Locale string }
	}
	there := admin.On(other)
	testkit.Get[me](t, there, "/auth/me") // it remembers the school as it was
	heard := testkit.WatchRedis(t, testkit.Stack(t).RedisURL())
	testkit.Put[setting.Setting](t, admin, path, map[string]any{"name": "Green Valley", "timeZone": "Europe/Berlin", "currency": "EUR",
		"locale": "de-DE", "weekendDays": []int{5}})
	heard.Has(t, s.ID.String()) // they need not wait until what they remember grows old
	for _, c := range []*testkit.Client{admin, there} {
		testkit.Eventually(t, "the instance knows", func() bool {
			return testkit.Get[me](t, c, "/auth/me").School == struct{ Name, TimeZone, Currency, Locale string }{"Green Valley", "Europe/Berlin",
				"EUR", "de-DE"}
		})
	}
	ctx := context.Background()
	onPlatform := func() *tenancy.School {
		t.Helper()
		found, err := s.App.Service.Cluster.FindSchool(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if p := onPlatform(); p.Name != "Green Valley" || p.TimeZone != "Europe/Berlin" || !reflect.DeepEqual(p.WeekendDays, []int16{5}) {
		t.Errorf("the platform says %+v", p)
	}

	// A crash that lost the fact leaves the record behind; comparing them mends it.
	if _, err := s.App.Service.Cluster.PlatformPool().Exec(ctx, `update platform.school set time_zone = 'UTC', name = 'Old' where id = $1`,
		s.ID); err != nil {
		t.Fatal(err)
	}
	s.App.Service.Cluster.Changed(s.ID)
	s.RunScheduled(t, "heal-profiles")
	if p := onPlatform(); p.Name != "Green Valley" || p.TimeZone != "Europe/Berlin" {
		t.Errorf("the platform says %+v", p)
	}
	before := onPlatform()
	s.RunScheduled(t, "heal-profiles")
	if p := onPlatform(); p.Name != before.Name || p.TimeZone != before.TimeZone {
		t.Errorf("healed twice, the platform says %+v", p)
	}
	testkit.NewSchool(t).RunScheduled(t, "heal-profiles") // one that said nothing
}

// TestChangesOfTheProfileAtOnceEndInTheLastOne lets many change it together: whatever
// order the platform hears of them in, it ends with what the school says.
func TestChangesOfTheProfileAtOnceEndInTheLastOne(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.Start(t)
	admin := s.As(t, api.SchoolAdmin)
	done := make(chan error)
	for i, c := range []*testkit.Client{admin, admin.On(other), admin, admin.On(other)} {
		go func() {
			for n := range 4 {
				if _, err := c.TryCall("PUT", path, map[string]any{"name": "Name " + string(rune('A'+4*i+n))}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	last := testkit.Get[setting.Setting](t, admin, path)
	if last.Version != 17 {
		t.Errorf("version %d", last.Version)
	}
	testkit.Eventually(t, "the platform says the last name", func() bool {
		found, err := s.App.Service.Cluster.FindSchool(context.Background(), s.ID)
		return err == nil && found.Name == last.Name && s.Count(t, "outbox", "kind = ?", setting.ProfileChanged) == 0
	})
}

func TestEvaluationModeEndsByItselfOnEveryInstance(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	began, set := clock.Now(), func(_ *config.Config, o *service.Options) { o.Clock = clock.Now }
	one, two := testkit.Start(t, set), testkit.Start(t, set)
	s := one.NewSchool(t)
	admin, teacher := s.As(t, api.SchoolAdmin), s.Teacher(t, s.Seat(t, "Class 5"))
	writes := func(c *testkit.Client) int {
		return c.Call(t, "POST", "/teacher/announcement/create", map[string]any{"title": "a"}).Status // 422 once it may
	}
	from, until := began.Add(2*time.Minute), began.Add(4*time.Minute)
	made := testkit.Put[setting.Setting](t, admin, path,
		map[string]any{"evaluationMode": true, "evaluationModeReason": "Inspection", "evaluationModeFrom": from, "evaluationModeUntil": until})
	if !made.EvaluationMode || made.EvaluationModeActive {
		t.Errorf("before its window: %+v", made.Evaluation)
	}
	for _, step := range []struct {
		after  time.Duration
		status int
	}{{0, 422}, {3 * time.Minute, 403}, {5 * time.Minute, 422}} {
		clock.Set(began.Add(step.after))
		for _, app := range []*testkit.App{one, two} {
			testkit.Eventually(t, "the instance goes by the window", func() bool { return writes(teacher.On(app)) == step.status })
		}
	}
	after := testkit.Get[setting.Setting](t, admin, path)
	if after.EvaluationMode || after.EvaluationModeActive || after.EvaluationModeUntil != nil {
		t.Errorf("after its window: %+v", after.Evaluation)
	}
	again := testkit.Put[setting.Setting](t, admin, path, map[string]any{"evaluationMode": true})
	if !again.EvaluationModeActive || again.EvaluationModeReason != "" {
		t.Errorf("turned on without a reason: %+v", again.Evaluation)
	}
}

func TestTheCurrencyStaysOnceTheLedgerHasAmounts(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, child := s.As(t, api.SchoolAdmin), s.Child(t, s.Seat(t, "Class 5"), 0)
	testkit.Put[setting.Setting](t, admin, path, map[string]any{"currency": "USD"})
	testkit.Post[charging.Fined](t, admin, "/school-admin/fee/fine", map[string]any{"studentId": child.ID, "amount": 500, "reason": "Window"})
	f := admin.Refuses(t, "PUT", path, map[string]any{"currency": "EUR", "principalName": "X"}, 409, "")
	if !strings.Contains(f.Message, "USD") {
		t.Errorf("it says %q", f.Message)
	}
	if got := testkit.Put[setting.Setting](t, admin, path, map[string]any{"currency": "USD", "principalName": "Y"}); got.Currency != "USD" ||
		got.PrincipalName != "Y" {
		t.Errorf("the same again: %+v", got.Fields)
	}
}

func TestSchoolName_AnyCharactersOfOneLine(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for _, name := range []string{"Ward\r\n5", "Ward\n5", "Ward\t5", " "} {
		admin.Refuses(t, "PUT", "/school-admin/setting", map[string]any{"name": name}, 422, "")
	}
	got := testkit.Put[map[string]any](t, admin, "/school-admin/setting", map[string]any{"name": `Ward 5" School, "पाँच"`})
	if got["name"] != `Ward 5" School, "पाँच"` {
		t.Errorf("the name is %v", got["name"])
	}
}

func TestSettings_PhoneWithoutItsCountry_IsOfTheSchools(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	changed := testkit.Put[setting.Setting](t, admin, path, map[string]any{"phone": "044 2222 3333"})
	if changed.Phone != "+914422223333" {
		t.Errorf("%s", changed.Phone)
	}
}
