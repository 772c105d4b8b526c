package event

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

// The states of an event. Only a cancellation is kept; the others follow from the clock.
const (
	upcoming  = "UPCOMING"
	ongoing   = "ONGOING"
	completed = "COMPLETED"
	cancelled = "CANCELLED"
)

// Event is an event as clients see it.
type Event struct {
	api.Record
	OwnFields
	ClassIDs     []uuid.UUID `json:"classIds" gorm:"serializer:json" doc:"None is every class"`
	SignedUp     int         `json:"signedUp"`
	Status       string      `json:"status" enum:"UPCOMING,ONGOING,COMPLETED,CANCELLED" doc:"UPCOMING, ONGOING, COMPLETED or CANCELLED, as it is now"`
	CancelReason string      `json:"cancelReason"`
}

// OwnFields are what is said of an event, apart from its classes.
type OwnFields struct {
	Title          string       `json:"title" validate:"notblank,max=200" example:"Sports day"`
	Description    string       `json:"description" validate:"max=4000"`
	EventDate      api.Date     `json:"eventDate" validate:"required"`
	StartTime      roster.Clock `json:"startTime" doc:"From the beginning of the day unless given"`
	EndTime        roster.Clock `json:"endTime" doc:"To the end of the day unless given"`
	Venue          string       `json:"venue" validate:"max=200"`
	TargetAudience string       `json:"targetAudience" validate:"omitempty,oneof=ALL PARENTS STUDENTS TEACHERS CLASSES" doc:"ALL unless given; what is for TEACHERS parents do not see"`
	OrganiserID    *uuid.UUID   `json:"organiserId" doc:"An employee; the teacher who adds it unless given"`
	Capacity       *int         `json:"capacity" validate:"omitempty,min=1,max=1000000" doc:"How many can be signed up; no limit unless given"`
}

// Fields are what is said of an event.
type Fields struct {
	OwnFields
	ClassIDs []uuid.UUID `json:"classIds" validate:"max=100" doc:"Whom it is for; every class unless given"`
}

// record is an event's row.
type record struct {
	api.Record
	OwnFields
	SignedUp     int        `json:"signedUp"`
	CancelledAt  *time.Time `json:"cancelledAt"`
	CancelReason string     `json:"cancelReason"`
}

// TableName is the record's table.
func (record) TableName() string { return "event" }

type byID struct {
	ID uuid.UUID `path:"id"`
}

// statusColumn is an event's state by the school's clocks: local is what they show.
const statusColumn = `case when e.cancelled_at is not null then 'CANCELLED'
	when local.now < e.event_date + coalesce(e.start_time, '00:00') then 'UPCOMING'
	when local.now < case when e.end_time is null then e.event_date + interval '1 day' else e.event_date + e.end_time end then 'ONGOING'
	else 'COMPLETED' end as status`

const eventColumns = `e.id, e.created_at, e.updated_at, e.created_by, e.updated_by, e.version, e.title, e.description, e.event_date,
	e.start_time, e.end_time, e.venue,
	e.target_audience, e.organiser_id, e.capacity, e.signed_up, e.cancel_reason,
	array(select x.class_id from event_class x join class k on k.id = x.class_id where x.event_id = e.id
	order by k.level, k.name, k.id) as class_ids, ` + statusColumn

// eventTables are the events beside what the school's clocks show.
const eventTables = `event e, (select ?::timestamp as now) as local`

// clocks is what the clocks at the school show now.
func clocks(c api.Ctx) string {
	return c.Now.In(c.School.Location()).Format("2006-01-02 15:04:05.999999")
}

// all are the events as clients see them; more narrows e.
func all(c api.Ctx, more string, args ...any) *gorm.DB {
	return c.DB.Table("(?) as event", c.DB.Raw(`select `+eventColumns+` from `+eventTables+` where `+more,
		append([]any{clocks(c)}, args...)...))
}

// begins orders events by the moment they begin.
const begins = `(event_date + coalesce(start_time, '00:00'))`

var eventListing = api.Listing{
	Sorts:   map[string]string{"eventDate": begins, "title": "title", "createdAt": "created_at"},
	Default: "eventDate",
	Filters: map[string]api.Filter{
		"search": api.Search("title", "description", "venue"), "status": api.ByEnum("status", upcoming, ongoing, completed, cancelled),
		"from": api.ByDate("event_date", ">="), "to": api.ByDate("event_date", "<="),
		"classId": api.ByID("class_ids").Where("(class_ids = '{}' or @v = any(class_ids))"),
	},
}

func createEvent(c api.Ctx, r Fields) (Event, error) {
	e := record{OwnFields: r.OwnFields}
	if e.OrganiserID == nil {
		var me []uuid.UUID
		if err := c.DB.Table("employee").Where("user_id = ?", c.User.ID).Pluck("id", &me).Error; err != nil {
			return Event{}, fmt.Errorf("looking for the organiser: %w", err)
		}
		if len(me) == 1 {
			e.OrganiserID = &me[0]
		}
	}
	if err := e.normalize(c, r.ClassIDs); err != nil {
		return Event{}, err
	}
	if err := api.Insert(c, "event", &e); err != nil {
		return Event{}, err
	}
	if err := putClasses(c, e.ID, r.ClassIDs); err != nil {
		return Event{}, err
	}
	people, err := concerned(c, e.ID, e.OwnFields, r.ClassIDs)
	if err != nil {
		return Event{}, err
	}
	tell(c, "event.added", people, e.ID, e.OwnFields, e.OwnFields, "")
	c.Tell(events.Fact{Kind: "event.added", Data: map[string]any{"eventId": e.ID, "classIds": r.ClassIDs}})
	return readEvent(c, e.ID)
}

func listEvents(c api.Ctx, l api.ListRequest) (api.Page[Event], error) {
	return api.Fetch[Event](all(c, "true"), l)
}

func getEvent(c api.Ctx, r byID) (Event, error) { return readEvent(c, r.ID) }

func readEvent(c api.Ctx, id uuid.UUID) (Event, error) {
	return api.Find[Event](c, "event", all(c, "e.id = ?", id), id)
}

func deleteEvent(c api.Ctx, r byID) error {
	e, err := api.Lock[record](c, "event", r.ID)
	if err != nil {
		return err
	}
	if e.SignedUp > 0 {
		return api.Conflict("%d children are signed up for this event: cancel it instead", e.SignedUp)
	}
	if e.CancelledAt == nil {
		classes, err := classesOf(c, r.ID)
		if err != nil {
			return err
		}
		people, err := concerned(c, r.ID, e.OwnFields, classes)
		if err != nil {
			return err
		}
		tell(c, "event.cancelled", people, r.ID, e.OwnFields, e.OwnFields, "")
	}
	c.Tell(events.Fact{Kind: "event.removed", Data: map[string]any{"eventId": r.ID}})
	return api.Erase[record](c, "event", r.ID)
}

// normalize fills in what was not said and names everything that does not fit.
func (e *record) normalize(c api.Ctx, classes []uuid.UUID) error {
	var bad []api.Detail
	fail := func(field, format string, args ...any) { bad = append(bad, api.Wrong(field, format, args...)) }
	if e.TargetAudience == "" {
		e.TargetAudience = "ALL"
		if len(classes) > 0 {
			e.TargetAudience = "CLASSES"
		}
	}
	if e.TargetAudience == "CLASSES" && len(classes) == 0 {
		fail("classIds", "classIds is required when targetAudience is CLASSES")
	}
	if e.StartTime != "" && e.EndTime != "" && e.EndTime <= e.StartTime {
		fail("endTime", "endTime must be after startTime")
	}
	if e.OrganiserID != nil {
		there, err := roster.Present(c, "employee", []uuid.UUID{*e.OrganiserID})
		if err != nil {
			return err
		}
		if !there[*e.OrganiserID] {
			fail("organiserId", "organiserId is no employee")
		}
	}
	if e.Capacity != nil && *e.Capacity < e.SignedUp {
		fail("capacity", "%d are signed up already", e.SignedUp)
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

func classesOf(c api.Ctx, id uuid.UUID) (ids []uuid.UUID, err error) {
	if err := c.DB.Table("event_class").Where("event_id = ?", id).Order("class_id").Pluck("class_id", &ids).Error; err != nil {
		return nil, fmt.Errorf("reading an event's classes: %w", err)
	}
	return ids, nil
}

// putClasses makes the event one for exactly these classes; none is every class.
func putClasses(c api.Ctx, id uuid.UUID, classes []uuid.UUID) error {
	before, err := classesOf(c, id)
	if err != nil {
		return err
	}
	after := slices.Clone(classes)
	slices.SortFunc(after, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	if slices.Equal(before, after) {
		return nil
	}
	if err := c.DB.Exec(`delete from event_class where event_id = ?`, id).Error; err != nil {
		return fmt.Errorf("changing an event's classes: %w", err)
	}
	if len(after) > 0 {
		err := c.DB.Exec(`insert into event_class (event_id, class_id) select ?, id from class where id in ?`, id, after).Error
		if err != nil {
			return fmt.Errorf("changing an event's classes: %w", err)
		}
	}
	c.Changed("update", "event classes", id, before, after)
	return nil
}
