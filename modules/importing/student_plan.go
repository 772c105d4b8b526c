package importing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/sheet"
)

// studentPlan is what the rows would do.
type studentPlan struct {
	imports.PlanBase
	people  People
	since   string // TODAY, or the start of the year
	frame   *frame
	groups  *groupFrame // nil while no row names a group
	known   *knownPeople
	changes []*studentStep
	create  bool // the classes that are missing
	custom  customFields
}

// studentStep is what one row does to one student.
type studentStep struct {
	step                   // its fields go up to colGuardians
	old      *knownStudent // nil for a new one
	changed  bool          // of the student's own record
	custom   string        // the values of the school's own fields, as JSON
	classID  *uuid.UUID
	seat     *seatChange
	groups   *[]uuid.UUID // all they are to be in, by id; nil: as they are
	links    []linkChange
	relinked []linkChange // whose relation is another now
}

// linkChange ties a guardian to the student.
type linkChange struct {
	guardian *fileGuardian
	relation string
	primary  bool
}

// seatChange is where a student is to sit. old is nil for one who sits nowhere yet.
type seatChange struct {
	division *namedDivision
	roll     string
	old      *knownSeat
	from     string // the first day
}

// planStudents compares the rows with the school as it is. It reads what it needs in
// a handful of queries, however many rows there are.
func planStudents(c api.Ctx, m *Module, r studentImport, reading *studentReading, found *sheet.Problems) (imports.Plan, error) {
	lines := reading.lines
	p := &studentPlan{PlanBase: imports.NewPlanBase(found), people: m.People, since: r.Since, create: r.CreateClasses,
		custom: reading.custom}
	var err error
	if p.frame, err = readFrame(c); err != nil {
		return nil, err
	}
	if p.known, err = readPeople(c, lines); err != nil {
		return nil, err
	}
	if p.groups, err = m.readGroups(c, lines); err != nil {
		return nil, err
	}
	taken, err := readRolls(c)
	if err != nil {
		return nil, err
	}
	claimed := map[uuid.UUID]int{} // students, by the row that speaks of them
	for i := range lines {
		l := &lines[i]
		if found.IsBad(l.row) { // the place is looked at all the same: a row's errors are said at once
			p.place(l)
			p.Skip(l.row)
			continue
		}
		change := p.line(c, l, claimed)
		if found.IsBad(l.row) {
			p.Skip(l.row)
			continue
		}
		p.changes = append(p.changes, change)
		p.Totals.GuardiansLeftOut += reading.leftOut[l.row]
	}
	p.Totals.NewClasses = p.frame.missing
	p.checkRolls(taken)
	p.hashPlan()
	return p, nil
}

// line works out what one row does.
func (p *studentPlan) line(c api.Ctx, l *studentLine, claimed map[uuid.UUID]int) *studentStep {
	old := p.known.student(l, p.Found)
	if p.Found.IsBad(l.row) {
		return nil
	}
	ch := &studentStep{step: step{row: l.row, fields: l.cells[:colGuardians:colGuardians]}, old: old}
	if old == nil {
		ch.id = api.NewID()
		if l.cells[colFirstName] == "" {
			p.Found.Add(l.row, "firstName", "is required")
		}
		ch.custom, _ = p.custom.lay(l.row, l.custom, "", p.Found)
	} else {
		ch.id = old.id
		if first, twice := claimed[old.id]; twice {
			p.Found.Addf(l.row, "admissionNumber", "is needed: row %d is about the same student", first)
		}
		claimed[old.id] = l.row
		if old.gone {
			p.Found.Add(l.row, "admissionNumber", "belongs to a student who has left")
		}
		ch.fields, ch.changed = old.with(l.cells)
		var changed bool
		ch.custom, changed = p.custom.lay(l.row, l.custom, old.custom, p.Found)
		ch.changed = ch.changed || changed
	}
	p.seat(c, l, ch)
	p.memberships(l, ch)
	if !p.Found.IsBad(l.row) { // a row that is not taken brings nobody
		p.guardians(l, ch)
	}
	return ch
}

// place finds the class and the division that a row names, or makes them if it may. The division is nil if it names none.
func (p *studentPlan) place(l *studentLine) (class *namedClass, division *namedDivision, ok bool) {
	if l.cells[colClass] == "" {
		return nil, nil, false
	}
	class, name := p.frame.find(l.cells[colClass], l.cells[colDivision])
	if class == nil {
		written, section := splitClass(l.cells[colClass], l.cells[colDivision])
		p.frame.miss(written, section)
		if !p.create {
			p.Found.Addf(l.row, "class", "no class is called %q: there are %s", l.cells[colClass], p.frame.classNames())
			return nil, nil, false
		}
		class, name = p.frame.add(written), section
	}
	if name == "" {
		return class, nil, true
	}
	if division = class.divisions[api.Fold(name)]; division == nil {
		p.frame.miss(class.name, name)
		if !p.create {
			p.Found.Addf(l.row, "division", "%s has no division %q: it has %s", class.name, name, class.divisionNames())
			return nil, nil, false
		}
		division = class.add(name)
	}
	return class, division, true
}

// seat finds the class and the division the row names.
func (p *studentPlan) seat(c api.Ctx, l *studentLine, ch *studentStep) {
	if ch.old != nil {
		ch.classID = ch.old.classID
	}
	if l.cells[colClass] == "" {
		if l.cells[colRollNumber] != "" && l.cells[colDivision] == "" {
			p.Found.Add(l.row, "rollNumber", "needs a division: roll numbers are given within it")
		}
		return
	}
	class, division, ok := p.place(l)
	if !ok {
		return
	}
	if division == nil {
		if l.cells[colRollNumber] != "" {
			p.Found.Add(l.row, "rollNumber", "needs a division: roll numbers are given within it")
		}
		if ch.old == nil || ch.old.seat == nil {
			if ch.classID == nil || *ch.classID != class.id {
				ch.changed, ch.classID = true, &class.id
			}
		} else if ch.old.seat.classID != class.id {
			p.Found.Add(l.row, "division", "is needed to move a student to another class")
		}
		return
	}
	if p.frame.year == nil {
		p.Found.Add(l.row, "division", "no academic year is active: activate one before placing students")
		return
	}
	if ch.old == nil {
		ch.classID = &class.id
		ch.seat = &seatChange{division: division, roll: l.cells[colRollNumber], from: p.firstDay(c, l, ch)}
		return
	}
	if ch.classID == nil {
		ch.classID, ch.changed = &class.id, true
	}
	now := ch.old.seat
	if said := l.cells[colEnrolledFrom]; now != nil && said != "" && max(said, p.frame.year.StartDate.String()) != now.start {
		p.Found.Addf(l.row, "enrolledFrom", "is %s: change the first day on the student's own page", now.start)
	}
	roll := l.cells[colRollNumber]
	if now != nil && now.divisionID == division.id && roll == "" {
		roll = now.roll // an empty cell leaves what is there
	}
	if now == nil || now.divisionID != division.id || now.roll != roll {
		ch.seat = &seatChange{division: division, roll: roll, old: now, from: p.firstDay(c, l, ch)}
	}
}

// firstDay is since when a student sits in the division of their row: from today on who sits elsewhere, or was taken out of
// a class of this year; others as the row says, or since their admission, and not before the year began. A row without
// either day goes by since.
func (p *studentPlan) firstDay(c api.Ctx, l *studentLine, ch *studentStep) string {
	today, since := c.Today().String(), max(ch.fields[colAdmissionDate], p.frame.year.StartDate.String())
	said := l.cells[colEnrolledFrom]
	switch {
	case ch.old != nil && ch.old.seat != nil:
		return today
	case said > p.frame.year.EndDate.String():
		p.Found.Addf(l.row, "enrolledFrom", "must be in the academic year, which ends on %s", p.frame.year.EndDate)
	case said != "" && said < l.cells[colAdmissionDate]:
		p.Found.Add(l.row, "enrolledFrom", "must not be before admissionDate")
	case said != "" && ch.old != nil && said <= ch.old.sat:
		p.Found.Addf(l.row, "enrolledFrom", "must be after the student's last day in another division, %s", ch.old.sat)
	case said != "":
		return max(said, p.frame.year.StartDate.String())
	case ch.old != nil && ch.old.sat != "", l.cells[colAdmissionDate] == "" && p.since == "TODAY":
		return max(today, since)
	}
	return since
}

// guardians finds the row's guardians by their phones, and notes those that are new.
func (p *studentPlan) guardians(l *studentLine, ch *studentStep) {
	for i := range maxGuardians {
		cells := l.guardian(i)
		if cells == nil {
			continue
		}
		g, new := p.known.guardian(cells)
		if new {
			p.Totals.GuardiansNew++
		} else {
			p.Totals.GuardiansFound++
		}
		relation := cells[colRelation]
		if ch.old != nil {
			if link, linked := ch.old.links[g.phone]; linked {
				if relation != "" && relation != link.relation {
					ch.relinked = append(ch.relinked, linkChange{guardian: g, relation: relation})
				}
				continue
			}
		}
		if relation == "" {
			relation = "GUARDIAN"
		}
		primary := len(ch.links) == 0 && (ch.old == nil || !ch.old.hasPrimary)
		ch.links = append(ch.links, linkChange{g, relation, primary})
	}
}

// checkRolls refuses a roll number that two students of a division would have.
func (p *studentPlan) checkRolls(taken map[rollKey]rollHolder) {
	for _, ch := range p.changes { // those who give theirs up
		if ch.seat != nil && ch.seat.old != nil {
			key := rollKey{ch.seat.old.divisionID, ch.seat.old.roll}
			if taken[key].student == ch.id {
				delete(taken, key)
			}
		}
	}
	kept := p.changes[:0]
	for _, ch := range p.changes {
		if ch.seat != nil && ch.seat.roll != "" {
			key := rollKey{ch.seat.division.id, ch.seat.roll}
			if holder, is := taken[key]; is && holder.student != ch.id {
				p.Found.Addf(ch.row, "rollNumber", "%s in %s is %s's", ch.seat.roll, ch.seat.division.name, holder.who)
				continue
			}
			taken[key] = rollHolder{ch.id, fmt.Sprintf("row %d", ch.row)}
		}
		kept = append(kept, ch)
	}
	p.changes = kept
}

// hashPlan counts what will be done, and hashes it together with the data it was
// decided on: the ids and versions of what is there.
func (p *studentPlan) hashPlan() {
	for _, ch := range p.changes {
		var state []string
		if ch.old == nil {
			p.Totals.Creates++
			state = append(state, "create")
		} else {
			state = append(state, ch.old.id.String(), strconv.Itoa(ch.old.version), strconv.FormatBool(ch.changed))
			if ch.changed || ch.seat != nil || ch.groups != nil || len(ch.links)+len(ch.relinked) > 0 {
				p.Totals.Updates++
			} else {
				p.Totals.Unchanged++
			}
		}
		if ch.seat != nil {
			p.Totals.Enrolments++
			state = append(state, "seat", ch.seat.division.key(), ch.seat.roll)
			if ch.seat.old != nil {
				p.Totals.Enrolments--
				if ch.seat.old.divisionID != ch.seat.division.id {
					p.Totals.Moves++
				}
				state = append(state, ch.seat.old.id.String(), strconv.Itoa(ch.seat.old.version))
			} else {
				if ch.seat.from == p.frame.year.StartDate.String() {
					p.Totals.FromYearStart++
				}
				state = append(state, "from "+ch.seat.from)
			}
		}
		if ch.groups != nil {
			state = append(state, fmt.Sprint("groups ", *ch.groups))
		}
		for _, l := range append(ch.links, ch.relinked...) {
			state = append(state, l.guardian.phone, l.relation)
			if l.guardian.known {
				state = append(state, l.guardian.id.String())
			}
		}
		p.Hash("%d %s", ch.row, strings.Join(state, "|"))
	}
}
