package importing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/roster/lookup"
)

func (f *frame) form(c *namedClass) {
	key := lookup.ClassForm(c.name)
	if _, twice := f.byForm[key]; twice || key == "" {
		f.byForm[key] = nil
		return
	}
	f.byForm[key] = c
}

func (f *frame) class(name string) *namedClass {
	if c := f.byName[api.Fold(name)]; c != nil {
		return c
	}
	return f.byForm[lookup.ClassForm(name)]
}

// find is the class and the name of the division that a row's cells say; both may be in one.
func (f *frame) find(class, division string) (*namedClass, string) {
	if c := f.class(class); c != nil {
		return c, division
	}
	for _, way := range lookup.Splits(class) {
		if division == "" || api.Fold(division) == api.Fold(way[1]) {
			if c := f.class(way[0]); c != nil {
				return c, way[1]
			}
		}
	}
	return nil, ""
}

// splitClass is what a class that is not there would be called, and its division.
func splitClass(class, division string) (string, string) {
	if division != "" {
		return class, division
	}
	for _, way := range lookup.Splits(class) {
		if len(way[1]) == 1 && (way[1][0] < '0' || way[1][0] > '9') {
			if _, err := strconv.Atoi(lookup.ClassForm(way[0])); err == nil {
				return way[0], way[1]
			}
		}
	}
	return class, ""
}

// miss notes what the school does not have, once.
func (f *frame) miss(class, division string) {
	name := class
	if division != "" {
		name += "-" + division
	}
	if key := api.Fold(name); !f.missed[key] {
		f.missed[key] = true
		f.missing = append(f.missing, name)
	}
}

func (f *frame) add(name string) *namedClass {
	c := &namedClass{id: api.NewID(), name: name, divisions: map[string]*namedDivision{}, made: true}
	f.classes, f.byName[api.Fold(name)] = append(f.classes, c), c
	f.form(c)
	return c
}

func (c *namedClass) add(name string) *namedDivision {
	d := &namedDivision{id: api.NewID(), classID: c.id, name: c.name + "-" + name, made: true}
	c.divisions[api.Fold(name)] = d
	return d
}

// writeClasses makes the classes and divisions that are new.
func (p *studentPlan) writeClasses(c api.Ctx) error {
	used := map[uuid.UUID]bool{} // a bad row makes none
	for _, ch := range p.changes {
		if ch.classID != nil {
			used[*ch.classID] = true
		}
		if ch.seat != nil {
			used[ch.seat.division.id] = true
		}
	}
	for _, class := range p.frame.classes {
		if class.made && used[class.id] {
			level, err := strconv.Atoi(lookup.ClassForm(class.name))
			if err != nil || level > 100 {
				level = 0
			}
			row := roster.Class{ClassFields: roster.ClassFields{Name: class.name, Level: level}}
			if err := api.Insert(c, "class", &row); err != nil {
				return fmt.Errorf("making a class: %w", err)
			}
			class.id = row.ID // the steps point to it
		}
		for _, d := range class.divisions {
			if !d.made || !used[d.id] {
				continue
			}
			c.RightsChanged()
			row := roster.Division{DivisionFields: roster.DivisionFields{ClassID: class.id, Name: strings.TrimPrefix(d.name, class.name+"-")}}
			if err := api.Insert(c, "division", &row); err != nil {
				return fmt.Errorf("making a division: %w", err)
			}
			d.id, d.classID = row.ID, class.id
		}
	}
	return nil
}
