package timetable

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// Period is a stretch of the school day that lessons are put into. Periods may
// overlap: the juniors' bell need not be the seniors'.
type Period struct {
	api.Record
	PeriodFields
}

// PeriodFields are what an administrator says of a period.
type PeriodFields struct {
	Name      string       `json:"name" validate:"name,max=60" example:"Period 1"`
	StartTime roster.Clock `json:"startTime" validate:"required" example:"09:00"`
	EndTime   roster.Clock `json:"endTime" validate:"required" example:"09:45"`
	IsBreak   bool         `json:"isBreak"`
}

type periodChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[PeriodFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var periodListing = api.Listing{
	Sorts:   map[string]string{"startTime": "start_time", "name": "name", "createdAt": "created_at"},
	Default: "startTime",
	Filters: map[string]api.Filter{"search": api.Search("name"), "isBreak": api.ByBool("is_break")},
}

func createPeriod(c api.Ctx, r PeriodFields) (Period, error) {
	p := Period{PeriodFields: r}
	if err := p.checkTimes(); err != nil {
		return p, err
	}
	return p, api.Insert(c, "period", &p)
}

func listPeriods(c api.Ctx, l api.ListRequest) (api.Page[Period], error) {
	return api.Fetch[Period](c.DB.Model(&Period{}), l)
}

func getPeriod(c api.Ctx, r byID) (Period, error) {
	return api.Find[Period](c, "period", c.DB, r.ID)
}

// updatePeriod moves a period. Lessons move with it, and may run into others: that is
// refused, naming them all.
func updatePeriod(c api.Ctx, r periodChange) (Period, error) {
	if err := lockTimetable(c); err != nil {
		return Period{}, err
	}
	var before PeriodFields
	p, err := api.Update(c, "period", r.ID, func(p *Period) error {
		before = p.PeriodFields
		if err := r.Apply(&p.PeriodFields); err != nil {
			return err
		}
		return p.checkTimes()
	})
	if err != nil {
		return p, err
	}
	all, err := slots(c, "true")
	if err != nil {
		return p, err
	}
	var moved, others []Slot
	for _, s := range all {
		if s.PeriodID == p.ID {
			moved = append(moved, s)
		} else {
			others = append(others, s)
		}
	}
	if p.IsBreak && len(moved) > 0 {
		return p, api.Conflict("%s has lessons in %s on %s: it cannot be a break", moved[0].whose(), p.Name, dayNames[moved[0].DayOfWeek])
	}
	shared, err := sharedMembers(c, groupsOf(moved))
	if err != nil {
		return p, err
	}
	if err := refuseClashes(clashes(moved, others, shared), func(int) string { return "startTime" }); err != nil {
		return p, err
	}
	if p.StartTime == before.StartTime && p.EndTime == before.EndTime {
		return p, nil
	}
	return p, tellWeek(c, p.ID, moved)
}

func deletePeriod(c api.Ctx, r byID) error { return api.Erase[Period](c, "period", r.ID) }

func (p *Period) checkTimes() error {
	if p.EndTime <= p.StartTime {
		return api.InvalidField("endTime", "endTime must be after startTime")
	}
	return nil
}
