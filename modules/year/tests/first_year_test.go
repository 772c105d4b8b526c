package year_test

import (
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/exam"
	"homeroom/modules/roster"
	"homeroom/modules/setting"
	"homeroom/modules/year"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func TestFirstYear_ByCountry_IsTheOneAroundToday(t *testing.T) {
	t.Parallel()
	for _, want := range []struct{ currency, locale, today, name, start, end string }{
		{"INR", "en-IN", "2026-11-18", "2026-27", "2026-04-01", "2027-03-31"},
		{"INR", "en-IN", "2027-03-31", "2026-27", "2026-04-01", "2027-03-31"},
		{"AUD", "en-AU", "2026-11-18", "2026", "2026-01-01", "2026-12-31"},
		{"USD", "en-US", "2026-07-31", "2025-26", "2025-08-01", "2026-07-31"},
		{"GBP", "en-GB", "2026-09-01", "2026-27", "2026-09-01", "2027-08-31"},
		{"EUR", "de-DE", "2026-11-18", "2026-27", "2026-08-01", "2027-07-31"},
		{"EUR", "en", "2026-11-18", "2026-27", "2026-09-01", "2027-08-31"},
	} {
		today, err := api.ParseDate(want.today)
		if err != nil {
			t.Fatal(err)
		}
		got := year.First(&tenancy.School{Currency: want.currency, Locale: want.locale}, today)
		if got.Name != want.name || got.StartDate.String() != want.start || got.EndDate.String() != want.end {
			t.Errorf("%s %s on %s: %s from %s to %s, want %s from %s to %s", want.currency, want.locale, want.today, got.Name, got.StartDate,
				got.EndDate, want.name, want.start, want.end)
		}
	}
}

// TestFirstYear_NewSchool_IsReplacedUntilItIsUsed takes a school as an office gets it: it can place students at once, and
// a year of its own takes the place of the first as long as nothing belongs to that.
func TestFirstYear_NewSchool_IsReplacedUntilItIsUsed(t *testing.T) {
	t.Parallel()
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_first",
		func(_ *config.Config, o *service.Options) { o.NoFirstYear = false })
	s := app.NewSchoolAs(t, lifecycle.NewSchool{Currency: "ZAR", Locale: "en-ZA"})
	admin := s.As(t, api.SchoolAdmin)
	now := time.Now().In(s.Location())
	own := map[string]any{"name": "Ours", "startDate": api.DateOf(now.AddDate(0, -2, 0)), "endDate": api.DateOf(now.AddDate(0, 8, 0))}

	first := testkit.Get[setting.Setting](t, admin, "/school-admin/setting").AcademicYear
	if first == nil || first.ID != roster.FirstYearID(s.ID) || first.StartDate.Month != time.January {
		t.Fatalf("a new school of South Africa has the year %+v", first)
	}
	made := testkit.Post[roster.AcademicYear](t, admin, "/school-admin/academic-year/create", own)
	if !made.Active {
		t.Errorf("the year in the first one's place is not active: %+v", made)
	}
	if all := testkit.Get[api.Page[roster.AcademicYear]](t, admin, "/school-admin/academic-year/list"); all.Total != 1 {
		t.Errorf("there are %d years, want 1", all.Total)
	}
	// South Africa has four terms: those of the first year went with it.
	terms := testkit.Get[api.Page[exam.Term]](t, admin, "/school-admin/exam/term/list")
	if terms.Total != 4 || terms.Items[0].AcademicYearID != made.ID || terms.Items[0].StartDate != made.StartDate ||
		terms.Items[3].EndDate != made.EndDate {
		t.Errorf("the terms are %+v", terms.Items)
	}

	other := app.NewSchool(t)
	admin = other.As(t, api.SchoolAdmin)
	class := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	division := testkit.Post[roster.Division](t, admin, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": "A"})
	testkit.Post[roster.Student](t, admin, "/school-admin/student/create",
		map[string]any{"firstName": "Asha", "classId": class.ID, "divisionId": division.ID})
	admin.Refuses(t, "POST", "/school-admin/academic-year/create", own, 409, "DUPLICATE_ENTRY")
}
