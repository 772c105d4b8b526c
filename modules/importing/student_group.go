package importing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/roster/lookup"
)

// groupFrame is the school's groups by the names a file may give them.
type groupFrame struct {
	names     []string
	byName    map[string]*namedGroup
	atOneTime map[[2]uuid.UUID]bool // pairs nobody can be in both of
}

type namedGroup struct {
	id        uuid.UUID
	name      string
	divisions []uuid.UUID
}

// readGroups reads the groups, if a row names any. Nobody else changes memberships or lessons until the transaction ends.
func (m *Module) readGroups(c api.Ctx, lines []studentLine) (*groupFrame, error) {
	if !slices.ContainsFunc(lines, func(l studentLine) bool { return l.cells[colGroups] != "" }) {
		return nil, nil
	}
	if err := roster.LockGroups(c); err != nil {
		return nil, err
	}
	f := &groupFrame{byName: map[string]*namedGroup{}}
	if m.GroupsAtOneTime != nil {
		var err error
		if f.atOneTime, err = m.GroupsAtOneTime(c); err != nil {
			return nil, err
		}
	}
	type row struct {
		ID        uuid.UUID
		Name      string
		Divisions []uuid.UUID
	}
	rows, err := readAll[row](c.DB, `select g.id, g.name, array(select y.division_id from student_group_division y where y.group_id = g.id)
		from student_group g order by lower(g.name)`)
	if err != nil {
		return nil, fmt.Errorf("reading groups: %w", err)
	}
	for _, r := range rows {
		f.names = append(f.names, r.Name)
		f.byName[api.Fold(r.Name)] = &namedGroup{r.ID, r.Name, r.Divisions}
	}
	return f, nil
}

// readMemberships reads which groups the students are in from today on.
func readMemberships(c api.Ctx, byID map[uuid.UUID]*knownStudent, ids []uuid.UUID) error {
	type row struct{ Student, Group uuid.UUID }
	if len(ids) == 0 {
		return nil
	}
	rows, err := readAll[row](c.DB, `select student_id, group_id from student_group_member
		where student_id = any($1) and from_date <= $2 and to_date is null`, ids, c.Today().String())
	if err != nil {
		return fmt.Errorf("reading students' groups: %w", err)
	}
	for _, r := range rows {
		byID[r.Student].groups[r.Group] = true
	}
	return nil
}

// memberships finds the groups the row names: all that the student is to be in. An empty cell leaves what is there.
func (p *studentPlan) memberships(l *studentLine, ch *studentStep) {
	if l.cells[colGroups] == "" || p.Found.IsBad(l.row) {
		return
	}
	var division uuid.UUID
	var place string
	switch {
	case ch.seat != nil:
		division, place = ch.seat.division.id, ch.seat.division.name
	case ch.old != nil && ch.old.seat != nil:
		division, place = ch.old.seat.divisionID, "the student's division"
	default:
		p.Found.Add(l.row, "groups", "need a division: a group is of students of some divisions")
		return
	}
	var named []*namedGroup
	for name := range strings.SplitSeq(l.cells[colGroups], ";") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		g := p.groups.byName[api.Fold(name)]
		switch {
		case g == nil:
			p.Found.Addf(l.row, "groups", "no group is called %q: there are %s", name, lookup.SomeOf(p.groups.names))
		case !slices.Contains(g.divisions, division):
			p.Found.Addf(l.row, "groups", "%s is not for students of %s", g.name, place)
		case !slices.Contains(named, g):
			p.refuseAtOneTime(l.row, g, named)
			named = append(named, g)
		}
	}
	ids := []uuid.UUID{}
	for _, g := range named {
		ids = append(ids, g.id)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	if ch.old == nil || !p.isIn(ch.old, division, ids) {
		ch.groups = &ids
	}
}

// refuseAtOneTime refuses a group whose lessons are at the time of another's that the row names.
func (p *studentPlan) refuseAtOneTime(row int, g *namedGroup, others []*namedGroup) {
	for _, o := range others {
		if p.groups.atOneTime[[2]uuid.UUID{o.id, g.id}] {
			p.Found.Addf(row, "groups", "%s and %s have lessons at one time", o.name, g.name)
		}
	}
}

// isIn reports whether a student is in exactly these groups of a division.
func (p *studentPlan) isIn(k *knownStudent, division uuid.UUID, ids []uuid.UUID) bool {
	n := 0
	for _, g := range p.groups.byName {
		if k.groups[g.id] && slices.Contains(g.divisions, division) {
			n++
		}
	}
	return n == len(ids) && !slices.ContainsFunc(ids, func(id uuid.UUID) bool { return !k.groups[id] })
}

// writeMemberships writes who is in which groups, since they sit in their division or from today on.
func (p *studentPlan) writeMemberships(c api.Ctx) error {
	var list []roster.Membership
	for _, ch := range p.changes {
		if ch.groups != nil {
			list = append(list, roster.Membership{StudentID: ch.id, From: ch.sitsFrom(c), GroupIDs: *ch.groups})
		}
	}
	if list == nil {
		return nil
	}
	return roster.SetGroups(c, list)
}
