package charging

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
)

// HeadAmount is what a year of an optional head costs, by option, by route or by stop.
type HeadAmount struct {
	ID      *uuid.UUID    `json:"id" doc:"Given when it is added; sent back, it is changed"`
	Name    string        `json:"name" validate:"name,max=100" example:"Full board" doc:"Written on the invoice, after the head's name"`
	Amount  ledger.Amount `json:"amount" validate:"min=0,max=1000000000000" doc:"For the whole year, in minor units"`
	RouteID *uuid.UUID    `json:"routeId" doc:"By route: for those who ride it"`
	StopID  *uuid.UUID    `json:"stopId" doc:"By stop: for those who ride to or from it"`
}

// Ride is a student's place on a route. Like Posting, it has no name of its own, so that the
// module that knows the rides need not know this one.
type Ride = struct {
	StudentID uuid.UUID
	RouteID   uuid.UUID
	StopID    uuid.UUID
	Direction string
	StartDate api.Date
	EndDate   *api.Date
}

// Transport says who rides where.
type Transport interface {
	// Rides are those of some students between two days.
	Rides(c api.Ctx, students []uuid.UUID, from, to api.Date) ([]Ride, error)
	// Places are those of these ids that are a route or a stop.
	Places(c api.Ctx, ids []uuid.UUID) ([]uuid.UUID, error)
}

// normalize fills in what was left out, and refuses amounts that nobody could be billed by.
func (f *HeadFields) normalize(c api.Ctx, transport Transport) error {
	if f.AmountBy == "" {
		f.AmountBy = "CLASS"
	}
	if f.Amounts == nil {
		f.Amounts = []HeadAmount{}
	}
	switch {
	case f.Optional && f.Type == "FINE":
		return api.InvalidField("optional", "Nobody subscribes to fines")
	case !f.Optional && f.AmountBy != "CLASS":
		return api.InvalidField("amountBy", "Only an optional fee head has amounts of its own")
	case f.AmountBy == "CLASS" && len(f.Amounts) > 0:
		return api.InvalidField("amounts", "The fee structures say the amount of this head")
	case f.AmountBy != "CLASS" && len(f.Amounts) == 0:
		return api.InvalidField("amounts", "Add at least one amount")
	case (f.AmountBy == "ROUTE" || f.AmountBy == "STOP") && f.Type != "TRANSPORT":
		return api.InvalidField("amountBy", "Only a head of the kind transport has amounts by route or stop")
	}
	return f.checkAmounts(c, transport)
}

func (f *HeadFields) checkAmounts(c api.Ctx, transport Transport) error {
	var bad []api.Detail
	var places []uuid.UUID
	seen := map[string]bool{}
	for i := range f.Amounts {
		a := &f.Amounts[i]
		if a.ID == nil {
			id := api.NewID()
			a.ID = &id
		}
		field, what := "name", strings.ToLower(a.Name)
		var place *uuid.UUID
		switch f.AmountBy {
		case "ROUTE":
			field, place, a.StopID = "routeId", a.RouteID, nil
		case "STOP":
			field, place, a.RouteID = "stopId", a.StopID, nil
		default:
			a.RouteID, a.StopID = nil, nil
		}
		at := fmt.Sprintf("amounts[%d].", i)
		if place != nil {
			what, places = place.String(), append(places, *place)
		} else if f.AmountBy != "OPTION" {
			bad = append(bad, api.Detail{Field: at + field, Message: "Choose one"})
		}
		if seen[what] || seen[a.ID.String()] {
			bad = append(bad, api.Detail{Field: at + field, Message: "This is in the list twice"})
		}
		seen[what], seen[a.ID.String()] = true, true
	}
	if len(places) > 0 {
		known, err := transport.Places(c, places)
		if err != nil {
			return err
		}
		for i, a := range f.Amounts {
			for field, place := range map[string]*uuid.UUID{"routeId": a.RouteID, "stopId": a.StopID} {
				if place != nil && !slices.Contains(known, *place) {
					bad = append(bad, api.Detail{Field: fmt.Sprintf("amounts[%d].%s", i, field), Message: "It does not exist"})
				}
			}
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// option is one of the head's amounts.
func (f HeadFields) option(id *uuid.UUID) (HeadAmount, bool) {
	for _, a := range f.Amounts {
		if id != nil && a.ID != nil && *a.ID == *id {
			return a, true
		}
	}
	return HeadAmount{}, false
}

// keepsOptions refuses to take an option away that students are subscribed to.
func keepsOptions(c api.Ctx, h Head) error {
	var used []uuid.UUID
	err := c.DB.Raw(`select distinct option_id from fee_subscription where fee_head_id = ? and option_id is not null`, h.ID).Scan(&used).Error
	if err != nil {
		return fmt.Errorf("reading the subscriptions of a fee head: %w", err)
	}
	for _, id := range used {
		if _, there := h.option(&id); !there {
			return api.Conflict("Students are subscribed to an option that is not in the list: change their subscriptions first")
		}
	}
	return nil
}
