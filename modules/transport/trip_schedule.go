package transport

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// maxDays bounds how far a repeating trip reaches: a school year.
const maxDays = 370

type tripSchedule struct {
	RouteID            uuid.UUID    `json:"routeId" validate:"required"`
	BusID              *uuid.UUID   `json:"busId" doc:"The route's own unless given"`
	DriverID           *uuid.UUID   `json:"driverId" doc:"The bus's driver of the day unless given"`
	TripType           string       `json:"tripType" validate:"omitempty,oneof=pickup dropoff" doc:"The route's direction"`
	TripDate           api.Date     `json:"tripDate" doc:"For one day. Or weekdays, fromDate and toDate"`
	Weekdays           []int        `json:"weekdays" validate:"max=7,dive,min=0,max=7" doc:"1 is Monday, 6 Saturday, 7 Sunday (0 is taken too)"`
	FromDate           api.Date     `json:"fromDate"`
	ToDate             api.Date     `json:"toDate"`
	ScheduledStartTime roster.Clock `json:"scheduledStartTime" validate:"required" doc:"HH:MM at the school"`
	RunsOnHolidays     bool         `json:"runsOnHolidays" doc:"On holidays too. Otherwise a holiday of the school, or of all riders, has no trip"`
}

// Scheduled is the trip that was made, or the first of those that were.
type Scheduled struct {
	Trip
	Trips []Trip `json:"trips"`
	Total int    `json:"total"`
	// Skipped are days that were named and are holidays.
	Skipped []SkippedDay `json:"skipped" doc:"Holidays among the days, on which there is no trip"`
}

// SkippedDay is a day without a trip.
type SkippedDay struct {
	Date   api.Date `json:"date"`
	DayOff string   `json:"dayOff" example:"Diwali"`
}

func (m *Module) scheduleTrips(c api.Ctx, r tripSchedule) (Scheduled, error) {
	days, bad := r.days(c.Today())
	if bad != nil {
		return Scheduled{}, api.Invalid(bad...)
	}
	var routes []Route
	if err := c.DB.Where("id = ?", r.RouteID).Limit(1).Find(&routes).Error; err != nil {
		return Scheduled{}, fmt.Errorf("reading a route: %w", err)
	}
	if len(routes) == 0 {
		return Scheduled{}, api.InvalidField("routeId", "routeId does not exist")
	}
	route := routes[0]
	if r.TripType != "" && r.TripType != route.Direction {
		return Scheduled{}, api.InvalidField("tripType", "tripType must be the route's direction, %s", route.Direction)
	}
	if err := mayDrive(c, r.DriverID); err != nil {
		return Scheduled{}, err
	}
	days, skipped, err := m.schoolDays(c, route, days, r)
	if err != nil {
		return Scheduled{}, err
	}
	bus := route.BusID
	if r.BusID != nil {
		bus = *r.BusID
	}
	trips := make([]Trip, len(days))
	for i, day := range days {
		trips[i] = Trip{
			Record:  api.Record{ID: api.NewID(), CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: &c.User.ID, UpdatedBy: &c.User.ID, Version: 1},
			RouteID: route.ID, BusID: bus, DriverID: r.DriverID, TripType: route.Direction, TripDate: day,
			ScheduledStartAt: r.ScheduledStartTime.On(day, c.School.Location()).UTC(), Status: scheduled,
			RunsOnHolidays: r.RunsOnHolidays,
		}
	}
	if err := c.DB.Create(&trips).Error; err != nil {
		return Scheduled{}, fmt.Errorf("scheduling trips: %w", err)
	}
	c.Changed("create", "trip", trips[0].ID, nil,
		map[string]any{"routeId": route.ID, "from": days[0], "to": days[len(days)-1], "trips": len(days)})
	return Scheduled{Trip: trips[0], Trips: trips, Total: len(trips), Skipped: skipped}, nil
}

// schoolDays leaves out the holidays of the school or of all riders, unless the trip or its route
// runs on them. One day alone, or none but holidays, is refused.
func (m *Module) schoolDays(c api.Ctx, route Route, days []api.Date, r tripSchedule) ([]api.Date, []SkippedDay, error) {
	skipped := []SkippedDay{}
	if r.RunsOnHolidays || route.RunsOnHolidays {
		return days, skipped, nil
	}
	k, err := m.readRideCalendar(c.DB, []uuid.UUID{route.ID}, days[0], days[len(days)-1])
	if err != nil {
		return nil, nil, err
	}
	open := make([]api.Date, 0, len(days))
	for _, day := range days {
		if name := k.dayOff(route.ID, day); name != "" {
			skipped = append(skipped, SkippedDay{day, name})
		} else {
			open = append(open, day)
		}
	}
	if len(open) == 0 {
		field := "tripDate"
		if r.TripDate.IsZero() {
			field = "weekdays"
		}
		return nil, nil, api.InvalidField(field, "%s is a holiday: %s. Say that the trip runs on holidays, or choose another day",
			skipped[0].Date, skipped[0].DayOff)
	}
	return open, skipped, nil
}

// days are the days a schedule names, or what is wrong with it.
func (r tripSchedule) days(today api.Date) ([]api.Date, []api.Detail) {
	repeats := len(r.Weekdays) > 0 || !r.FromDate.IsZero() || !r.ToDate.IsZero()
	switch {
	case repeats && !r.TripDate.IsZero():
		return nil, []api.Detail{{Field: "tripDate", Message: "Give either tripDate, or weekdays with fromDate and toDate"}}
	case !repeats && r.TripDate.IsZero():
		return nil, []api.Detail{{Field: "tripDate", Message: "tripDate is required, or weekdays with fromDate and toDate"}}
	case !repeats:
		if r.TripDate.Before(today) {
			return nil, []api.Detail{{Field: "tripDate", Message: "tripDate is in the past"}}
		}
		return []api.Date{r.TripDate}, nil
	}
	var bad []api.Detail
	need := func(is bool, field, message string) {
		if !is {
			bad = append(bad, api.Detail{Field: field, Message: message})
		}
	}
	need(len(r.Weekdays) > 0, "weekdays", "weekdays is required")
	need(!r.FromDate.IsZero(), "fromDate", "fromDate is required")
	need(!r.ToDate.IsZero(), "toDate", "toDate is required")
	if bad == nil {
		need(!r.FromDate.Before(today), "fromDate", "fromDate is in the past")
		need(!r.ToDate.Before(r.FromDate), "toDate", "toDate must not be before fromDate")
		need(r.ToDate.Before(r.FromDate.AddDays(maxDays)), "toDate", fmt.Sprintf("toDate must be within %d days", maxDays))
	}
	if bad != nil {
		return nil, bad
	}
	var days []api.Date
	for day := r.FromDate; !r.ToDate.Before(day); day = day.AddDays(1) {
		if slices.ContainsFunc(r.Weekdays, func(n int) bool { return api.ISOWeekday(n) == isoWeekday(day) }) {
			days = append(days, day)
		}
	}
	need(len(days) > 0, "weekdays", "No such weekday lies between fromDate and toDate")
	return days, bad
}

// isoWeekday is 1 for Monday and 7 for Sunday.
func isoWeekday(d api.Date) int { return (int(d.In(time.UTC).Weekday())+6)%7 + 1 }

type tripChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[tripFields]
}

// tripFields are what can be changed before a trip starts.
type tripFields struct {
	BusID              *uuid.UUID   `json:"busId"`
	DriverID           *uuid.UUID   `json:"driverId" doc:"null is the bus's driver of the day"`
	ScheduledStartTime roster.Clock `json:"scheduledStartTime"`
}

func (m *Module) updateTrip(c api.Ctx, r tripChange) (TripDetail, error) {
	before := make([]TripView, 1)
	t, err := api.Update(c, "trip", r.ID, func(t *Trip) error {
		before[0].Trip = *t
		if err := nameTrips(c, before); err != nil {
			return err
		}
		if t.Status != scheduled {
			return api.Conflict("The trip is %s: only a scheduled one can be changed", t.Status)
		}
		said := tripFields{BusID: &t.BusID, DriverID: t.DriverID}
		if err := r.Apply(&said); err != nil {
			return err
		}
		if said.BusID == nil {
			return api.InvalidField("busId", "busId is required")
		}
		t.BusID, t.DriverID = *said.BusID, said.DriverID
		if said.ScheduledStartTime != "" {
			t.ScheduledStartAt = said.ScheduledStartTime.On(t.TripDate, c.School.Location()).UTC()
		}
		if r.Names("driverId") {
			return mayDrive(c, t.DriverID)
		}
		return nil
	})
	if err != nil {
		return TripDetail{}, err
	}
	c.Tell(sightsChanged())
	detail, err := m.tripDetail(c, t)
	if err != nil {
		return detail, err
	}
	return detail, tellMoved(c, before[0], detail)
}
