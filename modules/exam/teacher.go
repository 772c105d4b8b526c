package exam

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// teachesPaper holds for papers p that concern a teacher: of a class they teach, or
// that they invigilate. Its arguments are the user twice.
const teachesPaper = `(p.class_id in (select taught.class_id from (` + roster.TaughtSQL + `) taught)
	or p.invigilator_id = (select m.id from employee m where m.user_id = ?))`

// teachersExams are the exams with a paper that concerns the caller.
func teachersExams(c api.Ctx, l api.ListRequest) (api.Page[Exam], error) {
	return api.Fetch[Exam](exams(c, `e.status <> 'DRAFT' and e.id = any(array(select p.exam_id from exam_paper p where `+teachesPaper+`))`,
		c.User.ID, c.User.ID), l)
}

// teachersSchedule is the papers of an exam that concern the caller.
func teachersSchedule(c api.Ctx, r byID) (Schedule, error) {
	e, err := api.Find[Exam](c, "exam", exams(c, `e.id = ? and e.status <> 'DRAFT' and exists (select from exam_paper p where p.exam_id = e.id
		and `+teachesPaper+`)`, r.ID, c.User.ID, c.User.ID), r.ID)
	if err != nil {
		return Schedule{}, err
	}
	var mine []uuid.UUID
	if err := c.DB.Raw(`select p.id from exam_paper p where p.exam_id = ? and `+teachesPaper, r.ID, c.User.ID,
		c.User.ID).Scan(&mine).Error; err != nil {
		return Schedule{}, fmt.Errorf("looking for a teacher's papers: %w", err)
	}
	list, err := papersOf(c, r.ID)
	list = slices.DeleteFunc(list, func(p Paper) bool { return !slices.Contains(mine, p.ID) })
	return Schedule{e, list}, err
}

// teachersResults are the results in the subjects the caller teaches, of the divisions
// they teach them in. Their papers come first, then those papers' results: they are few,
// and only they need a seat.
func teachersResults(c api.Ctx, l api.ListRequest) (api.Page[ResultItem], error) {
	mine := c.DB.Raw(`with mine as materialized (
			select distinct q.id as paper_id, taught.division_id from (`+roster.TaughtSQL+`) taught
			join exam_paper q on q.class_id = taught.class_id and (taught.subject_id is null or taught.subject_id = q.subject_id)),
		theirs as materialized (select o.id, o.paper_id, o.student_id, o.marks_obtained, o.is_absent, o.is_exempt, o.remark, o.grade, o.version,
		mine.division_id as taught
			from mine join exam_result o on o.paper_id = mine.paper_id)
		select `+itemColumns+` from theirs`+itemJoins+` where seat.division_id = r.taught and s.deleted_at is null`, c.User.ID)
	return api.Fetch[ResultItem](c.DB.Table("(?) as result", mine), l)
}

// resultChange is a correction of one result.
type resultChange struct {
	ID uuid.UUID `json:"id" validate:"required"`
	api.Change[ResultFields]
}

// resultAt is one result and what it is about.
type resultAt struct {
	Result
	ExamID     uuid.UUID
	DivisionID uuid.UUID
	SubjectID  uuid.UUID
	MaxMarks   Marks
}

func findResult(c api.Ctx, id uuid.UUID) (resultAt, error) {
	var found []resultAt
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select ` + resultColumns + `, p.exam_id, seat.division_id, p.subject_id, p.max_marks
		from exam_result r join exam_paper p on p.id = r.paper_id join exam x on x.id = p.exam_id join ` + seatSQL + ` on true where r.id = $1`,
		Args: []any{id}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return resultAt{}, fmt.Errorf("reading a result: %w", err)
	}
	if len(found) == 0 {
		return resultAt{}, api.NotFound("result")
	}
	return found[0], nil
}

// resultScope is the division and subject of the result that shall change.
func resultScope(c api.Ctx, r resultChange) (api.Target, error) {
	at, err := findResult(c, r.ID)
	return api.Target{DivisionID: at.DivisionID, SubjectID: at.SubjectID}, err
}

// updateResult corrects a result that is not published. Marks for one who was absent
// say that they were there after all; absence takes the marks away.
func updateResult(c api.Ctx, r resultChange) (Result, error) {
	at, err := findResult(c, r.ID)
	if err != nil {
		return Result{}, err
	}
	if err := holdOpen(c, at.ExamID); err != nil {
		return Result{}, err
	}
	if err := c.DB.Exec(`select from exam_paper where id = ? for update`, at.PaperID).Error; err != nil {
		return Result{}, fmt.Errorf("locking a paper: %w", err)
	}
	if at, err = findResult(c, r.ID); err != nil { // as it is now that nobody else changes it
		return Result{}, err
	}
	if v := c.SentVersion(); v != nil && *v != at.Version {
		return Result{}, api.Conflict("This result was changed by someone else: it is at version %d, you have %d", at.Version, *v)
	}
	now := at.ResultFields
	if err := r.Apply(&now); err != nil {
		return Result{}, err
	}
	if r.Names("marksObtained") && now.MarksObtained != nil && !r.Names("isAbsent") && !r.Names("isExempt") {
		now.IsAbsent, now.IsExempt = false, false
	}
	if (now.IsAbsent || now.IsExempt) && !r.Names("marksObtained") {
		now.MarksObtained = nil
	}
	var bad []api.Detail
	now.normalize(at.MaxMarks, func(field, message string) { bad = append(bad, api.Detail{Field: field, Message: message}) })
	if bad != nil {
		return Result{}, api.Invalid(bad...)
	}
	done, err := writeResults(c, at.ExamID,
		[]entry{{resultInput: resultInput{ResultFields: now}, paper: &Paper{ID: at.PaperID}, student: at.StudentID}})
	if err != nil {
		return Result{}, err
	}
	return done.Results[0], nil
}
