package roster

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"homeroom/api"
)

// generateRequest asks for classes and their divisions as an office says them.
type generateRequest struct {
	Classes   string `json:"classes" validate:"required,max=500" doc:"Names with commas between them; 1 to 10 is ten of them" example:"Nursery, LKG, UKG, 1 to 10"`
	Divisions string `json:"divisions" validate:"max=500" doc:"Of each class; none unless given" example:"A to C"`
	Prefix    string `json:"prefix" validate:"max=30" doc:"Before a number: Class unless given" example:"Class"`
	Capacity  *int   `json:"capacity" validate:"omitempty,min=1,max=1000" doc:"Of each new division"`
	DryRun    bool   `json:"dryRun" doc:"Say what would be added, and add nothing"`
}

// Generated is the classes that were asked for, in their order.
type Generated struct {
	DryRun       bool             `json:"dryRun"`
	NewClasses   int              `json:"newClasses"`
	NewDivisions int              `json:"newDivisions"`
	Classes      []GeneratedClass `json:"classes"`
}

// GeneratedClass is one of them.
type GeneratedClass struct {
	Name         string   `json:"name"`
	Level        int      `json:"level"`
	New          bool     `json:"new" doc:"False: the school has it already, and it stays as it is"`
	NewDivisions []string `json:"newDivisions"`
	Divisions    []string `json:"divisions" doc:"That it has already"`
}

// most is how many classes, or divisions of a class, one call adds.
const most = 40

var (
	numbers = regexp.MustCompile(`^(\d{1,3})\s*(?:to|-|–|—|\.\.)\s*(\d{1,3})$`)
	letters = regexp.MustCompile(`^(\pL)\s*(?:to|-|–|—|\.\.)\s*(\pL)$`)
)

// spoken is a list as people say it: "LKG, 1 to 10" or "A to C", of names of at most so many letters.
func spoken(field, text string, longest int) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	add := func(name string) error {
		if utf8.RuneCountInString(name) > longest {
			return api.InvalidField(field, "%.20s… is too long: a name has at most %d letters", name, longest)
		}
		if seen[api.Fold(name)] {
			return api.InvalidField(field, "%s is in the list twice", name)
		}
		if seen[api.Fold(name)] = true; len(out) == most {
			return api.InvalidField(field, "at most %d at once", most)
		}
		out = append(out, name)
		return nil
	}
	for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		from, to, name := 0, 0, func(int) string { return item }
		if m := numbers.FindStringSubmatch(item); m != nil {
			from, _ = strconv.Atoi(m[1])
			to, _ = strconv.Atoi(m[2])
			name = strconv.Itoa
		} else if m := letters.FindStringSubmatch(item); m != nil {
			from, to = int([]rune(m[1])[0]), int([]rune(m[2])[0])
			name = func(r int) string { return string(rune(r)) }
		}
		if to < from {
			return nil, api.InvalidField(field, "%s runs backwards", item)
		}
		for n := from; n <= to; n++ {
			if err := add(name(n)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// maxLevel is the highest a class may have.
const maxLevel = 100

// generateClasses adds the classes and divisions that the school lacks, all or nothing, each class with the one after it as
// its next.
func generateClasses(c api.Ctx, r generateRequest) (Generated, error) {
	out := Generated{DryRun: r.DryRun, Classes: []GeneratedClass{}}
	classes, err := spoken("classes", r.Classes, 60)
	if err != nil {
		return out, err
	}
	if len(classes) == 0 {
		return out, api.InvalidField("classes", "Enter the classes, for example 1 to 10")
	}
	divisions, err := spoken("divisions", r.Divisions, 30)
	if err != nil {
		return out, err
	}
	if len(divisions) > 0 {
		if err := c.Permit("division", api.Write); err != nil {
			return out, err
		}
	}
	level := 1
	if n, err := strconv.Atoi(classes[0]); err == nil && n >= 0 && n <= maxLevel {
		level = n
	}
	known, err := readClasses(c)
	if err != nil {
		return out, err
	}
	prefix := strings.TrimSpace(r.Prefix)
	if prefix == "" {
		prefix = "Class"
	}
	for i, name := range classes {
		if _, err := strconv.Atoi(name); err == nil {
			name = prefix + " " + name
		}
		g := GeneratedClass{Name: name, Level: min(level+i, maxLevel), New: true, NewDivisions: []string{}, Divisions: []string{}}
		has := known[api.Fold(name)]
		if has != nil {
			g.Name, g.Level, g.New = has.Name, has.Level, false
		}
		for _, d := range divisions {
			if has != nil && has.divisions[api.Fold(d)] {
				g.Divisions = append(g.Divisions, d)
			} else {
				g.NewDivisions = append(g.NewDivisions, d)
			}
		}
		if g.New {
			out.NewClasses++
		}
		out.NewDivisions += len(g.NewDivisions)
		out.Classes = append(out.Classes, g)
	}
	if r.DryRun || out.NewClasses+out.NewDivisions == 0 {
		c.Unchanged()
		return out, nil
	}
	return out, out.write(c, known, r.Capacity)
}

type knownClass struct {
	Class
	divisions map[string]bool
}

// readClasses reads the school's classes by their folded names.
func readClasses(c api.Ctx) (map[string]*knownClass, error) {
	var classes []Class
	var divisions []Division
	if err := c.DB.Find(&classes).Error; err != nil {
		return nil, fmt.Errorf("reading classes: %w", err)
	}
	if err := c.DB.Find(&divisions).Error; err != nil {
		return nil, fmt.Errorf("reading divisions: %w", err)
	}
	known, byID := map[string]*knownClass{}, map[uuid.UUID]*knownClass{}
	for _, class := range classes {
		k := &knownClass{Class: class, divisions: map[string]bool{}}
		known[api.Fold(class.Name)], byID[class.ID] = k, k
	}
	for _, d := range divisions {
		byID[d.ClassID].divisions[api.Fold(d.Name)] = true
	}
	return known, nil
}

// write adds what is new, from the last class to the first, so that each can name its next.
func (g Generated) write(c api.Ctx, known map[string]*knownClass, capacity *int) error {
	var next *uuid.UUID
	for i := len(g.Classes) - 1; i >= 0; i-- {
		class := g.Classes[i]
		var id uuid.UUID
		if class.New {
			made, err := createClass(c, ClassFields{Name: class.Name, Level: class.Level, NextClassID: next})
			if err != nil {
				return err
			}
			id = made.ID
		} else {
			has := known[api.Fold(class.Name)]
			id = has.ID
			if has.NextClassID == nil && next != nil && *next != id {
				if _, err := api.Update(c, "class", id, func(k *Class) error { k.NextClassID = next; return nil }); err != nil {
					return err
				}
			}
		}
		for _, name := range class.NewDivisions {
			if _, err := createDivision(c, DivisionFields{ClassID: id, Name: name, Capacity: capacity}); err != nil {
				return err
			}
		}
		next = &id
	}
	return nil
}
