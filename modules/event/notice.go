package event

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// selectConcerned are those an event $1 for the audience $2 on the day $3 is about: the students of its classes $4, on that day,
// those who are signed up, and teachers, by their assignments if it is for some classes. The user $5, who changes it, knows.
var selectConcerned = notice.SelectConcerned(notice.ConcernedStudents+`($2 <> 'TEACHERS' and (cardinality($4::uuid[]) = 0
		or exists (select from enrolment n where n.student_id = s.id and n.class_id = any($4) and n.start_date <= $3
			and (n.end_date is null or n.end_date >= $3)))
	or exists (select from event_sign_up g where g.event_id = $1 and g.student_id = s.id))`,
	notice.ConcernedTeachers+`u.id <> $5 and $2 in ('ALL', 'TEACHERS') and (cardinality($4::uuid[]) = 0
		or exists (select from teacher_assignment a left join academic_year y on y.id = a.academic_year_id
			where a.user_id = u.id and (a.academic_year_id is null or y.active) and a.class_id = any($4)))`)

// concerned are those an event is about.
func concerned(c api.Ctx, id uuid.UUID, e OwnFields, classes []uuid.UUID) ([]notice.Concerned, error) {
	if classes == nil {
		classes = []uuid.UUID{}
	}
	var people []notice.Concerned
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectConcerned, Args: []any{id, e.TargetAudience, e.EventDate, classes, c.User.ID},
		Scan: tenancy.Collect(&people)})
	if err != nil {
		return nil, fmt.Errorf("reading whom an event concerns: %w", err)
	}
	return people, nil
}

// tell tells people of an event, as it is and as it was.
func tell(c api.Ctx, text string, people []notice.Concerned, id uuid.UUID, e, before OwnFields, reason string) {
	day := e.EventDate
	if day.Before(before.EventDate) {
		day = before.EventDate
	}
	var place any = ""
	if e.Venue != "" {
		place = notice.Text{Name: "event.place", Values: notice.Values{"venue": e.Venue}}
	}
	notice.Send(c, notice.ToEach(people, notice.Notice{
		Type: notice.Event, Key: fmt.Sprintf("%s:%s:%d", text, id, c.Now.UnixNano()), RecordID: id, Day: day,
		Begins: notice.Earlier(e.StartTime.On(e.EventDate, c.School.Location()), before.StartTime.On(before.EventDate, c.School.Location())),
		Text: notice.Text{Name: text, Values: notice.Values{"event": e.Title, "when": e.when(), "before": before.when(), "place": place,
			"reason": reason, "who": notice.Text{Name: "who.staff"}}},
	})...)
}

// tellChange tells those whom a changed event concerns of the change, if it is one of its day, time or place.
func tellChange(c api.Ctx, id uuid.UUID, e, before OwnFields, now, was []notice.Concerned) {
	joined, stayed, left := notice.Compare(was, now)
	tell(c, "event.added", joined, id, e, e, "")
	tell(c, "event.cancelled", left, id, before, before, "")
	if e.EventDate != before.EventDate || e.StartTime != before.StartTime || e.EndTime != before.EndTime || e.Venue != before.Venue {
		tell(c, "event.moved", stayed, id, e, before, "")
	}
}

// when is its day and its times in words.
func (e OwnFields) when() notice.Text {
	values := notice.Values{"date": notice.On(e.EventDate), "from": e.StartTime, "to": e.EndTime}
	switch {
	case e.StartTime == "":
		return notice.Text{Name: "days.one", Values: values}
	case e.EndTime == "":
		return notice.Text{Name: "event.from", Values: values}
	}
	return notice.Text{Name: "event.span", Values: values}
}
