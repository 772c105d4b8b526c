package importing

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/roster/lookup"
)

// frame is the school's classes and divisions by the names a file may give them.
type frame struct {
	year    *roster.AcademicYear // the active one, if there is one
	classes []*namedClass
	byName  map[string]*namedClass
	byForm  map[string]*namedClass // by what is left of a name without "class" and the like; nil if two have it
	missing []string               // what the file names and the school does not have
	missed  map[string]bool
}

type namedClass struct {
	id        uuid.UUID
	name      string
	divisions map[string]*namedDivision
	made      bool
}

type namedDivision struct {
	id, classID uuid.UUID
	name        string // of both: 5-A
	made        bool
}

// key is what a plan's hash has of a division.
func (d *namedDivision) key() string {
	if d.made {
		return "new " + d.name
	}
	return d.id.String()
}

func readFrame(c api.Ctx) (*frame, error) {
	f := &frame{byName: map[string]*namedClass{}, byForm: map[string]*namedClass{}, missed: map[string]bool{}}
	var years []roster.AcademicYear
	if err := c.DB.Where("active").Find(&years).Error; err != nil {
		return nil, fmt.Errorf("reading the active year: %w", err)
	}
	if len(years) > 0 {
		f.year = &years[0]
	}
	var classes []roster.Class
	if err := c.DB.Select("id", "name", "code").Order("level, name").Find(&classes).Error; err != nil {
		return nil, fmt.Errorf("reading classes: %w", err)
	}
	byID := map[uuid.UUID]*namedClass{}
	for _, class := range classes {
		n := &namedClass{id: class.ID, name: class.Name, divisions: map[string]*namedDivision{}}
		f.classes, byID[class.ID] = append(f.classes, n), n
		f.byName[api.Fold(class.Name)], f.byName[class.ID.String()] = n, n
		f.form(n)
	}
	for i, class := range classes { // a code does where it is no other class's name
		if code := api.Fold(class.Code); code != "" && f.byName[code] == nil {
			f.byName[code] = f.classes[i]
		}
	}
	var divisions []roster.Division
	if err := c.DB.Select("id", "class_id", "name").Order("name").Find(&divisions).Error; err != nil {
		return nil, fmt.Errorf("reading divisions: %w", err)
	}
	for _, d := range divisions {
		class := byID[d.ClassID]
		class.divisions[d.ID.String()] = &namedDivision{id: d.ID, classID: d.ClassID, name: class.name + "-" + d.Name}
		class.divisions[api.Fold(d.Name)] = &namedDivision{id: d.ID, classID: d.ClassID, name: class.name + "-" + d.Name}
	}
	return f, nil
}

func (f *frame) classNames() string {
	var names []string
	for _, c := range f.classes {
		names = append(names, c.name)
	}
	return lookup.SomeOf(names)
}

func (c *namedClass) divisionNames() string {
	var names []string
	for key, d := range c.divisions {
		if key == d.id.String() {
			continue
		}
		names = append(names, strings.TrimPrefix(d.name, c.name+"-"))
	}
	return lookup.SomeOf(names)
}

// rollKey is a roll number of a division; rollHolder, who has it.
type rollKey struct {
	division uuid.UUID
	roll     string
}

type rollHolder struct {
	student uuid.UUID
	who     string
}

// readRolls reads who has which roll number from today on.
func readRolls(c api.Ctx) (map[rollKey]rollHolder, error) {
	type row struct {
		Division, Student uuid.UUID
		Roll              int
		Who               string
	}
	rows, err := readAll[row](c.DB, `select e.division_id, e.student_id, e.roll_number,
		s.first_name || ' ' || s.last_name || ' (' || s.admission_number || ')'
		from enrolment e join student s on s.id = e.student_id
		where e.roll_number is not null and (e.end_date is null or e.end_date >= $1) order by e.start_date`, c.Today().String())
	if err != nil {
		return nil, fmt.Errorf("reading roll numbers: %w", err)
	}
	out := make(map[rollKey]rollHolder, len(rows))
	for _, r := range rows {
		key := rollKey{r.Division, fmt.Sprint(r.Roll)}
		if _, is := out[key]; !is {
			out[key] = rollHolder{r.Student, r.Who}
		}
	}
	return out, nil
}
