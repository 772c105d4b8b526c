package importing

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

var (
	classWord = regexp.MustCompile(`^(class|grade|std|standard|form|year|कक्षा|الصف|صف|darasa( la)?|kidato( cha)?)[ .:-]*`)
	ordinal   = regexp.MustCompile(`^([0-9]+)(st|nd|rd|th)?$`)
	// section is what may stand for a division behind a class: 5-A, V A, 5/B, 10 (Red), 7C.
	section = regexp.MustCompile(`^(.*[^\s/(-])\s*(?:[-/ ]|\()\s*([^\s/()-]+)\)?$`)
	closed  = regexp.MustCompile(`^([0-9]+)([A-Za-z])$`)
)

var romans = []string{"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii"}

// classForm is a class's name without what schools write differently: "Class V", "5th" and "Grade 5" are all 5.
func classForm(name string) string {
	text := strings.TrimSpace(classWord.ReplaceAllString(api.Fold(name), ""))
	if i := slices.Index(romans, text); i >= 0 {
		return strconv.Itoa(i + 1)
	}
	if m := ordinal.FindStringSubmatch(text); m != nil {
		return strings.TrimLeft(m[1], "0")
	}
	return text
}

func (f *frame) form(c *namedClass) {
	key := classForm(c.name)
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
	return f.byForm[classForm(name)]
}

// find is the class and the name of the division that a row's cells say; both may be in one.
func (f *frame) find(class, division string) (*namedClass, string) {
	if c := f.class(class); c != nil {
		return c, division
	}
	for _, cut := range []*regexp.Regexp{section, closed} {
		if m := cut.FindStringSubmatch(class); m != nil && (division == "" || api.Fold(division) == api.Fold(m[2])) {
			if c := f.class(m[1]); c != nil {
				return c, m[2]
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
	for _, cut := range []*regexp.Regexp{section, closed} {
		if m := cut.FindStringSubmatch(class); m != nil && len(m[2]) == 1 && (m[2][0] < '0' || m[2][0] > '9') {
			if _, err := strconv.Atoi(classForm(m[1])); err == nil {
				return m[1], m[2]
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
			level, err := strconv.Atoi(classForm(class.name))
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
