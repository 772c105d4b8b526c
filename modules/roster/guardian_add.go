package roster

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

// knownGuardian is a guardian the school has already, and whether they can sign in.
type knownGuardian struct {
	ID        uuid.UUID
	UserID    uuid.UUID
	Phone     string
	FirstName string
	LastName  string
	Status    string
}

// addGuardians ties guardians to a student, making those the school does not know yet.
// It returns the accounts that are to be written into the directory. ofAdmission says that a refusal names them as
// the list of an admission does. Of one who is known what the entry says of them is not taken.
func addGuardians(c api.Ctx, student uuid.UUID, entries []GuardianEntry, ofAdmission bool) ([]account, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	fields, err := CustomFields(c, OfGuardians)
	if err != nil {
		return nil, err
	}
	known, err := lockGuardians(c, phonesOf(entries))
	if err != nil {
		return nil, err
	}
	var made []Guardian
	var links []StudentGuardian
	var accounts []account
	var revived []uuid.UUID
	entries = slices.Clone(entries)
	otherName := false // than the school knows a guardian by
	for i, e := range entries {
		g, there := known[string(e.Phone)]
		if !there {
			at := "customFields"
			if ofAdmission {
				at = fmt.Sprintf("guardians[%d].customFields", i)
			}
			if e.CustomFields, err = (customChange{said: e.CustomFields, at: at}).apply(fields); err != nil {
				return nil, err
			}
			entries[i].CustomFields = e.CustomFields
			fresh := Guardian{Record: newRecord(c), GuardianFields: e.GuardianFields, UserID: api.NewID()}
			made = append(made, fresh)
			g = knownGuardian{ID: fresh.ID, UserID: fresh.UserID}
		} else {
			entries[i].CustomFields = nil
			if g.Status != "ACTIVE" {
				revived = append(revived, g.UserID)
			}
		}
		otherName = otherName || there && (g.FirstName != e.FirstName || g.LastName != e.LastName)
		if g.Status != "ACTIVE" {
			accounts = append(accounts, account{userID: g.UserID, role: api.Parent, phone: string(e.Phone)})
		}
		links = append(links, StudentGuardian{Record: newRecord(c), StudentID: student, GuardianID: g.ID, LinkFields: e.link()})
	}
	if err := makeGuardians(c, made); err != nil {
		return nil, err
	}
	if len(revived) > 0 {
		if err := c.DB.Exec(`update app_user set status = 'ACTIVE', version = version + 1, updated_at = ? where id in ?`, c.Now,
			revived).Error; err != nil {
			return nil, fmt.Errorf("opening guardians' accounts again: %w", err)
		}
	}
	if err := writeLinks(c, student, links); err != nil {
		return nil, err
	}
	for i, l := range links {
		c.Changed("create", linked, student, nil, Guardianship{GuardianID: l.GuardianID, GuardianFields: entries[i].GuardianFields,
			LinkFields: l.LinkFields})
	}
	for _, a := range accounts {
		c.Tell(userChanged(a.userID))
	}
	if otherName {
		return accounts, RefreshSearch(c, []uuid.UUID{student})
	}
	return accounts, nil
}

// lockGuardians finds the guardians who have these phones. Two who add the same new
// phone at once queue, so that siblings entered together share their parent.
func lockGuardians(c api.Ctx, phones []string) (map[string]knownGuardian, error) {
	slices.Sort(phones)
	raw, err := json.Marshal(phones)
	if err != nil {
		return nil, err
	}
	err = c.DB.Exec(`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' guardian ' || p, 0))
		from jsonb_array_elements_text(?::jsonb) p`, string(raw)).Error
	if err != nil {
		return nil, fmt.Errorf("locking phones: %w", err)
	}
	var found []knownGuardian
	err = c.DB.Raw(`select g.id, g.user_id, g.phone, g.first_name, g.last_name, u.status from guardian g join app_user u on u.id = g.user_id
		where g.phone in ? order by g.id for update`, phones).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("looking for guardians: %w", err)
	}
	out := make(map[string]knownGuardian, len(found))
	for _, g := range found {
		out[g.Phone] = g
	}
	return out, nil
}

// makeGuardians adds guardians with their users, who hold the school's parent role.
// They sign in by phone alone: the e-mail may be a family's, and some other user's.
func makeGuardians(c api.Ctx, made []Guardian) error {
	if len(made) == 0 {
		return nil
	}
	type user struct {
		ID        uuid.UUID `json:"id"`
		FirstName string    `json:"first_name"`
		LastName  string    `json:"last_name"`
		Phone     string    `json:"phone"`
	}
	users := make([]user, len(made))
	for i, g := range made {
		users[i] = user{g.UserID, g.FirstName, g.LastName, string(g.Phone)}
	}
	raw, err := json.Marshal(users)
	if err != nil {
		return err
	}
	err = c.DB.Exec(`insert into app_user (id, role_id, first_name, last_name, phone, created_at, updated_at)
		select u.id, r.id, u.first_name, u.last_name, u.phone, ?, ?
		from jsonb_to_recordset(?::jsonb) as u(id uuid, first_name text, last_name text, phone text), role r where r.type = 'PARENT'
		and r.system`,
		c.Now, c.Now, string(raw)).Error
	if err != nil {
		return fmt.Errorf("adding guardians' accounts: %w", err)
	}
	if err := c.DB.Create(&made).Error; err != nil {
		return fmt.Errorf("adding guardians: %w", err)
	}
	for _, g := range made {
		c.Changed("create", "guardian", g.ID, nil, g)
	}
	return nil
}

// writeLinks writes the links. One is primary: who is said to be, else the first there is.
func writeLinks(c api.Ctx, student uuid.UUID, links []StudentGuardian) error {
	primary := slices.IndexFunc(links, func(l StudentGuardian) bool { return l.IsPrimary })
	if primary >= 0 {
		if err := clearPrimary(c, student); err != nil {
			return err
		}
	} else {
		var has bool
		if err := c.DB.Raw(`select exists (select from student_guardian where student_id = ? and is_primary)`,
			student).Scan(&has).Error; err != nil {
			return fmt.Errorf("looking for the primary guardian: %w", err)
		}
		if !has {
			primary = 0
		}
	}
	for i := range links {
		links[i].IsPrimary = i == primary
	}
	if err := c.DB.Create(&links).Error; err != nil {
		return fmt.Errorf("linking guardians: %w", err)
	}
	return nil
}

// clearPrimary leaves a student without a primary guardian, for another to be it.
func clearPrimary(c api.Ctx, student uuid.UUID) error {
	err := c.DB.Exec(`update student_guardian set is_primary = false, version = version + 1, updated_at = ? where student_id = ?
		and is_primary`, c.Now, student).Error
	if err != nil {
		return fmt.Errorf("changing the primary guardian: %w", err)
	}
	return nil
}

// DisableChildless closes the accounts of guardians who have no child at the school any
// more. They are locked first: of two unlinked at once the second sees the first.
func DisableChildless(c api.Ctx, guardians []uuid.UUID) error {
	if len(guardians) == 0 {
		return nil
	}
	if err := c.DB.Exec(`select id from guardian where id in ? order by id for update`, guardians).Error; err != nil {
		return fmt.Errorf("locking guardians: %w", err)
	}
	var gone []uuid.UUID
	err := c.DB.Raw(`update app_user set status = 'DISABLED', version = version + 1, updated_at = ?
		where status = 'ACTIVE' and id in (select g.user_id from guardian g where g.id in ? and not exists (
			select from student_guardian sg join student s on s.id = sg.student_id where sg.guardian_id = g.id and s.deleted_at is null))
		returning id`, c.Now, guardians).Scan(&gone).Error
	if err != nil {
		return fmt.Errorf("closing guardians' accounts: %w", err)
	}
	for _, id := range gone {
		c.Changed("disable", "user", id, nil, nil)
		c.Tell(userChanged(id))
	}
	return nil
}

// userChanged is the fact that keeps the directory in step.
func userChanged(user uuid.UUID) events.Fact {
	return events.Fact{Kind: "user.changed", Data: map[string]any{"userId": user}}
}

// enterAll writes accounts into the directory, last of all.
func (m *Module) enterAll(c api.Ctx, accounts []account) error {
	for i := range accounts {
		if err := m.enter(c, &accounts[i]); err != nil {
			return err
		}
	}
	return nil
}

// contactsOf are what a student is found by of guardians.
func contactsOf(entries []GuardianEntry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, string(e.Phone), e.FirstName, e.LastName)
	}
	return out
}

func phonesOf(entries []GuardianEntry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, string(e.Phone))
	}
	return out
}

// refuseDuplicates refuses a student's guardian who is listed twice.
func refuseDuplicates(entries []GuardianEntry) error {
	seen := map[api.Phone]bool{}
	for i, e := range entries {
		if seen[e.Phone] {
			return api.InvalidField(fmt.Sprintf("guardians[%d].phone", i), "another of the guardians has this phone")
		}
		seen[e.Phone] = true
	}
	return nil
}
