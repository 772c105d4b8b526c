package roster_test

import (
	"fmt"
	"sync"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestClassList_IsOrderedByLevel(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for _, level := range []int{7, 5, 6} {
		testkit.Post[roster.Class](t, admin, "/school-admin/class/create",
			map[string]any{"name": fmt.Sprint("Class ", level), "code": fmt.Sprint(level), "level": level})
	}
	page := testkit.Get[api.Page[roster.Class]](t, admin, "/school-admin/class/list")
	if page.Total != 3 || page.Limit != 20 || page.Page != 1 || page.TotalPages != 1 || page.Items[0].Level != 5 || page.Items[2].Level != 7 {
		t.Errorf("page %+v", page)
	}
	twin := testkit.Post[api.Page[roster.Class]](t, admin, "/school-admin/class/list",
		map[string]any{"page": 2, "limit": 1, "filters": map[string]any{"search": "CLASS"},
			"sort": map[string]any{"field": "level", "order": "desc"}})
	if twin.Total != 3 || twin.TotalPages != 3 || len(twin.Items) != 1 || twin.Items[0].Level != 6 {
		t.Errorf("POST twin %+v", twin)
	}
}

func TestClassName_AskedForAtOnce_IsTakenOnce(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	statuses := make([]int, 50)
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() {
			a, err := admin.TryCall("POST", "/school-admin/class/create", map[string]any{"name": []string{"Class 5", "class 5"}[i%2]})
			if err != nil {
				t.Error(err)
			}
			statuses[i] = a.Status
		})
	}
	wg.Wait()
	count := map[int]int{}
	for _, s := range statuses {
		count[s]++
	}
	if count[201] != 1 || count[409] != 49 {
		t.Errorf("statuses %v, want one 201 and 49 × 409", count)
	}
	if n := s.Count(t, "class", "true"); n != 1 {
		t.Errorf("%d classes", n)
	}
}

func TestClass_BlankName_IsRefusedByField(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	f := admin.Refuses(t, "POST", "/school-admin/class/create", map[string]any{"name": "  ", "level": -1}, 422, "")
	if len(f.Details) != 2 || f.Details[0] != (api.Detail{Field: "name", Message: "Name is required"}) || f.Details[1].Field != "level" {
		t.Errorf("details %+v", f.Details)
	}
}

func TestClass_NextClassItselfOrUnknown_IsRefused(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	made := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	for _, next := range []any{made.ID, api.NewID()} {
		f := admin.Refuses(t, "PUT", "/school-admin/class/"+made.ID.String(), map[string]any{"nextClassId": next}, 422, "")
		if len(f.Details) != 1 || f.Details[0].Field != "nextClassId" {
			t.Errorf("details %+v", f.Details)
		}
	}
}

func TestClass_ReferenceSetToNull_IsCleared(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	six := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	five := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5", "nextClassId": six.ID})
	if five.NextClassID == nil || *five.NextClassID != six.ID {
		t.Fatalf("made %+v", five)
	}
	admin.Refuses(t, "DELETE", "/school-admin/class/"+six.ID.String(), nil, 409, "")
	five = testkit.Put[roster.Class](t, admin, "/school-admin/class/"+five.ID.String(), map[string]any{"nextClassId": nil})
	if five.NextClassID != nil || five.Name != "Class 5" {
		t.Errorf("after null: %+v", five)
	}
	if a := admin.Call(t, "DELETE", "/school-admin/class/"+six.ID.String(), nil); a.Status != 204 {
		t.Errorf("a class nothing refers to any more: %d %s", a.Status, a.Body)
	}
}

func TestClass_StaleVersion_IsRefused(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	made := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	path := "/school-admin/class/" + made.ID.String()
	testkit.Put[roster.Class](t, admin, path, map[string]any{"name": "Fifth", "version": 1})
	f := admin.Refuses(t, "PUT", path, map[string]any{"name": "Mine", "version": 1}, 409, "Conflict")
	if f.Message == "" {
		t.Error("no message")
	}
	if now := testkit.Get[roster.Class](t, admin, path); now.Name != "Fifth" || now.Version != 2 {
		t.Errorf("after the refusal: %+v", now)
	}
	last := testkit.Put[roster.Class](t, admin, path, map[string]any{"name": "Last wins"})
	if last.Version != 3 {
		t.Errorf("without a version the last write wins: %+v", last)
	}
}
