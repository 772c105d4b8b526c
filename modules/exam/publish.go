package exam

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

type publishRequest struct {
	ID     uuid.UUID `path:"id"`
	What   string    `json:"what" validate:"omitempty,oneof=SCHEDULE RESULTS" doc:"RESULTS unless given"`
	Reason string    `json:"reason" validate:"max=500" doc:"For the books"`
}

// publishing may be a look at what it would do.
type publishing struct {
	publishRequest
	Preview bool `json:"preview" doc:"Of results: say whom it would concern, and change nothing"`
}

// Publication is an exam that was published, and whom it concerns.
type Publication struct {
	Exam
	Students int `json:"students" doc:"With a result; their guardians are told"`
	Missing  int `json:"missing" doc:"Results that were not entered: students who sat in the class on the day of a paper and have none"`
}

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
	var missing []struct{ N int }
	queries := []tenancy.Query{
		// From the exam to its students: the other way round every student of the school would be looked at.
		tenancy.Query{SQL: `with sat as materialized (select distinct r.student_id from exam_paper p join exam_result r on r.paper_id = p.id where p.exam_id = $1)
			select s.id, s.first_name from sat join student s on s.id = sat.student_id where s.deleted_at is null order by s.id`, Args: []any{e.ID}, Scan: tenancy.Collect(&told)},
		tenancy.Query{SQL: `select count(*) as n from exam_paper p join enrolment n on n.class_id = p.class_id and n.academic_year_id = $2
				and n.start_date <= p.exam_date and (n.end_date is null or n.end_date >= p.exam_date)
			where p.exam_id = $1 and n.student_id not in (select g.id from student g where g.deleted_at is not null)
				and not exists (select from exam_result r where r.paper_id = p.id and r.student_id = n.student_id)`,
			Args: []any{e.ID, e.AcademicYearID}, Scan: tenancy.Collect(&missing)},
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
	if r.Preview {
		now, err := readExam(c, e.ID)
		return Publication{Exam: now, Students: len(told), Missing: missing[0].N}, err
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
	out, err := turn(c, "publish", r.Reason, e, after)
	return Publication{Exam: out, Students: len(told), Missing: missing[0].N}, err
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
	out, err := turn(c, "publish schedule", r.Reason, e, after)
	return Publication{Exam: out}, err
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
	err := c.DB.Select("status", "schedule_published_at", "published_at", "publication", "updated_at", "updated_by", "version").Where("id = ?", after.ID).Updates(&after).Error
	if err != nil {
		return Exam{}, fmt.Errorf("changing an exam's state: %w", err)
	}
	c.Changed(action, "exam", after.ID, before, struct {
		examRecord
		Reason string `json:"reason,omitempty"`
	}{after, reason})
	return readExam(c, after.ID)
}
