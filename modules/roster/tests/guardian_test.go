package roster_test

import (
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func guardian(first, phone, relation string) map[string]any {
	return map[string]any{"firstName": first, "lastName": "Rao", "phone": phone, "relation": relation}
}

func (f *frame) addGuardian(t *testing.T, s roster.StudentDetail, body map[string]any) roster.Guardianship {
	t.Helper()
	return testkit.Post[roster.Guardianship](t, f.admin, path(s)+"/guardians", body)
}

func children(t *testing.T, parent *testkit.Client, path string, body map[string]any) []string {
	t.Helper()
	list := testkit.Post[roster.Children](t, parent, path, body)
	var names []string
	for _, s := range list.Students {
		names = append(names, s.FirstName)
	}
	if list.Total != len(names) {
		t.Errorf("a total of %d for %v", list.Total, names)
	}
	return names
}

func TestGuardian_Added_SignsInByCodeAtOnce(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 1))
	phone := testkit.NewPhone()
	meera := f.addGuardian(t, asha, guardian("Meera", phone, "MOTHER"))
	if !meera.IsPrimary || !meera.CanViewData || !meera.HasCustody || !meera.CanPickUp || meera.IsFeePayer || string(meera.Phone) != phone {
		t.Errorf("added %+v", meera)
	}
	parent := f.App.SignIn(t, "parent", phone)
	if got := children(t, parent, "/parent/student/list", map[string]any{"academicYearId": f.year.ID}); !slices.Equal(got, []string{"Asha"}) {
		t.Errorf("children %v", got)
	}
	if got := f.find(t, "filters[search]="+url.QueryEscape(phone)); !slices.Equal(got, []string{"Asha"}) {
		t.Errorf("by the guardian's phone: %v", got)
	}
	refused := f.admin.Refuses(t, "POST", path(asha)+"/guardians", guardian("Meera", phone, "MOTHER"), 409, "DUPLICATE_ENTRY")
	if refused.Details[0].Field != "phone" {
		t.Errorf("details %+v", refused.Details)
	}
}

func TestGuardian_SiblingsAddedAtOnce_ShareTheirParent(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	phone := testkit.NewPhone()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			a, err := f.admin.TryCall("POST", "/school-admin/student/create",
				map[string]any{"firstName": "Asha", "guardians": []any{guardian("Meera", phone, "MOTHER")}})
			if err != nil || a.Status != 201 {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if f.Count(t, "guardian", "true") != 1 || f.Count(t, "app_user", "phone = ?", phone) != 1 ||
		f.Count(t, "student_guardian", "is_primary") != 8 {
		t.Error("siblings have parents of their own")
	}
	if got := children(t, f.App.SignIn(t, "parent", phone), "/parent/student/get-students", map[string]any{}); len(got) != 8 {
		t.Errorf("children %v", got)
	}
}

func TestParent_SeesLinkedChildrenOnly(t *testing.T) {
	t.Parallel()
	f, other := newFrame(t), newFrame(t)
	phone := testkit.NewPhone()
	asha := f.admit(t, "Asha", "Rao", map[string]any{"divisionId": f.fiveA.ID,
		"guardians": []any{guardian("Meera", phone, "MOTHER"), guardian("Arun", testkit.NewPhone(), "FATHER")}})
	hidden := f.admit(t, "Hidden", "Rao", nil)
	f.addGuardian(t, hidden, map[string]any{"firstName": "Meera", "phone": phone, "relation": "OTHER", "canViewData": false})
	stranger := f.admit(t, "Ravi", "", map[string]any{"divisionId": f.fiveA.ID,
		"guardians": []any{guardian("Lata", testkit.NewPhone(), "MOTHER")}})
	elsewhere := other.admit(t, "Zoe", "", map[string]any{"divisionId": other.fiveA.ID})
	parent := f.App.SignIn(t, "parent", phone)

	for _, path := range []string{"/parent/student/list", "/parent/student/get-students"} {
		for _, body := range []map[string]any{{}, {"academicYearId": f.year.ID}} {
			if got := children(t, parent, path, body); !slices.Equal(got, []string{"Asha"}) {
				t.Errorf("%s %v: %v", path, body, got)
			}
		}
		parent.Refuses(t, "POST", path, map[string]any{"academicYearId": other.year.ID}, 404, "")
	}
	child := testkit.Get[roster.Child](t, parent, "/parent/student/"+asha.ID.String())
	if child.FirstName != "Asha" || child.DivisionName != "A" || child.Link.Relation != "MOTHER" || len(child.Enrolments) != 1 {
		t.Errorf("child %+v", child)
	}
	for _, id := range []uuid.UUID{hidden.ID, stranger.ID, elsewhere.ID, uuid.New()} {
		parent.Refuses(t, "GET", "/parent/student/"+id.String(), nil, 404, "STUDENT_NOT_FOUND")
	}
	parent.Refuses(t, "GET", path(asha), nil, 403, "PERMISSION_DENIED")
}

func TestGuardian_Unlinked_LosesAccessAtOnce(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	phone := testkit.NewPhone()
	asha := f.admit(t, "Asha", "Rao",
		map[string]any{"guardians": []any{guardian("Meera", phone, "MOTHER"), guardian("Arun", testkit.NewPhone(), "FATHER")}})
	ravi := f.admit(t, "Ravi", "Rao", map[string]any{"guardians": []any{guardian("Meera", phone, "MOTHER")}})
	parent := f.App.SignIn(t, "parent", phone)
	meera := asha.Guardians[0]
	if a := f.admin.Call(t, "DELETE", path(asha)+"/guardians/"+meera.GuardianID.String(), nil); a.Status != 204 {
		t.Fatalf("unlink: %d %s", a.Status, a.Body)
	}
	parent.Refuses(t, "GET", "/parent/student/"+asha.ID.String(), nil, 404, "STUDENT_NOT_FOUND")
	if got := children(t, parent, "/parent/student/list", map[string]any{}); !slices.Equal(got, []string{"Ravi"}) {
		t.Errorf("children %v", got)
	}
	if left := testkit.Get[roster.StudentDetail](t, f.admin, path(asha)).Guardians; len(left) != 1 || !left[0].IsPrimary {
		t.Errorf("left %+v", left)
	}
	f.admin.Refuses(t, "DELETE", path(asha)+"/guardians/"+meera.GuardianID.String(), nil, 404, "")
	if got := f.find(t, "filters[search]="+url.QueryEscape(phone)); !slices.Equal(got, []string{"Ravi"}) {
		t.Errorf("by the phone: %v", got)
	}

	// With the last child goes the way in, and with a new one it comes back.
	f.admin.Call(t, "DELETE", path(ravi)+"/guardians/"+meera.GuardianID.String(), nil)
	testkit.Eventually(t, "the parent is signed out", func() bool {
		a, err := parent.TryCall("POST", "/parent/student/list", map[string]any{})
		return err == nil && a.Status == 401
	})
	back := f.addGuardian(t, ravi, guardian("Meera", phone, "MOTHER"))
	if back.GuardianID != meera.GuardianID || f.Count(t, "app_user", "id = ? and status = 'ACTIVE'", back.UserID) != 1 {
		t.Errorf("back %+v", back)
	}
}

func TestGuardian_LastChildRemoved_CannotSignIn(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	phone := testkit.NewPhone()
	more := f.longAgo(f.fiveA, 1)
	more["guardians"] = []any{guardian("Meera", phone, "MOTHER")}
	asha := f.admit(t, "Asha", "Rao", more)
	parent := f.App.SignIn(t, "parent", phone)
	f.admin.Call(t, "DELETE", path(asha), nil)
	testkit.Eventually(t, "the parent is signed out", func() bool {
		a, err := parent.TryCall("POST", "/parent/student/list", map[string]any{})
		return err == nil && a.Status == 401
	})
	if f.Count(t, "app_user", "phone = ? and status = 'DISABLED'", phone) != 1 {
		t.Error("the account is open")
	}
}

func TestGuardian_FlagsAndPhone_CanBeChanged(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	phone, newer, taken := testkit.NewPhone(), testkit.NewPhone(), testkit.NewPhone()
	asha := f.admit(t, "Asha", "Rao",
		map[string]any{"guardians": []any{guardian("Meera", phone, "MOTHER"), guardian("Arun", taken, "FATHER")}})
	parent := f.App.SignIn(t, "parent", phone)
	at := path(asha) + "/guardians/" + asha.Guardians[0].GuardianID.String()
	changed := testkit.Put[roster.Guardianship](t, f.admin, at, map[string]any{"canViewData": false, "isFeePayer": true})
	if changed.CanViewData || !changed.IsFeePayer || !changed.HasCustody || changed.FirstName != "Meera" {
		t.Errorf("changed %+v", changed)
	}
	parent.Refuses(t, "GET", "/parent/student/"+asha.ID.String(), nil, 404, "STUDENT_NOT_FOUND")
	testkit.Put[roster.Guardianship](t, f.admin, at, map[string]any{"canViewData": true, "phone": newer})
	if got := children(t, f.App.SignIn(t, "parent", newer), "/parent/student/list", map[string]any{}); !slices.Equal(got, []string{"Asha"}) {
		t.Errorf("children %v", got)
	}
	if got := f.find(t, "filters[search]="+url.QueryEscape(newer)); len(got) != 1 {
		t.Errorf("by the new phone: %v", got)
	}
	f.admin.Refuses(t, "PUT", at, map[string]any{"phone": taken}, 409, "DUPLICATE_ENTRY")
	f.admin.Refuses(t, "PUT", at, map[string]any{"isPrimary": false}, 422, "")
	second := path(asha) + "/guardians/" + asha.Guardians[1].GuardianID.String()
	if p := testkit.Put[roster.Guardianship](t, f.admin, second, map[string]any{"isPrimary": true}); !p.IsPrimary ||
		f.Count(t, "student_guardian", "is_primary") != 1 {
		t.Errorf("primary %+v", p)
	}
	other := newFrame(t)
	other.admin.Refuses(t, "PUT", at, map[string]any{"isFeePayer": false}, 404, "STUDENT_NOT_FOUND")
	other.admin.Refuses(t, "POST", path(asha)+"/guardians", guardian("X", testkit.NewPhone(), "OTHER"), 404, "STUDENT_NOT_FOUND")
	if other.Count(t, "guardian", "true") != 0 || other.Count(t, "app_user", "first_name = 'X'") != 0 {
		t.Error("something was written")
	}
}

// TestClassTeacher_SeesWhomToCall: guardians' phones are for who leads the class, and of those who may see the child's data.
func TestClassTeacher_SeesWhomToCall(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 1))
	f.addGuardian(t, asha, guardian("Meera", testkit.NewPhone(), "MOTHER"))
	away := guardian("Anil", testkit.NewPhone(), "FATHER")
	away["canViewData"] = false
	f.addGuardian(t, asha, away)
	roll := func(leads bool) []roster.GuardianContact {
		teacher := f.As(t, api.Teacher)
		err := f.DB(t).Exec(`insert into teacher_assignment (id, user_id, academic_year_id, class_id, division_id, is_class_teacher)
			values (?, ?, ?, ?, ?, ?)`, api.NewID(), teacher.UserID, f.year.ID, f.five.ID, f.fiveA.ID, leads).Error
		if err != nil {
			t.Fatal(err)
		}
		f.App.Service.RBAC.Changed(f.ID)
		return testkit.Get[roster.DivisionRoster](t, teacher, "/teacher/class/"+f.fiveA.ID.String()+"/students").Students[0].Guardians
	}
	if got := roll(true); len(got) != 1 || got[0].Name != "Meera Rao" || got[0].Relation != "MOTHER" || got[0].Phone == "" {
		t.Errorf("the class teacher sees %+v, want the mother alone", got)
	}
	if got := roll(false); len(got) != 0 {
		t.Errorf("another teacher sees %+v, want nobody", got)
	}
	office := testkit.Get[roster.DivisionRoster](t, f.admin, "/school-admin/division/"+f.fiveA.ID.String()+"/students")
	if got := office.Students[0].Guardians; len(got) != 0 {
		t.Errorf("the office's roster names %+v, want nobody: it has the students' own pages", got)
	}
}

func TestTeacher_SeesOwnDivisionsOnly(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 2))
	f.admit(t, "Ravi", "Rao", f.longAgo(f.fiveA, 1))
	teacher := f.As(t, api.Teacher)
	err := f.DB(t).Exec(`insert into teacher_assignment (id, user_id, academic_year_id, class_id, division_id, is_class_teacher)
		values (?, ?, ?, ?, ?, true)`,
		api.NewID(), teacher.UserID, f.year.ID, f.five.ID, f.fiveA.ID).Error
	if err != nil {
		t.Fatal(err)
	}
	f.App.Service.RBAC.Changed(f.ID)
	mine := testkit.Get[api.Page[roster.TaughtDivision]](t, teacher, "/teacher/class/list")
	if mine.Total != 1 || mine.Items[0].ID != f.fiveA.ID || mine.Items[0].StudentCount != 2 || !mine.Items[0].IsClassTeacher ||
		mine.Items[0].ClassName != "Class 5" || len(mine.Items[0].SubjectIDs) != 0 {
		t.Errorf("mine %+v", mine)
	}
	there := testkit.Get[roster.DivisionRoster](t, teacher, "/teacher/class/"+f.fiveA.ID.String()+"/students")
	if there.Total != 2 || there.Students[0].FirstName != "Ravi" || there.Date != f.today {
		t.Errorf("there %+v", there)
	}
	teacher.Refuses(t, "GET", "/teacher/class/"+f.fiveB.ID.String()+"/students", nil, 403, "PERMISSION_DENIED")
	teacher.Refuses(t, "GET", "/teacher/class/"+newFrame(t).fiveA.ID.String()+"/students", nil, 404, "Not Found")
	if none := testkit.Get[api.Page[roster.TaughtDivision]](t, f.As(t, api.Teacher), "/teacher/class/list"); none.Total != 0 {
		t.Errorf("a teacher without assignments has %+v", none)
	}
}
