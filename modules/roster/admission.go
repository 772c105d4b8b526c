package roster

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// NewRide is a route that a newcomer rides, and where they get on or off.
type NewRide struct {
	RouteID uuid.UUID `json:"routeId" validate:"required"`
	StopID  uuid.UUID `json:"stopId" validate:"required"`
}

// NewFeeHead is an optional fee head that a newcomer has.
type NewFeeHead struct {
	FeeHeadID uuid.UUID  `json:"feeHeadId" validate:"required"`
	OptionID  *uuid.UUID `json:"optionId" doc:"One of the head's amounts; required where it has them by option"`
}

// addExtras gives a newcomer the rides and optional fees of their admission. Each part asks
// for the right that its own page asks for.
func (m *Module) addExtras(c api.Ctx, student uuid.UUID, r newStudent, from api.Date) error {
	if len(r.Rides) > 0 {
		if err := c.Permit("transport", api.Write); err != nil {
			return err
		}
	}
	if len(r.FeeHeads) > 0 {
		if err := c.Permit("fee", api.Write); err != nil {
			return err
		}
	}
	for i, ride := range r.Rides {
		if err := m.AddRide(c, student, ride.RouteID, ride.StopID, from); err != nil {
			return within(err, fmt.Sprintf("rides[%d].", i))
		}
	}
	for i, head := range r.FeeHeads {
		if err := m.AddFeeHead(c, student, head.FeeHeadID, head.OptionID, from); err != nil {
			return within(err, fmt.Sprintf("feeHeads[%d].", i))
		}
	}
	return nil
}

// within names the fields of a part's error by where the part is in the request.
func within(err error, part string) error {
	var e *api.Error
	if !errors.As(err, &e) || len(e.Details) == 0 {
		return err
	}
	out := *e
	out.Details = make([]api.Detail, len(e.Details))
	for i, d := range e.Details {
		out.Details[i] = api.Detail{Field: part + d.Field, Message: d.Message}
	}
	return &out
}
