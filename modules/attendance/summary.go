package attendance

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// AttendanceSummary is the attendance of classes between two days.
type AttendanceSummary struct {
	From    api.Date         `json:"from"`
	To      api.Date         `json:"to"`
	Classes []ClassSummary   `json:"classes"`
	Totals  AttendanceTotals `json:"totals"`
}

// ClassSummary is a class's.
type ClassSummary struct {
	ClassID   uuid.UUID         `json:"classId"`
	ClassName string            `json:"className"`
	Divisions []DivisionSummary `json:"divisions"`
	Totals    AttendanceTotals  `json:"totals"`
}

// DivisionSummary is a division's.
type DivisionSummary struct {
	DivisionID   uuid.UUID        `json:"divisionId"`
	DivisionName string           `json:"divisionName"`
	Totals       AttendanceTotals `json:"totals"`
}

type summaryRequest struct {
	From    api.Date   `json:"from" doc:"The first of this month unless given"`
	To      api.Date   `json:"to" doc:"Today unless given"`
	ClassID *uuid.UUID `json:"classId" doc:"All classes unless given"`
}

// summary counts by the division students sat in on each day. Leave that lies ahead
// is not attendance yet.
func summary(c api.Ctx, r summaryRequest) (AttendanceSummary, error) {
	first := c.Today()
	first.Day = 1
	span, err := between{r.From, r.To}.orElse(first, c.Today())
	if err != nil {
		return AttendanceSummary{}, err
	}
	var found []struct {
		ClassID, DivisionID     uuid.UUID
		ClassName, DivisionName string
		Counts
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select k.id as class_id, k.name as class_name, d.id as division_id,
		d.name as division_name, ` + countColumns + `
		from division d join class k on k.id = d.class_id
		left join attendance a on a.division_id = d.id and a.date between $1 and least($2::date, $3::date)
		and ` + isOpen("a.date", "d.class_id", "d.id", "$4") + `
		where $5::uuid is null or k.id = $5
		group by k.id, d.id order by k.level, k.name, k.id, d.name, d.id`,
		Args: []any{span.From, span.To, c.Today(), weekend(c), r.ClassID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return AttendanceSummary{}, fmt.Errorf("counting attendance: %w", err)
	}
	out := AttendanceSummary{From: span.From, To: span.To, Classes: []ClassSummary{}}
	var all, class Counts
	for i, f := range found {
		if i == 0 || found[i-1].ClassID != f.ClassID {
			class = Counts{}
			out.Classes = append(out.Classes, ClassSummary{ClassID: f.ClassID, ClassName: f.ClassName})
		}
		all.plus(f.Counts)
		class.plus(f.Counts)
		k := &out.Classes[len(out.Classes)-1]
		k.Totals = class.totals()
		k.Divisions = append(k.Divisions, DivisionSummary{f.DivisionID, f.DivisionName, f.totals()})
	}
	if r.ClassID != nil && len(out.Classes) == 0 {
		if _, err := api.Find[roster.Class](c, "class", c.DB, *r.ClassID); err != nil {
			return out, err
		}
	}
	out.Totals = all.totals()
	return out, nil
}
