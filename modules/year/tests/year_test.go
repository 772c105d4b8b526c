package year_test

import (
	"fmt"
	"sync"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func yearOf(n int) map[string]any {
	return map[string]any{"name": fmt.Sprintf("%d-%02d", n, (n+1)%100), "startDate": fmt.Sprintf("%d-06-01", n),
		"endDate": fmt.Sprintf("%d-04-30", n+1)}
}

func TestYear_CreateReadUpdateDelete(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)

	answer := admin.Call(t, "POST", "/school-admin/academic-year/create", yearOf(2026))
	if answer.Status != 201 {
		t.Fatalf("create: %d %s", answer.Status, answer.Body)
	}
	var made roster.AcademicYear
	answer.Read(t, &made)
	if made.StartDate.String() != "2026-06-01" || made.Active || made.Version != 1 || *made.CreatedBy != admin.UserID {
		t.Errorf("made %+v", made)
	}

	changed := testkit.Put[roster.AcademicYear](t, admin, "/school-admin/academic-year/"+made.ID.String(),
		map[string]any{"name": "This year"})
	if changed.Name != "This year" || changed.EndDate != made.EndDate || changed.Version != 2 {
		t.Errorf("a change of the name gave %+v", changed)
	}
	if read := testkit.Get[roster.AcademicYear](t, admin, "/school-admin/academic-year/"+made.ID.String()); read.Name != "This year" {
		t.Errorf("read %+v", read)
	}
	if a := admin.Call(t, "DELETE", "/school-admin/academic-year/"+made.ID.String(), nil); a.Status != 204 || len(a.Body) != 0 {
		t.Errorf("delete: %d %q", a.Status, a.Body)
	}
	admin.Refuses(t, "GET", "/school-admin/academic-year/"+made.ID.String(), nil, 404, "Not Found")
	if n := s.Count(t, "audit_event", "entity = 'academic year' and entity_id = ?", made.ID); n != 3 {
		t.Errorf("%d audit rows, want create, update and delete", n)
	}
}

func TestYear_WrongOrOverlappingDates_AreRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	f := admin.Refuses(t, "POST", "/school-admin/academic-year/create",
		map[string]any{"name": "x", "startDate": "2026-06-01", "endDate": "2026-06-01"}, 422, "")
	if f.Details[0].Field != "endDate" {
		t.Errorf("details %+v", f.Details)
	}
	f = admin.Refuses(t, "POST", "/school-admin/academic-year/create",
		map[string]any{"name": "x", "startDate": "0001-01-01", "endDate": "9999-12-31"}, 422, "")
	if f.Details[0].Field != "endDate" {
		t.Errorf("a year of 9,999: details %+v", f.Details)
	}
	testkit.Post[roster.AcademicYear](t, admin, "/school-admin/academic-year/create", yearOf(2026))
	f = admin.Refuses(t, "POST", "/school-admin/academic-year/create",
		map[string]any{"name": "y", "startDate": "2027-04-30", "endDate": "2027-12-31"}, 409, "DUPLICATE_ENTRY")
	if f.Message != "These dates overlap another academic year" {
		t.Errorf("message %q", f.Message)
	}
	admin.Refuses(t, "POST", "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": "2030-06-01", "endDate": "2031-04-30"}, 409, "DUPLICATE_ENTRY")
}

func TestYear_Put_ChangesOnlyNamedFields(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	made := testkit.Post[roster.AcademicYear](t, admin, "/school-admin/academic-year/create", yearOf(2026))
	f := admin.Refuses(t, "PUT", "/school-admin/academic-year/"+made.ID.String(), map[string]any{"endDate": "2026-01-01"}, 422, "")
	if f.Details[0].Field != "endDate" {
		t.Errorf("details %+v", f.Details)
	}
	same := testkit.Put[roster.AcademicYear](t, admin, "/school-admin/academic-year/"+made.ID.String(),
		map[string]any{"id": api.NewID(), "active": true, "version": 1, "createdBy": api.NewID()})
	if same.ID != made.ID || same.Active || *same.CreatedBy != admin.UserID {
		t.Errorf("undeclared fields reached the record: %+v", same)
	}
}

func TestYear_ActivatedAtOnce_OneIsActive(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	var years []roster.AcademicYear
	for n := 2026; n < 2030; n++ {
		years = append(years, testkit.Post[roster.AcademicYear](t, admin, "/school-admin/academic-year/create", yearOf(n)))
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			a, err := admin.TryCall("POST", "/school-admin/academic-year/"+years[i%len(years)].ID.String()+"/activate", nil)
			if err != nil || a.Status != 200 {
				t.Errorf("activate: %v %d %s", err, a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if n := s.Count(t, "academic_year", "active"); n != 1 {
		t.Errorf("%d years are active", n)
	}
	active := testkit.Get[api.Page[roster.AcademicYear]](t, admin, "/school-admin/academic-year/list?filters[active]=true")
	if active.Total != 1 {
		t.Errorf("the list says %d are active", active.Total)
	}
}

func TestYear_UnknownActivated_KeepsTheActiveOne(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	made := testkit.Post[roster.AcademicYear](t, admin, "/school-admin/academic-year/create", yearOf(2026))
	testkit.Post[roster.AcademicYear](t, admin, "/school-admin/academic-year/"+made.ID.String()+"/activate", nil)
	admin.Refuses(t, "POST", "/school-admin/academic-year/"+api.NewID().String()+"/activate", nil, 404, "")
	if n := s.Count(t, "academic_year", "active and id = ?", made.ID); n != 1 {
		t.Error("the active year was lost")
	}
}
