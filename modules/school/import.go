package school

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"homeroom/api"
	"homeroom/sheet"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// maxSchools is how many schools one request may onboard.
const maxSchools = 2000

// schoolImport is a request to onboard many schools.
type schoolImport struct {
	Schools []newSchool `json:"schools" validate:"required,min=1,max=2000,dive"`
	DryRun  bool        `json:"dryRun" doc:"Only look whether they can be"`
}

// SchoolBatch is how many schools are, or would be, onboarded.
type SchoolBatch struct {
	Schools int  `json:"schools"`
	DryRun  bool `json:"dryRun"`
}

// The columns of a file of schools, in the order sheet.Read gives their cells.
const (
	colName = iota
	colCode
	colTimeZone
	colCurrency
	colLocale
	colNode
	colFirstName
	colLastName
	colEmail
	colPhone
)

var schoolSheet = []sheet.Column{
	colName:      {Name: "name", Also: []string{"school", "school name"}, Check: sheet.Text(120)},
	colCode:      {Name: "code", Also: []string{"school code"}, Check: sheet.Text(31)},
	colTimeZone:  {Name: "timeZone", Check: sheet.Text(64)},
	colCurrency:  {Name: "currency", Check: sheet.Text(3)},
	colLocale:    {Name: "locale", Also: []string{"language"}, Check: sheet.Text(20)},
	colNode:      {Name: "node", Check: sheet.Text(31)},
	colFirstName: {Name: "adminFirstName", Also: []string{"first name"}, Check: sheet.Text(100)},
	colLastName:  {Name: "adminLastName", Also: []string{"last name"}, Check: sheet.Text(100)},
	colEmail:     {Name: "adminEmail", Also: []string{"email", "e-mail"}, Check: sheet.Text(254)},
	colPhone:     {Name: "adminPhone", Also: []string{"phone"}, Phone: true},
}

// readSchools fills a request from a file.
func readSchools(r *schoolImport, file *api.Incoming) error {
	return eachSchool(file, func(_ int, n newSchool) { r.Schools = append(r.Schools, n) })
}

func eachSchool(file io.Reader, take func(row int, n newSchool)) error {
	return sheet.Read(file, sheet.Reading{Most: maxSchools}, schoolSheet, func(row int, cells []string) {
		take(row, newSchool{Name: cells[colName], Code: cells[colCode], TimeZone: cells[colTimeZone],
			Currency: strings.ToUpper(cells[colCurrency]),
			Locale:   cells[colLocale], Node: cells[colNode], Admin: &admin{FirstName: cells[colFirstName], LastName: cells[colLastName],
				Email: cells[colEmail], Phone: api.Phone(cells[colPhone])}})
	})
}

// Listed is a school of a file, for the command line.
type Listed struct {
	Row                        int // as a spreadsheet numbers it
	School                     lifecycle.NewSchool
	FirstName, LastName, Email string
	Phone                      string
}

// ReadFile reads the schools of a file.
func ReadFile(file io.Reader) (schools []Listed, err error) {
	err = eachSchool(file, func(row int, n newSchool) {
		if n.Locale == "" {
			n.Locale = "en"
		}
		schools = append(schools,
			Listed{Row: row, School: lifecycle.NewSchool{Code: n.Code, Name: n.Name, TimeZone: n.TimeZone, Currency: n.Currency,
				Locale: n.Locale, Node: n.Node}, FirstName: n.Admin.FirstName, LastName: n.Admin.LastName, Email: n.Admin.Email,
				Phone: string(n.Admin.Phone)})
	})
	return schools, err
}

// importSchools records all schools and has them made. The caller watches the list.
func (m *Module) importSchools(c api.PlatformCtx, r schoolImport) (SchoolBatch, error) {
	if err := m.checkAll(c, r.Schools); err != nil {
		return SchoolBatch{}, err
	}
	answer := SchoolBatch{Schools: len(r.Schools), DryRun: r.DryRun}
	if r.DryRun {
		return answer, nil
	}
	var schools []lifecycle.NewSchool
	var records []tenancy.InTx
	for _, n := range r.Schools {
		asked, record, err := m.ask(c, n)
		if err != nil {
			return SchoolBatch{}, err
		}
		schools, records = append(schools, asked), append(records, record)
	}
	_, err := m.Provisioner.RequestAll(c, schools, records...)
	if errors.Is(err, tenancy.ErrCodeTaken) { // since it was looked
		return SchoolBatch{}, api.Duplicate("A school with one of these codes exists")
	}
	return answer, err
}

// checkAll looks for what the schools' own fields do not show: codes that others have, and nodes that are not there.
func (m *Module) checkAll(c api.PlatformCtx, schools []newSchool) error {
	var codes []string
	for _, n := range schools {
		codes = append(codes, strings.ToLower(n.Code))
	}
	var taken []string
	if err := c.DB.Raw(`select lower(code) from platform.school where lower(code) in ?`, codes).Scan(&taken).Error; err != nil {
		return fmt.Errorf("looking for codes: %w", err)
	}
	var nodes []string
	if err := c.DB.Raw(`select name from platform.node where state = 'ACTIVE'`).Scan(&nodes).Error; err != nil {
		return fmt.Errorf("looking for nodes: %w", err)
	}
	of := func(list []string) map[string]bool {
		set := map[string]bool{}
		for _, one := range list {
			set[one] = true
		}
		return set
	}
	exists, active, seen := of(taken), of(nodes), map[string]bool{}
	var bad []api.Detail
	for i, n := range schools {
		field := func(name string) string { return fmt.Sprintf("schools[%d].%s", i, name) }
		switch code := codes[i]; {
		case exists[code]:
			bad = append(bad, api.Detail{Field: field("code"), Message: "A school with this code exists"})
		case seen[code]:
			bad = append(bad, api.Detail{Field: field("code"), Message: "stands twice in the list"})
		}
		seen[codes[i]] = true
		if n.Node != "" && !active[n.Node] {
			bad = append(bad, api.Detail{Field: field("node"), Message: "no active node has this name"})
		}
	}
	if len(bad) > 0 {
		return api.Invalid(bad...)
	}
	return nil
}
