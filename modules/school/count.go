package school

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Counts are what there is at a school.
type Counts struct {
	Students      int   `json:"students" doc:"Those who are here now"`
	Employees     int   `json:"employees" doc:"Those who work here now"`
	Guardians     int   `json:"guardians"`
	FileBytes     int64 `json:"fileBytes" doc:"Uploaded files"`
	DatabaseBytes int64 `json:"databaseBytes" doc:"Tables and their indexes"`
}

// The schema's tables are found by what depends on it, which has an index: the catalog
// of a node lists the tables of all its schools.
const countSchool = `select (select count(*) from student where deleted_at is null and status = 'ACTIVE')::int as students,
	(select count(*) from employee where status = 'ACTIVE')::int as employees,
	(select count(*) from guardian)::int as guardians,
	(select coalesce(sum(size_bytes), 0) from file)::bigint as file_bytes,
	(select coalesce(sum(pg_total_relation_size(d.objid)), 0) from pg_catalog.pg_depend d
		where d.refclassid = 'pg_catalog.pg_namespace'::regclass and d.refobjid = current_schema()::regnamespace
		and d.classid = 'pg_catalog.pg_class'::regclass)::bigint as database_bytes`

// count counts one school, in one round trip.
func count(db *gorm.DB) (Counts, error) {
	var n Counts
	err := tenancy.Pipeline(db, tenancy.Query{SQL: countSchool, Scan: tenancy.Row(&n)})
	if err != nil {
		return n, fmt.Errorf("counting a school: %w", err)
	}
	return n, nil
}

// Recount counts a school and keeps the numbers where the overview of all schools finds
// them.
func Recount(ctx context.Context, cluster *tenancy.Cluster, s *tenancy.School, now time.Time) error {
	db, err := cluster.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	n, err := count(db)
	if err != nil {
		return err
	}
	_, err = cluster.PlatformPool().Exec(ctx, `insert into platform.school_count (school_id, students, employees, guardians, file_bytes,
		database_bytes, counted_at)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (school_id) do update set students = excluded.students, employees = excluded.employees, guardians = excluded.guardians,
			file_bytes = excluded.file_bytes, database_bytes = excluded.database_bytes, counted_at = excluded.counted_at`,
		s.ID, n.Students, n.Employees, n.Guardians, n.FileBytes, n.DatabaseBytes, now)
	if err != nil {
		return fmt.Errorf("keeping a school's numbers: %w", err)
	}
	return nil
}

// recountChanged counts a school of which something was asked since it was last counted: no
// other has changed.
func (m *Module) recountChanged(ctx context.Context, at api.SchoolWork) error {
	// Numbers of requests are of whole hours, and written down a moment late.
	var changed bool
	err := m.Cluster.PlatformPool().QueryRow(ctx, `select not exists (select from platform.school_count c where c.school_id = $1 and not
		exists (
		select from platform.traffic_hour t where t.school_id = $1
		and t.at >= date_trunc('hour', c.counted_at - interval '1 minute')))`, at.School.ID).Scan(&changed)
	if err != nil {
		return fmt.Errorf("asking whether a school has changed: %w", err)
	}
	if !changed {
		return nil
	}
	return Recount(ctx, m.Cluster, at.School, at.Now)
}
