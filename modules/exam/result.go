package exam

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// Result is what one student got in one paper.
type Result struct {
	api.Record
	PaperID   uuid.UUID `json:"paperId"`
	StudentID uuid.UUID `json:"studentId"`
	ResultFields
	Grade string `json:"grade" doc:"By the class's grade scale"`
}

// TableName is the record's table.
func (Result) TableName() string { return "exam_result" }

// ResultFields are what a teacher says of a result.
type ResultFields struct {
	MarksObtained *Marks `json:"marksObtained" doc:"None for one who was absent or exempt"`
	IsAbsent      bool   `json:"isAbsent" doc:"Counts as no marks"`
	IsExempt      bool   `json:"isExempt" doc:"Does not count at all"`
	Remark        string `json:"remark" validate:"max=500"`
}

// normalize brings the fields to the form they are kept in, or names what does not fit.
// Apps send 0 marks for one who was absent: there are none.
func (f *ResultFields) normalize(most Marks, fail func(field, format string, args ...any)) {
	away := f.IsAbsent || f.IsExempt
	if away && f.MarksObtained != nil && *f.MarksObtained == 0 {
		f.MarksObtained = nil
	}
	switch {
	case f.IsAbsent && f.IsExempt:
		fail("isExempt", "a student is absent or exempt, not both")
	case away && f.MarksObtained != nil:
		fail("marksObtained", "marksObtained must not be given for one who is absent or exempt")
	case !away && f.MarksObtained == nil:
		fail("marksObtained", "marksObtained is required, unless isAbsent or isExempt")
	case f.MarksObtained != nil && *f.MarksObtained > most:
		fail("marksObtained", "marksObtained must be at most %s", most)
	}
}

// cell is the result as a mark sheet has it.
func (f ResultFields) cell() string {
	switch {
	case f.IsAbsent:
		return absentCell
	case f.IsExempt:
		return exemptCell
	case f.MarksObtained != nil:
		return f.MarksObtained.String()
	}
	return "nothing"
}

func (f ResultFields) same(o ResultFields) bool {
	sameMarks := f.MarksObtained == o.MarksObtained
	if f.MarksObtained != nil && o.MarksObtained != nil {
		sameMarks = *f.MarksObtained == *o.MarksObtained
	}
	return sameMarks && f.IsAbsent == o.IsAbsent && f.IsExempt == o.IsExempt && f.Remark == o.Remark
}

// seatSQL is where the student r.student_id sat for the paper p of the exam x: in the
// division of the paper's class on its day or, for one who came to the class at another
// time of the year and sat it then, the last one there. The student's few enrolments
// are all it looks at: "is not distinct from" keeps Postgres from also gathering the
// year's and the class's for every result, which it does while it has no statistics.
const seatSQL = `lateral (select n.division_id, n.roll_number from enrolment n
	where n.student_id = r.student_id and n.academic_year_id is not distinct from x.academic_year_id and n.class_id is not distinct
	from p.class_id
	order by (n.start_date <= p.exam_date and (n.end_date is null or n.end_date >= p.exam_date)) desc, n.start_date desc limit 1) seat`

// regradeSQL grades the results of an exam anew, or of some of its papers: $1 is the
// exam, $2 the papers or null. The scale is the class's own, or the school's default.
const regradeSQL = `with ` + bandSQL + `,
	graded as (
		select r.id, case when r.is_exempt then '' else coalesce(b.grade, '') end as grade
		from exam_paper p join exam_result r on r.paper_id = p.id
			left join band b on b.class_id = p.class_id and round(coalesce(r.marks_obtained, 0) * 100 / p.max_marks, 2) >= b.least
				and (b.next is null or round(coalesce(r.marks_obtained, 0) * 100 / p.max_marks, 2) < b.next)
		where p.exam_id = $1 and ($2::uuid[] is null or p.id = any($2)))
	update exam_result r set grade = graded.grade from graded where graded.id = r.id and r.grade <> graded.grade`

// bandSQL is the common table of the bands of the scales that the classes of the exam $1 have.
const bandSQL = `band as (
		select k.id as class_id, b.grade, b.least, lead(b.least) over (partition by k.id order by b.least) as next
		from class k join grade_scale g on g.id = coalesce(k.grade_scale_id, (select id from grade_scale where is_default)),
			lateral (select e ->> 'grade' as grade, (e ->> 'minPercent')::numeric as least from jsonb_array_elements(g.bands) e) b
		where k.id in (select class_id from exam_class where exam_id = $1))`

// ResultItem is a result as a teacher's list shows it.
type ResultItem struct {
	ID              uuid.UUID `json:"id"`
	ExamID          uuid.UUID `json:"examId"`
	ExamName        string    `json:"examName"`
	ExamStatus      string    `json:"examStatus" enum:"DRAFT,SCHEDULED,PUBLISHED"`
	PaperID         uuid.UUID `json:"paperId"`
	ClassID         uuid.UUID `json:"classId"`
	ClassName       string    `json:"className"`
	DivisionID      uuid.UUID `json:"divisionId"`
	DivisionName    string    `json:"divisionName"`
	SubjectID       uuid.UUID `json:"subjectId"`
	SubjectName     string    `json:"subjectName"`
	StudentID       uuid.UUID `json:"studentId"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	RollNumber      *int      `json:"rollNumber"`
	MaxMarks        Marks     `json:"maxMarks"`
	ResultFields
	Grade   string `json:"grade"`
	Version int    `json:"version"`
}

const itemColumns = `r.id, p.exam_id, x.name as exam_name, x.status as exam_status, r.paper_id, p.class_id, k.name as class_name,
	d.id as division_id, d.name as division_name,
	p.subject_id, u.name as subject_name, r.student_id, s.admission_number, s.first_name, s.last_name, seat.roll_number, p.max_marks,
	r.marks_obtained, r.is_absent, r.is_exempt, r.remark, r.grade, r.version`

// itemJoins are what an item shows besides the result r.
const itemJoins = ` r join exam_paper p on p.id = r.paper_id join exam x on x.id = p.exam_id join class k on k.id = p.class_id
	join subject u on u.id = p.subject_id join student s on s.id = r.student_id
	join ` + seatSQL + ` on true join division d on d.id = seat.division_id`

var itemListing = api.Listing{
	Sorts: map[string]string{"rollNumber": "roll_number", "firstName": "first_name", "marksObtained": "marks_obtained",
		"examName": "exam_name"},
	Default: "rollNumber",
	Filters: map[string]api.Filter{
		"examId": api.ByID("exam_id"), "paperId": api.ByID("paper_id"), "classId": api.ByID("class_id"), "divisionId": api.ByID("division_id"),
		"subjectId": api.ByID("subject_id"), "studentId": api.ByID("student_id"),
		"search": api.Search("first_name", "last_name", "admission_number"),
	},
}
