package year_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/exam"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// scored is what a child gets in a subject: marks in halves, AB or EX.
func scored(i, subject, paper int) string {
	switch {
	case i%50 == 13 && subject == 2:
		return "AB"
	case i%75 == 20 && subject == 1:
		return "EX"
	}
	halves := (i*17+subject*29+paper*53+i*i%31)%131 + 45
	if (i%9 == 4 && subject == 0) || (i%18 == 4 && subject == 3) {
		halves = 30 + i%40 // below, or just above, what is asked for
	}
	return fmt.Sprintf("%g", float64(halves)/2)
}

var subjectNames = []string{"Mathematics", "English", "Science", "History", "Art"}

// examine schedules an exam of all classes, enters its marks by a file, and publishes it. Of the
// second exam one mark is missing at first.
func (y *wholeYear) examine(t *testing.T, n int) {
	if n == 0 {
		y.prepareExams(t)
	}
	subjects := testkit.Get[struct{ Items []roster.Subject }](t, y.office, "/school-admin/subject/list?limit=100")
	months := []string{"2026-12-", "2027-03-"}
	id := create(t, y.office, "/school-admin/exam/create", map[string]any{"name": []string{"Half-yearly", "Annual"}[n],
		"academicYearId": y.this, "classIds": y.classes, "startDate": months[n] + []string{"14", "01"}[n],
		"endDate": months[n] + []string{"18", "05"}[n],
		"weight":  []int{40, 60}[n]})
	y.exams = append(y.exams, id)
	var papers []any
	for _, class := range y.classes {
		for _, s := range subjects.Items {
			day := map[string]int{"Mathematics": 0, "English": 1, "Science": 2, "History": 3, "Art": 4}[s.Name]
			papers = append(papers, map[string]any{"classId": class, "subjectId": s.ID, "startTime": "09:00", "endTime": "11:00",
				"examDate": fmt.Sprintf("%s%02d", months[n], []int{14, 1}[n]+day), "maxMarks": 100, "passMarks": 33})
		}
	}
	testkit.Post[exam.Schedule](t, y.office, "/school-admin/exam/schedule", map[string]any{"examId": id, "papers": papers})
	const missing = 77
	var file strings.Builder
	file.WriteString("admissionNumber,subject,marksObtained\r\n")
	last := ""
	for i, c := range y.children {
		if n == 1 && i == 100 {
			continue // gone
		}
		for s, name := range subjectNames {
			line := fmt.Sprintf("%s,%s,%s\r\n", c.number, name, scored(i, s, n))
			if n == 1 && i == missing && s == 3 {
				last = line
				continue
			}
			file.WriteString(line)
		}
	}
	enter := func(rows string) {
		a := y.office.Send(t, "POST", "/school-admin/exam/result/upload?examId="+id.String(), "text/csv", []byte(rows))
		if a.Status >= 300 {
			t.Fatalf("results: %d %s", a.Status, a.Body)
		}
	}
	enter(file.String())
	path := "/school-admin/exam/" + id.String() + "/publish"
	if n == 1 {
		f := y.office.Refuses(t, "POST", path, nil, 409, "")
		if !strings.Contains(f.Message, "Child0077 Rao (History)") {
			t.Errorf("refused by %q", f.Message)
		}
		enter("admissionNumber,subject,marksObtained\r\n" + last)
	}
	if done := testkit.Post[exam.Publication](t, y.office, path, nil); done.Missing != 0 || done.Students != pupils-n {
		t.Errorf("published %+v", done)
	}
	y.checkResults(t, id)
}

// prepareExams makes the subjects, the scale and the rule of who passes.
func (y *wholeYear) prepareExams(t *testing.T) {
	for i, name := range subjectNames {
		kind := "CORE"
		if name == "Art" {
			kind = "CO_SCHOLASTIC"
		}
		create(t, y.office, "/school-admin/subject/create", map[string]any{"name": name, "code": fmt.Sprint("S", i), "type": kind})
	}
	create(t, y.office, "/school-admin/exam/grade-scale/create", map[string]any{"name": "A to E", "isDefault": true, "bands": []any{
		map[string]any{"grade": "E", "minPercent": 0, "gradePoint": 0}, map[string]any{"grade": "D", "minPercent": 33, "gradePoint": 4},
		map[string]any{"grade": "C", "minPercent": 50, "gradePoint": 6}, map[string]any{"grade": "B", "minPercent": 62.5, "gradePoint": 8},
		map[string]any{"grade": "A", "minPercent": 80, "gradePoint": 10}}})
	testkit.Put[struct{}](t, y.office, "/school-admin/setting", map[string]any{"graceMarks": 4, "graceSubjects": 1, "compartmentSubjects": 1})
}

// results is how every student did in the exams, by their marks. Who has left has no rank.
const results = `with mark as (
		select p.exam_id, x.weight, r.student_id, u.name as subject, coalesce(r.marks_obtained, 0) as got, p.max_marks as most,
			p.pass_marks as least
		from exam_result r join exam_paper p on p.id = r.paper_id join exam x on x.id = p.exam_id join subject u on u.id = p.subject_id
		where u.type <> 'CO_SCHOLASTIC' and not r.is_exempt),
	seat as (
		select distinct on (e.student_id) e.student_id, s.admission_number, e.class_id, e.division_id, s.status = 'TRANSFERRED' as gone
		from enrolment e join student s on s.id = e.student_id where e.academic_year_id = @year order by e.student_id, e.start_date desc),
	sum as (
		select exam_id, weight, student_id, sum(got) as got, sum(most) as most, round(sum(got) * 100 / sum(most), 2) as percent,
			bool_and(got >= least) as passed
		from mark group by 1, 2, 3)`

// graded is the grade of a percentage by the scale of prepareExams.
func graded(percent string) string {
	return strings.ReplaceAll(`case when @ >= 80 then 'A' when @ >= 62.5 then 'B' when @ >= 50 then 'C' when @ >= 33 then 'D'
		else 'E' end`, "@", percent)
}

func ranked(percent string) string {
	return strings.ReplaceAll(`case when gone then 0 else rank() over (partition by class_id, gone order by @ desc) end,
		case when gone then 0 else rank() over (partition by division_id, gone order by @ desc) end`, "@", percent)
}

// checkResults compares an exam's results, all of them.
func (y *wholeYear) checkResults(t *testing.T, id uuid.UUID) {
	t.Helper()
	want := y.select2(t, results+` select admission_number as key, concat_ws(' ', trim_scale(got), trim_scale(most), trim_scale(percent), `+
		graded("percent")+`, `+ranked("percent")+`, case when passed then 'PASSED' else 'FAILED' end) as value
		from sum join seat using (student_id) where exam_id = @exam`, map[string]any{"year": y.this, "exam": id})
	got := map[string]string{}
	for page := 1; ; page++ {
		r := testkit.Get[exam.ExamResults](t, y.office, fmt.Sprintf("/school-admin/exam/%s/results?limit=300&page=%d", id, page))
		for _, s := range r.Students {
			got[s.AdmissionNumber] = fmt.Sprint(s.Obtained, " ", s.MaxMarks, " ", *s.Percent, " ", s.Grade, " ", s.Rank, " ", s.DivisionRank,
				" ", s.Outcome)
		}
		if page >= r.TotalPages {
			break
		}
	}
	same(t, "result", got, want)
}

// checkCards compares report cards of the year: percentages by weight, ranks, who passes with
// grace, and attendance. A few of them are read, one by a parent.
func (y *wholeYear) checkCards(t *testing.T) {
	want := y.select2(t, results+`, year as (
			select student_id, round(sum(percent * weight) / sum(weight), 2) as percent from sum group by 1),
		standing as (select admission_number, student_id, percent, `+graded("percent")+` as grade,
			concat_ws(' ', `+ranked("percent")+`) as places
			from year join seat using (student_id)),
		lack as (
			select student_id, subject, round(round(sum(least * 100 / most * weight) / sum(weight), 2)
				- round(sum(round(got * 100 / most, 2) * weight) / sum(weight), 2), 2) as lacks from mark group by 1, 2),
		short as (
			select *, lacks <= 4 and row_number() over (partition by student_id order by lacks, subject) = 1 as grace
			from lack where lacks > 0),
		failed as (
			select student_id, count(*) filter (where not grace) as n,
				coalesce(string_agg(subject, ',' order by subject) filter (where not grace), '') as names
			from short group by 1)
		select admission_number as key, concat_ws(' ', trim_scale(percent), grade, places, case when n is null then 'PASSED'
			when n = 0 then 'PASSED_WITH_GRACE' when n = 1 then 'COMPARTMENT' else 'FAILED' end, nullif(names, '')) as value
		from standing left join failed using (student_id)`,
		map[string]any{"year": y.this})
	days := y.select2(t, schoolMarks+` select admission_number as key,
		concat_ws(' ', trim_scale(count(*) filter (where status in ('PRESENT', 'LATE'))
		+ count(*) filter (where half_day) / 2.0), count(*)) as value from mark group by 1`,
		map[string]any{"from": "2026-04-01", "to": "2027-03-31"})
	got := map[string]string{}
	outcomes := map[string]int{}
	picked := map[string]string{}
	for i, c := range y.children {
		if i%90 != 9 && i%90 != 4 && i != 100 && i != 200 {
			continue
		}
		client, path := y.office, "/school-admin/exam/report-card/"+c.id.String()
		if i == 9 {
			client, path = y.parent(t, c), "/parent/exam/report-card?studentId="+c.id.String()
		}
		card := testkit.Get[exam.ReportCard](t, client, path)
		o := card.Overall
		words := fmt.Sprint(*o.Percent, " ", o.Grade, " ", o.Rank, " ", o.DivisionRank, " ", o.Outcome)
		if len(o.FailedSubjects) > 0 {
			words += " " + strings.Join(o.FailedSubjects, ",")
		}
		got[c.number] = fmt.Sprint(words, " ", card.Attendance.Present, " ", card.Attendance.Total)
		picked[c.number] = want[c.number] + " " + days[c.number]
		outcomes[o.Outcome]++
	}
	same(t, "report card", got, picked)
	if len(outcomes) < 4 {
		t.Errorf("the marks lead to %v only", outcomes)
	}
}

// checkLastYear has a parent read in April what their child got in the year before.
func (y *wholeYear) checkLastYear(t *testing.T) {
	c := y.children[62]
	parent, path := y.parent(t, c), "/parent/exam/results?studentId="+c.id.String()
	now := testkit.Get[exam.ChildResults](t, parent, path)
	if len(now.Exams) != 0 || len(now.Years) != 1 || now.Years[0].ID != y.this || now.Years[0].Active {
		t.Fatalf("in the new year a parent sees %+v, want last year's name and no results", now)
	}
	before := testkit.Get[exam.ChildResults](t, parent, path+"&academicYearId="+now.Years[0].ID.String())
	got := map[string]string{}
	for _, e := range before.Exams {
		got[e.ExamID.String()] = fmt.Sprint(*e.Percent, " ", e.AcademicYearID)
	}
	same(t, "last year's result", got, y.select2(t, results+` select exam_id::text as key,
		concat_ws(' ', trim_scale(percent), cast(@year as text)) as value
		from sum join seat using (student_id) where student_id = @child`, map[string]any{"year": y.this, "child": c.id}))
}
