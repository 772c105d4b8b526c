package exam

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
)

// The states of an exam. It is a draft until it has papers; published are its results.
const (
	draft     = "DRAFT"
	scheduled = "SCHEDULED"
	published = "PUBLISHED"
)

// Exam is an examination of one or more classes, as clients see it.
type Exam struct {
	api.Record
	ExamState
	ClassIDs   []uuid.UUID `json:"classIds" gorm:"serializer:json"`
	PaperCount int         `json:"paperCount"`
}

// ExamState is what the exam's own record holds.
type ExamState struct {
	OwnFields
	Status              string     `json:"status" enum:"DRAFT,SCHEDULED,PUBLISHED" doc:"DRAFT, SCHEDULED, or PUBLISHED when parents see its results"`
	SchedulePublishedAt *time.Time `json:"schedulePublishedAt" doc:"Since when parents see its papers"`
	PublishedAt         *time.Time `json:"publishedAt"`
	Publication         int        `json:"publication" doc:"How often its results were published"`
}

// OwnFields are what an administrator says of an exam, apart from its classes.
type OwnFields struct {
	Name           string     `json:"name" validate:"name,max=100" example:"Half-yearly"`
	AcademicYearID uuid.UUID  `json:"academicYearId" doc:"The active year unless given"`
	TermID         *uuid.UUID `json:"termId"`
	StartDate      *api.Date  `json:"startDate"`
	EndDate        *api.Date  `json:"endDate"`
	Weight         *float64   `json:"weight" validate:"omitempty,min=0,max=1000" doc:"Against the other exams of its term, or of the year; 1 unless given"`
}

// ExamFields are what an administrator says of an exam.
type ExamFields struct {
	OwnFields
	ClassIDs []uuid.UUID `json:"classIds" validate:"required,min=1,max=100"`
}

// examRecord is an exam's row.
type examRecord struct {
	api.Record
	ExamState
}

// TableName is the record's table.
func (examRecord) TableName() string { return "exam" }

type examChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[ExamFields]
}

const examColumns = `e.id, e.created_at, e.updated_at, e.created_by, e.updated_by, e.version, e.name, e.academic_year_id, e.term_id,
	e.start_date, e.end_date,
	e.weight, e.status, e.schedule_published_at, e.published_at, e.publication,
	array(select x.class_id from exam_class x join class k on k.id = x.class_id where x.exam_id = e.id
	order by k.level, k.name, k.id) as class_ids,
	(select count(*) from exam_paper p where p.exam_id = e.id) as paper_count`

// exams are the exams as clients see them; more narrows e.
func exams(c api.Ctx, more string, args ...any) *gorm.DB {
	return c.DB.Table("(?) as exam", c.DB.Raw(`select `+examColumns+` from exam e where `+more, args...))
}

var examListing = api.Listing{
	Sorts:   map[string]string{"startDate": "start_date", "name": "name", "createdAt": "created_at", "status": "status"},
	Default: "-startDate",
	Filters: map[string]api.Filter{
		"search": api.Search("name"), "academicYearId": api.ByID("academic_year_id"), "termId": api.ByID("term_id"),
		"status": api.ByEnum("status", draft, scheduled, published), "classId": api.ByID("class_ids").Where("@v = any(class_ids)"),
	},
}

func createExam(c api.Ctx, r ExamFields) (Exam, error) {
	e := examRecord{ExamState: ExamState{OwnFields: r.OwnFields, Status: draft}}
	if e.AcademicYearID == uuid.Nil {
		year, err := roster.ActiveYear(c)
		if err != nil {
			return Exam{}, err
		}
		e.AcademicYearID = year.ID
	}
	if err := e.normalize(c, r.ClassIDs); err != nil {
		return Exam{}, err
	}
	if err := api.Insert(c, "exam", &e); err != nil {
		return Exam{}, err
	}
	if err := putClasses(c, e.ID, r.ClassIDs); err != nil {
		return Exam{}, err
	}
	c.Tell(events.Fact{Kind: "exam.added", Data: map[string]any{"examId": e.ID, "classIds": r.ClassIDs}})
	return readExam(c, e.ID)
}

func listExams(c api.Ctx, l api.ListRequest) (api.Page[Exam], error) {
	return api.Fetch[Exam](exams(c, "true"), l)
}

func getExam(c api.Ctx, r byID) (Exam, error) { return readExam(c, r.ID) }

func readExam(c api.Ctx, id uuid.UUID) (Exam, error) {
	return api.Find[Exam](c, "exam", exams(c, "e.id = ?", id), id)
}

// updateExam changes an exam whose results are not published: what parents have seen
// stays as it is until it is taken back.
func updateExam(c api.Ctx, r examChange) (Exam, error) {
	var wanted ExamFields
	_, err := api.Update(c, "exam", r.ID, func(e *examRecord) error {
		if e.Status == published {
			return inState(e.Status)
		}
		before, err := classesOf(c, e.ID)
		if err != nil {
			return err
		}
		wanted = ExamFields{OwnFields: e.OwnFields, ClassIDs: before}
		if err := r.Apply(&wanted); err != nil {
			return err
		}
		if wanted.AcademicYearID == uuid.Nil {
			wanted.AcademicYearID = e.AcademicYearID
		}
		e.OwnFields = wanted.OwnFields
		if !sameSet(before, wanted.ClassIDs) {
			e.Touch()
		}
		if err := e.normalize(c, wanted.ClassIDs); err != nil {
			return err
		}
		return e.fitsPapers(c)
	})
	if err != nil {
		return Exam{}, err
	}
	if err := putClasses(c, r.ID, wanted.ClassIDs); err != nil {
		return Exam{}, err
	}
	return readExam(c, r.ID)
}

// deleteExam removes an exam nobody has a result of, with its papers.
func deleteExam(c api.Ctx, r byID) error {
	e, err := api.Lock[examRecord](c, "exam", r.ID)
	if err != nil {
		return err
	}
	if e.SchedulePublishedAt != nil {
		if err := tellSchedule(c, "exam.withdrawn", e); err != nil {
			return err
		}
	}
	if err := c.DB.Exec(`delete from exam_paper where exam_id = ?`, r.ID).Error; err != nil {
		return fmt.Errorf("removing an exam's papers: %w", err)
	}
	return api.Erase[examRecord](c, "exam", r.ID)
}

// inState is the refusal of what does not go in the exam's present state.
func inState(status string) error {
	switch status {
	case draft:
		return api.Conflict("This exam is DRAFT: schedule its papers first")
	case published:
		return api.Conflict("This exam is PUBLISHED: unpublish its results first")
	}
	return api.Conflict("This exam is %s", status)
}

// normalize fills in what was not said and names everything that does not fit.
func (e *examRecord) normalize(c api.Ctx, classes []uuid.UUID) error {
	e.Weight = weightOr(e.Weight)
	year, err := yearNamed(c, e.AcademicYearID)
	if err != nil {
		return err
	}
	var bad []api.Detail
	fail := func(field, format string, args ...any) {
		bad = append(bad, api.Wrong(field, format, args...))
	}
	for _, d := range []struct {
		field string
		day   *api.Date
	}{{"startDate", e.StartDate}, {"endDate", e.EndDate}} {
		if d.day != nil && (d.day.Before(year.StartDate) || year.EndDate.Before(*d.day)) {
			fail(d.field, "%s must lie in %s, from %s to %s", d.field, year.Name, year.StartDate, year.EndDate)
		}
	}
	if e.StartDate != nil && e.EndDate != nil && e.EndDate.Before(*e.StartDate) {
		fail("endDate", "endDate must not be before startDate")
	}
	if e.TermID != nil {
		var terms int64
		if err := c.DB.Model(&Term{}).Where("id = ? and academic_year_id = ?", *e.TermID, e.AcademicYearID).Count(&terms).Error; err != nil {
			return fmt.Errorf("looking for a term: %w", err)
		}
		if terms == 0 {
			fail("termId", "termId is no term of the academic year")
		}
	}
	there, err := roster.Present(c, "class", classes)
	if err != nil {
		return err
	}
	for i, id := range classes {
		if !there[id] {
			fail(fmt.Sprintf("classIds[%d]", i), "does not exist")
		} else if slices.Contains(classes[:i], id) {
			fail(fmt.Sprintf("classIds[%d]", i), "is named twice")
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// fitsPapers refuses days that would leave a paper outside the exam.
func (e *examRecord) fitsPapers(c api.Ctx) error {
	var outside int64
	err := c.DB.Raw(`select count(*) from exam_paper p join academic_year y on y.id = ? where p.exam_id = ?
		and (p.exam_date not between y.start_date and y.end_date or p.exam_date < ? or p.exam_date > ?)`, e.AcademicYearID, e.ID, e.StartDate,
		e.EndDate).Scan(&outside).Error
	if err != nil {
		return fmt.Errorf("looking for papers outside an exam's days: %w", err)
	}
	if outside > 0 {
		return api.Conflict("%d papers of this exam are on other days", outside)
	}
	return nil
}

func classesOf(c api.Ctx, exam uuid.UUID) (ids []uuid.UUID, err error) {
	if err := c.DB.Table("exam_class").Where("exam_id = ?", exam).Order("class_id").Pluck("class_id", &ids).Error; err != nil {
		return nil, fmt.Errorf("reading an exam's classes: %w", err)
	}
	return ids, nil
}

// sameSet reports whether two lists name the same classes.
func sameSet(sorted, other []uuid.UUID) bool {
	return slices.Equal(sorted, slices.SortedFunc(slices.Values(other), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }))
}

// putClasses makes the exam one of exactly these classes. One that has papers is kept
// by the database.
func putClasses(c api.Ctx, exam uuid.UUID, classes []uuid.UUID) error {
	before, err := classesOf(c, exam)
	if err != nil {
		return err
	}
	after := slices.Clone(classes)
	slices.SortFunc(after, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	if slices.Equal(before, after) {
		return nil
	}
	if err := c.DB.Exec(`delete from exam_class where exam_id = ? and class_id not in ?`, exam, after).Error; err != nil {
		return fmt.Errorf("changing an exam's classes: %w", err)
	}
	err = c.DB.Exec(`insert into exam_class (exam_id, class_id) select ?, id from class where id in ? on conflict do nothing`, exam,
		after).Error
	if err != nil {
		return fmt.Errorf("changing an exam's classes: %w", err)
	}
	c.Changed("update", "exam classes", exam, before, after)
	return nil
}
