package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
)

// Discrepancy is something the platform's record and a node do not agree on: one of the two servers was restored to an
// earlier moment than the other.
type Discrepancy struct {
	Node   string
	Schema string
	School uuid.UUID // whose data is concerned; zero: nobody's
	Code   string    // of a school the platform knows
	Kind   DiscrepancyKind
	Text   string // what it is, for an operator
}

// DiscrepancyKind says what to do about a discrepancy.
type DiscrepancyKind string

const (
	Orphan    DiscrepancyKind = "orphan"    // a school's schema that the platform does not know: adopt it
	Stray     DiscrepancyKind = "stray"     // a schema that belongs to no school and that the platform does not know: it may be dropped
	Missing   DiscrepancyKind = "missing"   // a school whose schema is not there: restore it
	Elsewhere DiscrepancyKind = "elsewhere" // a school the platform knows on another node
	Struck    DiscrepancyKind = "struck"    // a spare that is none; it is no longer listed
)

func (d Discrepancy) String() string {
	what := "schema " + d.Schema
	if d.Code != "" {
		what = fmt.Sprintf("school %s (%s)", d.Code, d.School)
	}
	return fmt.Sprintf("%s: %s on node %s: %s", d.Kind, what, d.Node, d.Text)
}

// Harmless reports whether nobody's data is concerned.
func (d Discrepancy) Harmless() bool { return d.Kind == Struck || d.Kind == Stray }

// CompareNodes compares the platform's record with what is on every node, both ways, and strikes spares that are none
// off the record. A node that cannot be asked is in the error; the others are compared all the same.
func CompareNodes(ctx context.Context, c *tenancy.Cluster) (found []Discrepancy, err error) {
	names, err := c.Nodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	for _, name := range names {
		some, nodeErr := compareNode(ctx, c, name)
		if nodeErr != nil {
			err = errors.Join(err, fmt.Errorf("comparing node %s: %w", name, nodeErr))
		}
		found = append(found, some...)
	}
	slices.SortStableFunc(found, func(a, b Discrepancy) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return found, err
}

// comparison is one node's.
type comparison struct {
	cluster *tenancy.Cluster
	node    *tenancy.Node
	labels  map[string]label // of the schemas that exist
	known   map[string]knownSchema
	found   []Discrepancy
}

func compareNode(ctx context.Context, c *tenancy.Cluster, name string) ([]Discrepancy, error) {
	n, err := c.Node(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &comparison{cluster: c, node: n}
	// The node first: a schema is recorded before it is made.
	if r.labels, err = listLabels(ctx, n); err != nil {
		return nil, err
	}
	known, err := listKnown(ctx, c, name)
	if err != nil {
		return nil, err
	}
	r.known = map[string]knownSchema{}
	for _, k := range known {
		r.known[k.schema] = k
		if err := r.compareKnown(ctx, k); err != nil {
			return r.found, err
		}
	}
	return r.found, r.findUnknown(ctx)
}

// listLabels lists the schools' schemas of a node with their labels.
func listLabels(ctx context.Context, n *tenancy.Node) (map[string]label, error) {
	rows, err := n.Admin().Query(ctx, `select s.nspname::text, coalesce(l.state, ''), l.school_id from pg_catalog.pg_namespace s
		left join homeroom.schema_label l on l.schema_name = s.nspname where s.nspname ~ '^school_[0-9a-f]{32}$'`)
	if err != nil {
		return nil, fmt.Errorf("listing schemas: %w", err)
	}
	labels := map[string]label{}
	var schema string
	var l label
	var school *uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&schema, &l.state, &school}, func() error {
		l.school = uuid.Nil
		if school != nil {
			l.school = *school
		}
		labels[schema] = l
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing schemas: %w", err)
	}
	return labels, nil
}

func (r *comparison) add(kind DiscrepancyKind, schema string, school *uuid.UUID, code, text string) {
	d := Discrepancy{Node: r.node.Name, Schema: schema, Code: code, Kind: kind, Text: text}
	if school != nil {
		d.School = *school
	}
	r.found = append(r.found, d)
}

// compareKnown looks for what the platform has on the node.
func (r *comparison) compareKnown(ctx context.Context, k knownSchema) error {
	l, exists := r.labels[k.schema]
	switch k.state {
	case labelSpare:
		return r.compareSpare(ctx, k, l, exists)
	case labelCopy:
		return nil // a move's own affair
	}
	var made bool
	err := r.cluster.PlatformPool().QueryRow(ctx, `select status not in ('PROVISIONING', 'FAILED') from platform.school where id = $1`,
		k.school).Scan(&made)
	if err != nil || !made {
		return err // the provisioner makes what is missing
	}
	switch {
	case !exists:
		r.add(Missing, k.schema, k.school, k.code,
			"its tables are not there: the node was restored to a moment before they were made, or they were dropped")
	case l.state == labelSchool && l.school != *k.school || l.state == labelLoading:
		r.add(Missing, k.schema, k.school, k.code, "what is there is "+l.String())
	case l.state == labelCopy:
		r.add(Missing, k.schema, k.school, k.code, "what is there is an old copy: it lives on another node by that node's label")
	case l.state == labelSpare:
		r.add(Missing, k.schema, k.school, k.code,
			"what is there is an empty spare: the node was restored to a moment before it was the school's")
	}
	return nil
}

// compareSpare strikes a spare that is none, unless it was claimed or swept meanwhile.
func (r *comparison) compareSpare(ctx context.Context, k knownSchema, l label, exists bool) error {
	err := checkSpare(ctx, r.node.Admin(), k.schema, l, exists)
	var not NotSpareError
	if !errors.As(err, &not) {
		return err
	}
	tag, err := r.cluster.PlatformPool().Exec(ctx, `delete from platform.spare_schema where schema_name = $1`, k.schema)
	if err != nil {
		return fmt.Errorf("striking spare %s: %w", k.schema, err)
	}
	if tag.RowsAffected() > 0 {
		delete(r.known, k.schema)
		r.add(Struck, k.schema, nil, "", "it was listed as a spare, and "+not.Reason)
	}
	return nil
}

// findUnknown looks for what is on the node and not in the platform's record of it.
func (r *comparison) findUnknown(ctx context.Context) error {
	for _, schema := range slices.Sorted(maps.Keys(r.labels)) {
		if _, known := r.known[schema]; known {
			continue
		}
		l := r.labels[schema]
		var code, node string
		var unfinished bool
		err := r.cluster.PlatformPool().QueryRow(ctx,
			`select coalesce((select code from platform.school where id = $1 or schema_name = $2 limit 1), ''),
			coalesce((select node from platform.school where id = $1 or schema_name = $2 limit 1), ''),
			exists (select from platform.spare_schema where schema_name = $2)`, l.school, schema).Scan(&code, &node, &unfinished)
		if err != nil {
			return fmt.Errorf("looking for schema %s: %w", schema, err)
		}
		switch {
		case unfinished || node == r.node.Name: // made since the platform was asked
		case node != "" && l.state == labelSchool:
			r.add(Elsewhere, schema, &l.school, code, "it lives here by the node's label, and on node "+node+" by the platform's record")
		case node != "":
			r.add(Stray, schema, nil, "", "it is an old copy of school "+code+", which lives on node "+node)
		default:
			if err := r.addUnknown(ctx, schema, l); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *comparison) addUnknown(ctx context.Context, schema string, l label) error {
	empty, err := isEmpty(ctx, r.node.Admin(), schema)
	switch {
	case err != nil:
		return err
	case l.state == labelSchool:
		r.add(Orphan, schema, &l.school, "", "it is "+l.String()+", which the platform does not know. Take it in: homeroom school adopt "+
			l.school.String())
	case empty || l.state == labelCopy || l.state == labelLoading:
		r.add(Stray, schema, nil, "", "it is "+l.String()+" that the platform does not know")
	default:
		r.add(Orphan, schema, nil, "", "it has people in it, and the platform does not know it. Take it in: homeroom school adopt "+schema)
	}
	return nil
}
