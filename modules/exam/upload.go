package exam

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// maxBatch is how many results one call takes.
const maxBatch = 5000

// batch is results of one exam, of one paper or of several.
type batch struct {
	ExamID  uuid.UUID     `json:"examId" validate:"required"`
	PaperID uuid.UUID     `json:"paperId" doc:"The paper of results that name none"`
	Results []resultInput `json:"results" validate:"required,min=1,max=5000,dive"`
}

// resultInput is a result as it is sent. Those of a file may name paper and student
// by what a spreadsheet has: the subject and the admission number.
type resultInput struct {
	PaperID   uuid.UUID `json:"paperId"`
	StudentID uuid.UUID `json:"studentId"`
	ResultFields
	Version *int `json:"version" validate:"omitempty,min=0" doc:"As it was read, 0 for no result: refused when somebody entered another meanwhile. The last word counts unless given"`

	row                int // of a file
	subject, admission string
}

// field names a field of the i-th result as the caller spelt it.
func (in resultInput) field(i int, name string) string {
	if in.row > 0 {
		return sheet.Field(in.row, name)
	}
	return fmt.Sprintf("results[%d].%s", i, name)
}

// entry is a result whose paper and student were found.
type entry struct {
	resultInput
	index    int
	paper    *Paper
	student  uuid.UUID
	division uuid.UUID
}

// studentSeat is where a student sits for some time of the exam's year.
type studentSeat struct {
	StudentID       uuid.UUID
	AdmissionNumber string
	ClassID         *uuid.UUID
	DivisionID      *uuid.UUID
	StartDate       api.Date
	EndDate         *api.Date
}

func (s studentSeat) covers(day api.Date) bool {
	return !day.Before(s.StartDate) && (s.EndDate == nil || !s.EndDate.Before(day))
}

// found is what a batch speaks of.
type found struct {
	papers    map[uuid.UUID]*Paper
	bySubject map[string][]*Paper // by code and by name, folded
	seats     map[uuid.UUID][]studentSeat
	admitted  map[string]uuid.UUID
	notTaken  map[paperOf]bool
}

// paperOf is a paper and a student.
type paperOf struct{ PaperID, StudentID uuid.UUID }

// neverTakenSQL are the papers of the exam $1 in electives that students of $2, or with an admission number of $3, do not
// take on their day or later: who joins the group afterwards may sit the paper afterwards.
var neverTakenSQL = `select p.id as paper_id, s.id as student_id from exam_paper p cross join student s
	where p.exam_id = $1 and ` + roster.IsElective("p.subject_id", "p.class_id") + `
	and (s.id = any($2) or lower(s.admission_number) = any($3))
	and not exists (select from student_group_member m join student_group g on g.id = m.group_id
		join student_group_division y on y.group_id = g.id join division v on v.id = y.division_id
		where m.student_id = s.id and g.subject_id = p.subject_id and g.kind = 'ELECTIVE' and v.class_id = p.class_id
		and (m.to_date is null or m.to_date >= p.exam_date))`

// find reads the exam's papers and the students in one round trip.
func (r batch) find(c api.Ctx) (*found, error) {
	var ids []uuid.UUID
	var numbers []string
	for _, in := range r.Results {
		if in.StudentID != uuid.Nil {
			ids = append(ids, in.StudentID)
		} else if in.admission != "" {
			numbers = append(numbers, strings.ToLower(in.admission))
		}
	}
	var papers []Paper
	var seats []studentSeat
	var notTaken []paperOf
	err := tenancy.Pipeline(c.DB, papersWhere(&papers, "p.exam_id = $1", r.ExamID),
		tenancy.Query{SQL: `select s.id as student_id, lower(s.admission_number) as admission_number, n.class_id, n.division_id, n.start_date,
			n.end_date
			from student s left join enrolment n on n.student_id = s.id and n.academic_year_id = (select academic_year_id from exam where id = $1)
			where (s.id = any($2) or lower(s.admission_number) = any($3)) and s.deleted_at is null order by n.start_date`,
			Args: []any{r.ExamID, ids, numbers}, Scan: tenancy.Collect(&seats)},
		tenancy.Query{SQL: neverTakenSQL, Args: []any{r.ExamID, ids, numbers}, Scan: tenancy.Collect(&notTaken)})
	if err != nil {
		return nil, fmt.Errorf("reading what results are about: %w", err)
	}
	f := &found{papers: map[uuid.UUID]*Paper{}, bySubject: map[string][]*Paper{}, seats: map[uuid.UUID][]studentSeat{},
		admitted: map[string]uuid.UUID{}, notTaken: map[paperOf]bool{}}
	for _, n := range notTaken {
		f.notTaken[n] = true
	}
	for i := range papers {
		p := &papers[i]
		f.papers[p.ID] = p
		code, name := api.Fold(p.SubjectCode), api.Fold(p.SubjectName)
		f.bySubject[code] = append(f.bySubject[code], p)
		if name != code {
			f.bySubject[name] = append(f.bySubject[name], p)
		}
	}
	for _, s := range seats {
		f.seats[s.StudentID] = append(f.seats[s.StudentID], s)
		f.admitted[s.AdmissionNumber] = s.StudentID
	}
	return f, nil
}

// seat is the division a student sat a paper in: see seatSQL.
func (f *found) seat(student uuid.UUID, p *Paper) uuid.UUID {
	last := uuid.Nil
	for _, s := range f.seats[student] {
		if s.ClassID == nil || *s.ClassID != p.ClassID {
			continue
		}
		if s.covers(p.ExamDate) {
			return *s.DivisionID
		}
		last = *s.DivisionID
	}
	return last
}

// paperFor finds the paper a result is of.
func (f *found) paperFor(r batch, in resultInput, student uuid.UUID) *Paper {
	id := in.PaperID
	if id == uuid.Nil && in.subject == "" {
		id = r.PaperID
	}
	if id != uuid.Nil {
		return f.papers[id]
	}
	for _, p := range f.bySubject[api.Fold(in.subject)] {
		if f.seat(student, p) != uuid.Nil {
			return p
		}
	}
	return nil
}

// entries are the results with what they are about, and everything that is wrong with them.
func (r batch) entries(f *found) ([]entry, []api.Detail) {
	var bad []api.Detail
	list := make([]entry, 0, len(r.Results))
	seen := map[[2]uuid.UUID]bool{}
	for i, in := range r.Results {
		fail := func(field, format string, args ...any) {
			bad = append(bad, api.Wrong(in.field(i, field), format, args...))
		}
		e := entry{resultInput: in, index: i, student: in.StudentID}
		who := "studentId"
		if in.StudentID == uuid.Nil && in.row > 0 {
			e.student, who = f.admitted[strings.ToLower(in.admission)], "admissionNumber"
		}
		if len(f.seats[e.student]) == 0 {
			fail(who, "%s does not exist", who)
			continue
		}
		if e.paper = f.paperFor(r, in, e.student); e.paper == nil {
			if in.subject != "" {
				fail("subject", "the student's class has no paper of this exam in this subject")
			} else {
				fail("paperId", "paperId is no paper of this exam")
			}
			continue
		}
		if e.division = f.seat(e.student, e.paper); e.division == uuid.Nil {
			fail(who, "the student is not in %s, which sits this paper", e.paper.ClassName)
			continue
		}
		if f.notTaken[paperOf{e.paper.ID, e.student}] {
			fail(who, "the student does not take %s", e.paper.SubjectName)
			continue
		}
		if seen[[2]uuid.UUID{e.paper.ID, e.student}] {
			fail(who, "the student has another result in this paper here")
		}
		seen[[2]uuid.UUID{e.paper.ID, e.student}] = true
		e.normalize(e.paper.MaxMarks, fail)
		list = append(list, e)
	}
	return list, bad
}

// uploadScope is every division and subject the results are about: where each student
// sat on the day of the paper. Results of nobody, or of no paper, are about none; the
// handler refuses them, and all others with them.
func uploadScope(c api.Ctx, r batch) ([]api.Target, error) {
	if err := examIsThere(c, r.ExamID); err != nil {
		return nil, err
	}
	f, err := r.find(c)
	if err != nil {
		return nil, err
	}
	list, _ := r.entries(f)
	var targets []api.Target
	var papers, students []uuid.UUID
	seen := map[api.Target]bool{}
	for _, e := range list {
		papers, students = append(papers, e.paper.ID), append(students, e.student)
		if t := (api.Target{DivisionID: e.division, SubjectID: e.paper.SubjectID}); !seen[t] {
			seen[t] = true
			targets = append(targets, t)
		}
	}
	return targets, refuseOtherGroups(c, papers, students)
}

func examIsThere(c api.Ctx, id uuid.UUID) error {
	there, err := roster.Present(c, "exam", []uuid.UUID{id})
	if err == nil && !there[id] {
		err = api.NotFound("exam")
	}
	return err
}

// paperIDs are the papers of the entries, in the order they are locked in.
func paperIDs(list []entry) []uuid.UUID {
	var ids []uuid.UUID
	for _, e := range list {
		ids = append(ids, e.paper.ID)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
