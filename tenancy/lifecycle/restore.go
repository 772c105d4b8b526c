package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
)

// Restore is a school that is to be made from the rows of an archive.
type Restore struct {
	tenancy.SchoolRecord        // with the id, code and status it is to have
	Node                 string // where it shall live; empty: the least loaded node
	Version              int    // of the schema the rows are of

	// Load fills the tables. If it fails, nothing is left.
	Load func(context.Context, *tenancy.Loading) error
	// Prepare, if set, is given the school whole, at the latest version, before it can be
	// reached.
	Prepare func(context.Context, *tenancy.School) error
}

// ErrIDTaken says that a school of this id exists.
var ErrIDTaken = errors.New("tenancy: another school has this id")

// RestoreSchool makes a school from an archive's rows. Until it is whole, its schema counts
// as an unfinished spare: it cannot be reached, no list shows it, and if this process dies it
// is removed. Then the school is recorded, in one transaction with also.
func RestoreSchool(ctx context.Context, c *tenancy.Cluster, r Restore, also ...tenancy.InTx) (*tenancy.School, error) {
	school, err := restore(ctx, c, r, also)
	if err != nil {
		return nil, fmt.Errorf("restoring school %s: %w", r.Code, err)
	}
	c.NotifyChanged(r.ID)
	return school, nil
}

func restore(ctx context.Context, c *tenancy.Cluster, r Restore, also []tenancy.InTx) (*tenancy.School, error) {
	if latest := c.SchoolVersion(); r.Version > latest {
		return nil, AheadError{"the archive", r.Version, latest}
	}
	platform, err := advisory.Lock(ctx, c.PlatformPool(), provisionLock(r.ID))
	if err != nil {
		return nil, err
	}
	defer platform.Unlock()
	if err := checkVacant(ctx, platform, r); err != nil {
		return nil, err
	}
	t, n, err := reserveRestore(ctx, c, platform, r)
	if err != nil {
		return nil, err
	}
	if err = fillAndList(ctx, platform, n, t, r, also); err == nil {
		return c.FindSchool(ctx, r.ID)
	}
	// What cannot be removed now is removed later, as an unfinished spare is.
	clearing := context.WithoutCancel(ctx)
	if DropSpare(clearing, n, t.schema) == nil {
		_, _ = platform.Exec(clearing, `delete from platform.spare_schema where schema_name = $1`, t.schema)
	}
	return nil, err
}

func checkVacant(ctx context.Context, platform advisory.Conn, r Restore) error {
	var id, code bool
	err := platform.QueryRow(ctx, `select exists (select from platform.school where id = $1), exists (select from platform.school
		where lower(code) = lower($2))`, r.ID, r.Code).Scan(&id, &code)
	switch {
	case err != nil:
		return fmt.Errorf("looking for the school: %w", err)
	case id:
		return ErrIDTaken
	case code:
		return tenancy.ErrCodeTaken
	}
	return nil
}

// reserveRestore records a schema before it is made.
func reserveRestore(ctx context.Context, c *tenancy.Cluster, platform advisory.Conn, r Restore) (t target, n *tenancy.Node, err error) {
	if r.Node != "" {
		if err := CheckActive(ctx, platform, r.Node); err != nil {
			return t, nil, err
		}
	}
	if n, err = chooseNode(ctx, c, platform, r.Node); err != nil {
		return t, nil, err
	}
	t, err = recordSpare(ctx, platform, n)
	t.state = labelLoading
	return t, n, err
}

// fillAndList holds the schema's lock until the school is recorded, which keeps a sweep
// from removing it.
func fillAndList(ctx context.Context, platform advisory.Conn, n *tenancy.Node, t target, r Restore, also []tenancy.InTx) error {
	pooled, err := n.Admin().Acquire(ctx)
	if err != nil {
		return err
	}
	defer advisory.Conn{Conn: pooled}.Unlock()
	if _, err := tenancy.LockSchema(ctx, pooled.Conn().PgConn(), t.schema); !errors.Is(err, tenancy.ErrNoSchema) {
		return fmt.Errorf("schema %s is there already: %w", t.schema, err)
	}
	school, err := fill(ctx, pooled.Conn(), n, t, r)
	if err != nil {
		return err
	}
	// Its label is changed last, before the record of it is committed: from then on nobody removes the schema.
	return list(ctx, platform, school, r, append(also, func(ctx context.Context, _ pgx.Tx) error {
		return labelOn(ctx, pooled.Conn(), school.Schema, label{labelSchool, school.ID})
	}))
}

// fill makes the schema at the version of the rows, loads them and brings it up to date.
func fill(ctx context.Context, conn *pgx.Conn, n *tenancy.Node, t target, r Restore) (*tenancy.School, error) {
	s := &tenancy.School{
		ID: r.ID, Code: r.Code, Name: r.Name, Node: n.Name, Schema: t.schema, Shard: t.shard, Status: r.Status,
		TimeZone: r.TimeZone, Locale: r.Locale, Currency: r.Currency, WeekendDays: r.WeekendDays,
	}
	if err := s.LoadLocation(); err != nil {
		return nil, fmt.Errorf("%q is not a time zone", r.TimeZone)
	}
	ms := n.Options().Migrations
	upTo := slices.IndexFunc(ms, func(m migrations.Migration) bool { return m.Version == r.Version })
	if upTo < 0 {
		return nil, fmt.Errorf("there is no version %d of a school's schema", r.Version)
	}
	if err := createSchema(ctx, n, conn.PgConn(), t, ms[:upTo+1]); err != nil {
		return nil, fmt.Errorf("making schema %s: %w", t.schema, err)
	}
	if err := tenancy.LoadRows(ctx, conn, t.schema, r.Load); err != nil {
		return nil, err
	}
	out, err := applyMigrations(ctx, conn.PgConn(), t.schema, r.Version, ms, DefaultLockTimeout)
	if err != nil {
		return nil, fmt.Errorf("bringing what was loaded up to date: %w", err)
	}
	s.SchemaVersion = out.version
	if r.Prepare != nil {
		err = r.Prepare(ctx, s)
	}
	return s, err
}

// list records the school, in one transaction with also.
func list(ctx context.Context, platform advisory.Conn, s *tenancy.School, r Restore, also []tenancy.InTx) error {
	return tenancy.Transact(ctx, platform, also, func(tx pgx.Tx) error {
		if err := insertSchool(ctx, tx, s, r.SchoolRecord); err != nil {
			return err
		}
		gone, err := tx.Exec(ctx, `delete from platform.spare_schema where schema_name = $1`, s.Schema)
		if err == nil && gone.RowsAffected() != 1 {
			err = errors.New("the schema was swept away meanwhile")
		}
		if err != nil {
			return fmt.Errorf("claiming the schema: %w", err)
		}
		return nil
	})
}

// insertSchool records a school that is whole.
func insertSchool(ctx context.Context, tx pgx.Tx, s *tenancy.School, r tenancy.SchoolRecord) error {
	_, err := tx.Exec(ctx, `insert into platform.school (id, code, name, node, schema_name, shard, status, time_zone, locale, currency,
		weekend_days, address, phone, email,
			logo_file_id, schema_version)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		r.ID, r.Code, r.Name, s.Node, s.Schema, s.Shard, r.Status, r.TimeZone, r.Locale, r.Currency, r.WeekendDays, r.Address, r.Phone, r.Email,
		r.LogoFileID, s.SchemaVersion)
	if err != nil {
		return fmt.Errorf("recording the school: %w", err)
	}
	return nil
}
