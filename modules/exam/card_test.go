package exam_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/exam"
	"homeroom/modules/setting"
	"homeroom/testkit"
)

// register stands for the attendance of another module, and for a logo.
type register struct{ from, to api.Date }

func (r *register) Totals(_ api.Ctx, students []uuid.UUID, from, to api.Date) (
	present map[uuid.UUID]float64, marked, schoolDays map[uuid.UUID]int, err error,
) {
	r.from, r.to = from, to
	return map[uuid.UUID]float64{students[0]: 45}, map[uuid.UUID]int{students[0]: 50}, map[uuid.UUID]int{students[0]: 60}, nil
}

// Bytes are a logo's.
func (r *register) Bytes(api.Ctx, uuid.UUID) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 20)))
	return b.Bytes(), err
}

var books = &register{}

// A second report card, with everything that other modules would give it.
func init() {
	testkit.ShareWith(func(_ *config.Config, o *service.Options) {
		for _, r := range (&exam.Module{Attendance: books, Letterhead: setting.Letterheads{Files: books}.Letterhead}).Describe().Rows {
			if r.Path == "/school-admin/exam/report-card/:studentId" {
				r.Path = "/school-admin/exam/full-card/:studentId"
				o.ExtraRows = append(o.ExtraRows, r)
			}
		}
	})
}

func (h *hall) term(t *testing.T, name, from, to string, weight float64) exam.Term {
	t.Helper()
	return testkit.Post[exam.Term](t, h.admin, "/school-admin/exam/term/create",
		map[string]any{"academicYearId": h.year.ID, "name": name, "startDate": from, "endDate": to, "weight": weight})
}

// sat is an exam of one paper in maths, sat and published; marks below 0 are an exemption.
func (h *hall) sat(t *testing.T, name, month string, weight float64, term *uuid.UUID, marks map[pupil]int) exam.Exam {
	t.Helper()
	e := h.exam(t, name, map[string]any{"weight": weight, "termId": term, "startDate": month + "-01", "endDate": month + "-28"})
	s := h.schedule(t, e, paper(h.five, h.maths, 1, map[string]any{"examDate": month + "-03"}))
	var results []map[string]any
	for who, m := range marks {
		r := got(s.Papers[0], who, m)
		if m < 0 {
			r = map[string]any{"paperId": s.Papers[0].ID, "studentId": who.ID, "isExempt": true}
		}
		results = append(results, r)
	}
	h.upload(t, e, results...)
	h.publish(t, e)
	return e
}

func TestAReportCardWeighsExamsInTheirTermsAndTermsInTheYear(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina, chand := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.b), h.admit(t, "Chand", h.b)
	first, second := h.term(t, "Term 1", "2026-06-01", "2026-10-31", 40), h.term(t, "Term 2", "2026-11-01", "2027-04-30", 60)
	h.sat(t, "Unit test", "2026-07", 1, &first.ID, map[pupil]int{asha: 60, bina: 100, chand: -1})
	h.sat(t, "Half-yearly", "2026-09", 3, &first.ID, map[pupil]int{asha: 80, bina: 60, chand: 70})
	h.sat(t, "Annual", "2027-03", 1, &second.ID, map[pupil]int{asha: 90, bina: 93, chand: 30})
	hidden, maths, _ := h.scheduled(t, "Not yet")
	h.upload(t, hidden, got(maths, asha, 1))

	path := "/school-admin/exam/report-card/" + asha.ID.String()
	card := testkit.Get[exam.ReportCard](t, h.admin, path)
	if len(card.Exams) != 3 || card.Exams[0].Name != "Unit test" || card.Exams[1].Rank != 1 || card.Exams[1].Results[0].Grade != "A" ||
		card.Exams[2].Results[0].MarksObtained.String() != "90" {
		t.Errorf("exams %+v", card.Exams)
	}
	// Term 1: (60·1 + 80·3) / 4 = 75; the year: (75·40 + 90·60) / 100 = 84. Bina: (70·40 + 93·60) / 100 = 83.8.
	if len(card.Terms) != 2 || *card.Terms[0].Percent != 75 || card.Terms[0].Grade != "B" || *card.Terms[1].Percent != 90 {
		t.Errorf("terms %+v", card.Terms)
	}
	if o := card.Overall; *o.Percent != 84 || o.Grade != "A" || *o.GradePoint != 10 || o.Rank != 1 || o.OutOf != 3 || !o.IsPass {
		t.Errorf("overall %+v", o)
	}
	if card.Student.FirstName != "Asha" || card.Student.ClassName != "Class 5" || card.Student.DivisionName != "A" ||
		card.AcademicYearName != "2026-27" || card.Attendance == nil || card.Attendance.Total != 0 ||
		card.Student.Guardians[0] != "Parent of Asha" {
		t.Errorf("card %+v", card)
	}
	if o := testkit.Get[exam.ReportCard](t, h.admin, "/school-admin/exam/report-card/"+chand.ID.String()).Overall; *o.Percent != 46 ||
		o.Rank != 3 || !o.IsPass { // by the year, though the annual was failed
		t.Errorf("Chand's %+v", o)
	}
	if early := testkit.Get[exam.ReportCard](t, h.admin, path+"?includeUnpublished=true"); len(early.Exams) != 4 {
		t.Errorf("with what is not published: %d exams", len(early.Exams))
	}

	on := h.printed(t, path+"?format=pdf")
	for _, want := range []string{"Term 1, weight 40", "Term 2, weight 60", "weight 1", "weight 3"} {
		if !on.Says(want) {
			t.Errorf("the paper does not say %q: %q", want, on.Pages)
		}
	}

	// The parent has the same card, and only of their own child.
	parent := h.parent(t, asha)
	ours := "/parent/exam/report-card?studentId=" + asha.ID.String()
	parent.Refuses(t, "GET", ours+"&includeUnpublished=true", nil, 422, "")
	own := testkit.Get[exam.ReportCard](t, parent, ours)
	if len(own.Exams) != 3 || *own.Overall.Percent != 84 {
		t.Errorf("the parent's %+v", own)
	}
	parent.Refuses(t, "GET", "/parent/exam/report-card?studentId="+bina.ID.String(), nil, 404, "STUDENT_NOT_FOUND")
	h.admin.Refuses(t, "GET", "/school-admin/exam/report-card/"+api.NewID().String(), nil, 404, "STUDENT_NOT_FOUND")
	h.admin.Refuses(t, "GET", path+"?academicYearId="+api.NewID().String(), nil, 404, "")
}

func TestAReportCardIsPrintedWithLogoAndAttendance(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	e, maths, art := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 81.5), map[string]any{"paperId": art.ID, "studentId": asha.ID, "isAbsent": true,
		"remark": "Was ill that week, and will sit the paper again with the others in spring"})
	h.publish(t, e)
	path := "/school-admin/exam/full-card/" + asha.ID.String()
	card := testkit.Get[exam.ReportCard](t, h.admin, path)
	if card.Attendance == nil || card.Attendance.Present != 45 || *card.Attendance.Percent != 90 || books.from.String() != "2026-06-01" {
		t.Errorf("attendance %+v from %s", card.Attendance, books.from)
	}
	a := h.admin.Call(t, "GET", path+"?format=pdf", nil)
	if a.Status != 200 || a.Header.Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(a.Body, []byte("%PDF-")) ||
		!strings.Contains(a.Header.Get("Content-Disposition"), "report-card-"+asha.AdmissionNumber) {
		t.Fatalf("%d %v %.100s", a.Status, a.Header, a.Body)
	}
	if on := testkit.ReadPaper(t, a.Body); !on.Says("45 of 50 marked days, of 60 school days (90 %)") {
		t.Errorf("the paper does not say the attendance: %q", on.Pages)
	}
	if b := h.parent(t, asha).Call(t, "GET", "/parent/exam/report-card?format=pdf&studentId="+asha.ID.String(), nil); b.Status != 200 ||
		!bytes.HasPrefix(b.Body, []byte("%PDF-")) {
		t.Errorf("the parent's: %d %.200s", b.Status, b.Body)
	}
	h.admin.Refuses(t, "GET", path+"?format=doc", nil, 422, "")
}

func TestATermLiesInItsYear(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	create := "/school-admin/exam/term/create"
	h.admin.Refuses(t, "POST", create, map[string]any{"academicYearId": h.year.ID, "name": "T", "startDate": "2026-05-01",
		"endDate": "2026-07-01"}, 422, "")
	h.admin.Refuses(t, "POST", create, map[string]any{"academicYearId": api.NewID(), "name": "T", "startDate": "2026-06-01",
		"endDate": "2026-07-01"}, 422, "")
	h.admin.Refuses(t, "POST", create, map[string]any{"academicYearId": h.year.ID, "name": "T", "startDate": "2026-06-31",
		"endDate": "2026-07-01"}, 422, "")
	made := h.term(t, "Term 1", "2026-06-01", "2026-10-31", 1)
	h.admin.Refuses(t, "POST", create, map[string]any{"academicYearId": h.year.ID, "name": "TERM 1", "startDate": "2026-06-01",
		"endDate": "2026-07-01"}, 409, "DUPLICATE_ENTRY")
	e := h.exam(t, "Half-yearly", map[string]any{"termId": made.ID})
	path := "/school-admin/exam/term/" + made.ID.String()
	h.admin.Refuses(t, "DELETE", path, nil, 409, "")
	testkit.Put[exam.Exam](t, h.admin, examPath(e, ""), map[string]any{"termId": nil})
	if a := h.admin.Call(t, "DELETE", path, nil); a.Status != 204 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestWithoutAnActiveYearACardSaysThatTheYearMustBeNamed(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	child := s.Child(t, seat, 1)
	if err := s.DB(t).Exec(`update academic_year set active = false`).Error; err != nil {
		t.Fatal(err)
	}
	asks := map[string]*testkit.Client{"/school-admin/exam/report-card/" + child.ID.String() + "?": s.As(t, api.SchoolAdmin),
		"/parent/exam/report-card?studentId=" + child.ID.String() + "&": child.Parents[0]}
	for path, who := range asks {
		who.Refuses(t, "GET", path, nil, 409, "Conflict")
		testkit.Get[exam.ReportCard](t, who, path+"academicYearId="+seat.YearID.String())
	}
}
