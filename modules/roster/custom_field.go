package roster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// What custom fields are of.
const (
	OfStudents  = "STUDENT"
	OfGuardians = "GUARDIAN"
	OfEmployees = "EMPLOYEE"
)

const (
	// maxInUse is how many fields of students, guardians or employees can be in use; maxFields, how many there can be with
	// those that are retired.
	maxInUse  = 30
	maxFields = 130
)

// CustomField is a field that the school defines for its students, guardians or employees.
type CustomField struct {
	api.Record
	AppliesTo string `json:"appliesTo" enum:"STUDENT,GUARDIAN,EMPLOYEE"`
	Key       string `json:"key" doc:"Under which customFields of a record has the value. Made of the first label, it stays when the field is renamed"`
	Kind      string `json:"kind" enum:"TEXT,NUMBER,DATE,YES_NO,CHOICE"`
	CustomFieldFields
}

// CustomFieldBasics is what an administrator says of a field at any time.
type CustomFieldBasics struct {
	Label    string   `json:"label" validate:"name,max=60" example:"House"`
	Options  []string `json:"options" gorm:"serializer:json" validate:"max=100,dive,name,max=100" doc:"What a CHOICE is one of. Records keep a value that is no option any more"`
	Required bool     `json:"required" doc:"New records need a value, and none can be cleared. Records without one stay as they are"`
	InList   bool     `json:"inList" doc:"A column of the list and of its file"`
}

// CustomFieldFields is what of a field can be changed. Its kind and key cannot: records have values of that kind by that key.
type CustomFieldFields struct {
	CustomFieldBasics
	Personal bool `json:"personal" doc:"Erased with the person"`
	Position int  `json:"position" validate:"min=1,max=1000" doc:"Its place among the fields of the same records, from 1"`
	Retired  bool `json:"retired" doc:"No longer asked for; the values there are stay and are shown"`
}

type newCustomField struct {
	AppliesTo string `json:"appliesTo" validate:"required,oneof=STUDENT GUARDIAN EMPLOYEE"`
	Kind      string `json:"kind" validate:"required,oneof=TEXT NUMBER DATE YES_NO CHOICE"`
	CustomFieldBasics
	Personal *bool `json:"personal" doc:"Erased with the person; true unless given"`
}

type customFieldChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[CustomFieldFields]
}

var customFieldListing = api.Listing{
	Sorts:   map[string]string{"position": "position", "label": "label"},
	Default: "position",
	Filters: map[string]api.Filter{"search": api.Search("label"), "retired": api.ByBool("retired"),
		"appliesTo": api.ByEnum("applies_to", OfStudents, OfGuardians, OfEmployees)},
}

func createCustomField(c api.Ctx, r newCustomField) (CustomField, error) {
	f := CustomField{AppliesTo: r.AppliesTo, Kind: r.Kind, CustomFieldFields: CustomFieldFields{CustomFieldBasics: r.CustomFieldBasics,
		Personal: r.Personal == nil || *r.Personal}}
	if err := f.normalize(); err != nil {
		return f, err
	}
	others, err := lockCustomFields(c, f.AppliesTo)
	if err != nil {
		return f, err
	}
	if err := refuseTooMany(others, true); err != nil {
		return f, err
	}
	f.Key, f.Position = newKey(f.Label, others), len(others)+1
	return f, api.Insert(c, "custom field", &f)
}

// listCustomFields lists the fields of the subjects whose records the caller may read.
func listCustomFields(c api.Ctx, l api.ListRequest) (api.Page[CustomField], error) {
	query := c.DB.Model(&CustomField{})
	var subjects []string
	for module, of := range map[string][]string{"student": {OfStudents, OfGuardians}, "employee": {OfEmployees},
		"setting": {OfStudents, OfGuardians, OfEmployees}} {
		may, err := c.MayRead(module)
		if err != nil {
			return api.Page[CustomField]{}, err
		}
		if may {
			subjects = append(subjects, of...)
		}
	}
	return api.Fetch[CustomField](query.Where("applies_to in ?", subjects), l)
}

func getCustomField(c api.Ctx, r byID) (CustomField, error) {
	return api.Find[CustomField](c, "custom field", c.DB, r.ID)
}

func updateCustomField(c api.Ctx, r customFieldChange) (CustomField, error) {
	was, err := getCustomField(c, byID{r.ID})
	if err != nil {
		return was, err
	}
	others, err := lockCustomFields(c, was.AppliesTo)
	if err != nil {
		return was, err
	}
	others = slices.DeleteFunc(others, func(o CustomField) bool { return o.ID == r.ID })
	moved := false
	f, err := api.Update(c, "custom field", r.ID, func(f *CustomField) error {
		before := *f
		if err := r.Apply(&f.CustomFieldFields); err != nil {
			return err
		}
		f.Position = min(f.Position, len(others)+1)
		moved = f.Position != before.Position
		if before.Retired && !f.Retired {
			if err := refuseTooMany(others, false); err != nil {
				return err
			}
		}
		return f.normalize()
	})
	if err != nil || !moved {
		return f, err
	}
	ids := make([]uuid.UUID, 0, len(others)+1)
	for _, o := range others {
		ids = append(ids, o.ID)
	}
	ids = slices.Insert(ids, f.Position-1, f.ID)
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `update custom_field f set position = o.n
		from unnest($1::uuid[]) with ordinality as o(id, n) where f.id = o.id and f.position <> o.n`, Args: []any{ids}})
	if err != nil {
		return f, fmt.Errorf("ordering custom fields: %w", err)
	}
	return f, nil
}

// normalize brings a field into the form it is kept in, and refuses what cannot be.
func (f *CustomField) normalize() error {
	f.Label = strings.TrimSpace(f.Label)
	if f.Kind != "CHOICE" {
		f.Options = []string{}
		return nil
	}
	seen := map[string]bool{}
	options := make([]string, len(f.Options)) // the one sent is the request's own
	for i, o := range f.Options {
		options[i] = strings.TrimSpace(o)
		if seen[api.Fold(o)] {
			return api.InvalidField(fmt.Sprintf("options[%d]", i), "%s is there twice", options[i])
		}
		seen[api.Fold(o)] = true
	}
	if f.Options = options; len(options) == 0 {
		return api.InvalidField("options", "options must have at least one")
	}
	return nil
}

// CustomFields are the fields of a subject in their order, retired ones too.
func CustomFields(c api.Ctx, subject string) (found []CustomField, err error) {
	if err = c.DB.Where("applies_to = ?", subject).Order("position, id").Find(&found).Error; err != nil {
		return nil, fmt.Errorf("reading custom fields: %w", err)
	}
	return found, nil
}

// lockCustomFields reads the fields of a subject and keeps others from adding or ordering them until the transaction ends.
func lockCustomFields(c api.Ctx, subject string) ([]CustomField, error) {
	err := c.DB.Exec(`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' custom field', 0))`).Error
	if err != nil {
		return nil, fmt.Errorf("locking custom fields: %w", err)
	}
	return CustomFields(c, subject)
}

// refuseTooMany refuses one more field in use beside the others, and a new one besides too many that are retired.
func refuseTooMany(others []CustomField, isNew bool) error {
	inUse := 0
	for _, o := range others {
		if !o.Retired {
			inUse++
		}
	}
	switch {
	case inUse >= maxInUse:
		return errTooManyInUse
	case isNew && len(others) >= maxFields:
		return errTooManyFields
	}
	return nil
}

var (
	errTooManyInUse  = api.Conflict("%d fields are in use, which is the most there can be: retire one first", maxInUse)
	errTooManyFields = api.Conflict("There are %d fields with those that are retired: put one back and rename it", maxFields)
)

// newKey makes a key of a label, "busPassNo" of "Bus pass no.", that no other field has.
func newKey(label string, others []CustomField) string {
	var out strings.Builder
	up := false
	for _, r := range api.Fold(label) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && out.Len() > 0:
			if up {
				r = unicode.ToUpper(r)
			}
			out.WriteRune(r)
			up = false
		default:
			up = out.Len() > 0
		}
	}
	base := out.String()
	if base == "" {
		base = "field"
	}
	key := base
	for n := 2; slices.ContainsFunc(others, func(o CustomField) bool { return o.Key == key }); n++ {
		key = base + strconv.Itoa(n)
	}
	return key
}
