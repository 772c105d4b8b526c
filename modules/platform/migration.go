package platform

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// MigrationStatus is how the fleet stands.
type MigrationStatus struct {
	Version int           `json:"version" doc:"What this service brings schools to"`
	Total   int           `json:"total" doc:"Schools that have tables"`
	Current int           `json:"current"`
	Behind  int           `json:"behind" doc:"They are served, and brought up to date when they are next asked for something or their turn comes"`
	Failed  int           `json:"failed" doc:"They are not served until the cause is mended"`
	Run     *MigrationRun `json:"run" doc:"The last one that was asked for; null if none was"`
}

// MigrationRun is a migration somebody asked for.
type MigrationRun struct {
	ID         uuid.UUID   `json:"id"`
	State      string      `json:"state" enum:"QUEUED,RUNNING,DONE,FAILED" example:"RUNNING" doc:"QUEUED, RUNNING, DONE (some schools may have failed) or FAILED (it stopped as a whole)"`
	SchoolIDs  []uuid.UUID `json:"schoolIds" doc:"Empty is all that were behind"`
	Total      int         `json:"total" doc:"Schemas: schools and, with all of them, the empty ones kept ready; one more for every node"`
	Done       int         `json:"done"`
	Failed     int         `json:"failed" doc:"Of those done"`
	Percent    int         `json:"percent"`
	Error      string      `json:"error,omitempty"`
	AskedBy    *uuid.UUID  `json:"askedBy"`
	CreatedAt  time.Time   `json:"createdAt"`
	StartedAt  *time.Time  `json:"startedAt"`
	FinishedAt *time.Time  `json:"finishedAt"`
}

const (
	lastRun = `select id, state, coalesce(school_ids, '{}') as school_ids, total, done, failed, case when state = 'DONE' then 100
		when total = 0 then 0 else 100 * done / total end as percent,
		error, asked_by, created_at, started_at, finished_at from migration_run order by created_at desc, id desc limit 1`
	fleetCounts = `select count(*)::int, count(*) filter (where migration_error = '' and schema_version >= $1)::int,
		count(*) filter (where migration_error = '' and schema_version < $1)::int, count(*) filter (where migration_error <> '')::int
		from school where schema_version > 0`
)

func (m *Module) migrationStatus(c api.PlatformCtx, _ api.Nothing) (MigrationStatus, error) {
	return m.fleet(c.DB)
}

func (m *Module) fleet(db *gorm.DB) (MigrationStatus, error) {
	out := MigrationStatus{Version: m.Version}
	err := tenancy.Pipeline(db,
		tenancy.Query{SQL: fleetCounts, Args: []any{m.Version}, Scan: func(r pgx.Rows) error {
			_, err := pgx.ForEachRow(r, []any{&out.Total, &out.Current, &out.Behind, &out.Failed}, func() error { return nil })
			return err
		}},
		tenancy.Query{SQL: lastRun, Scan: func(r pgx.Rows) error {
			runs, err := pgx.CollectRows(r, pgx.RowToStructByName[MigrationRun])
			if len(runs) > 0 {
				out.Run = &runs[0]
			}
			return err
		}})
	if err != nil {
		return out, fmt.Errorf("reading how the fleet stands: %w", err)
	}
	return out, nil
}

// SchoolMigration is one school's version.
type SchoolMigration struct {
	ID            uuid.UUID `json:"id"`
	Code          string    `json:"code"`
	Name          string    `json:"name"`
	Status        string    `json:"status" enum:"PROVISIONING,ACTIVE,SUSPENDED,ARCHIVED,FAILED"`
	Node          *string   `json:"node"`
	SchemaVersion int       `json:"schemaVersion"`
	State         string    `json:"state" enum:"CURRENT,BEHIND,FAILED" example:"CURRENT"`
	Error         string    `json:"error,omitempty"`
}

// migrationState says how a school stands against this binary.
func (m *Module) migrationState() string {
	return fmt.Sprintf(`case when migration_error <> '' then 'FAILED' when schema_version < %d then 'BEHIND' else 'CURRENT' end`, m.Version)
}

func (m *Module) migrationListing() api.Listing {
	return api.Listing{
		Sorts:   map[string]string{"name": "name", "code": "code", "schemaVersion": "schema_version"},
		Default: "code",
		Filters: map[string]api.Filter{
			"search": api.Search("name", "code"), "node": api.ByText("node"),
			"state": api.ByEnum("", "CURRENT", "BEHIND", "FAILED").Where(m.migrationState() + " = @v"),
		},
	}
}

func (m *Module) listMigrations(c api.PlatformCtx, l api.ListRequest) (api.Page[SchoolMigration], error) {
	columns := `id, code, name, status, node, schema_version, ` + m.migrationState() + ` as state, migration_error as error`
	return api.Fetch[SchoolMigration](c.DB.Table("school").Select(columns).Where("schema_version > 0"), l)
}

type migrationRequest struct {
	SchoolIDs []uuid.UUID `json:"schoolIds" validate:"max=1000,unique" doc:"All that are behind unless given"`
}

// runMigration has the schools migrated by whichever instance comes first. The answer is
// how things stand; progress is at the status.
func (m *Module) runMigration(c api.PlatformCtx, r migrationRequest) (MigrationStatus, error) {
	if len(r.SchoolIDs) == 0 {
		return m.migrate(c, "run", nil)
	}
	var known []uuid.UUID
	if err := c.DB.Table("school").Where("id in ?", r.SchoolIDs).Pluck("id", &known).Error; err != nil {
		return MigrationStatus{}, err
	}
	there := map[uuid.UUID]bool{}
	for _, id := range known {
		there[id] = true
	}
	var bad []api.Detail
	for i, id := range r.SchoolIDs {
		if !there[id] {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("schoolIds[%d]", i), Message: "does not exist"})
		}
	}
	if bad != nil {
		return MigrationStatus{}, api.Invalid(bad...)
	}
	return m.migrate(c, "run", r.SchoolIDs)
}

func (m *Module) retryMigration(c api.PlatformCtx, _ api.Nothing) (MigrationStatus, error) {
	var failed []uuid.UUID
	if err := c.DB.Table("school").Where("migration_error <> ''").Order("id").Pluck("id", &failed).Error; err != nil {
		return MigrationStatus{}, err
	}
	if len(failed) == 0 {
		return MigrationStatus{}, api.Conflict("No school's migration has failed")
	}
	return m.migrate(c, "retry", failed)
}

func (m *Module) migrate(c api.PlatformCtx, action string, schools []uuid.UUID) (MigrationStatus, error) {
	run := lifecycle.NewMigration{ID: api.NewID(), Schools: schools, By: c.User.ID}
	err := m.Fleet.RequestMigration(c, run, c.Book(action, "migration", run.ID, map[string]any{"schoolIds": schools}))
	if errors.Is(err, lifecycle.ErrMigrating) {
		return MigrationStatus{}, api.Conflict("A migration is under way: wait until it has ended")
	}
	if err != nil {
		return MigrationStatus{}, err
	}
	return m.fleet(c.DB)
}
