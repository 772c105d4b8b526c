package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
)

// A schema's label says whose it is. It is a row on the schema's own node (homeroom.schema_label), written in the
// transaction that makes the schema and changed in the one that claims it. The platform's record alone is not believed:
// after one of the two servers was restored to an earlier moment, it may list as a spare what has become a school since.

// labelState is what a schema is.
type labelState string

const (
	labelSpare   labelState = "SPARE"   // empty, no school's
	labelLoading labelState = "LOADING" // being filled from an archive, no school's yet
	labelCopy    labelState = "COPY"    // a copy of a school that lives on another node
	labelSchool  labelState = "SCHOOL"
)

// label is a schema's label; the zero value is that of a schema without one.
type label struct {
	state  labelState
	school uuid.UUID // zero: no school's
}

func (l label) String() string {
	switch l.state {
	case labelSchool:
		return "the schema of school " + l.school.String()
	case labelCopy:
		return "a copy of school " + l.school.String()
	case labelLoading:
		return "a school that is being imported"
	case labelSpare:
		return "a spare"
	}
	return "a schema without a label"
}

// NotSpareError says that a schema which the platform lists as a spare is none on its node.
type NotSpareError struct {
	Schema string
	Reason string
}

func (e NotSpareError) Error() string {
	return fmt.Sprintf("schema %s is not an empty spare: %s", e.Schema, e.Reason)
}

// labelSQL is the SQL that labels the schema of a target as it is made; nothing for the template.
func labelSQL(t target) string {
	if t.schema == tenancy.TemplateSchema {
		return ""
	}
	l := t.wanted()
	school := "null"
	if l.school != uuid.Nil {
		school = "'" + l.school.String() + "'"
	}
	return fmt.Sprintf(`insert into homeroom.schema_label (schema_name, state, school_id) values ('%s', '%s', %s)
		on conflict (schema_name) do update set state = excluded.state, school_id = excluded.school_id, labelled_at = now()`,
		t.schema, l.state, school)
}

// wanted is the label a target's schema is made with.
func (t target) wanted() label {
	switch {
	case t.state != "":
		return label{t.state, t.school.id}
	case t.school.id != uuid.Nil:
		return label{labelSchool, t.school.id}
	}
	return label{state: labelSpare}
}

// querier is a connection or a transaction of a node.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// beginner is a pool of a node, or a connection to it: who holds one takes no second of the same pool.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// readLabel reads a schema's label and whether the schema exists. The label's row is locked, if db is a transaction.
func readLabel(ctx context.Context, db querier, schema string) (l label, exists bool, err error) {
	var school *uuid.UUID
	err = db.QueryRow(ctx, `select state, school_id from homeroom.schema_label where schema_name = $1 for update`, schema).Scan(&l.state,
		&school)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return l, false, fmt.Errorf("reading the label of %s: %w", schema, err)
	}
	if school != nil {
		l.school = *school
	}
	err = db.QueryRow(ctx, `select exists (select from pg_catalog.pg_namespace where nspname = $1)`, schema).Scan(&exists)
	if err != nil {
		return l, false, fmt.Errorf("looking for schema %s: %w", schema, err)
	}
	return l, exists, nil
}

// isEmpty reports whether a schema has neither roles nor people, which every school has from its first steps on.
func isEmpty(ctx context.Context, db querier, schema string) (bool, error) {
	for _, table := range []string{"role", "app_user"} {
		name := pgx.Identifier{schema, table}.Sanitize()
		var there, filled bool
		err := db.QueryRow(ctx, `select pg_catalog.to_regclass($1) is not null`, name).Scan(&there)
		if err == nil && there {
			err = db.QueryRow(ctx, `select exists (select from `+name+`)`).Scan(&filled)
		}
		if err != nil {
			return false, fmt.Errorf("looking into %s: %w", schema, err)
		}
		if filled {
			return false, nil
		}
	}
	return true, nil
}

// checkSpare returns a NotSpareError unless the schema exists, is no school's and has nobody in it. A schema without a
// label was made by an earlier release: then it only has to be empty.
func checkSpare(ctx context.Context, db querier, schema string, l label, exists bool) error {
	switch {
	case !exists:
		return NotSpareError{schema, "it does not exist"}
	case l.state != "" && l.state != labelSpare:
		return NotSpareError{schema, "it is " + l.String()}
	}
	empty, err := isEmpty(ctx, db, schema)
	if err == nil && !empty {
		return NotSpareError{schema, "it has people in it"}
	}
	return err
}

// claimSchema makes a schema the school's, on its node. It refuses with a NotSpareError what is neither an empty spare
// nor the school's already.
func claimSchema(ctx context.Context, node beginner, schema string, school uuid.UUID) error {
	return pgx.BeginFunc(ctx, node, func(tx pgx.Tx) error {
		l, exists, err := readLabel(ctx, tx, schema)
		if err != nil {
			return err
		}
		if exists && l == (label{labelSchool, school}) {
			return nil
		}
		if err := checkSpare(ctx, tx, schema, l, exists); err != nil {
			return err
		}
		return setLabel(ctx, tx, schema, label{labelSchool, school})
	})
}

func setLabel(ctx context.Context, tx pgx.Tx, schema string, l label) error {
	_, err := tx.Exec(ctx, labelSQL(target{schema: schema, school: schoolRef{id: l.school}, state: l.state}))
	if err != nil {
		return fmt.Errorf("labelling %s: %w", schema, err)
	}
	return nil
}

// LabelHome records on a node that a school lives there.
func LabelHome(ctx context.Context, n *tenancy.Node, s *tenancy.School) error {
	return labelOn(ctx, n.Admin(), s.Schema, label{labelSchool, s.ID})
}

// LabelCopy records on a node that its schema is a copy of a school which lives elsewhere. A schema that is gone is not labelled.
func LabelCopy(ctx context.Context, n *tenancy.Node, s *tenancy.School) error {
	return labelOn(ctx, n.Admin(), s.Schema, label{labelCopy, s.ID})
}

func labelOn(ctx context.Context, node beginner, schema string, l label) error {
	return pgx.BeginFunc(ctx, node, func(tx pgx.Tx) error {
		if _, exists, err := readLabel(ctx, tx, schema); err != nil || !exists {
			return err
		}
		return setLabel(ctx, tx, schema, l)
	})
}

// DropSpare removes a schema that is no school's, under its lock. One that is a school's, or has people in it though
// nobody is importing it, is refused with a NotSpareError.
func DropSpare(ctx context.Context, n *tenancy.Node, schema string) error {
	lock, err := advisory.Lock(ctx, n.Admin(), schema)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return dropSpare(ctx, lock, schema)
}

// dropSpare is DropSpare for who holds the lock. What does not exist is gone already.
func dropSpare(ctx context.Context, lock advisory.Conn, schema string) error {
	l, exists, err := readLabel(ctx, lock, schema)
	if err == nil && exists && l.state != labelLoading {
		err = checkSpare(ctx, lock, schema, l, exists)
	}
	if err != nil {
		return err
	}
	return dropSchema(ctx, lock.Conn.Conn().PgConn(), schema)
}

// selectKnown lists the schemas of a node that the platform knows, and what they are by its record.
const selectKnown = `select schema_name, 'SCHOOL', id, code from platform.school where node = $1 and schema_name is not null
	union all select schema_name, 'SPARE', null, '' from platform.spare_schema where node = $1 and ready
	union all select s.schema_name, 'COPY', s.id, s.code from platform.school s where s.node <> $1 and exists (select
		from platform.school_move m
			where m.school_id = s.id and $1 in (m.source, m.target) and (m.state in ('RUNNING', 'MOVED') or not m.clean))`

// knownSchema is a schema as the platform has it.
type knownSchema struct {
	schema string
	state  labelState
	school *uuid.UUID
	code   string
}

func listKnown(ctx context.Context, c *tenancy.Cluster, node string) ([]knownSchema, error) {
	rows, err := c.PlatformPool().Query(ctx, selectKnown, node)
	if err != nil {
		return nil, fmt.Errorf("listing the known schemas of node %s: %w", node, err)
	}
	known, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k knownSchema, err error) {
		return k, row.Scan(&k.schema, &k.state, &k.school, &k.code)
	})
	if err != nil {
		return nil, fmt.Errorf("listing the known schemas of node %s: %w", node, err)
	}
	return known, nil
}

// labelKnown labels the schemas that have none, having been made by a release that knew no labels, as the platform
// has them. A spare that such a release has given to a school gets the school's, once it has people in it.
func labelKnown(ctx context.Context, c *tenancy.Cluster, n *tenancy.Node, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `select s.nspname::text, l.state is null from pg_catalog.pg_namespace s
		left join homeroom.schema_label l on l.schema_name = s.nspname
		where s.nspname ~ '^school_[0-9a-f]{32}$' and (l.state is null or l.state = 'SPARE')`)
	if err != nil {
		return fmt.Errorf("listing schemas without a label: %w", err)
	}
	unlabelled := map[string]bool{}
	var name string
	var bare bool
	_, err = pgx.ForEachRow(rows, []any{&name, &bare}, func() error { unlabelled[name] = bare; return nil })
	if err != nil {
		return fmt.Errorf("listing schemas without a label: %w", err)
	}
	if len(unlabelled) == 0 {
		return nil
	}
	known, err := listKnown(ctx, c, n.Name)
	if err != nil {
		return err
	}
	for _, k := range known {
		bare, there := unlabelled[k.schema]
		if !there || !bare && k.state != labelSchool {
			continue
		}
		if err := labelOne(ctx, conn, k, bare); err != nil {
			return err
		}
	}
	return nil
}

func labelOne(ctx context.Context, conn *pgx.Conn, k knownSchema, bare bool) error {
	if !bare || k.state == labelSpare {
		empty, err := isEmpty(ctx, conn, k.schema)
		if err != nil || empty != (k.state == labelSpare) {
			return err
		}
	}
	l := label{state: k.state}
	if k.school != nil {
		l.school = *k.school
	}
	return labelOn(ctx, conn, k.schema, l)
}
