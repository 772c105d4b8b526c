package announcement

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

type reachOf struct {
	TargetAudience string      `json:"targetAudience" validate:"omitempty,oneof=ALL PARENTS TEACHERS" doc:"ALL unless given"`
	ClassIDs       []uuid.UUID `json:"classIds" validate:"max=200,unique"`
	DivisionIDs    []uuid.UUID `json:"divisionIds" validate:"max=500,unique"`
}

// Reach is how many an announcement would be told to, if it were published now.
type Reach struct {
	Recipients int `json:"recipients" doc:"People, each once"`
	Parents    int `json:"parents"`
	Teachers   int `json:"teachers"`
	Students   int `json:"students" doc:"Whose parents they are"`
}

// targets stands in for the table of an announcement's targets, so that what is counted
// is what would be sent.
const targets = `with announcement_target (announcement_id, class_id, division_id) as (
	select @id::uuid, unnest(@classes::uuid[]), null::uuid union all select @id::uuid, null::uuid, unnest(@divisions::uuid[])) `

func reach(c api.Ctx, r reachOf) (Reach, error) {
	if err := r.check(c); err != nil {
		return Reach{}, err
	}
	var out Reach
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: targets + `select (select count(*) from (` + recipients(r.TargetAudience) +
		`) r)::int as recipients,
			(select count(distinct user_id)
			from (` + parentsOf + `) p)::int as parents, (select count(*) from (` + teachersOf + `) t)::int as teachers,
			(select count(*) from (` + studentsOf + `) s)::int as students`,
		Args: []any{pgx.NamedArgs{"id": uuid.Nil, "today": c.Today(), "classes": r.ClassIDs, "divisions": r.DivisionIDs}},
		Scan: tenancy.Row(&out)})
	if err != nil {
		return out, fmt.Errorf("counting whom an announcement reaches: %w", err)
	}
	switch r.TargetAudience {
	case "PARENTS":
		out.Teachers = 0
	case "TEACHERS":
		out.Parents, out.Students = 0, 0
	}
	return out, nil
}

// check refuses ids that name nothing: fewer would be reached than the office believes.
func (r reachOf) check(c api.Ctx) error {
	var bad []api.Detail
	for _, named := range []struct {
		field, table string
		ids          []uuid.UUID
	}{{"classIds", "class", r.ClassIDs}, {"divisionIds", "division", r.DivisionIDs}} {
		there, err := roster.Present(c, named.table, named.ids)
		if err != nil {
			return err
		}
		for _, id := range named.ids {
			if !there[id] {
				bad = append(bad, api.Detail{Field: named.field, Message: named.field + " has a " + named.table + " that does not exist"})
				break
			}
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}
