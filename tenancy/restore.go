package tenancy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeroom/migrations"
)

// Restore is a school that is to be made from rows somebody kept.
type Restore struct {
	SchoolRecord        // with the id, code and status it is to have
	Node         string // where it shall live; empty: the least loaded node
	Version      int    // of the schema the rows are of

	// Load fills the tables. If it fails, nothing is left.
	Load func(context.Context, *Loading) error
	// Prepare, if set, is given the school whole, at the latest version, before anybody
	// can reach it.
	Prepare func(context.Context, *School) error
}

// ErrIDTaken says that a school of this id is there.
var ErrIDTaken = errors.New("tenancy: another school has this id")

// Loading is a schema that is being filled, in one transaction. Every constraint and
// trigger of the schema is in force.
type Loading struct {
	Tables []Table

	conn *pgconn.PgConn
}

// Fill puts rows in Postgres's text form into a table and says how many there were. What
// the migrations themselves had put there is removed.
func (l *Loading) Fill(ctx context.Context, t Table, rows io.Reader) (int64, error) {
	// A table may refuse to be emptied, having a trigger against it, so one that is empty is let be.
	name := pgx.Identifier{t.Name}.Sanitize()
	found, err := l.conn.Exec(ctx, "select from "+name+" limit 1").ReadAll()
	if err == nil && len(found[0].Rows) > 0 {
		err = l.conn.Exec(ctx, "delete from "+name).Close()
	}
	if err != nil {
		return 0, fmt.Errorf("emptying table %s: %w", t.Name, err)
	}
	tag, err := l.conn.CopyFrom(ctx, rows, "copy "+t.copySQL()+" from stdin")
	if err != nil {
		return 0, fmt.Errorf("filling table %s: %w", t.Name, err)
	}
	return tag.RowsAffected(), nil
}

// Check has the database look at what it checks only when a transaction ends: that the
// ledger balances, that nothing is twice where it may be once.
func (l *Loading) Check(ctx context.Context) error {
	if err := l.conn.Exec(ctx, "set constraints all immediate").Close(); err != nil {
		return fmt.Errorf("checking what was loaded: %w", err)
	}
	return nil
}

// CopyTo writes a table's rows as they now are.
func (l *Loading) CopyTo(ctx context.Context, t Table, to io.Writer) (int64, error) {
	return copyOut(ctx, l.conn, t, to)
}

// Restore makes a school from kept rows. Until it is whole, its schema counts as an
// unfinished spare: nobody can reach it, no list shows it, and if this process dies it
// is swept away. The school is then there at once, with what also does.
func (c *Cluster) Restore(ctx context.Context, r Restore, also ...InTx) (*School, error) {
	school, err := c.restore(ctx, r, also)
	if err != nil {
		return nil, fmt.Errorf("restoring school %s: %w", r.Code, err)
	}
	c.changed(r.ID)
	return school, nil
}

func (c *Cluster) restore(ctx context.Context, r Restore, also []InTx) (*School, error) {
	if latest := c.SchoolVersion(); r.Version > latest {
		return nil, AheadError{"the archive", r.Version, latest}
	}
	platform, err := lock(ctx, c.platform, provisionLock(r.ID))
	if err != nil {
		return nil, err
	}
	defer platform.release()
	if err := c.vacant(ctx, platform, r); err != nil {
		return nil, err
	}
	t, n, err := c.reserveRestore(ctx, platform, r)
	if err != nil {
		return nil, err
	}
	if err = c.fillAndList(ctx, platform, n, t, r, also); err == nil {
		return c.FindSchool(ctx, r.ID)
	}
	// What cannot be cleared away now is swept away as an unfinished spare is.
	clearing := context.WithoutCancel(ctx)
	if n.remove(clearing, t.schema) == nil {
		_, _ = platform.Exec(clearing, `delete from platform.spare_schema where schema_name = $1`, t.schema)
	}
	return nil, err
}

func (c *Cluster) vacant(ctx context.Context, platform held, r Restore) error {
	var id, code bool
	err := platform.QueryRow(ctx, `select exists (select from platform.school where id = $1), exists (select from platform.school where lower(code) = lower($2))`, r.ID, r.Code).Scan(&id, &code)
	switch {
	case err != nil:
		return fmt.Errorf("looking for the school: %w", err)
	case id:
		return ErrIDTaken
	case code:
		return ErrCodeTaken
	}
	return nil
}

// reserveRestore writes a schema down before it is made.
func (c *Cluster) reserveRestore(ctx context.Context, platform held, r Restore) (t target, n *Node, err error) {
	if r.Node != "" {
		var active bool
		err := platform.QueryRow(ctx, `select state = 'ACTIVE' from platform.node where name = $1`, r.Node).Scan(&active)
		if errors.Is(err, pgx.ErrNoRows) || (err == nil && !active) {
			return t, nil, ErrNoNode
		}
		if err != nil {
			return t, nil, fmt.Errorf("looking for node %s: %w", r.Node, err)
		}
	}
	node, err := (&Provisioner{cluster: c}).chooseNode(ctx, &onboarding{platform: platform, school: &School{Node: r.Node}})
	if err != nil {
		return t, nil, err
	}
	if n, err = c.Node(ctx, node); err != nil {
		return t, nil, err
	}
	t, err = c.recordSpare(ctx, platform, n)
	return t, n, err
}

// fillAndList holds the schema's lock until the school is there, which tells a sweeper
// that somebody is at it.
func (c *Cluster) fillAndList(ctx context.Context, platform held, n *Node, t target, r Restore, also []InTx) error {
	pooled, err := n.admin.Acquire(ctx)
	if err != nil {
		return err
	}
	defer held{pooled}.release()
	if _, err := lockSchema(ctx, pooled.Conn().PgConn(), t.schema); !errors.Is(err, errNoSchema) {
		return fmt.Errorf("schema %s is there already: %w", t.schema, err)
	}
	school, err := n.fill(ctx, pooled, t, r)
	if err != nil {
		return err
	}
	return c.list(ctx, platform, school, r, also)
}

// fill makes the schema at the version of the rows, loads them and brings it up to date.
func (n *Node) fill(ctx context.Context, pooled *pgxpool.Conn, t target, r Restore) (*School, error) {
	location, err := time.LoadLocation(r.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("%q is not a time zone", r.TimeZone)
	}
	conn, ms := pooled.Conn().PgConn(), n.options.Migrations
	upTo := slices.IndexFunc(ms, func(m migrations.Migration) bool { return m.Version == r.Version })
	if upTo < 0 {
		return nil, fmt.Errorf("there is no version %d of a school's schema", r.Version)
	}
	if err := n.makeSchema(ctx, conn, t, ms[:upTo+1]); err != nil {
		return nil, fmt.Errorf("making schema %s: %w", t.schema, err)
	}
	if err := loadRows(ctx, pooled, t.schema, r); err != nil {
		return nil, err
	}
	out, err := advance(ctx, conn, t.schema, r.Version, ms, defaultLockTimeout)
	if err != nil {
		return nil, fmt.Errorf("bringing what was loaded up to date: %w", err)
	}
	s := &School{ID: r.ID, Code: r.Code, Name: r.Name, Node: n.Name, Schema: t.schema, Shard: t.shard, Status: r.Status, TimeZone: r.TimeZone,
		Locale: r.Locale, Currency: r.Currency, WeekendDays: r.WeekendDays, SchemaVersion: out.version, location: location}
	if r.Prepare != nil {
		err = r.Prepare(ctx, s)
	}
	return s, err
}

// loadRows fills the schema in one transaction.
func loadRows(ctx context.Context, pooled *pgxpool.Conn, schema string, r Restore) error {
	tables, err := tablesOf(ctx, pooled.Conn(), schema)
	if err != nil {
		return err
	}
	conn := pooled.Conn().PgConn()
	if err := conn.Exec(ctx, fmt.Sprintf("begin; %s set local search_path = %s", exactly, Ident(schema))).Close(); err != nil {
		return fmt.Errorf("beginning to load: %w", err)
	}
	err = r.Load(ctx, &Loading{Tables: tables, conn: conn})
	end := "commit"
	if err != nil {
		end = "rollback"
	}
	if conn.IsClosed() {
		return err
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	results, endErr := conn.Exec(ending, end).ReadAll()
	if err == nil && endErr == nil && results[0].CommandTag.String() != "COMMIT" {
		endErr = errors.New("what was loaded could not be committed")
	}
	return errors.Join(err, endErr)
}

// list makes the school known, in one transaction with what also does.
func (c *Cluster) list(ctx context.Context, platform held, s *School, r Restore, also []InTx) error {
	return pgx.BeginFunc(ctx, platform, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into platform.school (id, code, name, node, schema_name, shard, status, time_zone, locale, currency, weekend_days, address, phone, email,
				logo_file_id, schema_version)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
			r.ID, r.Code, r.Name, s.Node, s.Schema, s.Shard, r.Status, r.TimeZone, r.Locale, r.Currency, r.WeekendDays, r.Address, r.Phone, r.Email, r.LogoFileID, s.SchemaVersion)
		if err != nil {
			return fmt.Errorf("writing the school down: %w", err)
		}
		gone, err := tx.Exec(ctx, `delete from platform.spare_schema where schema_name = $1`, s.Schema)
		if err == nil && gone.RowsAffected() != 1 {
			err = errors.New("the schema was swept away meanwhile")
		}
		if err != nil {
			return fmt.Errorf("claiming the schema: %w", err)
		}
		return runInTx(ctx, tx, also)
	})
}

// InUse says whether a school of this id is there and not shut for good.
func (c *Cluster) InUse(ctx context.Context, id uuid.UUID) (bool, error) {
	s, err := c.FindSchool(ctx, id)
	if errors.Is(err, ErrSchoolNotFound) {
		return false, nil
	}
	return err == nil && s.Status != Archived, err
}
