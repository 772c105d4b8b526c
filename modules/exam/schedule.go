package exam

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
)

type scheduleChange struct {
	ExamID  uuid.UUID    `json:"examId" validate:"required"`
	Papers  []paperInput `json:"papers" validate:"required,min=1,max=500,dive"`
	Replace bool         `json:"replace" doc:"Papers that are not named go; without it they stay"`
}

// paperInput is a paper as it is sent. A class has one in each subject: sent again,
// it is changed.
type paperInput struct {
	ClassID       uuid.UUID    `json:"classId" validate:"required"`
	SubjectID     uuid.UUID    `json:"subjectId" validate:"required"`
	ExamDate      api.Date     `json:"examDate" validate:"required"`
	StartTime     roster.Clock `json:"startTime" validate:"required"`
	EndTime       roster.Clock `json:"endTime" validate:"required"`
	Room          string       `json:"room" validate:"max=60"`
	InvigilatorID *uuid.UUID   `json:"invigilatorId" doc:"An employee"`
	MaxMarks      *Marks       `json:"maxMarks" doc:"The subject's unless given"`
	PassMarks     *Marks       `json:"passMarks" doc:"The subject's unless given"`
}

// putSchedule sets papers, all or nothing. A draft that has papers is scheduled.
func putSchedule(c api.Ctx, r scheduleChange) (Schedule, error) {
	if err := lockSchedules(c); err != nil {
		return Schedule{}, err
	}
	e, err := api.Lock[examRecord](c, "exam", r.ExamID)
	if err != nil {
		return Schedule{}, err
	}
	if e.Status == published {
		return Schedule{}, inState(e.Status)
	}
	if err := r.check(c, e); err != nil {
		return Schedule{}, err
	}
	before, err := papersOf(c, e.ID)
	if err != nil {
		return Schedule{}, err
	}
	var was sitting
	if e.SchedulePublishedAt != nil {
		if was, err = readSitting(c, before); err != nil {
			return Schedule{}, err
		}
	}
	if err := r.write(c, e); err != nil {
		return Schedule{}, err
	}
	if err := refuseClashes(c, r); err != nil {
		return Schedule{}, err
	}
	if err := refuseLowered(c, r); err != nil {
		return Schedule{}, err
	}
	after, err := papersOf(c, e.ID)
	if err != nil {
		return Schedule{}, err
	}
	c.Changed("schedule", "exam", e.ID, before, after)
	if e.SchedulePublishedAt != nil {
		if err := tellPapers(c, e, before, after, was); err != nil {
			return Schedule{}, err
		}
	}
	if e.Status == draft {
		if _, err := api.Update(c, "exam", e.ID, func(e *examRecord) error { e.Status = scheduled; return nil }); err != nil {
			return Schedule{}, err
		}
	}
	c.Tell(events.Fact{Kind: "exam.scheduled", Data: map[string]any{"examId": e.ID, "papers": len(after)}})
	return readSchedule(c, e.ID)
}

// lockSchedules lets one change of papers happen at a time, so that of two that want
// one room the second can name the first.
func lockSchedules(c api.Ctx) error {
	err := c.DB.Exec(`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' exam schedule', 0))`).Error
	if err != nil {
		return fmt.Errorf("locking the exam schedules: %w", err)
	}
	return nil
}

// check fills in the subjects' marks and names everything that does not fit, at once.
func (r *scheduleChange) check(c api.Ctx, e examRecord) error {
	classes, err := classesOf(c, e.ID)
	if err != nil {
		return err
	}
	year, err := yearNamed(c, e.AcademicYearID)
	if err != nil {
		return err
	}
	first, last := year.StartDate, year.EndDate
	if e.StartDate != nil {
		first = *e.StartDate
	}
	if e.EndDate != nil {
		last = *e.EndDate
	}
	subjects, invigilators, err := r.named(c)
	if err != nil {
		return err
	}
	ofExam := map[uuid.UUID]bool{}
	for _, id := range classes {
		ofExam[id] = true
	}
	var bad []api.Detail
	seen := map[[2]uuid.UUID]bool{}
	for i := range r.Papers {
		p := &r.Papers[i]
		fail := func(field, format string, args ...any) {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("papers[%d].%s", i, field), Message: fmt.Sprintf(format, args...)})
		}
		p.Room = strings.TrimSpace(p.Room)
		if !ofExam[p.ClassID] {
			fail("classId", "classId is no class of this exam")
		}
		subject, there := subjects[p.SubjectID]
		if !there {
			fail("subjectId", "subjectId does not exist")
		}
		if seen[[2]uuid.UUID{p.ClassID, p.SubjectID}] {
			fail("subjectId", "the class has another paper in this subject")
		}
		seen[[2]uuid.UUID{p.ClassID, p.SubjectID}] = true
		if p.ExamDate.Before(first) || last.Before(p.ExamDate) {
			fail("examDate", "examDate must be from %s to %s", first, last)
		}
		if p.EndTime <= p.StartTime {
			fail("endTime", "endTime must be after startTime")
		}
		if p.InvigilatorID != nil && !invigilators[*p.InvigilatorID] {
			fail("invigilatorId", "invigilatorId is no active employee")
		}
		p.MaxMarks, p.PassMarks = marksOr(p.MaxMarks, subject.MaxMarks), marksOr(p.PassMarks, subject.PassMarks)
		switch {
		case p.MaxMarks == nil || *p.MaxMarks == 0:
			fail("maxMarks", "maxMarks is required")
		case p.PassMarks == nil:
			fail("passMarks", "passMarks is required")
		case *p.PassMarks > *p.MaxMarks:
			fail("passMarks", "passMarks must not be above maxMarks")
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// named are the subjects and the active employees that the papers name.
func (r *scheduleChange) named(c api.Ctx) (map[uuid.UUID]roster.Subject, map[uuid.UUID]bool, error) {
	var subjectIDs, employeeIDs []uuid.UUID
	for _, p := range r.Papers {
		subjectIDs = append(subjectIDs, p.SubjectID)
		if p.InvigilatorID != nil {
			employeeIDs = append(employeeIDs, *p.InvigilatorID)
		}
	}
	var found []roster.Subject
	if err := c.DB.Where("id in ?", subjectIDs).Find(&found).Error; err != nil {
		return nil, nil, fmt.Errorf("reading subjects: %w", err)
	}
	subjects := map[uuid.UUID]roster.Subject{}
	for _, s := range found {
		subjects[s.ID] = s
	}
	var active []uuid.UUID
	if len(employeeIDs) > 0 {
		if err := c.DB.Table("employee").Where("id in ? and status = 'ACTIVE'", employeeIDs).Pluck("id", &active).Error; err != nil {
			return nil, nil, fmt.Errorf("looking for invigilators: %w", err)
		}
	}
	invigilators := map[uuid.UUID]bool{}
	for _, id := range active {
		invigilators[id] = true
	}
	return subjects, invigilators, nil
}

func marksOr(given *Marks, whole *int) *Marks {
	if given != nil || whole == nil {
		return given
	}
	m := Marks(*whole * 100)
	return &m
}

// write lays the papers over those that are there.
func (r *scheduleChange) write(c api.Ctx, e examRecord) error {
	type row struct {
		ID uuid.UUID `json:"id"`
		paperInput
	}
	rows := make([]row, len(r.Papers))
	for i, p := range r.Papers {
		rows[i] = row{api.NewID(), p}
	}
	body, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	const sent = `jsonb_to_recordset(?::jsonb) as s (id uuid, "classId" uuid, "subjectId" uuid, "examDate" date, "startTime" time,
		"endTime" time,
		room text, "invigilatorId" uuid, "maxMarks" numeric, "passMarks" numeric)`
	if r.Replace {
		err := c.DB.Exec(`delete from exam_paper p where p.exam_id = ? and not exists (select from `+sent+` where s."classId" = p.class_id
			and s."subjectId" = p.subject_id)`, e.ID, string(body)).Error
		if err != nil {
			return fmt.Errorf("removing papers: %w", err)
		}
	}
	err = c.DB.Exec(`insert into exam_paper (id, exam_id, class_id, subject_id, exam_date, start_time, end_time, room, invigilator_id,
		max_marks, pass_marks, created_by, updated_by, created_at, updated_at)
		select s.id, ?, s."classId", s."subjectId", s."examDate", s."startTime", s."endTime", s.room, s."invigilatorId", s."maxMarks",
		s."passMarks", ?, ?, ?, ? from `+sent+`
		on conflict (exam_id, class_id, subject_id) do update
		set exam_date = excluded.exam_date, start_time = excluded.start_time, end_time = excluded.end_time,
			room = excluded.room, invigilator_id = excluded.invigilator_id, max_marks = excluded.max_marks, pass_marks = excluded.pass_marks,
			version = exam_paper.version + 1, updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
		e.ID, c.User.ID, c.User.ID, c.Now, c.Now, string(body)).Error
	if err != nil {
		return fmt.Errorf("writing papers: %w", err)
	}
	return nil
}

// refuseLowered refuses a maximum below marks that somebody has.
func refuseLowered(c api.Ctx, r scheduleChange) error {
	var over []struct {
		ClassID, SubjectID uuid.UUID
		Most               Marks
	}
	err := c.DB.Raw(`select p.class_id, p.subject_id, max(r.marks_obtained) as most from exam_result r join exam_paper p on p.id = r.paper_id
		where p.exam_id = ? and r.marks_obtained > p.max_marks group by p.class_id, p.subject_id`, r.ExamID).Scan(&over).Error
	if err != nil {
		return fmt.Errorf("looking for marks above the maximum: %w", err)
	}
	var bad []api.Detail
	for _, o := range over {
		for i, p := range r.Papers {
			if p.ClassID == o.ClassID && p.SubjectID == o.SubjectID {
				bad = append(bad, api.Detail{Field: fmt.Sprintf("papers[%d].maxMarks", i), Message: fmt.Sprintf("a student has %s marks", o.Most)})
			}
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}
