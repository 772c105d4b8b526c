package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
)

// Adoption is a school whose schema is on a node and that the platform does not know, because it was restored to a
// moment before the school was made.
type Adoption struct {
	Node   string
	Schema string
	tenancy.SchoolRecord

	// Describe is given the school, at the latest version, before it can be reached; it may complete the record, and
	// read what also needs.
	Describe func(ctx context.Context, s *tenancy.School, record *tenancy.SchoolRecord) error
}

// What can be wrong with an orphan that is to be adopted.
var (
	ErrNoOrphan  = errors.New("tenancy: no node has such a school that the platform does not know")
	ErrTwoNodes  = errors.New("tenancy: the school is on more than one node")
	ErrKnownHere = errors.New("tenancy: the platform knows this schema")
)

// FindOrphan finds the node and the schema of an orphan by the school's id or the schema's name. node, if not empty, is
// the one to look on.
func FindOrphan(ctx context.Context, c *tenancy.Cluster, which, node string) (a Adoption, err error) {
	found, err := CompareNodes(ctx, c)
	var matches []Discrepancy
	for _, d := range found {
		if d.Kind == Orphan && (d.Schema == which || d.School != uuid.Nil && d.School.String() == which) && (node == "" || d.Node == node) {
			matches = append(matches, d)
		}
	}
	switch {
	case len(matches) == 0:
		return a, errors.Join(ErrNoOrphan, err)
	case len(matches) > 1:
		return a, ErrTwoNodes
	}
	a.Node, a.Schema, a.ID = matches[0].Node, matches[0].Schema, matches[0].School
	return a, nil
}

// AdoptSchool makes an orphan known, in one transaction with also. The school's id is its label's; one without a label
// gets the record's.
func AdoptSchool(ctx context.Context, c *tenancy.Cluster, a Adoption, also ...tenancy.InTx) (*tenancy.School, error) {
	if err := adopt(ctx, c, a, also); err != nil {
		return nil, fmt.Errorf("adopting schema %s: %w", a.Schema, err)
	}
	c.NotifyChanged(a.ID)
	return c.FindSchool(ctx, a.ID)
}

func adopt(ctx context.Context, c *tenancy.Cluster, a Adoption, also []tenancy.InTx) error {
	n, err := c.Node(ctx, a.Node)
	if err != nil {
		return err
	}
	platform, err := advisory.Lock(ctx, c.PlatformPool(), provisionLock(a.ID))
	if err != nil {
		return err
	}
	defer platform.Unlock()
	if err := checkVacant(ctx, platform, Restore{SchoolRecord: a.SchoolRecord}); err != nil {
		return err
	}
	version, err := MigrateSchema(ctx, n, a.Schema)
	if err != nil {
		return err
	}
	shard, err := joinShard(ctx, platform, n, a.Schema)
	if err != nil {
		return err
	}
	s := &tenancy.School{ID: a.ID, Code: a.Code, Node: a.Node, Schema: a.Schema, Shard: shard, SchemaVersion: version, TimeZone: "UTC"}
	if err := s.LoadLocation(); err != nil {
		return err
	}
	record := a.SchoolRecord
	if err := a.Describe(ctx, s, &record); err != nil {
		return err
	}
	lock, err := advisory.Lock(ctx, n.Admin(), a.Schema)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return tenancy.Transact(ctx, platform, append(also, func(ctx context.Context, _ pgx.Tx) error {
		return labelOrphan(ctx, lock, a)
	}), func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `select from platform.spare_schema where schema_name = $1`, a.Schema).Scan(); !errors.Is(err, pgx.ErrNoRows) {
			return errors.Join(ErrKnownHere, err)
		}
		return insertSchool(ctx, tx, s, record)
	})
}

// labelOrphan makes the schema the school's, unless it is another's.
func labelOrphan(ctx context.Context, lock advisory.Conn, a Adoption) error {
	l, exists, err := readLabel(ctx, lock, a.Schema)
	switch {
	case err != nil:
		return err
	case !exists || l.state == labelCopy || l.state == labelLoading || l.school != uuid.Nil && l.school != a.ID:
		return NotSpareError{a.Schema, "it is " + l.String()}
	}
	return labelOn(ctx, lock, a.Schema, label{labelSchool, a.ID})
}

// joinShard finds the shard whose login may act as the school, or gives the school to the emptiest.
func joinShard(ctx context.Context, platform advisory.Conn, n *tenancy.Node, schema string) (shard int, err error) {
	conn, err := n.Admin().Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	rows, err := conn.Query(ctx, `select l.rolname::text from pg_catalog.pg_auth_members m join pg_catalog.pg_roles r on r.oid = m.roleid
		join pg_catalog.pg_roles l on l.oid = m.member where r.rolname = $1`, schema)
	if err != nil {
		return 0, fmt.Errorf("looking for the shard of %s: %w", schema, err)
	}
	logins, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("looking for the shard of %s: %w", schema, err)
	}
	for i, login := range loginNames(n) {
		if slices.Contains(logins, login) {
			return i, nil
		}
	}
	err = pgx.BeginFunc(ctx, platform, func(tx pgx.Tx) (err error) {
		shard, err = EmptiestShard(ctx, tx, n)
		return err
	})
	if err == nil {
		_, err = conn.Exec(ctx, membership(n, schema, n.Login(shard), majorVersion(conn.Conn().PgConn())))
	}
	if err != nil {
		return 0, fmt.Errorf("finding a shard for %s: %w", schema, err)
	}
	return shard, nil
}
