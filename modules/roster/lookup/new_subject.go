package lookup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/tenancy"
)

// SubjectImport is what comes with a file whose rows are about subjects.
type SubjectImport struct {
	imports.Request
	CreateSubjects bool `json:"createSubjects" doc:"Make the subjects that do not exist yet, and have the classes take them; needs the right to write subjects"`
}

// SubjectTables are what a kind of file that makes subjects writes first.
var SubjectTables = []string{"subject", "class_subject"}

// NewSubjects finds subjects for a file, and makes those that the school does not have if the file may.
type NewSubjects struct {
	*Names
	may   bool
	codes map[string]bool
	made  map[uuid.UUID]*newSubject
	named []uuid.UUID // in the order of the file
}

type newSubject struct {
	name    string
	classes []uuid.UUID
	used    bool
}

// FindSubjects reads the subjects; may says that the file makes those it does not find, which needs the right to write subjects.
func FindSubjects(c api.Ctx, may bool) (*NewSubjects, error) {
	if may {
		if err := c.Permit("subject", api.Write); err != nil {
			return nil, err
		}
	}
	names, err := Subjects(c)
	if err != nil {
		return nil, err
	}
	n := &NewSubjects{Names: names, may: may, codes: map[string]bool{}, made: map[uuid.UUID]*newSubject{}}
	var codes []string
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select code from subject`, Scan: tenancy.Values(&codes)})
	if err != nil {
		return nil, fmt.Errorf("reading the codes of subjects: %w", err)
	}
	for _, code := range codes {
		n.codes[strings.ToLower(code)] = true
	}
	return n, nil
}

// For is the subject that a row names, new or not. If there is none, the row is bad.
func (n *NewSubjects) For(d *imports.Draft, row int, column, name string) uuid.UUID {
	if _, there := n.ids[api.Fold(name)]; !there && api.Fold(name) != "" {
		if !slices.Contains(d.Totals.NewSubjects, name) {
			d.Totals.NewSubjects = append(d.Totals.NewSubjects, name)
		}
		if n.may {
			id := api.NewID()
			n.made[id], n.named = &newSubject{name: name}, append(n.named, id)
			n.Learn(id, name)
		}
	}
	id, why := n.Find(name)
	if why != "" {
		d.Bad(row, column, "%s", why)
	}
	return id
}

// Use says that a good row is about a subject of a class.
func (n *NewSubjects) Use(subject, class uuid.UUID) {
	if s := n.made[subject]; s != nil {
		s.used = true
		if class != uuid.Nil && !slices.Contains(s.classes, class) {
			s.classes = append(s.classes, class)
		}
	}
}

// Key is what tells a subject in the hash of a plan: one that is being made has another id each time.
func (n *NewSubjects) Key(subject uuid.UUID) string {
	if s := n.made[subject]; s != nil {
		return s.name
	}
	return subject.String()
}

// Name is what a subject that is being made is called; empty of all others.
func (n *NewSubjects) Name(subject uuid.UUID) string {
	if s := n.made[subject]; s != nil {
		return s.name
	}
	return ""
}

// code is a code for a subject that has none: MATHEM, or with a number if that is taken.
func (n *NewSubjects) code(name string) string {
	letters := ShortCode(name)
	code := letters
	for i := 2; n.codes[strings.ToLower(code)]; i++ {
		code = letters + strconv.Itoa(i)
	}
	n.codes[strings.ToLower(code)] = true
	return code
}

// ShortCode is the first six letters of a name.
func ShortCode(name string) string {
	var letters []rune
	for _, r := range strings.ToUpper(name) {
		if len(letters) < 6 && r != ' ' && r != '.' {
			letters = append(letters, r)
		}
	}
	return string(letters)
}

// Write makes the subjects that good rows are about.
func (n *NewSubjects) Write(c api.Ctx) error {
	type link struct{ class, subject uuid.UUID }
	var made []uuid.UUID
	var links []link
	for _, id := range n.named {
		if s := n.made[id]; s.used {
			made = append(made, id)
			for _, class := range s.classes {
				links = append(links, link{class, id})
			}
		}
	}
	columns := []string{"id", "name", "code", "type", "created_at", "updated_at", "created_by", "updated_by"}
	codes := make([]string, len(made))
	err := tenancy.Copy(c.DB, "subject", columns, len(made), func(i int) ([]any, error) {
		codes[i] = n.code(n.made[made[i]].name)
		return []any{made[i], n.made[made[i]].name, codes[i], "CORE", c.Now, c.Now, c.User.ID, c.User.ID}, nil
	})
	if err == nil {
		err = tenancy.Copy(c.DB, "class_subject", []string{"id", "class_id", "subject_id"}, len(links), func(i int) ([]any, error) {
			return []any{api.NewID(), links[i].class, links[i].subject}, nil
		})
	}
	if err != nil {
		return fmt.Errorf("making subjects: %w", err)
	}
	return c.ChangedMany("import", "subject", len(made), func(i int) (uuid.UUID, any, any) {
		return made[i], nil, map[string]any{"name": n.made[made[i]].name, "code": codes[i]}
	})
}
