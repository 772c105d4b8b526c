package roster_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func (r *staffroom) group(t *testing.T, name string, divisions ...roster.Division) roster.Group {
	t.Helper()
	subject := testkit.Post[roster.Subject](t, r.admin, "/school-admin/subject/create", map[string]any{"name": name, "code": name})
	var ids []uuid.UUID
	for _, d := range divisions {
		ids = append(ids, d.ID)
	}
	return testkit.Post[roster.Group](t, r.admin, "/school-admin/group/create",
		map[string]any{"name": name, "subjectId": subject.ID, "divisionIds": ids})
}

func (r *staffroom) admit(t *testing.T, name string, d roster.Division) roster.StudentDetail {
	t.Helper()
	return testkit.Post[roster.StudentDetail](t, r.admin, "/school-admin/student/create",
		map[string]any{"firstName": name, "divisionId": d.ID})
}

func TestGroup_Members_AreKeptFromDayToDay(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	asha, bina := r.admit(t, "Asha", r.a), r.admit(t, "Bina", r.b)
	g := r.group(t, "French", r.a, r.b)
	path := fmt.Sprint("/school-admin/group/", g.ID, "/members")
	put := func(from string, ids ...uuid.UUID) {
		t.Helper()
		testkit.Put[roster.GroupMembers](t, r.admin, path, map[string]any{"studentIds": append([]uuid.UUID{}, ids...), "fromDate": from})
	}
	on := func(day string) string {
		t.Helper()
		names := ""
		for _, m := range testkit.Get[roster.GroupMembers](t, r.admin, path+"?date="+day).Members {
			names += m.FirstName + " since " + m.FromDate.String() + ","
		}
		return names
	}
	put("2096-07-02", asha.ID, bina.ID)
	put("2096-08-01", bina.ID)
	put("2096-09-01", asha.ID, bina.ID)
	for day, want := range map[string]string{
		"2096-07-01": "",
		"2096-07-31": "Asha since 2096-07-02,Bina since 2096-07-02,",
		"2096-08-01": "Bina since 2096-07-02,",
		"2096-09-01": "Asha since 2096-09-01,Bina since 2096-07-02,",
	} {
		if got := on(day); got != want {
			t.Errorf("on %s: %q, want %q", day, got, want)
		}
	}
	audits := r.Count(t, "audit_event", "entity = 'group members'")
	put("2096-09-01", asha.ID, bina.ID)
	if n := r.Count(t, "audit_event", "entity = 'group members'"); n != audits {
		t.Errorf("the same list again left %d audit rows", n-audits)
	}
	put("2096-07-02")
	if n := r.Count(t, "student_group_member", "true"); n != 0 {
		t.Errorf("%d memberships are left, want none from the first day on", n)
	}
	if d := r.admin.Call(t, "DELETE", fmt.Sprint("/school-admin/group/", g.ID), nil); d.Status != 204 {
		t.Errorf("deleting an empty group: %d %s", d.Status, d.Body)
	}
}

func TestGroup_MembersOfOtherDivisions_AreAllNamed(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	asha, bina := r.admit(t, "Asha", r.a), r.admit(t, "Bina", r.b)
	g := r.group(t, "French", r.a)
	f := r.admin.Refuses(t, "PUT", fmt.Sprint("/school-admin/group/", g.ID, "/members"),
		map[string]any{"studentIds": []any{asha.ID, bina.ID, api.NewID()}}, 422, "")
	want := []api.Detail{{Field: "studentIds[1]", Message: "Bina sits in none of the divisions of French"},
		{Field: "studentIds[2]", Message: "No such student"}}
	if fmt.Sprint(f.Details) != fmt.Sprint(want) {
		t.Errorf("details %v, want %v", f.Details, want)
	}
	if n := r.Count(t, "student_group_member", "true"); n != 0 {
		t.Errorf("%d members were written", n)
	}
}

func TestGroup_MemberWhoMovesToAnotherDivision_IsNoLongerInIt(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	asha := r.admit(t, "Asha", r.a)
	g := r.group(t, "French", r.a)
	testkit.Put[roster.GroupMembers](t, r.admin, fmt.Sprint("/school-admin/group/", g.ID, "/members"),
		map[string]any{"studentIds": []any{asha.ID}})
	if now := testkit.Get[roster.Group](t, r.admin, fmt.Sprint("/school-admin/group/", g.ID)); now.Members != 1 || now.Divisions != "Class 5 A" {
		t.Errorf("group %+v", now)
	}
	testkit.Put[roster.StudentDetail](t, r.admin, fmt.Sprint("/school-admin/student/", asha.ID), map[string]any{"divisionId": r.b.ID})
	if now := testkit.Get[roster.Group](t, r.admin, fmt.Sprint("/school-admin/group/", g.ID)); now.Members != 0 {
		t.Errorf("%d members after the move, want 0", now.Members)
	}
	testkit.Put[roster.Group](t, r.admin, fmt.Sprint("/school-admin/group/", g.ID), map[string]any{"divisionIds": []any{r.a.ID, r.b.ID}})
	page := testkit.Get[api.Page[roster.Group]](t, r.admin, "/school-admin/group/list?filters[studentId]="+asha.ID.String())
	if page.Total != 1 || page.Items[0].Members != 1 || page.Items[0].Version != 2 {
		t.Errorf("with both divisions %+v", page.Items)
	}
	r.admin.Refuses(t, "DELETE", fmt.Sprint("/school-admin/group/", g.ID), nil, 409, "")
	r.admin.Refuses(t, "PUT", fmt.Sprint("/school-admin/group/", g.ID), map[string]any{"divisionIds": []any{}}, 422, "")
}

func TestStudentGroups_OfTheDivision_AreJoinedAndLeftFromADayOn(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	asha := r.admit(t, "Asha", r.a)
	french, chess, other := r.group(t, "French", r.a, r.b), r.group(t, "Chess", r.a), r.group(t, "Sanskrit", r.b)
	path := fmt.Sprint("/school-admin/student/", asha.ID, "/groups")
	in := func(day string) string {
		t.Helper()
		out := ""
		for _, g := range testkit.Get[roster.StudentGroups](t, r.admin, path+"?date="+day).Groups {
			if out += g.Name; g.IsMember {
				out += " since " + g.FromDate.String()
			}
			out += ","
		}
		return out
	}
	put := func(from string, ids ...uuid.UUID) {
		t.Helper()
		testkit.Put[roster.StudentGroups](t, r.admin, path, map[string]any{"groupIds": append([]uuid.UUID{}, ids...), "fromDate": from})
	}
	put("2096-07-02", french.ID)
	put("2096-08-01", chess.ID)
	for day, want := range map[string]string{
		"2096-07-01": "Chess,French,",
		"2096-07-31": "Chess,French since 2096-07-02,",
		"2096-08-01": "Chess since 2096-08-01,French,",
	} {
		if got := in(day); got != want {
			t.Errorf("on %s: %q, want %q", day, got, want)
		}
	}
	audits := r.Count(t, "audit_event", "entity = 'student groups'")
	put("2096-08-01", chess.ID)
	if n := r.Count(t, "audit_event", "entity = 'student groups'"); n != audits {
		t.Errorf("the same groups again left %d audit rows", n-audits)
	}
	f := r.admin.Refuses(t, "PUT", path, map[string]any{"groupIds": []any{chess.ID, other.ID}}, 422, "")
	want := []api.Detail{{Field: "groupIds[1]", Message: "Choose a group of the student's division"}}
	if fmt.Sprint(f.Details) != fmt.Sprint(want) {
		t.Errorf("details %v, want %v", f.Details, want)
	}
}
