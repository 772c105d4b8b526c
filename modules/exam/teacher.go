package exam

import (
	"fmt"
	"slices"
	"strings"

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

// othersSQL are those of the students $2, each with a paper of $1, who learn its subject in a group that another teacher than
// the user $3 holds the lessons of, while this one holds those of another group of the class in it.
const othersSQL = `with lesson as (
		select distinct g.id, g.subject_id, v.class_id, coalesce(h.user_id = $3, false) as own
		from timetable_slot t join student_group g on g.id = t.group_id join employee h on h.id = t.teacher_id
		join student_group_division y on y.group_id = g.id join division v on v.id = y.division_id),
	learns as (
		select p.subject_id, p.class_id, x.student_id, bool_or(l.own) as own
		from unnest($1::uuid[], $2::uuid[]) as x (paper_id, student_id) join exam_paper p on p.id = x.paper_id
		join student_group_member m on m.student_id = x.student_id and (m.to_date is null or m.to_date >= p.exam_date)
		join lesson l on l.id = m.group_id and l.subject_id = p.subject_id and l.class_id = p.class_id group by 1, 2, 3)
	select trim(s.first_name || ' ' || s.last_name) from learns n join student s on s.id = n.student_id
	where not n.own and exists (select from lesson l where l.own and l.subject_id = n.subject_id and l.class_id = n.class_id)
	order by 1 limit 5`

// refuseOtherGroups refuses marks of students whom another teacher's group learns the subject in. Division and subject alone
// decide where the teacher holds no lessons of its groups.
func refuseOtherGroups(c api.Ctx, papers, students []uuid.UUID) error {
	var names []string
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: othersSQL, Args: []any{papers, students, c.User.ID}, Scan: tenancy.Values(&names)})
	if err != nil {
		return fmt.Errorf("reading who teaches which group: %w", err)
	}
	if len(names) > 0 {
		return api.Denied("Another teacher holds the lessons of the group of %s", strings.Join(names, ", "))
	}
	return nil
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
	if err == nil {
		err = refuseOtherGroups(c, []uuid.UUID{at.PaperID}, []uuid.UUID{at.StudentID})
	}
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
	now.normalize(at.MaxMarks, func(field, format string, args ...any) { bad = append(bad, api.Wrong(field, format, args...)) })
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
