package integration

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// APIKey is a key as the office sees it. The key itself is shown once, when it is made.
type APIKey struct {
	ID            uuid.UUID  `json:"id"`
	Name          string     `json:"name"`
	Status        string     `json:"status" enum:"ACTIVE,ENDED,REVOKED,SUSPENDED" doc:"SUSPENDED: who made it is no administrator of the school any more"`
	PerMinute     int        `json:"perMinute" label:"Calls a minute" doc:"How many calls a minute it may make, of all kinds together"`
	EndsOn        *api.Date  `json:"endsOn" label:"Last day" doc:"The last day it is good for, at the school; null: until it is revoked"`
	LastUsedAt    *time.Time `json:"lastUsedAt" label:"Last used" doc:"To the minute; null: never"`
	CreatedBy     uuid.UUID  `json:"createdBy"`
	CreatedByName string     `json:"createdByName" label:"Made by"`
	CreatedAt     time.Time  `json:"createdAt" label:"Made"`
	RevokedAt     *time.Time `json:"revokedAt" label:"Revoked"`
}

// KeyDetail is a key with what it may do.
type KeyDetail struct {
	APIKey
	Permissions []KeyPermission `json:"permissions" gorm:"-" doc:"It never may do more than who made it may at that moment"`
}

// KeyPermission is what a key may do with one module.
type KeyPermission struct {
	Module    string `json:"module" validate:"required,max=40" doc:"The name of a module, as /school-admin/permission/modules lists them" example:"student"`
	CanRead   bool   `json:"canRead"`
	CanWrite  bool   `json:"canWrite"`
	CanDelete bool   `json:"canDelete"`
}

// NewKey is a key that was made just now.
type NewKey struct {
	KeyDetail
	Key string `json:"key" doc:"Sent as Authorization: Bearer. It is not shown again" example:"hrk_…"`
}

type keyRequest struct {
	Name        string          `json:"name" validate:"name,max=60" example:"Website"`
	Permissions []KeyPermission `json:"permissions" validate:"required,min=1,max=100,dive"`
	PerMinute   int             `json:"perMinute" validate:"omitempty,min=1,max=600" doc:"60 unless given"`
	EndsOn      *api.Date       `json:"endsOn" doc:"The last day it is good for; until it is revoked unless given"`
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var keyListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{
		"search": api.Search("name"),
		"inUse":  api.ByBool("").Where(`@v = (revoked_at is null and coalesce(ends_on >= @today, true))`),
	},
}

// keyColumns are those of an APIKey, whose end is not looked at: see endOn.
const keyColumns = `id, name, per_minute, ends_on, last_used_at, created_by, created_at, revoked_at,
	coalesce((select trim(u.first_name || ' ' || u.last_name) from app_user u where u.id = api_key.created_by), '') as created_by_name,
	case when revoked_at is not null then 'REVOKED'
		when (select u.status = 'ACTIVE' and r.type = 'SCHOOL_ADMIN' from app_user u join role r on r.id = u.role_id
			where u.id = api_key.created_by) then 'ACTIVE' else 'SUSPENDED' end as status`

const defaultPerMinute = 60

// createKey makes a key, with a user and a role of its own: what it writes names it as records
// name a person, and its rights are in the school's policy with those of all roles.
func (m *Module) createKey(c api.Ctx, r keyRequest) (NewKey, error) {
	if r.EndsOn != nil && r.EndsOn.Before(c.Today()) {
		return NewKey{}, api.InvalidField("endsOn", "endsOn is over")
	}
	if r.PerMinute == 0 {
		r.PerMinute = defaultPerMinute
	}
	if err := checkPermissions(c, r.Permissions); err != nil {
		return NewKey{}, err
	}
	id := api.NewID()
	text, hash := m.NewKey(c.School.ID, id)
	var modules []string
	var reads, writes, deletes []bool
	for _, p := range r.Permissions {
		modules, reads, writes, deletes = append(modules, p.Module), append(reads, p.CanRead), append(writes, p.CanWrite),
			append(deletes, p.CanDelete)
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `insert into role (id, name, type) values ($1, ($1::uuid)::text, 'KEY')`, Args: []any{id}},
		tenancy.Query{SQL: `insert into app_user (id, role_id, first_name, created_at, updated_at) values ($1, $1, $2, $3, $3)`,
			Args: []any{id, r.Name, c.Now}},
		tenancy.Query{SQL: `insert into permission (id, role_id, module_id, can_read, can_write, can_delete)
			select gen_random_uuid(), $1, m.id, p.r, p.w, p.d from unnest($2::text[], $3::bool[], $4::bool[], $5::bool[]) as p (module, r, w, d)
			join module m on m.name = p.module`, Args: []any{id, modules, reads, writes, deletes}},
		tenancy.Query{SQL: `insert into api_key (id, name, secret_hash, per_minute, ends_on, created_by, created_at)
			values ($1, $2, $3, $4, $5, $6, $7)`, Args: []any{id, r.Name, hash, r.PerMinute, r.EndsOn, c.User.ID, c.Now}})
	if err != nil {
		return NewKey{}, fmt.Errorf("making an API key: %w", err)
	}
	made, err := getKey(c, byID{id})
	if err != nil {
		return NewKey{}, err
	}
	c.Changed("create", "API key", id, nil, made)
	c.RightsChanged()
	return NewKey{made, text}, nil
}

// checkPermissions refuses modules that do not exist, or twice, and rights that the caller lacks.
func checkPermissions(c api.Ctx, permissions []KeyPermission) error {
	var known []string
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select name from module`, Scan: tenancy.Values(&known)}); err != nil {
		return fmt.Errorf("reading the modules: %w", err)
	}
	exists := map[string]bool{}
	for _, name := range known {
		exists[name] = true
	}
	rights := map[string]api.Granted{}
	var bad []api.Detail
	for i, p := range permissions {
		fail := func(field, message string) {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("permissions[%d].%s", i, field), Message: message})
		}
		if _, twice := rights[p.Module]; twice {
			fail("module", "module is named twice")
		} else if !exists[p.Module] {
			fail("module", "module does not exist")
		} else if !p.CanRead && !p.CanWrite && !p.CanDelete {
			fail("canRead", "canRead, canWrite or canDelete must be true")
		}
		rights[p.Module] = api.Granted{CanRead: p.CanRead, CanWrite: p.CanWrite, CanDelete: p.CanDelete}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return c.CheckRights(rights)
}

func listKeys(c api.Ctx, l api.ListRequest) (api.Page[APIKey], error) {
	page, err := api.Fetch[APIKey](c.DB.Table("api_key").Select(keyColumns), l)
	for i := range page.Items {
		page.Items[i].endOn(c.Today())
	}
	return page, err
}

// endOn says of a key whose last day is over that it has ended. It goes by the school's day.
func (k *APIKey) endOn(today api.Date) {
	if k.Status != "REVOKED" && k.EndsOn != nil && k.EndsOn.Before(today) {
		k.Status = "ENDED"
	}
}

func getKey(c api.Ctx, r byID) (KeyDetail, error) {
	key, err := api.Find[APIKey](c, "API key", c.DB.Table("api_key").Select(keyColumns), r.ID)
	key.endOn(c.Today())
	out := KeyDetail{APIKey: key}
	if err == nil {
		err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select m.name as module, p.can_read, p.can_write, p.can_delete from permission p
			join module m on m.id = p.module_id where p.role_id = $1 order by m.name`, Args: []any{r.ID}, Scan: tenancy.Collect(&out.Permissions)})
	}
	return out, err
}

// revokeKey ends a key. Its record stays, since others name it; the name may be used again.
func revokeKey(c api.Ctx, r byID) (KeyDetail, error) {
	before, err := getKey(c, r)
	if err != nil || before.RevokedAt != nil {
		c.Unchanged()
		return before, err
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `update api_key set revoked_at = $2, revoked_by = $3 where id = $1`, Args: []any{r.ID, c.Now, c.User.ID}},
		tenancy.Query{SQL: `update app_user set status = 'DISABLED', version = version + 1, updated_at = $2 where id = $1`,
			Args: []any{r.ID, c.Now}})
	if err != nil {
		return before, fmt.Errorf("revoking an API key: %w", err)
	}
	after, err := getKey(c, r)
	c.Changed("update", "API key", r.ID, before, after)
	c.RightsChanged() // after the commit, every instance forgets the school's keys
	return after, err
}
