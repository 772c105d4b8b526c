package event

import (
	"fmt"

	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Events is the answer the teachers' app expects.
type Events struct {
	Events []Event `json:"events"`
}

type eventsRequest struct {
	From   api.Date `json:"from" doc:"A year ago unless given"`
	To     api.Date `json:"to"`
	Status string   `json:"status" validate:"omitempty,oneof=UPCOMING ONGOING COMPLETED CANCELLED"`
}

// mostEvents bounds the one list that has no pages.
const mostEvents = 1000

// getEvents is the school's events by date. Staff see them all, whomever they are for.
func getEvents(c api.Ctx, r eventsRequest) (Events, error) {
	if r.From.IsZero() {
		r.From = c.Today().AddDays(-365)
	}
	query := all(c, "e.event_date >= ?", r.From)
	if !r.To.IsZero() {
		query = query.Where("event_date <= ?", r.To)
	}
	if r.Status != "" {
		query = query.Where("status = ?", r.Status)
	}
	built := query.Session(&gorm.Session{DryRun: true}).Order(begins + ", id").Limit(mostEvents).Find(&[]Event{})
	if built.Error != nil {
		return Events{}, fmt.Errorf("building a list of events: %w", built.Error)
	}
	var out Events
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: built.Statement.SQL.String(), Args: built.Statement.Vars,
		Scan: tenancy.Collect(&out.Events)})
	if err != nil {
		return out, fmt.Errorf("listing events: %w", err)
	}
	return out, nil
}
