package lookup

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

var (
	classWord = regexp.MustCompile(`^(class|grade|std|standard|form|year|कक्षा|الصف|صف|darasa( la)?|kidato( cha)?)[ .:-]*`)
	ordinal   = regexp.MustCompile(`^([0-9]+)(st|nd|rd|th)?$`)
	// section is what may stand for a division behind a class: 5-A, V A, 5/B, 10 (Red), 7C.
	section = regexp.MustCompile(`^(.*[^\s/(-])\s*(?:[-/ ]|\()\s*([^\s/()-]+)\)?$`)
	closed  = regexp.MustCompile(`^([0-9]+)([A-Za-z])$`)
)

var romans = []string{"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii"}

// ClassForm is a class's name without what schools write differently: "Class V", "5th" and "Grade 5" are all 5.
func ClassForm(name string) string {
	text := strings.TrimSpace(classWord.ReplaceAllString(api.Fold(name), ""))
	if i := slices.Index(romans, text); i >= 0 {
		return strconv.Itoa(i + 1)
	}
	if m := ordinal.FindStringSubmatch(text); m != nil {
		return strings.TrimLeft(m[1], "0")
	}
	return text
}

// Splits are the ways in which one cell may say a class and its division.
func Splits(cell string) (ways [][2]string) {
	for _, cut := range []*regexp.Regexp{section, closed} {
		if m := cut.FindStringSubmatch(cell); m != nil {
			ways = append(ways, [2]string{m[1], m[2]})
		}
	}
	return ways
}

// Place is a class, and one of its divisions if DivisionID is not nil.
type Place struct {
	ClassID    uuid.UUID
	DivisionID uuid.UUID
	Name       string // 5 A
}

// Places are a school's classes and divisions.
type Places struct {
	classes map[string]*class
	forms   map[string]*class // nil if two have it
	shown   []string
}

type class struct {
	id        uuid.UUID
	name      string
	divisions map[string]Place
	names     []string
}

// ReadPlaces reads the classes and divisions.
func ReadPlaces(c api.Ctx) (*Places, error) {
	var rows []struct {
		ID                   uuid.UUID
		Name, Code, Division string
		DivisionID           *uuid.UUID
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select k.id, k.name, k.code, coalesce(d.name, '') as division, d.id as division_id
		from class k left join division d on d.class_id = k.id order by k.level, k.name, d.name`, Scan: tenancy.Collect(&rows)})
	if err != nil {
		return nil, fmt.Errorf("reading classes: %w", err)
	}
	p := &Places{classes: map[string]*class{}, forms: map[string]*class{}}
	codes := map[string]*class{}
	for _, r := range rows {
		k := p.classes[r.ID.String()]
		if k == nil {
			k = &class{id: r.ID, name: r.Name, divisions: map[string]Place{}}
			p.shown = append(p.shown, r.Name)
			p.classes[r.ID.String()], p.classes[api.Fold(r.Name)] = k, k
			codes[api.Fold(r.Code)] = k
			if _, twice := p.forms[ClassForm(r.Name)]; twice {
				k = nil
			}
			p.forms[ClassForm(r.Name)] = k
			k = p.classes[r.ID.String()]
		}
		if r.DivisionID != nil {
			place := Place{r.ID, *r.DivisionID, r.Name + " " + r.Division}
			k.names = append(k.names, r.Division)
			k.divisions[api.Fold(r.Division)], k.divisions[r.DivisionID.String()] = place, place
		}
	}
	for code, k := range codes { // a code does where it is no other class's name
		if code != "" && p.classes[code] == nil {
			p.classes[code] = k
		}
	}
	return p, nil
}

func (p *Places) class(name string) *class {
	if k := p.classes[api.Fold(name)]; k != nil {
		return k
	}
	return p.forms[ClassForm(name)]
}

// Find is the place that the cells of a class and a division name; both may be in the first. Without a division it is the whole
// class. column and why say what is wrong: "class" or "division".
func (p *Places) Find(name, division string) (place Place, column, why string) {
	k := p.class(name)
	if k == nil {
		for _, way := range Splits(name) {
			if division == "" || api.Fold(division) == api.Fold(way[1]) {
				if k = p.class(way[0]); k != nil {
					division = way[1]
					break
				}
			}
		}
	}
	switch {
	case k == nil:
		return Place{}, "class", fmt.Sprintf("no class is called %q: there are %s", name, SomeOf(p.shown))
	case division == "":
		return Place{ClassID: k.id, Name: k.name}, "", ""
	}
	place, there := k.divisions[api.Fold(division)]
	if !there {
		return Place{}, "division", fmt.Sprintf("%s has no division %q: it has %s", k.name, division, SomeOf(k.names))
	}
	return place, "", ""
}
