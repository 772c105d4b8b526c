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
	Results []PaperResult `json:"results"`
}

// PaperResult is one student's paper.
type PaperResult struct {
	ID          uuid.UUID `json:"id"`
	PaperID     uuid.UUID `json:"paperId"`
	SubjectID   uuid.UUID `json:"subjectId"`
	SubjectName string    `json:"subjectName"`
	SubjectType string    `json:"subjectType"`
	ExamDate    api.Date  `json:"examDate"`
	MaxMarks    Marks     `json:"maxMarks"`
	PassMarks   Marks     `json:"passMarks"`
	ResultFields
	Grade   string `json:"grade"`
	IsPass  bool   `json:"isPass"`
	Version int    `json:"version"`
}

type resultsRequest struct {
	ID         uuid.UUID `path:"id"`
	ClassID    uuid.UUID `json:"classId"`
	DivisionID uuid.UUID `json:"divisionId"`
	Page       int       `json:"page" validate:"omitempty,min=1,max=100000" doc:"From 1"`
	Limit      int       `json:"limit" validate:"omitempty,min=1,max=500" doc:"Students a page; 100 unless given"`
}

// resultLine is a result with its student, as the database gives it.
type resultLine struct {
	ResultItem
	SubjectType string
	ExamDate    api.Date
	PassMarks   Marks
	ClassLevel  int
}

const resultLines = `select ` + itemColumns + `, u.type as subject_type, p.exam_date, p.pass_marks, k.level as class_level from ` + itemTables + ` where s.deleted_at is null and `

// classScale is the scale a class goes by.
type classScale struct {
	ClassID uuid.UUID
	Bands   Bands
}

const scalesSQL = `select k.id as class_id, g.bands from class k join grade_scale g on g.id = coalesce(k.grade_scale_id, (select id from grade_scale where is_default))
	where k.id in (select x.class_id from exam_class x where x.exam_id = any($1))`

func scalesByClass(list []classScale) map[uuid.UUID]Bands {
	out := map[uuid.UUID]Bands{}
	for _, s := range list {
		out[s.ClassID] = s.Bands
	}
	return out
}

// getResults is an exam's results for the office, whatever state they are in.
func getResults(c api.Ctx, r resultsRequest) (ExamResults, error) {
	r.Page, r.Limit = max(r.Page, 1), cmp.Or(r.Limit, 100)
	out := ExamResults{Page: r.Page, Limit: r.Limit}
	var err error
	if out.Exam, err = readExam(c, r.ID); err != nil {
		return out, err
	}
	all, err := studentResults(c, []uuid.UUID{r.ID}, uuid.Nil)
	if err != nil {
		return out, err
	}
	if out.Papers, err = papersOf(c, r.ID); err != nil {
		return out, err
	}
	kept := slices.DeleteFunc(all[r.ID], func(s StudentResult) bool {
		return (r.ClassID != uuid.Nil && s.ClassID != r.ClassID) || (r.DivisionID != uuid.Nil && s.DivisionID != r.DivisionID)
	})
	out.Total = len(kept)
	out.TotalPages = (out.Total + r.Limit - 1) / r.Limit
	from := min((r.Page-1)*r.Limit, len(kept))
	out.Students = append([]StudentResult{}, kept[from:min(from+r.Limit, len(kept))]...)
	return out, nil
}

// studentResults are the students' results of each of the exams, of one student only if
// given; they are ranked among all.
func studentResults(c api.Ctx, exams []uuid.UUID, student uuid.UUID) (map[uuid.UUID][]StudentResult, error) {
	var lines []resultLine
	var tallies []tally
	var scales []classScale
	err := tenancy.Together(c.DB,
		tenancy.Query{SQL: resultLines + `p.exam_id = any($1) and ($2 = '00000000-0000-0000-0000-000000000000'::uuid or r.student_id = $2)
			order by k.level, k.name, k.id, d.name, d.id, seat.roll_number nulls last, s.first_name, s.id, p.exam_date, p.start_time, u.name, p.id`, Args: []any{exams, student}, Scan: roster.Collect(&lines)},
		tenancy.Query{SQL: tallySQL + `p.exam_id = any($1) group by r.student_id, p.exam_id, p.class_id`, Args: []any{exams}, Scan: roster.Collect(&tallies)},
		tenancy.Query{SQL: scalesSQL, Args: []any{exams}, Scan: roster.Collect(&scales)},
	)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	byExam := map[uuid.UUID][]tally{}
	for _, t := range tallies {
		byExam[t.ExamID] = append(byExam[t.ExamID], t)
	}
	stand := map[uuid.UUID]map[uuid.UUID]Standing{}
	for exam, list := range byExam {
		stand[exam] = standings(list, scalesByClass(scales))
	}
	out := map[uuid.UUID][]StudentResult{}
	at := map[[2]uuid.UUID]int{}
	for _, l := range lines {
		key := [2]uuid.UUID{l.ExamID, l.StudentID}
		i, met := at[key]
		if !met {
			i = len(out[l.ExamID])
			at[key] = i
			out[l.ExamID] = append(out[l.ExamID], StudentResult{
				StudentID: l.StudentID, AdmissionNumber: l.AdmissionNumber, FirstName: l.FirstName, LastName: l.LastName, ClassID: l.ClassID, ClassName: l.ClassName,
				DivisionID: l.DivisionID, DivisionName: l.DivisionName, RollNumber: l.RollNumber, Standing: stand[l.ExamID][l.StudentID],
			})
		}
		s := &out[l.ExamID][i]
		s.Results = append(s.Results, l.paper())
	}
	return out, nil
}

func (l resultLine) paper() PaperResult {
	return PaperResult{
		ID: l.ID, PaperID: l.PaperID, SubjectID: l.SubjectID, SubjectName: l.SubjectName, SubjectType: l.SubjectType, ExamDate: l.ExamDate,
		MaxMarks: l.MaxMarks, PassMarks: l.PassMarks, ResultFields: l.ResultFields, Grade: l.Grade, Version: l.Version,
		IsPass: l.IsExempt || (l.MarksObtained != nil && *l.MarksObtained >= l.PassMarks),
	}
}
