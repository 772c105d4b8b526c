package event

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
)

// ChildEvent is an event as a parent sees it.
type ChildEvent struct {
	Event
	SignedUpIDs []uuid.UUID `json:"signedUpStudentIds" gorm:"column:signed_up_ids;serializer:json" doc:"Which of your children are signed up"`
}

var childListing = api.Listing{
	Sorts:   map[string]string{"eventDate": begins, "title": "title"},
	Default: "eventDate",
	Filters: map[string]api.Filter{
		"search": api.Search("title", "description", "venue"), "status": api.ByEnum("status", upcoming, ongoing, completed, cancelled),
		"from": api.ByDate("event_date", ">="), "to": api.ByDate("event_date", "<="),
		"studentId": api.ByID("student_ids").Where("@v = any(student_ids)"),
	},
}

// forStudents holds for events that are for one of the students: for every class, or
// for the one they sit in on the day.
const forStudents = `e.target_audience <> 'TEACHERS' and (not exists (select from event_class x where x.event_id = e.id)
	or exists (select from event_class x join enrolment n on n.class_id = x.class_id where x.event_id = e.id and n.student_id in (?)
		and n.start_date <= e.event_date and (n.end_date is null or n.end_date >= e.event_date)))`

// childEvents are the events for the caller's children.
func childEvents(c api.Ctx, l api.ListRequest) (api.Page[ChildEvent], error) {
	linked := roster.Linked(c.DB, c.User.ID)
	mine := c.DB.Raw(`select `+eventColumns+`,
			array(select s.student_id from event_sign_up s where s.event_id = e.id and s.student_id in (?)) as signed_up_ids,
			array(select l.student_id from (?) l where not exists (select from event_class x where x.event_id = e.id)
				or exists (select from event_class x join enrolment n on n.class_id = x.class_id where x.event_id = e.id
				and n.student_id = l.student_id
					and n.start_date <= e.event_date and (n.end_date is null or n.end_date >= e.event_date))) as student_ids
		from `+eventTables+` where `+forStudents, linked, linked, clocks(c), linked)
	return api.Fetch[ChildEvent](c.DB.Table("(?) as event", mine), l)
}

type signUpRequest struct {
	EventID   uuid.UUID `json:"eventId" validate:"required"`
	StudentID uuid.UUID `json:"studentId" validate:"required"`
}

// SignUp is where a child stands with an event.
type SignUp struct {
	EventID   uuid.UUID `json:"eventId"`
	StudentID uuid.UUID `json:"studentId"`
	SignedUp  bool      `json:"signedUp"`
	Places    *int      `json:"places" doc:"How many are left; none said is no limit"`
}

// hold locks the event for one sign-up at a time, and refuses what is not for the child
// or not to come any more.
func (r signUpRequest) hold(c api.Ctx) (record, error) {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return record{}, err
	}
	e, err := api.Lock[record](c, "event", r.EventID)
	if err != nil {
		return e, err
	}
	now, err := api.Find[Event](c, "event", all(c, "e.id = ? and "+forStudents, r.EventID, []uuid.UUID{r.StudentID}), r.EventID)
	if err != nil {
		return e, err
	}
	if now.Status != upcoming {
		return e, api.Conflict("This event is %s", now.Status)
	}
	return e, nil
}

// signUp signs a child up, once. The event's lock makes the count right; the database
// would refuse one too many by itself.
func signUp(c api.Ctx, r signUpRequest) (SignUp, error) {
	e, err := r.hold(c)
	if err != nil {
		return SignUp{}, err
	}
	id := api.NewID()
	done := c.DB.Exec(`insert into event_sign_up (id, event_id, student_id, created_by, created_at)
		values (?, ?, ?, ?, ?) on conflict (event_id, student_id) do nothing`,
		id, r.EventID, r.StudentID, c.User.ID, c.Now)
	if done.Error != nil {
		return SignUp{}, fmt.Errorf("signing a child up: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return r.stands(e, true), nil // they tapped twice
	}
	if e.Capacity != nil && e.SignedUp >= *e.Capacity {
		return SignUp{}, api.Conflict("This event is full: all %d places are taken", *e.Capacity)
	}
	if err := r.count(c, &e, 1); err != nil {
		return SignUp{}, err
	}
	c.Changed("sign up", "event", r.EventID, nil, r)
	c.Tell(events.Fact{Kind: "event.signed-up", Data: r})
	return r.stands(e, true), nil
}

func cancelSignUp(c api.Ctx, r signUpRequest) (SignUp, error) {
	e, err := r.hold(c)
	if err != nil {
		return SignUp{}, err
	}
	done := c.DB.Exec(`delete from event_sign_up where event_id = ? and student_id = ?`, r.EventID, r.StudentID)
	if done.Error != nil {
		return SignUp{}, fmt.Errorf("taking a sign-up back: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return r.stands(e, false), nil
	}
	if err := r.count(c, &e, -1); err != nil {
		return SignUp{}, err
	}
	c.Changed("cancel sign-up", "event", r.EventID, r, nil)
	c.Tell(events.Fact{Kind: "event.sign-up-cancelled", Data: r})
	return r.stands(e, false), nil
}

// count keeps the event's number of sign-ups. It is no change of the event: who is
// editing it need not start again.
func (r signUpRequest) count(c api.Ctx, e *record, by int) error {
	e.SignedUp += by
	if err := c.DB.Exec(`update event set signed_up = ? where id = ?`, e.SignedUp, r.EventID).Error; err != nil {
		return fmt.Errorf("counting sign-ups: %w", err)
	}
	return nil
}

func (r signUpRequest) stands(e record, in bool) SignUp {
	out := SignUp{EventID: r.EventID, StudentID: r.StudentID, SignedUp: in}
	if e.Capacity != nil {
		left := *e.Capacity - e.SignedUp
		out.Places = &left
	}
	return out
}
