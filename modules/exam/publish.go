package exam

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

type publishRequest struct {
	ID     uuid.UUID `path:"id"`
	What   string    `json:"what" validate:"omitempty,oneof=SCHEDULE RESULTS" doc:"RESULTS unless given"`
	Reason string    `json:"reason" validate:"max=500" doc:"Kept in the audit log"`
}

// publishing may be a look at what it would do.
type publishing struct {
	publishRequest
	Preview      bool `json:"preview" doc:"Of results: say whom it would concern, and change nothing"`
	AllowMissing bool `json:"allowMissing" doc:"Publish although results are missing: who misses one has no percentage, grade, rank or pass"`
}

// Publication is an exam that was published, and whom it concerns.
type Publication struct {
	Exam
	Students int `json:"students" doc:"With a result; their guardians are notified"`
	Missing  int `json:"missing" doc:"Results that were not entered: students who sat in the class on the day of a paper, take its subject and have none"`
	// Bounded, so that an exam nobody entered anything for has an answer too.
	MissingResults []MissingResult `json:"missingResults" doc:"Who misses which, the first 200"`
}

// MissingResult is a result that was not entered.
type MissingResult struct {
	StudentID       uuid.UUID `json:"studentId"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	ClassName       string    `json:"className"`
	PaperID         uuid.UUID `json:"paperId"`
	SubjectName     string    `json:"subjectName"`
}

// missingSQL are the results of the exam $1 that were not entered. Who has none comes first, and is mostly nobody: whether
// a student takes a subject is asked of those alone.
var missingSQL = `with missing as materialized (select p.id, p.class_id, p.subject_id, p.exam_date, r.student_id, r.division_id
		from exam_paper p join ` + seated + ` where p.exam_id = $1
		and not exists (select from exam_result o where o.paper_id = p.id and o.student_id = r.student_id))
	select r.student_id, s.admission_number, s.first_name, s.last_name, k.name as class_name, r.id as paper_id,
	u.name as subject_name, count(*) over () as total
	from missing r join student s on s.id = r.student_id and s.deleted_at is null join class k on k.id = r.class_id
	join subject u on u.id = r.subject_id where ` + takesOf("r") + `
	order by k.level, k.name, s.first_name, s.last_name, s.id, r.exam_date, u.name, r.id limit 200`

// publish shows the parents an exam's schedule or its results. The exam is locked:
// of two at once the second finds it published.
func publish(c api.Ctx, r publishing) (Publication, error) {
	e, err := api.Lock[examRecord](c, "exam", r.ID)
	if err != nil {
		return Publication{}, err
	}
	if r.What == "SCHEDULE" {
		return publishSchedule(c, r.publishRequest, e)
	}
	if e.Status != scheduled {
		return Publication{}, notFrom(e, "published")
	}
	var told []struct {
		ID        uuid.UUID
		FirstName string
	}
	var missing []struct {
		MissingResult
		Total int
	}
	queries := []tenancy.Query{
		// From the exam to its students: the other way round every student of the school would be looked at.
		{SQL: `with sat as materialized (select distinct r.student_id from exam_paper p join exam_result r on r.paper_id = p.id
			where p.exam_id = $1)
			select s.id, s.first_name from sat join student s on s.id = sat.student_id where s.deleted_at is null
			order by s.id`, Args: []any{e.ID}, Scan: tenancy.Collect(&told)},
		{SQL: missingSQL, Args: []any{e.ID}, Scan: tenancy.Collect(&missing)},
	}
	if !r.Preview {
		queries = append(queries, tenancy.Query{SQL: regradeSQL, Args: []any{e.ID, nil}})
	}
	if err = tenancy.Pipeline(c.DB, queries...); err != nil {
		return Publication{}, fmt.Errorf("reading an exam's results: %w", err)
	}
	if len(told) == 0 {
		return Publication{}, api.Conflict("This exam is %s and has no results to publish", e.Status)
	}
	done := Publication{Students: len(told), MissingResults: make([]MissingResult, len(missing))}
	for i, m := range missing {
		done.MissingResults[i], done.Missing = m.MissingResult, m.Total
	}
	if r.Preview {
		done.Exam, err = readExam(c, e.ID)
		return done, err
	}
	if done.Missing > 0 && !r.AllowMissing {
		return Publication{}, done.refusal()
	}
	after := e
	after.Status, after.PublishedAt, after.Publication = published, &c.Now, e.Publication+1
	if after.SchedulePublishedAt == nil {
		after.SchedulePublishedAt = &c.Now // who sees the results sees what was sat
	}
	notices := make([]notice.Notice, len(told))
	for i, s := range told {
		notices[i] = notice.Notice{
			Type: notice.Result, Key: fmt.Sprintf("result %s %s %d", e.ID, s.ID, after.Publication), RecordID: e.ID, StudentID: &s.ID,
			Text: notice.Text{Name: "result.published", Values: notice.Values{"exam": e.Name, "child": s.FirstName}},
		}
	}
	notice.Send(c, notices...)
	c.Tell(events.Fact{Kind: "exam.published", Data: map[string]any{"examId": e.ID, "publication": after.Publication, "students": len(told)}})
	done.Exam, err = turn(c, "publish", r.Reason, e, after)
	return done, err
}

// refusal names who misses what: the first in the message, all that are known in the data.
func (p Publication) refusal() *api.Error {
	var who []string
	subjects := map[uuid.UUID][]string{}
	for _, m := range p.MissingResults {
		subjects[m.StudentID] = append(subjects[m.StudentID], m.SubjectName)
	}
	named := 0
	for _, m := range p.MissingResults {
		if list := subjects[m.StudentID]; list != nil && len(who) < 5 {
			who = append(who, fmt.Sprintf("%s (%s)", strings.TrimSpace(m.FirstName+" "+m.LastName), strings.Join(list, ", ")))
			named += len(list)
			delete(subjects, m.StudentID)
		}
	}
	text := strings.Join(who, ", ")
	if more := p.Missing - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	refusal := api.Conflict("%d results are missing: %s. Enter them or mark the students absent or exempt, or publish with allowMissing",
		p.Missing, text)
	refusal.Data = struct {
		Missing        int             `json:"missing"`
		MissingResults []MissingResult `json:"missingResults"`
	}{p.Missing, p.MissingResults}
	return refusal
}

func publishSchedule(c api.Ctx, r publishRequest, e examRecord) (Publication, error) {
	if e.Status == draft {
		return Publication{}, inState(e.Status)
	}
	if e.SchedulePublishedAt != nil {
		return Publication{}, api.Conflict("The schedule of this exam is published already; the exam is %s", e.Status)
	}
	after := e
	after.SchedulePublishedAt = &c.Now
	c.Tell(events.Fact{Kind: "exam.schedule-published", Data: map[string]any{"examId": e.ID}})
	if err := tellSchedule(c, "exam.scheduled", e); err != nil {
		return Publication{}, err
	}
	out, err := turn(c, "publish schedule", r.Reason, e, after)
	return Publication{Exam: out, MissingResults: []MissingResult{}}, err
}

// unpublish takes results, or a schedule, out of the parents' sight again.
func unpublish(c api.Ctx, r publishRequest) (Exam, error) {
	e, err := api.Lock[examRecord](c, "exam", r.ID)
	if err != nil {
		return Exam{}, err
	}
	after := e
	if r.What == "SCHEDULE" {
		if e.Status == published {
			return Exam{}, inState(e.Status)
		}
		if e.SchedulePublishedAt == nil {
			return Exam{}, api.Conflict("The schedule of this exam is not published; the exam is %s", e.Status)
		}
		after.SchedulePublishedAt = nil
		c.Tell(events.Fact{Kind: "exam.schedule-unpublished", Data: map[string]any{"examId": e.ID}})
		if err := tellSchedule(c, "exam.withdrawn", e); err != nil {
			return Exam{}, err
		}
		return turn(c, "unpublish schedule", r.Reason, e, after)
	}
	if e.Status != published {
		return Exam{}, notFrom(e, "unpublished")
	}
	after.Status, after.PublishedAt = scheduled, nil
	c.Tell(events.Fact{Kind: "exam.unpublished", Data: map[string]any{"examId": e.ID, "publication": e.Publication}})
	return turn(c, "unpublish", r.Reason, e, after)
}

func notFrom(e examRecord, what string) error {
	if e.Status == draft {
		return inState(draft)
	}
	return api.Conflict("The results of this exam cannot be %s: it is %s", what, e.Status)
}

// turn writes an exam's new state and books it under its own name.
func turn(c api.Ctx, action, reason string, before, after examRecord) (Exam, error) {
	after.UpdatedAt, after.UpdatedBy, after.Version = c.Now, &c.User.ID, before.Version+1
	err := c.DB.Select("status", "schedule_published_at", "published_at", "publication", "updated_at", "updated_by",
		"version").Where("id = ?", after.ID).Updates(&after).Error
	if err != nil {
		return Exam{}, fmt.Errorf("changing an exam's state: %w", err)
	}
	c.Changed(action, "exam", after.ID, before, struct {
		examRecord
		Reason string `json:"reason,omitempty"`
	}{after, reason})
	return readExam(c, after.ID)
}
