package roster_test

import (
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// frame is a school with an active year around today, two classes and three divisions.
type frame struct {
	*testkit.School
	admin               *testkit.Client
	year                roster.AcademicYear
	five, six           roster.Class
	fiveA, fiveB, sixA  roster.Division
	today, firstOfClass api.Date
}

func newFrame(t *testing.T) *frame {
	t.Helper()
	f := &frame{School: testkit.NewSchool(t)}
	f.admin = f.As(t, api.SchoolAdmin)
	f.today = api.DateOf(f.App.Service.Kernel.Clock().In(f.Location()))
	f.firstOfClass = f.today.AddDays(-100)
	f.year = testkit.Post[roster.AcademicYear](t, f.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "This year", "startDate": f.firstOfClass, "endDate": f.today.AddDays(200)})
	testkit.Post[roster.AcademicYear](t, f.admin, "/school-admin/academic-year/"+f.year.ID.String()+"/activate", nil)
	f.five = testkit.Post[roster.Class](t, f.admin, "/school-admin/class/create", map[string]any{"name": "Class 5", "level": 5})
	f.six = testkit.Post[roster.Class](t, f.admin, "/school-admin/class/create", map[string]any{"name": "Class 6", "level": 6})
	division := func(class roster.Class, name string) roster.Division {
		return testkit.Post[roster.Division](t, f.admin, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": name})
	}
	f.fiveA, f.fiveB, f.sixA = division(f.five, "A"), division(f.five, "B"), division(f.six, "A")
	return f
}

// admit adds a student; more is laid over a plain one.
func (f *frame) admit(t *testing.T, first, last string, more map[string]any) roster.StudentDetail {
	t.Helper()
	body := map[string]any{"firstName": first, "lastName": last}
	for k, v := range more {
		body[k] = v
	}
	return testkit.Post[roster.StudentDetail](t, f.admin, "/school-admin/student/create", body)
}

// longAgo admits into a division since the year began.
func (f *frame) longAgo(d roster.Division, roll int) map[string]any {
	return map[string]any{"divisionId": d.ID, "rollNumber": roll, "admissionDate": f.firstOfClass}
}

func (f *frame) roster(t *testing.T, d roster.Division, day api.Date) []string {
	t.Helper()
	var names []string
	for _, s := range testkit.Get[roster.DivisionRoster](t, f.admin,
		fmt.Sprintf("/school-admin/division/%s/students?date=%s", d.ID, day)).Students {
		names = append(names, s.FirstName)
	}
	return names
}

func (f *frame) find(t *testing.T, query string) []string {
	t.Helper()
	page := testkit.Get[api.Page[roster.StudentItem]](t, f.admin, "/school-admin/student/list?"+query)
	var names []string
	for _, s := range page.Items {
		names = append(names, s.FirstName)
	}
	if page.Total != len(names) {
		t.Errorf("%s: a total of %d for %v", query, page.Total, names)
	}
	return names
}

func path(s roster.StudentDetail) string { return "/school-admin/student/" + s.ID.String() }

func TestStudent_Admitted_IsListedInTheDivision(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, " Asha ", "Rao", map[string]any{"classId": f.five.ID, "divisionId": f.fiveA.ID, "rollNumber": 7, "gender": "FEMALE"})
	if asha.FirstName != "Asha" || *asha.Seat.ClassID != f.five.ID || asha.ClassName != "Class 5" || *asha.DivisionID != f.fiveA.ID ||
		asha.DivisionName != "A" || *asha.RollNumber != 7 {
		t.Errorf("admitted %+v", asha)
	}
	if len(asha.Enrolments) != 1 || asha.Enrolments[0].StartDate != f.firstOfClass || asha.Enrolments[0].EndDate != nil || asha.Status != "ACTIVE" {
		t.Errorf("admitted %+v", asha)
	}
	ravi := f.admit(t, "Ravi", "", map[string]any{"classId": f.five.ID})
	if ravi.DivisionID != nil || ravi.ClassName != "Class 5" || len(ravi.Enrolments) != 0 {
		t.Errorf("unplaced %+v", ravi)
	}
	f.admit(t, "Zoe", "", map[string]any{"divisionId": f.sixA.ID})
	for query, want := range map[string][]string{
		"":                                       {"Asha", "Ravi", "Zoe"},
		"filters[classId]=" + f.five.ID.String(): {"Asha", "Ravi"},
		"filters[divisionId]=" + f.fiveA.ID.String():    {"Asha"},
		"filters[academicYearId]=" + f.year.ID.String(): {"Asha", "Zoe"},
		"filters[unplaced]=true":                        {"Ravi"},
		"filters[unplaced]=false":                       {"Asha", "Zoe"},
		"filters[gender]=FEMALE":                        {"Asha"},
		"filters[status]=GRADUATED":                     nil,
		"sort[field]=firstName&sort[order]=desc":        {"Zoe", "Ravi", "Asha"},
		"sort[field]=rollNumber":                        {"Asha", "Ravi", "Zoe"},
		"filters[classId]=" + uuid.NewString():          nil,
	} {
		if got := f.find(t, query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	page := testkit.Post[api.Page[roster.StudentItem]](t, f.admin, "/school-admin/student/list",
		map[string]any{"filters": map[string]any{"search": "asha"}})
	if len(page.Items) != 1 || page.Items[0].ClassName != "Class 5" || page.Items[0].DivisionName != "A" || *page.Items[0].RollNumber != 7 ||
		*page.Items[0].AcademicYearID != f.year.ID {
		t.Errorf("item %+v", page.Items)
	}
}

func TestStudentSearch_IgnoresCaseAccentsAndOrder(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	phone := testkit.NewPhone()
	f.admit(t, "José", "Álvarez", map[string]any{"admissionNumber": "GV-77"})
	f.admit(t, "Asha", "Rao", map[string]any{"guardians": []any{map[string]any{"firstName": "Meera", "phone": phone, "relation": "MOTHER"}}})
	for words, want := range map[string]string{"jose": "José", "ALVAREZ jos": "José", "gv-77": "José", "rao asha": "Asha", phone[3:]: "Asha",
		phone[7:]: "Asha"} {
		if got := f.find(t, "filters[search]="+url.QueryEscape(words)); !slices.Equal(got, []string{want}) {
			t.Errorf("%q finds %v", words, got)
		}
	}
	if got := f.find(t, "filters[search]=%25"); got != nil {
		t.Errorf("a percent sign finds %v", got)
	}
}

func TestAdmission_OneNumberFiftyTimesAtOnce_AddsOneStudent(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			a, err := f.admin.TryCall("POST", "/school-admin/student/create",
				map[string]any{"firstName": "Asha", "admissionNumber": "A-1", "divisionId": f.fiveA.ID})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
		})
	}
	wg.Wait()
	if statuses[201] != 1 || statuses[409] != 49 || f.Count(t, "student", "true") != 1 || f.Count(t, "enrolment", "true") != 1 {
		t.Errorf("answers %v", statuses)
	}
	refused := f.admin.Refuses(t, "POST", "/school-admin/student/create", map[string]any{"firstName": "Asha", "admissionNumber": "a-1"}, 409,
		"DUPLICATE_ENTRY")
	if refused.Details[0].Field != "admissionNumber" {
		t.Errorf("details %+v", refused.Details)
	}
}

func TestAdmissionNumbers_FollowThePatternWithoutGaps(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	if a := f.admin.Call(t, "PUT", "/school-admin/setting", map[string]any{"admissionNumberPattern": "GV/{yy}/{000}"}); a.Status != 200 {
		t.Fatalf("setting: %d %s", a.Status, a.Body)
	}
	f.admin.Refuses(t, "PUT", "/school-admin/setting", map[string]any{"admissionNumberPattern": "GV"}, 422, "")
	f.admit(t, "By hand", "", map[string]any{"admissionNumber": "gv/31/005"})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			a, err := f.admin.TryCall("POST", "/school-admin/student/create", map[string]any{"firstName": "Asha", "admissionDate": "2031-01-05"})
			if err != nil || a.Status != 201 {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	// One that fails gives its number back.
	f.admin.Refuses(t, "POST", "/school-admin/student/create",
		map[string]any{"firstName": "Asha", "admissionDate": "2031-01-05", "classId": uuid.New()}, 422, "")
	f.admit(t, "Last", "", map[string]any{"admissionDate": "2031-01-05"})
	var numbers []string
	if err := f.DB(t).Raw(`select admission_number from student where first_name <> 'By hand' order by 1`).Scan(&numbers).Error; err != nil {
		t.Fatal(err)
	}
	var want []string
	for n := 1; n <= 22; n++ {
		if n != 5 {
			want = append(want, fmt.Sprintf("GV/31/%03d", n))
		}
	}
	if !slices.Equal(numbers, want) {
		t.Errorf("numbers %v", numbers)
	}
	if s := testkit.NewSchool(t); testkit.Post[roster.StudentDetail](t, s.As(t, api.SchoolAdmin), "/school-admin/student/create",
		map[string]any{"firstName": "First", "admissionDate": "2026-06-02"}).AdmissionNumber != "2026-0001" {
		t.Error("the default pattern is not {year}-{0000}")
	}
}

func TestMove_MidYear_KeepsTheOldRoster(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 7))
	moved := testkit.Put[roster.StudentDetail](t, f.admin, path(asha),
		map[string]any{"classId": f.six.ID, "divisionId": f.sixA.ID, "rollNumber": 3, "version": asha.Version})
	if *moved.DivisionID != f.sixA.ID || *moved.RollNumber != 3 || *moved.Seat.ClassID != f.six.ID || len(moved.Enrolments) != 2 {
		t.Fatalf("moved %+v", moved)
	}
	old := moved.Enrolments[0]
	if *old.EndDate != f.today.AddDays(-1) || *old.Outcome != "MOVED" || moved.Enrolments[1].StartDate != f.today {
		t.Errorf("enrolments %+v", moved.Enrolments)
	}
	// A correction on the same day mends the new one.
	moved = testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"divisionId": f.fiveB.ID})
	if *moved.DivisionID != f.fiveB.ID || moved.RollNumber != nil || len(moved.Enrolments) != 2 {
		t.Errorf("corrected %+v", moved)
	}
	same := testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"divisionId": f.fiveB.ID, "lastName": "Rao-Iyer"})
	if len(same.Enrolments) != 2 || same.LastName != "Rao-Iyer" {
		t.Errorf("the same place moved them: %+v", same)
	}
	yesterday := f.today.AddDays(-1)
	for _, c := range []struct {
		division roster.Division
		day      api.Date
		want     []string
	}{
		{f.fiveA, yesterday, []string{"Asha"}}, {f.fiveA, f.today, nil}, {f.fiveB, yesterday, nil}, {f.fiveB, f.today, []string{"Asha"}},
		{f.sixA, f.today, nil}, {f.fiveA, f.firstOfClass.AddDays(-1), nil},
	} {
		if got := f.roster(t, c.division, c.day); !slices.Equal(got, c.want) {
			t.Errorf("%s on %s: %v", c.division.Name, c.day, got)
		}
	}
	if got := f.find(t, ""); len(got) != 1 {
		t.Errorf("listed %v", got)
	}
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"lastName": "x", "version": 1}, 409, "")
}

func TestStudent_OtherClassAlone_LeavesTheDivision(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 7))
	waiting := testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"classId": f.six.ID})
	if waiting.DivisionID != nil || waiting.ClassName != "Class 6" || *waiting.Enrolments[0].EndDate != f.today.AddDays(-1) {
		t.Errorf("waiting %+v", waiting)
	}
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"divisionId": f.sixA.ID, "enrolledFrom": f.today.AddDays(-3)}, 422, "")
	placed := testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"divisionId": f.sixA.ID})
	if *placed.DivisionID != f.sixA.ID || len(placed.Enrolments) != 2 || placed.Enrolments[1].StartDate != f.today {
		t.Errorf("placed %+v", placed)
	}
}

func TestRollNumber_IsUniqueInADivision(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 7))
	refused := f.admin.Refuses(t, "POST", "/school-admin/student/create",
		map[string]any{"firstName": "Ravi", "divisionId": f.fiveA.ID, "rollNumber": 7}, 409, "DUPLICATE_ENTRY")
	if refused.Details[0].Field != "rollNumber" {
		t.Errorf("details %+v", refused.Details)
	}
	ravi := f.admit(t, "Ravi", "", f.longAgo(f.fiveB, 7))
	f.admin.Refuses(t, "PUT", path(ravi), map[string]any{"divisionId": f.fiveA.ID, "rollNumber": 7}, 409, "DUPLICATE_ENTRY")
	if again := testkit.Get[roster.StudentDetail](t, f.admin, path(ravi)); *again.DivisionID != f.fiveB.ID || len(again.Enrolments) != 1 {
		t.Errorf("a refused move left %+v", again)
	}
}

func TestStudent_Invalid_IsRefusedByField(t *testing.T) {
	t.Parallel()
	f, other := newFrame(t), newFrame(t)
	for name, c := range map[string]struct {
		body  map[string]any
		field string
	}{
		"no first name":                 {map[string]any{"lastName": "Rao"}, "firstName"},
		"another school's class":        {map[string]any{"firstName": "A", "classId": other.five.ID}, "classId"},
		"another school's division":     {map[string]any{"firstName": "A", "divisionId": other.fiveA.ID}, "divisionId"},
		"a division of another class":   {map[string]any{"firstName": "A", "classId": f.six.ID, "divisionId": f.fiveA.ID}, "divisionId"},
		"a roll number and no division": {map[string]any{"firstName": "A", "rollNumber": 3}, "rollNumber"},
		"custom fields that are a list": {map[string]any{"firstName": "A", "customFields": []int{1}}, "customFields"},
		"born tomorrow":                 {map[string]any{"firstName": "A", "dateOfBirth": f.today.AddDays(2)}, "dateOfBirth"},
		"a guardian without a phone": {map[string]any{"firstName": "A",
			"guardians": []any{map[string]any{"firstName": "M", "relation": "MOTHER"}}}, "guardians[0].phone"},
	} {
		if refused := f.admin.Refuses(t, "POST", "/school-admin/student/create", c.body, 422, ""); refused.Details[0].Field != c.field {
			t.Errorf("%s: %+v", name, refused.Details)
		}
	}
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 1))
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"divisionId": other.fiveA.ID}, 422, "")
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"classId": other.five.ID, "divisionId": nil}, 422, "")
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		other.admin.Refuses(t, method, path(asha), map[string]any{}, 404, "STUDENT_NOT_FOUND")
	}
	other.admin.Refuses(t, "GET", "/school-admin/division/"+f.fiveA.ID.String()+"/students", nil, 404, "")
	if n := f.Count(t, "student", "true"); n != 1 || f.Count(t, "enrolment", "end_date is null") != 1 {
		t.Errorf("%d students were written", n)
	}
}

func TestStudent_Changed_IsAuditedWithTheOldValues(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", map[string]any{"dateOfBirth": "2015-02-03"})
	testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"dateOfBirth": "2015-03-02"})
	if n := f.Count(t, "audit_event",
		"entity = 'student' and entity_id = ? and before->>'dateOfBirth' = '2015-02-03' and after->>'dateOfBirth' = '2015-03-02'",
		asha.ID); n != 1 {
		t.Errorf("%d audit rows say what was there before", n)
	}
}

func TestStudentRemoval_WithoutHistory_Erases(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha, ravi := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 1)), f.admit(t, "Ravi", "", map[string]any{"divisionId": f.fiveA.ID})
	if err := f.DB(t).Exec(`update enrolment set created_at = created_at - interval '2 days' where student_id = ?`, asha.ID).Error; err != nil {
		t.Fatal(err)
	}
	for _, s := range []roster.StudentDetail{asha, ravi} {
		if a := f.admin.Call(t, "DELETE", path(s), nil); a.Status != 204 {
			t.Fatalf("delete: %d %s", a.Status, a.Body)
		}
		f.admin.Refuses(t, "GET", path(s), nil, 404, "STUDENT_NOT_FOUND")
		f.admin.Refuses(t, "DELETE", path(s), nil, 404, "STUDENT_NOT_FOUND")
	}
	if f.Count(t, "student", "id = ? and deleted_at is not null", asha.ID) != 1 || f.Count(t, "student", "id = ?", ravi.ID) != 0 ||
		f.Count(t, "enrolment", "end_date is null") != 0 {
		t.Error("not as it should be kept")
	}
	if f.find(t, "") != nil || f.roster(t, f.fiveA, f.today) != nil ||
		!slices.Equal(f.roster(t, f.fiveA, f.today.AddDays(-1)), []string{"Asha"}) {
		t.Error("lists are not as they should be")
	}
}

func TestStudentPhoto_IsAFileOfTheSchool(t *testing.T) {
	t.Parallel()
	s, elsewhere := testkit.NewSchool(t), testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	photo := func(of *testkit.School) uuid.UUID {
		t.Helper()
		id := api.NewID()
		err := of.DB(t).Exec(`insert into file (id, purpose, original_name, content_type, size_bytes, sha256, storage_key, uploaded_by,
			created_at)
			values (?, 'PHOTO', 'asha.jpg', 'image/jpeg', 1, '', ?, ?, now())`, id, id.String(), api.NewID()).Error
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	own := photo(s)
	made := testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create",
		map[string]any{"firstName": "Asha", "photoFileId": own})
	if made.PhotoFileID == nil || *made.PhotoFileID != own {
		t.Errorf("made %+v", made)
	}
	for _, id := range []uuid.UUID{photo(elsewhere), uuid.New()} {
		for method, path := range map[string]string{"POST": "/school-admin/student/create", "PUT": "/school-admin/student/" + made.ID.String()} {
			f := admin.Refuses(t, method, path, map[string]any{"firstName": "Ravi", "photoFileId": id}, 422, "")
			if len(f.Details) != 1 || f.Details[0] != (api.Detail{Field: "photoFileId", Message: "Photo file does not exist"}) {
				t.Errorf("details %+v", f.Details)
			}
		}
	}
	if n := s.Count(t, "student", "first_name = 'Ravi'"); n != 0 {
		t.Errorf("%d were written", n)
	}
}

func (f *frame) firstDay(t *testing.T, s roster.StudentDetail) api.Date {
	t.Helper()
	return testkit.Get[roster.StudentDetail](t, f.admin, path(s)).Enrolments[0].StartDate
}

func TestStudent_AdmittedWithoutADate_SitsThereSinceTheYearBegan(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	for name, c := range map[string]struct {
		more  map[string]any
		first api.Date
	}{
		"Nothing":   {nil, f.firstOfClass},
		"Admitted":  {map[string]any{"admissionDate": f.today.AddDays(-30)}, f.today.AddDays(-30)},
		"Long":      {map[string]any{"admissionDate": f.today.AddDays(-900)}, f.firstOfClass},
		"Said":      {map[string]any{"enrolledFrom": f.today}, f.today},
		"SaidLater": {map[string]any{"admissionDate": f.today.AddDays(-30), "enrolledFrom": f.today.AddDays(-20)}, f.today.AddDays(-20)},
	} {
		body := map[string]any{"divisionId": f.fiveA.ID}
		for k, v := range c.more {
			body[k] = v
		}
		if first := f.firstDay(t, f.admit(t, name, "Rao", body)); first != c.first {
			t.Errorf("%s sits there since %s, want %s", name, first, c.first)
		}
	}
	for _, day := range []api.Date{f.firstOfClass.AddDays(-1), f.today.AddDays(300)} {
		f.admin.Refuses(t, "POST", "/school-admin/student/create", map[string]any{"firstName": "Out", "divisionId": f.fiveA.ID, "enrolledFrom": day}, 422, "")
	}
}

func TestEnrolment_FirstDay_MovesWhileNothingStandsBeforeIt(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", map[string]any{"divisionId": f.fiveA.ID, "enrolledFrom": f.today.AddDays(-10)})
	move := func(day api.Date) {
		t.Helper()
		testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"enrolledFrom": day})
		if first := f.firstDay(t, asha); first != day {
			t.Errorf("since %s, want %s", first, day)
		}
	}
	move(f.firstOfClass)
	move(f.today.AddDays(-5))
	move(f.today.AddDays(-50))
	day := f.today.AddDays(-20)
	err := f.DB(t).Exec(`insert into attendance (id, student_id, division_id, date, status, source, marked_by, marked_at)
		values (?, ?, ?, ?, 'PRESENT', 'ADMIN', ?, now())`, api.NewID(), asha.ID, f.fiveA.ID, day, api.NewID()).Error
	if err != nil {
		t.Fatal(err)
	}
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"enrolledFrom": f.today.AddDays(-10)}, 409, "")
	move(day)
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"enrolledFrom": f.firstOfClass.AddDays(-1)}, 422, "")
}

func TestStudent_PlacedLater_SitsThereAsANewOneWould(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	for name, c := range map[string]struct {
		admitted, placed map[string]any
		first            api.Date
	}{
		"Nothing":  {nil, nil, f.firstOfClass},
		"Admitted": {map[string]any{"admissionDate": f.today.AddDays(-30)}, nil, f.today.AddDays(-30)},
		"Said":     {nil, map[string]any{"enrolledFrom": f.today.AddDays(-7)}, f.today.AddDays(-7)},
		"Both":     {nil, map[string]any{"admissionDate": f.today.AddDays(-5)}, f.today.AddDays(-5)},
	} {
		s := f.admit(t, name, "Rao", c.admitted)
		f.admin.Refuses(t, "PUT", path(s), map[string]any{"enrolledFrom": f.today}, 422, "")
		body := map[string]any{"divisionId": f.fiveA.ID}
		f.admin.Refuses(t, "PUT", path(s), map[string]any{"divisionId": f.fiveA.ID, "enrolledFrom": f.firstOfClass.AddDays(-1)}, 422, "")
		for k, v := range c.placed {
			body[k] = v
		}
		testkit.Put[roster.StudentDetail](t, f.admin, path(s), body)
		if first := f.firstDay(t, s); first != c.first {
			t.Errorf("%s sits there since %s, want %s", name, first, c.first)
		}
	}
}

func TestStudent_NullInAChange_ClearsOrIsRefused(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 1))
	put := func(body map[string]any) roster.StudentDetail {
		t.Helper()
		return testkit.Put[roster.StudentDetail](t, f.admin, path(asha), body)
	}
	if s := put(map[string]any{"lastName": nil}); s.LastName != "" {
		t.Errorf("last name %q", s.LastName)
	}
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"firstName": nil}, 422, "")
	for _, field := range []string{"classId", "divisionId"} {
		if d := f.admin.Refuses(t, "PUT", path(asha), map[string]any{field: nil}, 422, "").Details[0]; d.Field != "withoutClass" {
			t.Errorf("%s null: %+v", field, d)
		}
	}
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"withoutClass": true, "divisionId": f.fiveA.ID}, 422, "")
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"withoutClass": nil}, 422, "")
	if s := put(map[string]any{"withoutClass": true, "classId": nil}); s.DivisionID != nil {
		t.Errorf("still in division %s", s.DivisionID)
	}
	put(map[string]any{"classId": nil, "divisionId": nil}) // as it is
}
