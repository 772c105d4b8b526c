package roster_test

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestTransfer_IssuesACertificateAndKeepsThePast(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	more := f.longAgo(f.fiveA, 4)
	more["guardians"] = []any{guardian("Meera", testkit.NewPhone(), "MOTHER")}
	asha := f.admit(t, "Åsha Łucja", "Rao", more)
	f.admin.Refuses(t, "GET", path(asha)+"/leaving-certificate", nil, 404, "Not Found")
	f.admin.Refuses(t, "POST", path(asha)+"/transfer", map[string]any{"reason": "x", "leavingDate": f.today.AddDays(3)}, 422, "")
	f.admin.Refuses(t, "POST", path(asha)+"/transfer", map[string]any{"reason": "x", "leavingDate": f.firstOfClass.AddDays(-1)}, 422, "")
	last := f.today.AddDays(-10)
	cert := testkit.Post[roster.LeavingCertificate](t, f.admin, path(asha)+"/transfer",
		map[string]any{"reason": "Moved to another city", "conduct": "Good", "leavingDate": last})
	if cert.Number != 1 || cert.LeavingDate != last || cert.Snapshot.LastClass != "Class 5" || cert.Snapshot.LastDivision != "A" ||
		cert.Snapshot.Guardians[0] != "Meera Rao" {
		t.Errorf("certificate %+v", cert)
	}
	left := testkit.Get[roster.StudentDetail](t, f.admin, path(asha))
	if left.Status != "TRANSFERRED" || *left.LeavingDate != last || left.DivisionID != nil || *left.Enrolments[0].EndDate != last ||
		*left.Enrolments[0].Outcome != "LEFT" {
		t.Errorf("left %+v", left)
	}
	if f.roster(t, f.fiveA, f.today) != nil || len(f.roster(t, f.fiveA, last)) != 1 {
		t.Error("rosters are not as they were")
	}
	f.admin.Refuses(t, "POST", path(asha)+"/transfer", map[string]any{"reason": "again"}, 409, "")
	f.admin.Refuses(t, "PUT", path(asha), map[string]any{"divisionId": f.fiveB.ID}, 409, "")

	read := testkit.Get[roster.LeavingCertificate](t, f.admin, path(asha)+"/leaving-certificate")
	if read.ID != cert.ID || read.Snapshot.FirstName != "Åsha Łucja" {
		t.Errorf("read %+v", read)
	}
	pdf := f.admin.Call(t, "GET", path(asha)+"/leaving-certificate?format=pdf", nil)
	if pdf.Status != 200 || !bytes.HasPrefix(pdf.Body, []byte("%PDF-")) || pdf.Header.Get("Content-Type") != "application/pdf" ||
		!strings.HasPrefix(pdf.Header.Get("Content-Disposition"), "attachment") || pdf.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("pdf %d %v", pdf.Status, pdf.Header)
	}
	newFrame(t).admin.Refuses(t, "GET", path(asha)+"/leaving-certificate", nil, 404, "STUDENT_NOT_FOUND")
}

func TestReadmission_KeepsThePast(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 4))
	f.admin.Refuses(t, "POST", path(asha)+"/readmit", map[string]any{"divisionId": f.fiveB.ID}, 409, "")
	last := f.today.AddDays(-10)
	testkit.Post[roster.LeavingCertificate](t, f.admin, path(asha)+"/transfer", map[string]any{"reason": "Moved", "leavingDate": last})
	f.admin.Refuses(t, "POST", path(asha)+"/readmit", map[string]any{}, 422, "")
	f.admin.Refuses(t, "POST", path(asha)+"/readmit", map[string]any{"divisionId": f.fiveB.ID, "date": last}, 422, "")
	f.admin.Refuses(t, "POST", path(asha)+"/readmit", map[string]any{"divisionId": asha.ID}, 422, "")
	f.admin.Refuses(t, "POST", path(asha)+"/readmit", map[string]any{"divisionId": f.fiveB.ID, "date": f.today.AddDays(2000)}, 422, "")
	var wg sync.WaitGroup
	var back, refused atomic.Int64
	for range 4 { // a double click
		wg.Go(func() {
			switch a, err := f.admin.TryCall("POST", path(asha)+"/readmit",
				map[string]any{"divisionId": f.fiveB.ID, "rollNumber": 9, "reason": "They moved back"}); {
			case err == nil && a.Status == 200:
				back.Add(1)
			case err == nil && a.Status == 409:
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	if back.Load() != 1 || refused.Load() != 3 {
		t.Errorf("%d times back, %d refused", back.Load(), refused.Load())
	}
	s := testkit.Get[roster.StudentDetail](t, f.admin, path(asha))
	if s.Status != "ACTIVE" || s.LeavingDate != nil || s.LeavingReason != "" || *s.DivisionID != f.fiveB.ID ||
		s.AdmissionNumber != asha.AdmissionNumber || *s.AdmissionDate != *asha.AdmissionDate {
		t.Errorf("%+v", s)
	}
	if len(s.Enrolments) != 2 || *s.Enrolments[0].EndDate != last || *s.Enrolments[0].Outcome != "LEFT" ||
		s.Enrolments[1].StartDate != f.today || *s.Enrolments[1].RollNumber != 9 {
		t.Errorf("%+v", s.Enrolments)
	}
	if len(f.roster(t, f.fiveB, f.today)) != 1 || len(f.roster(t, f.fiveA, last)) != 1 || f.roster(t, f.fiveB, f.today.AddDays(-1)) != nil {
		t.Error("rosters are not as they were")
	}
	testkit.Get[roster.LeavingCertificate](t, f.admin, path(asha)+"/leaving-certificate")
	var kinds []string
	for _, e := range testkit.Get[roster.Timeline](t, f.admin, path(asha)+"/timeline").Events {
		kinds = append(kinds, e.Kind)
	}
	if !slices.Contains(kinds, "LEFT") || !slices.Contains(kinds, "READMITTED") {
		t.Errorf("the timeline tells %v", kinds)
	}
}

func TestLeavingCertificates_AreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	var students []roster.StudentDetail
	for range 8 {
		students = append(students, f.admit(t, "Asha", "", nil))
	}
	var wg sync.WaitGroup
	for _, s := range students {
		for range 2 { // the second of each is refused and takes no number
			wg.Go(func() {
				if a, err := f.admin.TryCall("POST", path(s)+"/transfer", map[string]any{"reason": "Moved"}); err != nil || a.Status != 200 &&
					a.Status != 409 {
					t.Errorf("%v %d %s", err, a.Status, a.Body)
				}
			})
		}
	}
	wg.Wait()
	var numbers []int
	if err := f.DB(t).Raw(`select number from leaving_certificate order by 1`).Scan(&numbers).Error; err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(numbers, []int{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("numbers %v", numbers)
	}
}

func TestTimeline_ListsWhatHappened(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 4))
	meera := f.addGuardian(t, asha, guardian("Meera", testkit.NewPhone(), "MOTHER"))
	testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"divisionId": f.fiveB.ID, "allergies": "Nuts"})
	f.admin.Call(t, "DELETE", path(asha)+"/guardians/"+meera.GuardianID.String(), nil)
	testkit.Post[roster.LeavingCertificate](t, f.admin, path(asha)+"/transfer", map[string]any{"reason": "Moved"})
	line := testkit.Get[roster.Timeline](t, f.admin, path(asha)+"/timeline")
	var kinds []string
	for _, e := range line.Events {
		kinds = append(kinds, e.Kind)
		if e.At != nil && *e.By != f.admin.UserID {
			t.Errorf("by %v", e.By)
		}
	}
	for _, kind := range []string{"ADMITTED", "ENROLLED", "MOVED", "GUARDIAN_ADDED", "GUARDIAN_REMOVED", "CHANGED", "STATUS_CHANGED",
		"LEFT"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("the timeline does not tell of %s: %v", kind, kinds)
		}
	}
	if line.Events[0].Kind != "ADMITTED" || line.Events[0].Date != f.firstOfClass || line.Total != len(kinds) {
		t.Errorf("timeline %+v", line.Events)
	}
	testkit.NewSchool(t).As(t, api.SchoolAdmin).Refuses(t, "GET", path(asha)+"/timeline", nil, 404, "STUDENT_NOT_FOUND")
}

func TestLeavingCertificate_SaysOnlyWhatIsKnown(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	came := f.longAgo(f.fiveA, 7)
	came["admissionDate"] = f.firstOfClass.AddDays(-700) // before the first class we know of
	asha := f.admit(t, scripts["Hindi"]+" "+scripts["Tamil"], scripts["Arabic"]+" "+scripts["Vietnamese"], came)
	if err := f.DB(t).Exec(`update enrolment set start_date = ? where student_id = ?`, f.firstOfClass, asha.ID).Error; err != nil {
		t.Fatal(err)
	}
	none := testkit.Get[roster.Clearance](t, f.admin, path(asha)+"/clearance")
	if none.Outstanding != 0 || len(none.Loans) != 0 {
		t.Errorf("clearance %+v", none)
	}
	if a := f.admin.Call(t, "POST", "/school-admin/fee/fine", map[string]any{"studentId": asha.ID, "amount": 12_345, "reason": "A window"}); a.Status != 201 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if owes := testkit.Get[roster.Clearance](t, f.admin, path(asha)+"/clearance"); owes.Outstanding != 12_345 {
		t.Errorf("owes %+v", owes)
	}
	book := testkit.Post[roster.Class](t, f.admin, "/school-admin/library/book/create", map[string]any{"title": "Malgudi Days"})
	lent := testkit.Post[roster.Class](t, f.admin, "/school-admin/library/copy/create", map[string]any{"bookId": book.ID, "accessionNumber": "L-1"})
	testkit.Post[any](t, f.admin, "/school-admin/library/loan/issue", map[string]any{"copyId": lent.ID, "studentId": asha.ID})
	if has := testkit.Get[roster.Clearance](t, f.admin, path(asha)+"/clearance").Loans; len(has) != 1 || has[0].Title != "Malgudi Days" ||
		has[0].AccessionNumber != "L-1" || !f.today.Before(has[0].DueOn) {
		t.Errorf("books that are out: %+v", has)
	}
	f.admin.Refuses(t, "GET", "/school-admin/student/"+api.NewID().String()+"/clearance", nil, 404, "STUDENT_NOT_FOUND")
	cert := testkit.Post[roster.LeavingCertificate](t, f.admin, path(asha)+"/transfer", map[string]any{"reason": "Moved"})
	if cert.Snapshot.AdmittedTo != "" || *cert.Snapshot.Outstanding != 12_345 || cert.Snapshot.LastClass != "Class 5" {
		t.Errorf("certificate %+v", cert.Snapshot)
	}
	for template, title := range map[string]string{"SIMPLE": "Leaving certificate", "CBSE": "Transfer certificate", "BRITISH": "Leaving certificate"} {
		testkit.Put[struct{}](t, f.admin, "/school-admin/setting", map[string]any{"leavingCertificateTemplate": template, "locale": "en-IN"})
		a := f.admin.Call(t, "GET", path(asha)+"/leaving-certificate?format=pdf", nil)
		on := testkit.ReadPaper(t, a.Body)
		missNothing(t, on)
		if !on.Says(title) || !on.Says("Date of issue") || !on.Says("Certificate no.") {
			t.Errorf("%s: %q", template, on.Pages)
		}
		if on.Says("₹123.45 outstanding") != (template == "CBSE") || on.Says("Conduct") == (template == "BRITISH") {
			t.Errorf("%s has the fields of another board: %q", template, on.Pages)
		}
	}
}

// TestLeavingCertificate_AfterPromotion_SaysWhereTheySat lets somebody go who is promoted to a year that is to come.
func TestLeavingCertificate_AfterPromotion_SaysWhereTheySat(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 4))
	var subjects []map[string]any
	for _, name := range []string{"Mathematics", "French", "Sanskrit"} {
		s := testkit.Post[roster.Subject](t, f.admin, "/school-admin/subject/create", map[string]any{"name": name, "code": name})
		subjects = append(subjects, map[string]any{"subjectId": s.ID})
		if name == "Mathematics" {
			continue
		}
		g := testkit.Post[roster.Group](t, f.admin, "/school-admin/group/create",
			map[string]any{"name": name, "subjectId": s.ID, "divisionIds": []any{f.fiveA.ID}})
		if name == "French" {
			testkit.Put[roster.GroupMembers](t, f.admin, "/school-admin/group/"+g.ID.String()+"/members",
				map[string]any{"studentIds": []any{asha.ID}, "fromDate": f.firstOfClass})
		}
	}
	for _, class := range []roster.Class{f.five, f.six} {
		testkit.Put[roster.ClassSubjects](t, f.admin, "/school-admin/subject/class-subjects",
			map[string]any{"classId": class.ID, "subjects": subjects})
	}
	next := testkit.Post[roster.AcademicYear](t, f.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "Next year", "startDate": f.today.AddDays(201), "endDate": f.today.AddDays(400)})
	testkit.Put[roster.Class](t, f.admin, "/school-admin/class/"+f.five.ID.String(), map[string]any{"nextClassId": f.six.ID})
	testkit.Post[any](t, f.admin, "/school-admin/student/promote", map[string]any{"toYearId": next.ID, "classId": f.five.ID})
	if n := f.Count(t, "enrolment", "academic_year_id = ?", next.ID); n != 1 {
		t.Fatalf("%d are promoted, want 1", n)
	}
	s := testkit.Post[roster.LeavingCertificate](t, f.admin, path(asha)+"/transfer", map[string]any{"reason": "Moved"}).Snapshot
	if s.LastClass != "Class 5" || s.LastDivision != "A" || s.LastYear != "This year" ||
		!slices.Equal(s.Subjects, []string{"French", "Mathematics"}) {
		t.Errorf("the certificate has the class %s %s, the year %s and the subjects %v", s.LastClass, s.LastDivision, s.LastYear, s.Subjects)
	}
}
