package exam

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// ExamResults is who got what in an exam.
type ExamResults struct {
	Exam       Exam            `json:"exam"`
	Papers     []Paper         `json:"papers"`
	Students   []StudentResult `json:"students" doc:"By class, division, roll number and name"`
	Total      int             `json:"total" doc:"Students on all pages"`
	Page       int             `json:"page"`
	Limit      int             `json:"limit"`
	TotalPages int             `json:"totalPages"`
}

// StudentResult is one student's exam.
type StudentResult struct {
	StudentID       uuid.UUID `json:"studentId"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	ClassID         uuid.UUID `json:"classId"`
	ClassName       string    `json:"className"`
	DivisionID      uuid.UUID `json:"divisionId"`
	DivisionName    string    `json:"divisionName"`
	RollNumber      *int      `json:"rollNumber"`
	Standing
	Results  []PaperResult `json:"results"`
	NotTaken []uuid.UUID   `json:"notTaken" doc:"Papers of electives that the student does not take"`
}

// PaperResult is one student's paper.
type PaperResult struct {
	ID          uuid.UUID `json:"id"`
	PaperID     uuid.UUID `json:"paperId"`
	SubjectID   uuid.UUID `json:"subjectId"`
	SubjectName string    `json:"subjectName"`
	SubjectType string    `json:"subjectType" enum:"CORE,ELECTIVE,CO_SCHOLASTIC"`
	ExamDate    api.Date  `json:"examDate"`
	MaxMarks    Marks     `json:"maxMarks"`
	PassMarks   Marks     `json:"passMarks"`
	ResultFields
	Grade   string `json:"grade"`
	IsPass  bool   `json:"isPass" doc:"Always of a co-scholastic subject"`
	Version int    `json:"version"`
}

type resultsRequest struct {
	ID         uuid.UUID `path:"id"`
	ClassID    uuid.UUID `json:"classId"`
	DivisionID uuid.UUID `json:"divisionId"`
	GroupID    uuid.UUID `json:"groupId" doc:"Those who were in the group on the day of a paper in its subject, of all its divisions, and these papers alone"`
	Page       int       `json:"page" validate:"omitempty,min=1,max=100000" doc:"From 1"`
	Limit      int       `json:"limit" validate:"omitempty,min=1,max=500" doc:"Students a page; 100 unless given"`
}

// resultLine is a result and what its paper is, as the database gives it.
type resultLine struct {
	ExamID    uuid.UUID
	ClassID   uuid.UUID
	StudentID uuid.UUID
	PaperResult
}

// resultLines looks at nothing but results and papers: whose they are is known.
const resultLines = `select p.exam_id, p.class_id, r.student_id, r.id, r.paper_id, p.subject_id, u.name as subject_name,
	u.type as subject_type, p.exam_date, p.max_marks, p.pass_marks,
		r.marks_obtained, r.is_absent, r.is_exempt, r.remark, r.grade, r.version,
		r.is_exempt or u.type = 'CO_SCHOLASTIC' or coalesce(r.marks_obtained >= p.pass_marks, false) as is_pass
	from exam_result r join exam_paper p on p.id = r.paper_id join subject u on u.id = p.subject_id where `

// classScale is the scale a class goes by.
type classScale struct {
	ClassID uuid.UUID
	Bands   Bands
}

const scalesSQL = `select k.id as class_id, g.bands from class k join grade_scale g on g.id =
	coalesce(k.grade_scale_id, (select id from grade_scale where is_default))
	where k.id in (select x.class_id from exam_class x where x.exam_id = any($1))`

func scalesByClass(list []classScale) map[uuid.UUID]Bands {
	out := map[uuid.UUID]Bands{}
	for _, s := range list {
		out[s.ClassID] = s.Bands
	}
	return out
}

// standingRow is a student of an exam's class with all their papers added up.
type standingRow struct {
	tally
	AdmissionNumber string
	FirstName       string
	LastName        string
	ClassName       string
	DivisionName    string
}

// standingRows are an exam's students in the order of their classes' registers: $1 is
// the exam, $2 a class or the zero id. Everybody who sat in the class on a paper's day is among
// them, also without any result.
var standingRows = `select t.*, s.admission_number, s.first_name, s.last_name, k.name as class_name, d.name as division_name
	from (` + tallies(`p.exam_id = $1 and ($2 = '00000000-0000-0000-0000-000000000000'::uuid or p.class_id = $2)`) + `) t
	join student s on s.id = t.student_id join class k on k.id = t.class_id join division d on d.id = t.division_id
	order by k.level, k.name, k.id, d.name, d.id, t.roll_number nulls last, s.first_name, s.id`

// notTakenSQL are the papers of the exam $1 whose subject students of $2 do not take.
var notTakenSQL = `select r.student_id, p.id as paper_id from exam_paper p join ` + seated + `
	where p.exam_id = $1 and r.student_id = any($2)
	and not ` + takes + ` order by p.exam_date, p.start_time, p.id`

// groupSQL are the papers of the exam $1 in the subject of the group $2, with who was in it on their day.
var groupSQL = `select p.id as paper_id, m.student_id from student_group g
	join exam_paper p on p.exam_id = $1 and p.subject_id = g.subject_id
	join lateral (select m.student_id from ` + roster.InGroup("p.exam_date") + `
		where m.group_id = g.id and e.class_id = p.class_id) m on true
	where g.id = $2`

// groupPapers are the papers in a group's subject and who sits them; nil where no group is asked for.
type groupPapers struct {
	papers, students map[uuid.UUID]bool
}

func readGroupPapers(c api.Ctx, exam, group uuid.UUID) (*groupPapers, error) {
	if group == uuid.Nil {
		return nil, nil
	}
	there, err := roster.Present(c, "student_group", []uuid.UUID{group})
	if err != nil {
		return nil, err
	}
	if !there[group] {
		return nil, api.InvalidField("groupId", "groupId does not exist")
	}
	var rows []paperOf
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: groupSQL, Args: []any{exam, group}, Scan: tenancy.Collect(&rows)})
	if err != nil {
		return nil, fmt.Errorf("reading who sits a group's papers: %w", err)
	}
	out := &groupPapers{map[uuid.UUID]bool{}, map[uuid.UUID]bool{}}
	for _, r := range rows {
		out.papers[r.PaperID], out.students[r.StudentID] = true, true
	}
	return out, nil
}

// getResults is an exam's results for the office, in any state. All are
// added up, since they are ranked among each other; the papers are read for one page.
func getResults(c api.Ctx, r resultsRequest) (ExamResults, error) {
	r.Page, r.Limit = max(r.Page, 1), cmp.Or(r.Limit, 100)
	out := ExamResults{Page: r.Page, Limit: r.Limit, Students: []StudentResult{}}
	var err error
	if out.Exam, err = readExam(c, r.ID); err != nil {
		return out, err
	}
	exams := []uuid.UUID{r.ID}
	var rows []standingRow
	var scales []classScale
	var rules []passRule
	err = tenancy.Pipeline(c.DB, papersWhere(&out.Papers, "p.exam_id = $1", r.ID),
		tenancy.Query{SQL: standingRows, Args: []any{r.ID, r.ClassID}, Scan: tenancy.Collect(&rows)},
		tenancy.Query{SQL: scalesSQL, Args: []any{exams}, Scan: tenancy.Collect(&scales)},
		tenancy.Query{SQL: passRuleSQL, Scan: tenancy.Collect(&rules)},
	)
	if err != nil {
		return out, fmt.Errorf("reading an exam's standings: %w", err)
	}
	all := make([]tally, len(rows))
	for i, row := range rows {
		all[i] = row.tally
	}
	stand := standings(all, scalesByClass(scales), rules[0])
	group, err := readGroupPapers(c, r.ID, r.GroupID)
	if err != nil {
		return out, err
	}
	rows = slices.DeleteFunc(rows, func(row standingRow) bool {
		return r.DivisionID != uuid.Nil && row.DivisionID != r.DivisionID || group != nil && !group.students[row.StudentID]
	})
	if group != nil {
		out.Papers = slices.DeleteFunc(out.Papers, func(p Paper) bool { return !group.papers[p.ID] })
	}
	out.Total, out.TotalPages = len(rows), (len(rows)+r.Limit-1)/r.Limit
	from := min((r.Page-1)*r.Limit, len(rows))
	rows = rows[from:min(from+r.Limit, len(rows))]
	students := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		students[i] = row.StudentID
	}
	var lines []resultLine
	var others []struct{ StudentID, PaperID uuid.UUID }
	err = tenancy.Pipeline(c.DB, linesOf(&lines, exams, students),
		tenancy.Query{SQL: notTakenSQL, Args: []any{r.ID, students}, Scan: tenancy.Collect(&others)})
	if err != nil {
		return out, fmt.Errorf("reading results: %w", err)
	}
	notTaken := map[uuid.UUID][]uuid.UUID{}
	for _, o := range others {
		notTaken[o.StudentID] = append(notTaken[o.StudentID], o.PaperID)
	}
	papers := map[uuid.UUID][]PaperResult{}
	for _, l := range lines {
		if group == nil || group.papers[l.PaperID] {
			papers[l.StudentID] = append(papers[l.StudentID], l.PaperResult)
		}
	}
	for _, row := range rows {
		out.Students = append(out.Students, StudentResult{
			StudentID: row.StudentID, AdmissionNumber: row.AdmissionNumber, FirstName: row.FirstName, LastName: row.LastName, ClassID: row.ClassID,
			ClassName:  row.ClassName,
			DivisionID: row.DivisionID, DivisionName: row.DivisionName, RollNumber: row.RollNumber, Standing: stand[row.StudentID],
			Results: append([]PaperResult{}, papers[row.StudentID]...), NotTaken: append([]uuid.UUID{}, notTaken[row.StudentID]...),
		})
	}
	return out, nil
}

// linesOf reads some students' results of some exams, paper by paper.
func linesOf(into *[]resultLine, exams, students []uuid.UUID) tenancy.Query {
	return tenancy.Query{SQL: resultLines + `r.student_id = any($2) and p.exam_id = any($1) order by p.exam_date, p.start_time, u.name, p.id`,
		Args: []any{exams, students}, Scan: tenancy.Collect(into)}
}

// childStandings is how one student did in each of the exams, among their class.
func childStandings(c api.Ctx, exams []uuid.UUID, student uuid.UUID) (map[uuid.UUID]Standing, map[uuid.UUID][]PaperResult, error) {
	var lines []resultLine
	var class []tally
	var scales []classScale
	var rules []passRule
	err := tenancy.Pipeline(c.DB, linesOf(&lines, exams, []uuid.UUID{student}),
		tenancy.Query{SQL: tallies(`(p.exam_id, p.class_id) in (select q.exam_id, q.class_id from exam_result o
			join exam_paper q on q.id = o.paper_id where o.student_id = $2 and q.exam_id = any($1))`),
			Args: []any{exams, student}, Scan: tenancy.Collect(&class)},
		tenancy.Query{SQL: scalesSQL, Args: []any{exams}, Scan: tenancy.Collect(&scales)},
		tenancy.Query{SQL: passRuleSQL, Scan: tenancy.Collect(&rules)},
	)
	if err != nil {
		return nil, nil, fmt.Errorf("reading a student's results: %w", err)
	}
	return standingsOf(student, class, scalesByClass(scales), rules[0]), byExam(lines), nil
}

// standingsOf picks one student's standing in each exam out of the class's tallies.
func standingsOf(student uuid.UUID, tallies []tally, scales map[uuid.UUID]Bands, rule passRule) map[uuid.UUID]Standing {
	exams := map[uuid.UUID][]tally{}
	for _, t := range tallies {
		exams[t.ExamID] = append(exams[t.ExamID], t)
	}
	out := map[uuid.UUID]Standing{}
	for exam, list := range exams {
		if s, sat := standings(list, scales, rule)[student]; sat {
			out[exam] = s
		}
	}
	return out
}

func byExam(lines []resultLine) map[uuid.UUID][]PaperResult {
	out := map[uuid.UUID][]PaperResult{}
	for _, l := range lines {
		out[l.ExamID] = append(out[l.ExamID], l.PaperResult)
	}
	return out
}
