package importing

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// write carries the plan out: COPY for what is new, one statement for each kind of
// change. Its number of statements does not grow with the file.
func (p *studentPlan) Write(c api.Ctx, progress func(float64)) error {
	if err := p.number(c); err != nil {
		return err
	}
	return imports.WriteParts(c, progress, p.writeClasses, p.writeGuardians, p.writeStudents, p.writeSeats, p.writeMemberships,
		p.writeLinks, p.audit, p.openAccounts)
}

// number gives admission numbers to those who have none, by the school's pattern and
// their year of admission.
func (p *studentPlan) number(c api.Ctx) error {
	from := p.enrolledFrom(c)
	byYear := map[string][]*studentStep{}
	for _, ch := range p.changes {
		if ch.old != nil {
			continue
		}
		ch.fields = slices.Clone(ch.fields) // the file's own rows are needed again if this has to be
		if ch.fields[colAdmissionDate] == "" {
			ch.fields[colAdmissionDate] = from
			if ch.seat != nil {
				ch.fields[colAdmissionDate] = ch.seat.from
			}
		}
		if ch.fields[colAdmissionNumber] == "" {
			year := ch.fields[colAdmissionDate][:4]
			byYear[year] = append(byYear[year], ch)
		}
	}
	for _, year := range slices.Sorted(maps.Keys(byYear)) { // as many as there are years of admission
		admitted, err := api.ParseDate(year + "-01-01")
		if err != nil {
			return err
		}
		numbers, err := roster.AdmissionNumbers(c, admitted, len(byYear[year]))
		if err != nil {
			return err
		}
		for i, ch := range byYear[year] {
			ch.fields[colAdmissionNumber] = numbers[i]
		}
	}
	return nil
}

// enrolledFrom is the day of admission of those who have none and sit nowhere.
func (p *studentPlan) enrolledFrom(c api.Ctx) string {
	if p.since == "TODAY" || p.frame.year == nil {
		return c.Today().String()
	}
	return p.frame.year.StartDate.String()
}

func (p *studentPlan) newGuardians() (made []*fileGuardian) {
	seen := map[*fileGuardian]bool{}
	for _, ch := range p.changes {
		for _, l := range ch.links {
			if !l.guardian.known && !seen[l.guardian] {
				seen[l.guardian] = true
				made = append(made, l.guardian)
			}
		}
	}
	return made
}

// writeGuardians adds guardians and their users. They sign in by phone alone.
func (p *studentPlan) writeGuardians(c api.Ctx) error { return insertGuardians(c, p.newGuardians()) }

func insertGuardians(c api.Ctx, made []*fileGuardian) error {
	var role uuid.UUID
	if err := c.DB.Raw(`select id from role where type = 'PARENT' and system`).Row().Scan(&role); err != nil {
		return fmt.Errorf("reading the parents' role: %w", err)
	}
	var users []*fileGuardian
	for _, g := range made {
		if !g.hasUser {
			users = append(users, g)
		}
	}
	err := tenancy.Copy(c.DB, "app_user", []string{"id", "role_id", "first_name", "last_name", "phone", "created_at", "updated_at"},
		len(users), func(i int) ([]any, error) {
			g := users[i]
			return []any{g.userID, role, g.cells[colGuardianFirst], g.cells[colGuardianLast], g.phone, c.Now, c.Now}, nil
		})
	if err != nil {
		return fmt.Errorf("adding guardians' accounts: %w", err)
	}
	err = tenancy.Copy(c.DB, "guardian", append([]string{"id", "user_id", "first_name", "last_name", "phone", "email", "occupation"},
		stamps...), len(made), func(i int) ([]any, error) {
		g := made[i]
		return stamped(c, g.id, g.userID, g.cells[colGuardianFirst], g.cells[colGuardianLast], g.phone, g.cells[colGuardianEmail],
			g.cells[colOccupation]), nil
	})
	if err != nil {
		return fmt.Errorf("adding guardians: %w", err)
	}
	return nil
}

var studentColumns = []recordColumn[*studentStep]{
	{name: "class_id", cast: "uuid", text: (*studentStep).classText},
	{name: "search_text", text: (*studentStep).searchText},
	{name: "custom_fields", cast: "jsonb", text: func(ch *studentStep) string { return ch.custom }},
	{name: "admission_number", col: colAdmissionNumber},
	{name: "first_name", col: colFirstName},
	{name: "last_name", col: colLastName},
	{name: "gender", col: colGender},
	{name: "date_of_birth", cast: "date", col: colDateOfBirth},
	{name: "blood_group", col: colBloodGroup},
	{name: "address", col: colAddress},
	{name: "phone", col: colPhone},
	{name: "email", col: colEmail},
	{name: "admission_date", cast: "date", col: colAdmissionDate},
	{name: "previous_school", col: colPreviousSchool},
	{name: "medical_notes", col: colMedicalNotes},
	{name: "allergies", col: colAllergies},
	{name: "emergency_contact_name", col: colEmergencyName},
	{name: "emergency_contact_phone", col: colEmergencyPhone},
}

func (ch *studentStep) classText() string {
	if ch.classID == nil {
		return ""
	}
	return ch.classID.String()
}

func (p *studentPlan) pick(which func(*studentStep) bool) (out []*studentStep) {
	for _, ch := range p.changes {
		if which(ch) {
			out = append(out, ch)
		}
	}
	return out
}

func (p *studentPlan) writeStudents(c api.Ctx) error {
	created := p.pick(func(ch *studentStep) bool { return ch.old == nil })
	if err := insertRecords(c, "student", studentColumns, created); err != nil {
		return err
	}
	changed := p.pick(func(ch *studentStep) bool { return ch.old != nil && (ch.changed || len(ch.links) > 0) })
	return updateRecords(c, "student", studentColumns, changed)
}

func (p *studentPlan) writeLinks(c api.Ctx) error {
	type link struct {
		student uuid.UUID
		linkChange
	}
	var made []link
	var changed []uuid.UUID
	var relations []string
	for _, ch := range p.changes {
		for _, l := range ch.links {
			made = append(made, link{ch.id, l})
		}
		for _, l := range ch.relinked {
			changed, relations = append(changed, ch.old.links[l.guardian.phone].id), append(relations, l.relation)
		}
	}
	columns := append([]string{"id", "student_id", "guardian_id", "relation", "is_primary"}, stamps...)
	err := tenancy.Copy(c.DB, "student_guardian", columns, len(made), func(i int) ([]any, error) {
		l := made[i]
		return stamped(c, api.NewID(), l.student, l.guardian.id, l.relation, l.primary), nil
	})
	if err != nil {
		return fmt.Errorf("linking guardians: %w", err)
	}
	if len(changed) == 0 {
		return nil
	}
	err = exec(c.DB, `update student_guardian sg set relation = v.relation, version = sg.version + 1, updated_at = $1, updated_by = $2
		from unnest($3::uuid[], $4::text[]) as v(id, relation) where sg.id = v.id`, c.Now, c.User.ID, changed, relations)
	if err != nil {
		return fmt.Errorf("changing guardians: %w", err)
	}
	return nil
}

// audit records every student that the file adds or changes.
func (p *studentPlan) audit(c api.Ctx) error {
	done := p.pick(func(ch *studentStep) bool {
		return ch.old == nil || ch.changed || ch.seat != nil || ch.groups != nil || len(ch.links)+len(ch.relinked) > 0
	})
	return c.ChangedMany("import", "student", len(done), func(i int) (uuid.UUID, any, any) { return done[i].auditEntry() })
}

// auditEntry is what the audit keeps of a student: what was, and what is now.
func (ch *studentStep) auditEntry() (id uuid.UUID, before, after any) {
	var old []string
	if ch.old != nil {
		old = ch.old.fields
	}
	was, is := ch.audited(studentSheet, old)
	for _, col := range []int{colClass, colDivision, colRollNumber, colGroups} { // said by the seat and the groups below
		delete(is, studentSheet[col].Name)
	}
	if ch.groups != nil {
		is["groupIds"] = *ch.groups
	}
	if ch.seat != nil {
		is["divisionId"], is["rollNumber"] = ch.seat.division.id, ch.seat.roll
		if ch.seat.old != nil {
			was["divisionId"], was["rollNumber"] = ch.seat.old.divisionID, ch.seat.old.roll
		}
	}
	oldCustom := ""
	if ch.old != nil {
		oldCustom = ch.old.custom
	}
	auditCustom(oldCustom, ch.custom, was, is)
	var guardians []uuid.UUID
	for _, l := range append(ch.links, ch.relinked...) {
		guardians = append(guardians, l.guardian.id)
	}
	if guardians != nil {
		is["guardianIds"] = guardians
	}
	if ch.old == nil {
		return ch.id, nil, is
	}
	return ch.id, was, is
}

// usersPerFact is how many users one fact names at most.
const usersPerFact = 500

// openAccounts lets the new guardians in, last of all, and those who had no child left
// at the school again.
func (p *studentPlan) openAccounts(c api.Ctx) error {
	var of []*fileGuardian
	for _, ch := range p.changes {
		for _, l := range ch.links {
			of = append(of, l.guardian)
		}
	}
	return openParents(c, p.people, of)
}

// openParents lets guardians in who are new, or whose account was closed.
func openParents(c api.Ctx, people People, of []*fileGuardian) error {
	var users []uuid.UUID
	var phones []string
	seen := map[*fileGuardian]bool{}
	for _, g := range of {
		if !seen[g] && (!g.known || g.disabled) {
			seen[g] = true
			users, phones = append(users, g.userID), append(phones, g.phone)
		}
	}
	if len(users) == 0 {
		return nil
	}
	err := exec(c.DB, `update app_user set status = 'ACTIVE', version = version + 1, updated_at = $1 where id = any($2)
		and status <> 'ACTIVE'`, c.Now, users)
	if err != nil {
		return fmt.Errorf("opening guardians' accounts again: %w", err)
	}
	publishUsersChanged(c, users)
	return people.EnterMany(c, c.School.ID, api.Parent, users, phones)
}

// publishUsersChanged writes the fact that users changed, in as few parts as they fit in.
func publishUsersChanged(c api.Ctx, users []uuid.UUID) {
	for len(users) > 0 {
		n := min(usersPerFact, len(users))
		c.Tell(events.Fact{Kind: "users.changed", Data: map[string]any{"userIds": users[:n]}})
		users = users[n:]
	}
}
