package exam_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/testkit"
)

func TestResultsAreEnteredGradedAndEnteredAgain(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina, chand := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a), h.admit(t, "Chand", h.b)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	absent := map[string]any{"paperId": maths.ID, "studentId": bina.ID, "marksObtained": 0, "isAbsent": true, "remark": "Ill"}
	exempt := map[string]any{"paperId": maths.ID, "studentId": chand.ID, "isExempt": true}
	done := h.upload(t, e, got(maths, asha, 80), absent, exempt)
	if done.Created != 3 || done.Updated != 0 || len(done.Results) != 3 {
		t.Fatalf("done %+v", done)
	}
	grades := map[string]string{}
	for _, r := range done.Results {
		grades[r.StudentID.String()] = r.Grade
		if r.StudentID == bina.ID && (!r.IsAbsent || r.MarksObtained != nil || r.Remark != "Ill") {
			t.Errorf("absent %+v", r)
		}
	}
	if grades[asha.ID.String()] != "A" || grades[bina.ID.String()] != "E" || grades[chand.ID.String()] != "" {
		t.Errorf("grades %v", grades)
	}
	again := h.upload(t, e, got(maths, asha, 79.99), absent)
	if again.Created != 0 || again.Updated != 1 || again.Unchanged != 1 {
		t.Errorf("again %+v", again)
	}
	for _, r := range again.Results {
		if r.StudentID == asha.ID && (r.Grade != "B" || r.Version != 2 || r.MarksObtained.String() != "79.99") {
			t.Errorf("changed %+v", r)
		}
	}
	if n := h.Count(t, "audit_event", "entity = 'result'"); n != 4 {
		t.Errorf("%d audit rows", n)
	}
	if n := h.Count(t, "audit_event",
		"entity = 'result' and action = 'update' and before ->> 'marksObtained' = '80' and after ->> 'marksObtained' = '79.99'"); n != 1 {
		t.Errorf("%d audit rows of the change", n)
	}
	// What has results stays.
	h.admin.Refuses(t, "DELETE", examPath(e, ""), nil, 409, "")
	f := h.admin.Refuses(t, "POST", "/school-admin/exam/schedule",
		map[string]any{"examId": e.ID, "papers": []any{paper(h.five, h.maths, 1, map[string]any{"maxMarks": 50})}}, 422, "")
	if fields(f) != "papers[0].maxMarks" || f.Details[0].Message != "a student has 79.99 marks" {
		t.Errorf("lowered %+v", f)
	}
	h.admin.Refuses(t, "POST", "/school-admin/exam/schedule",
		map[string]any{"examId": e.ID, "replace": true, "papers": []any{paper(h.five, h.art, 2)}}, 409, "")
}

func TestBadResultsAreNamedByRowAndFieldAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	h, theirs := newHall(t), newHall(t)
	asha, bina, sixth, stranger := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a), h.admit(t, "Dev", h.other),
		theirs.admit(t, "Eva", theirs.a)
	e, maths, art := h.scheduled(t, "Half-yearly")
	foreign, theirPaper, _ := theirs.scheduled(t, "Theirs")
	f := h.admin.Refuses(t, "POST", uploadPath, batch(e,
		got(maths, asha, 50),
		got(maths, bina, 101),
		got(maths, asha, 60),
		got(art, stranger, 50),
		got(theirPaper, bina, 50),
		got(art, sixth, 50),
		map[string]any{"paperId": art.ID, "studentId": asha.ID},
		map[string]any{"paperId": art.ID, "studentId": bina.ID, "marksObtained": 5, "isAbsent": true},
		map[string]any{"paperId": art.ID, "isAbsent": true, "isExempt": true},
	), 422, "")
	if got := fields(f); got != "results[1].marksObtained results[2].studentId results[3].studentId results[4].paperId results[5].studentId results[6].marksObtained results[7].marksObtained results[8].studentId" {
		t.Errorf("fields %s", got)
	}
	if f.Details[0].Message != "Marks obtained must be at most 100" {
		t.Errorf("message %q", f.Details[0].Message)
	}
	for _, bad := range []any{-1, "12", 10.005, 1e9} {
		f := h.admin.Refuses(t, "POST", uploadPath, batch(e, got(maths, asha, 1), got(maths, bina, bad)), 422, "")
		if fields(f) != "results[1].marksObtained" {
			t.Errorf("%v: %s", bad, fields(f))
		}
	}
	h.admin.Refuses(t, "POST", uploadPath, batch(foreign, got(theirPaper, asha, 1)), 404, "")
	h.admin.Refuses(t, "POST", uploadPath, batch(e), 422, "")
	if n := h.Count(t, "exam_result", "true") + theirs.Count(t, "exam_result", "true"); n != 0 {
		t.Errorf("%d results were written", n)
	}
}

func TestATeacherEntersOnlyTheirOwnSubjectAndDivision(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, chand := h.admit(t, "Asha", h.a), h.admit(t, "Chand", h.b)
	e, maths, art := h.scheduled(t, "Half-yearly")
	teacher, _ := h.teacher(t, "Meera", assigned(h.a, h.maths))
	path := "/teacher/result/upload"
	done := testkit.Post[exam.Uploaded](t, teacher, path, batch(e, got(maths, asha, 70)))
	if done.Created != 1 {
		t.Errorf("done %+v", done)
	}
	teacher.Refuses(t, "POST", path, batch(e, got(art, asha, 70)), 403, "PERMISSION_DENIED")
	teacher.Refuses(t, "POST", path, batch(e, got(maths, chand, 70)), 403, "PERMISSION_DENIED")
	teacher.Refuses(t, "POST", path, batch(e, got(maths, asha, 71), got(maths, chand, 70)), 403, "PERMISSION_DENIED")
	teacher.Refuses(t, "POST", path, batch(exam.Exam{Record: api.Record{ID: api.NewID()}}, got(maths, asha, 70)), 404, "")
	whole, _ := h.teacher(t, "Nila", map[string]any{"classId": h.five.ID})
	testkit.Post[exam.Uploaded](t, whole, path, batch(e, got(art, asha, 60), got(maths, chand, 50)))
	if n := h.Count(t, "exam_result", "true"); n != 3 {
		t.Errorf("%d results", n)
	}

	// They see their own, and correct their own.
	list := testkit.Get[api.Page[exam.ResultItem]](t, teacher, "/teacher/result/list?filters[examId]="+e.ID.String())
	if list.Total != 1 || list.Items[0].FirstName != "Asha" || list.Items[0].DivisionName != "A" || list.Items[0].Grade != "B" {
		t.Fatalf("list %+v", list)
	}
	if all := testkit.Get[api.Page[exam.ResultItem]](t, whole, "/teacher/result/list"); all.Total != 3 {
		t.Errorf("all %+v", all)
	}
	mine := list.Items[0].ID
	changed := testkit.Put[exam.Result](t, teacher, "/teacher/result/update", map[string]any{"id": mine, "marksObtained": 90, "version": 1})
	if changed.Grade != "A" || changed.Version != 2 {
		t.Errorf("changed %+v", changed)
	}
	teacher.Refuses(t, "PUT", "/teacher/result/update", map[string]any{"id": mine, "marksObtained": 91, "version": 1}, 409, "")
	f := teacher.Refuses(t, "PUT", "/teacher/result/update", map[string]any{"id": mine, "marksObtained": 100.5}, 422, "")
	if fields(f) != "marksObtained" {
		t.Errorf("fields %s", fields(f))
	}
	if away := testkit.Put[exam.Result](t, teacher, "/teacher/result/update", map[string]any{"id": mine, "isAbsent": true}); !away.IsAbsent ||
		away.MarksObtained != nil || away.Grade != "E" {
		t.Errorf("away %+v", away)
	}
	if back := testkit.Put[exam.Result](t, teacher, "/teacher/result/update", map[string]any{"id": mine, "marksObtained": 55.5}); back.IsAbsent || back.MarksObtained.String() != "55.5" {
		t.Errorf("back %+v", back)
	}
	var theirs string
	if err := h.DB(t).Raw(`select id from exam_result where student_id = ?`, chand.ID).Scan(&theirs).Error; err != nil {
		t.Fatal(err)
	}
	teacher.Refuses(t, "PUT", "/teacher/result/update", map[string]any{"id": theirs, "marksObtained": 1}, 403, "PERMISSION_DENIED")
	teacher.Refuses(t, "PUT", "/teacher/result/update", map[string]any{"id": api.NewID(), "marksObtained": 1}, 404, "")
}

func TestADivisionIsWhereTheStudentSatOnTheDayOfThePaper(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	// From today on she sits in B; the paper was in September, when she sat in A.
	if a := h.admin.Call(t, "PUT", "/school-admin/student/"+asha.ID.String(), map[string]any{"divisionId": h.b.ID}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	e, maths, _ := h.scheduled(t, "Half-yearly")
	before, _ := h.teacher(t, "Meera", assigned(h.a, h.maths))
	after, _ := h.teacher(t, "Nila", assigned(h.b, h.maths))
	after.Refuses(t, "POST", "/teacher/result/upload", batch(e, got(maths, asha, 70)), 403, "PERMISSION_DENIED")
	testkit.Post[exam.Uploaded](t, before, "/teacher/result/upload", batch(e, got(maths, asha, 70)))
	if list := testkit.Get[api.Page[exam.ResultItem]](t, before, "/teacher/result/list"); list.Total != 1 {
		t.Errorf("hers %+v", list)
	}
	if list := testkit.Get[api.Page[exam.ResultItem]](t, after, "/teacher/result/list"); list.Total != 0 {
		t.Errorf("not hers %+v", list)
	}
}

func TestResultsComeAsAFileToo(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina, chand := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a), h.admit(t, "Chand", h.b)
	e, maths, art := h.scheduled(t, "Half-yearly")
	file := "Admission No;Subject;Marks;Remarks\r\n" +
		fmt.Sprintf("%s;math;81,5\r\n", asha.AdmissionNumber)
	a := h.admin.Send(t, "POST", uploadPath+"?examId="+e.ID.String(), "text/csv", []byte(file))
	if f := a.Failure(t); a.Status != 422 || fields(f) != "rows[2].Marks" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	file = "\xEF\xBB\xBFAdmission No;Subject;Marks;Remarks\r\n" +
		fmt.Sprintf("%s;math;81.5;Well done\r\n%s;Mathematics;AB;\r\n%s;ART;EX;\r\n", asha.AdmissionNumber,
			strings.ToLower(bina.AdmissionNumber), chand.AdmissionNumber)
	a = h.admin.Send(t, "POST", uploadPath+"?examId="+e.ID.String(), "text/csv", []byte(file))
	var done exam.Uploaded
	a.Read(t, &done)
	if a.Status != 200 || done.Created != 3 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if n := h.Count(t, "exam_result",
		"(paper_id = ? and marks_obtained = 81.5 and remark = 'Well done') or (paper_id = ? and is_absent) or (paper_id = ? and is_exempt)",
		maths.ID, maths.ID, art.ID); n != 3 {
		t.Errorf("%d results as they should be", n)
	}

	// All that is wrong, by row; a file is as bound to a teacher's subjects as JSON is.
	file = "admissionNumber,marks\n" + asha.AdmissionNumber + ",101\nA-nobody,5\n" + bina.AdmissionNumber + ",\n"
	a = h.admin.Send(t, "POST", uploadPath+"?examId="+e.ID.String()+"&paperId="+maths.ID.String(), "text/csv", []byte(file))
	if f := a.Failure(t); a.Status != 422 || fields(f) != "rows[2].marksObtained rows[3].admissionNumber rows[4].marksObtained" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("examId", e.ID.String())
	part, _ := w.CreateFormFile("file", "marks.csv")
	_, _ = part.Write([]byte("studentId,paperId,marksObtained\n" + asha.ID.String() + "," + maths.ID.String() + ",90\n"))
	_ = w.Close()
	teacher, _ := h.teacher(t, "Meera", assigned(h.a, h.maths))
	if a := teacher.Send(t, "POST", "/teacher/result/upload", w.FormDataContentType(), form.Bytes()); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	other, _ := h.teacher(t, "Nila", assigned(h.b, h.maths))
	if a := other.Send(t, "POST", "/teacher/result/upload", w.FormDataContentType(), form.Bytes()); a.Status != 403 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	for _, bad := range []string{"", "marks\n", "x,y\n1,2\n"} {
		if a := h.admin.Send(t, "POST", uploadPath+"?examId="+e.ID.String(), "text/csv", []byte(bad)); a.Status != 422 {
			t.Errorf("%q: %d %s", bad, a.Status, a.Body)
		}
	}
	long := "admissionNumber,marks\n" + strings.Repeat(asha.AdmissionNumber+",1\n", 5001)
	if a := h.admin.Send(t, "POST", uploadPath+"?examId="+e.ID.String(), "text/csv", []byte(long)); a.Status != 413 {
		t.Errorf("too many rows: %d %s", a.Status, a.Body)
	}
	if a := h.admin.Send(t, "POST", uploadPath, "text/csv", []byte(file)); a.Status != 422 || fields(a.Failure(t)) != "examId" {
		t.Errorf("without an exam: %d %s", a.Status, a.Body)
	}
}

func TestAnExamsResultsHaveTotalsGradesAndSharedRanks(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	sport := testkit.Post[struct{ ID string }](t, h.admin, "/school-admin/subject/create",
		map[string]any{"name": "Sport", "code": "SPO", "type": "CO_SCHOLASTIC"})
	e := h.exam(t, "Half-yearly")
	third := paper(h.five, h.art, 3)
	third["subjectId"] = sport.ID
	s := h.schedule(t, e, paper(h.five, h.maths, 1), paper(h.five, h.art, 2, map[string]any{"maxMarks": 50, "passMarks": 20}), third)
	maths, art, games := s.Papers[0], s.Papers[1], s.Papers[2]
	asha, bina, chand, dev := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a), h.admit(t, "Chand", h.b), h.admit(t, "Dev", h.b)
	h.upload(t, e,
		got(maths, asha, 90), got(art, asha, 30), got(games, asha, 10), // 120 of 150, sport does not count
		got(maths, bina, 80), got(art, bina, 40), // the same
		map[string]any{"paperId": maths.ID, "studentId": chand.ID, "isAbsent": true}, got(art, chand, 50), // 50 of 150
		map[string]any{"paperId": maths.ID, "studentId": dev.ID, "isExempt": true}, got(art, dev, 45), // 45 of 50
	)
	all := testkit.Get[exam.ExamResults](t, h.admin, examPath(e, "/results"))
	if all.Total != 4 || len(all.Papers) != 3 {
		t.Fatalf("results %+v", all)
	}
	want := map[string]exam.Standing{
		"Dev": {Obtained: 4500, MaxMarks: 5000, Grade: "A", Places: exam.Places{Rank: 1, OutOf: 4, DivisionRank: 1, DivisionOutOf: 2},
			Outcome: "PASSED", IsPass: true},
		"Asha": {Obtained: 12000, MaxMarks: 15000, Grade: "A", Places: exam.Places{Rank: 2, OutOf: 4, DivisionRank: 1, DivisionOutOf: 2},
			Outcome: "PASSED", IsPass: true},
		"Bina": {Obtained: 12000, MaxMarks: 15000, Grade: "A", Places: exam.Places{Rank: 2, OutOf: 4, DivisionRank: 1, DivisionOutOf: 2},
			Outcome: "PASSED", IsPass: true},
		"Chand": {Obtained: 5000, MaxMarks: 15000, Grade: "E", Places: exam.Places{Rank: 4, OutOf: 4, DivisionRank: 2, DivisionOutOf: 2},
			Outcome: "FAILED", IsPass: false},
	}
	percents := map[string]float64{"Dev": 90, "Asha": 80, "Bina": 80, "Chand": 33.33}
	for _, s := range all.Students {
		w := want[s.FirstName]
		if s.Percent == nil || *s.Percent != percents[s.FirstName] {
			t.Errorf("%s: percent %v", s.FirstName, s.Percent)
		}
		w.Percent = s.Percent
		if s.Standing != w {
			t.Errorf("%s: %+v", s.FirstName, s.Standing)
		}
	}
	if b := testkit.Get[exam.ExamResults](t, h.admin, examPath(e, "/results?divisionId="+h.b.ID.String()+"&limit=1&page=2")); b.Total != 2 ||
		b.TotalPages != 2 || len(b.Students) != 1 || b.Students[0].FirstName != "Dev" || b.Students[0].Rank != 1 {
		t.Errorf("of B %+v", b)
	}
}

func TestAResultThatWasEnteredInSightOfAnotherIsRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	seen := func(r map[string]any, version int) map[string]any { r["version"] = version; return r }
	h.upload(t, e, seen(got(maths, asha, 60), 0))
	f := h.admin.Refuses(t, "POST", uploadPath, batch(e, seen(got(maths, bina, 50), 0), seen(got(maths, asha, 70), 0)), 409, "")
	if fields(f) != "results[1].version" || f.Details[0].Message != "somebody entered 60 meanwhile" {
		t.Errorf("refused %+v", f)
	}
	if n := h.Count(t, "exam_result", "true"); n != 1 {
		t.Errorf("%d results", n)
	}
	if done := h.upload(t, e, seen(got(maths, asha, 70), 1), got(maths, bina, 50)); done.Created != 1 || done.Updated != 1 {
		t.Errorf("done %+v", done)
	}
}
