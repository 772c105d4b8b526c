package exam

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// ofChild holds for exams e of a class the student n.student_id sits in that year.
const ofChild = `exists (select from enrolment n join exam_class z on z.class_id = n.class_id where z.exam_id = e.id
	and n.academic_year_id = e.academic_year_id and n.student_id `

// shown holds for exams a parent may know of.
const shown = `(e.schedule_published_at is not null or e.status = 'PUBLISHED')`

// ChildExam is an exam as a parent sees it.
type ChildExam struct {
	ID             uuid.UUID   `json:"id"`
	Name           string      `json:"name"`
	AcademicYearID uuid.UUID   `json:"academicYearId"`
	StartDate      *api.Date   `json:"startDate"`
	EndDate        *api.Date   `json:"endDate"`
	Status         string      `json:"status" enum:"DRAFT,SCHEDULED,PUBLISHED" doc:"PUBLISHED when there are results to see"`
	StudentIDs     []uuid.UUID `json:"studentIds" gorm:"serializer:json" doc:"Which of your children sit it"`
}

var childListing = api.Listing{
	Sorts:   map[string]string{"startDate": "start_date", "name": "name"},
	Default: "-startDate",
	Filters: map[string]api.Filter{
		"studentId": api.ByID("student_ids").Where("@v = any(student_ids)"), "academicYearId": api.ByID("academic_year_id"),
		"status": api.ByEnum("status", scheduled, published), "search": api.Search("name"),
	},
}

// childExams are the exams of the caller's children whose schedule or results are published.
func childExams(c api.Ctx, l api.ListRequest) (api.Page[ChildExam], error) {
	mine := c.DB.Raw(`select e.id, e.name, e.academic_year_id, e.start_date, e.end_date, e.status,
			array(select distinct n.student_id from enrolment n join exam_class z on z.class_id = n.class_id
				where z.exam_id = e.id and n.academic_year_id = e.academic_year_id and n.student_id in (?)) as student_ids
		from exam e where `+shown+` and `+ofChild+`in (?))`, roster.Linked(c.DB, c.User.ID), roster.Linked(c.DB, c.User.ID))
	return api.Fetch[ChildExam](c.DB.Table("(?) as exam", mine), l)
}

type childRequest struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	ExamID    uuid.UUID `json:"examId" doc:"All of the year unless given"`

	AcademicYearID uuid.UUID `json:"academicYearId" doc:"The active year unless given, or the exam's"`
}

// ChildSchedule is the papers a child sits.
type ChildSchedule struct {
	StudentID uuid.UUID `json:"studentId"`
	Papers    []Paper   `json:"papers"`
}

// childExamIDs are the exams asked for, among those that hold for the child. One that is
// not published, or not theirs, is not there.
func childExamIDs(c api.Ctx, r childRequest, which string) ([]uuid.UUID, error) {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return nil, err
	}
	query := c.DB.Table("exam e").Where(which+` and `+ofChild+`= ?)`, r.StudentID)
	if r.ExamID != uuid.Nil {
		query = query.Where("e.id = ?", r.ExamID)
	}
	switch {
	case r.AcademicYearID != uuid.Nil:
		query = query.Where("e.academic_year_id = ?", r.AcademicYearID)
	case r.ExamID == uuid.Nil:
		query = query.Where("e.academic_year_id in (select y.id from academic_year y where y.active)")
	}
	ids := []uuid.UUID{}
	if err := query.Order("e.start_date, e.id").Pluck("e.id", &ids).Error; err != nil {
		return nil, fmt.Errorf("looking for a child's exams: %w", err)
	}
	if len(ids) == 0 && r.ExamID != uuid.Nil {
		return nil, api.NotFound("exam")
	}
	return ids, nil
}

// childSchedule is what a child sits and when: the papers of the class they are in on
// the day, or were in when they sat them, in the subjects they take.
func childSchedule(c api.Ctx, r childRequest) (ChildSchedule, error) {
	ids, err := childExamIDs(c, r, shown)
	if err != nil {
		return ChildSchedule{}, err
	}
	out := ChildSchedule{StudentID: r.StudentID}
	err = tenancy.Pipeline(c.DB, papersWhere(&out.Papers, `p.exam_id = any($1) and exists (select from enrolment n where n.student_id = $2
		and n.academic_year_id = x.academic_year_id
		and n.class_id = p.class_id and (n.end_date is null or n.end_date >= p.exam_date)
		and `+roster.TakesSubject("p.subject_id", "p.class_id", "n.division_id", "n.student_id", "p.exam_date")+`)`, ids, r.StudentID))
	if err != nil {
		return out, fmt.Errorf("reading a child's papers: %w", err)
	}
	return out, nil
}

// ChildResults is what a child got in the exams whose results are published.
type ChildResults struct {
	StudentID uuid.UUID     `json:"studentId"`
	Exams     []ChildMarks  `json:"exams"`
	Years     []ResultsYear `json:"years" doc:"The academic years in which the child has published results, the latest first"`
}

// ResultsYear is an academic year with results.
type ResultsYear struct {
	ID     uuid.UUID `json:"id"`
	Name   string    `json:"name" example:"2026-27"`
	Active bool      `json:"active"`
}

// ChildMarks is one of them.
type ChildMarks struct {
	ExamID   uuid.UUID `json:"examId"`
	ExamName string    `json:"examName"`

	AcademicYearID uuid.UUID `json:"academicYearId"`
	Standing
	Results []PaperResult `json:"results"`
}

func childResults(c api.Ctx, r childRequest) (ChildResults, error) {
	out := ChildResults{StudentID: r.StudentID, Exams: []ChildMarks{}, Years: []ResultsYear{}}
	ids, err := childExamIDs(c, r, `e.status = 'PUBLISHED'`)
	if err != nil {
		return out, err
	}
	err = c.DB.Raw(`select y.id, y.name, y.active from academic_year y where exists (select from exam e join exam_paper p on p.exam_id = e.id
		join exam_result o on o.paper_id = p.id where e.academic_year_id = y.id and e.status = 'PUBLISHED' and o.student_id = ?)
		order by y.start_date desc`, r.StudentID).Scan(&out.Years).Error
	if err != nil {
		return out, fmt.Errorf("reading the years with results: %w", err)
	}
	if len(ids) == 0 {
		return out, nil
	}
	stand, papers, err := childStandings(c, ids, r.StudentID)
	if err != nil {
		return out, err
	}
	var names []struct {
		ID, AcademicYearID uuid.UUID
		Name               string
	}
	if err := c.DB.Table("exam").Select("id, name, academic_year_id").Where("id in ?", ids).Scan(&names).Error; err != nil {
		return out, fmt.Errorf("reading exams: %w", err)
	}
	marks := map[uuid.UUID]ChildMarks{}
	for _, n := range names {
		marks[n.ID] = ChildMarks{ExamID: n.ID, ExamName: n.Name, AcademicYearID: n.AcademicYearID}
	}
	for _, id := range ids {
		if s, sat := stand[id]; sat {
			m := marks[id]
			m.Standing, m.Results = s, papers[id]
			out.Exams = append(out.Exams, m)
		}
	}
	return out, nil
}

type childCardRequest struct {
	StudentID      uuid.UUID `json:"studentId" validate:"required"`
	AcademicYearID uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
	Format         string    `json:"format" validate:"omitempty,oneof=json pdf" doc:"pdf gives the printable card"`
}

func (m *Module) childCard(c api.Ctx, r childCardRequest) (api.MaybeFile[ReportCard], error) {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return api.MaybeFile[ReportCard]{}, err
	}
	return m.card(c, r.StudentID, r.AcademicYearID, false, r.Format)
}
