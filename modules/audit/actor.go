package audit

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// Actor is somebody who has an entry in the log.
type Actor struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name" doc:"As they are called now"`
	Role string    `json:"role" enum:"SCHOOL_ADMIN,TEACHER,PARENT,DRIVER,KEY" doc:"As it is now"`
}

// The index on the entries' actors answers for each of the school's people with one look.
const actors = `select u.id, trim(u.first_name || ' ' || u.last_name) as name, r.type as role
	from app_user u join role r on r.id = u.role_id where exists (select from audit_event e where e.actor_id = u.id)`

var actorListing = api.Listing{
	Sorts:   map[string]string{"name": "name"},
	Default: "name",
	Filters: map[string]api.Filter{"search": api.Search("name"), "id": api.ByID("id")},
}

func listActors(c api.Ctx, l api.ListRequest) (api.Page[Actor], error) {
	return api.Fetch[Actor](c.DB.Table("(?) as actor", c.DB.Raw(actors)), l)
}

// Kind is what entries of the log are about.
type Kind struct {
	Entity string `json:"entity" example:"student"`
}

// kinds reads each kind of record once from the index that begins with it: the log of a large school has millions of entries, of
// some fifty kinds.
const kinds = `with recursive kind as ((select entity from audit_event order by entity limit 1)
	union all select (select e.entity from audit_event e where e.entity > kind.entity order by e.entity limit 1)
	from kind where kind.entity is not null) select md5(entity)::uuid as id, entity from kind where entity is not null`

var kindListing = api.Listing{Sorts: map[string]string{"entity": "entity"}, Default: "entity"}

func listKinds(c api.Ctx, l api.ListRequest) (api.Page[Kind], error) {
	return api.Fetch[Kind](c.DB.Table("(?) as kind", c.DB.Raw(kinds)), l)
}
