package importing

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The columns of a file of guardians: each row is one guardian of one child.
const (
	colChild = iota
	colRelated
	colTheirFirst
	colTheirLast
	colTheirPhone
	colTheirEmail
	colTheirWork
	colTheirName
)

var guardianSheet = []sheet.Column{
	colChild:      lookup.AdmissionNumber,
	colRelated:    {Name: "relation", Check: relations, Also: []string{"relationship", "संबंध", "صلة القرابة", "uhusiano"}},
	colTheirFirst: {Name: "firstName", Check: sheet.Text(100), Also: []string{"guardianFirstName", "parentFirstName"}},
	colTheirLast:  {Name: "lastName", Check: sheet.Text(100), Also: []string{"surname", "guardianLastName", "parentLastName"}},
	colTheirPhone: {Name: "phone", Phone: true, Also: []string{"mobile", "mobileNo", "mobileNumber", "phoneNumber", "contactNo",
		"guardianPhone", "parentPhone", "whatsapp", "मोबाइल", "الهاتف", "simu"}},
	colTheirEmail: {Name: "email", Check: sheet.Email, Also: []string{"emailId", "emailAddress", "ईमेल", "barua pepe"}},
	colTheirWork:  {Name: "occupation", Check: sheet.Text(100), Also: []string{"profession", "job", "व्यवसाय", "kazi"}},
	colTheirName: {Name: "fullName", Check: sheet.Text(200), Also: []string{"name", "guardianName", "parentName", "guardian", "parent", "नाम",
		"الاسم", "jina"}},
}

// guardians are files of guardians of students that the school has.
func (m *Module) guardians() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "GUARDIAN", Path: "/school-admin/guardian/import", Permission: "student", Columns: guardianSheet,
		Summary: "Import guardians of students the school has from a CSV file or workbook",
		Tables:  []string{"app_user", "guardian", "student", "student_guardian"},
		Begin: func(api.Ctx, imports.Request) (imports.Reading, error) {
			return imports.ByLine(guardianSheet, m.planGuardians), nil
		},
	}
}

// guardianLink is one guardian of one child.
type guardianLink struct {
	child    uuid.UUID
	relation string
	primary  bool
	of       *fileGuardian
}

func (m *Module) planGuardians(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
	var numbers, phones []string
	for _, l := range lines {
		numbers, phones = append(numbers, l.Cells[colChild]), append(phones, l.Cells[colTheirPhone])
	}
	children, err := lookup.Students(c, numbers, c.Today())
	if err != nil {
		return err
	}
	known := &knownPeople{guardians: map[string]*fileGuardian{}}
	if err := known.readGuardians(c, phones); err != nil {
		return err
	}
	var ids []uuid.UUID
	byID := map[uuid.UUID]*knownStudent{}
	for _, s := range children {
		ids, byID[s.ID] = append(ids, s.ID), &knownStudent{id: s.ID, links: map[string]knownLink{}}
	}
	if err := readLinks(c, byID, ids); err != nil {
		return err
	}
	p := &guardianPlan{Draft: d, people: m.People, known: known}
	for _, l := range lines {
		p.line(l, children, byID)
	}
	d.Then(p.writePeople)
	d.Then(p.writeLinks)
	d.Then(p.openAccounts)
	return nil
}

type guardianPlan struct {
	*imports.Draft
	people   People
	known    *knownPeople
	made     []*fileGuardian
	links    []guardianLink
	relinked []guardianLink
}

func (p *guardianPlan) line(l imports.Line, children map[string]lookup.Student, byID map[uuid.UUID]*knownStudent) {
	cells := l.Cells
	if cells[colTheirFirst] == "" && cells[colTheirName] != "" {
		if cells[colTheirFirst] = cells[colTheirName]; cells[colTheirLast] == "" {
			cells[colTheirFirst], cells[colTheirLast] = splitName(cells[colTheirName])
		}
	}
	child, there := children[strings.ToLower(cells[colChild])]
	switch {
	case cells[colChild] == "":
		p.Bad(l.Row, "admissionNumber", "is required")
	case !there:
		p.Bad(l.Row, "admissionNumber", "no student has this number")
	case !child.Active:
		p.Bad(l.Row, "admissionNumber", "belongs to a student who has left")
	}
	if cells[colTheirPhone] == "" && !l.Bad[colTheirPhone] {
		p.Bad(l.Row, "phone", "is required: a guardian signs in with it")
	}
	old := p.known.guardians[cells[colTheirPhone]]
	if cells[colTheirFirst] == "" && !l.Bad[colTheirFirst] && (old == nil || old.id == uuid.Nil) {
		p.Bad(l.Row, "firstName", "is required")
	}
	if p.Found.IsBad(l.Row) {
		p.Skip(l.Row)
		return
	}
	block := make([]string, guardianWidth)
	block[colRelation], block[colGuardianFirst], block[colGuardianLast] = cells[colRelated], cells[colTheirFirst], cells[colTheirLast]
	block[colGuardianPhone], block[colGuardianEmail], block[colOccupation] = cells[colTheirPhone], cells[colTheirEmail], cells[colTheirWork]
	k := byID[child.ID]
	link, linked := k.links[cells[colTheirPhone]]
	if linked && (cells[colRelated] == "" || cells[colRelated] == link.relation) {
		p.Totals.GuardiansFound++
		p.Same(l.Row, child.ID)
		return
	}
	g, fresh := p.known.guardian(block)
	if fresh {
		p.Totals.GuardiansNew++
		p.made = append(p.made, g)
	} else {
		p.Totals.GuardiansFound++
	}
	is := guardianLink{child: child.ID, relation: cells[colRelated], of: g}
	if linked {
		p.relinked = append(p.relinked, is)
		p.Update(l.Row, link.id, is.relation)
	} else {
		if is.relation == "" {
			is.relation = "GUARDIAN"
		}
		is.primary = !k.hasPrimary
		k.hasPrimary = true
		p.links = append(p.links, is)
		p.Create(l.Row, child.ID, g.phone, is.relation)
	}
	k.links[g.phone] = knownLink{id: link.id, relation: is.relation, name: g.fullName()}
}

func (p *guardianPlan) writePeople(c api.Ctx) error { return insertGuardians(c, p.made) }

func (p *guardianPlan) writeLinks(c api.Ctx) error {
	columns := append([]string{"id", "student_id", "guardian_id", "relation", "is_primary"}, stamps...)
	err := tenancy.Copy(c.DB, "student_guardian", columns, len(p.links), func(i int) ([]any, error) {
		l := p.links[i]
		return stamped(c, api.NewID(), l.child, l.of.id, l.relation, l.primary), nil
	})
	if err != nil {
		return fmt.Errorf("linking guardians: %w", err)
	}
	var children, of []uuid.UUID
	var relations []string
	for _, l := range p.relinked {
		children, of, relations = append(children, l.child), append(of, l.of.id), append(relations, l.relation)
	}
	err = exec(c.DB, `update student_guardian sg set relation = v.relation, version = sg.version + 1, updated_at = $1, updated_by = $2
		from unnest($3::uuid[], $4::uuid[], $5::text[]) as v (child, guardian, relation)
		where sg.student_id = v.child and sg.guardian_id = v.guardian`, c.Now, c.User.ID, children, of, relations)
	if err != nil {
		return fmt.Errorf("changing guardians: %w", err)
	}
	all := append(p.links, p.relinked...)
	var found []uuid.UUID
	for _, l := range p.links {
		found = append(found, l.child)
	}
	if err := roster.RefreshSearch(c, found); err != nil {
		return err
	}
	return c.ChangedMany("import", "guardian", len(all), func(i int) (uuid.UUID, any, any) {
		return all[i].of.id, nil, map[string]any{"studentId": all[i].child, "relation": all[i].relation}
	})
}

func (p *guardianPlan) openAccounts(c api.Ctx) error {
	var of []*fileGuardian
	for _, l := range p.links {
		of = append(of, l.of)
	}
	return openParents(c, p.people, of)
}
