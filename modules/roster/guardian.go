package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

// GuardianEntry is a guardian as the office adds one to a student. A phone that is
// known is a guardian who is: siblings share them.
type GuardianEntry struct {
	GuardianFields
	Relation    string `json:"relation" validate:"required,oneof=FATHER MOTHER GUARDIAN OTHER"`
	IsPrimary   bool   `json:"isPrimary" doc:"The first guardian is, unless another is said to be"`
	HasCustody  *bool  `json:"hasCustody" doc:"True unless said otherwise"`
	CanViewData *bool  `json:"canViewData" doc:"May see the student's data in the app; true unless said otherwise"`
	CanPickUp   *bool  `json:"canPickUp" doc:"True unless said otherwise"`
	IsFeePayer  bool   `json:"isFeePayer"`
}

func (e GuardianEntry) link() LinkFields {
	yes := func(b *bool) bool { return b == nil || *b }
	return LinkFields{Relation: e.Relation, IsPrimary: e.IsPrimary, IsFeePayer: e.IsFeePayer,
		HasCustody: yes(e.HasCustody), CanViewData: yes(e.CanViewData), CanPickUp: yes(e.CanPickUp)}
}

// Guardianship is a guardian and what they are to one student.
type Guardianship struct {
	GuardianID uuid.UUID `json:"id"`
	UserID     uuid.UUID `json:"userId"`
	GuardianFields
	LinkFields
}

// guardianships begins the queries of a student's guardians: the student's id follows.
const guardianships = `select g.id as guardian_id, g.user_id, g.first_name, g.last_name, g.phone, g.email, g.occupation, g.custom_fields,
		sg.relation, sg.is_primary, sg.has_custody, sg.can_view_data, sg.can_pick_up, sg.is_fee_payer
	from student_guardian sg join guardian g on g.id = sg.guardian_id where sg.student_id = `

const selectGuardianships = guardianships + `$1 order by sg.is_primary desc, sg.created_at, g.id`

type guardianFor struct {
	StudentID uuid.UUID `path:"id"`
	GuardianEntry
}

type guardianOf struct {
	StudentID  uuid.UUID `path:"id"`
	GuardianID uuid.UUID `path:"guardianId"`
}

func (m *Module) addGuardian(c api.Ctx, r guardianFor) (Guardianship, error) {
	if _, err := lockStudent(c, r.StudentID); err != nil {
		return Guardianship{}, err
	}
	accounts, err := addGuardians(c, r.StudentID, []GuardianEntry{r.GuardianEntry}, false)
	if err != nil {
		return Guardianship{}, err
	}
	if err := RefreshSearch(c, []uuid.UUID{r.StudentID}); err != nil {
		return Guardianship{}, err
	}
	made, err := guardianshipBy(c, r.StudentID, "g.phone = ?", r.Phone)
	if err != nil {
		return made, err
	}
	return made, m.enterAll(c, accounts)
}

// removeGuardian unlinks at once: what a parent sees is decided by the link, in every
// query. One with no other child loses their way in.
func removeGuardian(c api.Ctx, r guardianOf) error {
	if _, err := lockStudent(c, r.StudentID); err != nil {
		return err
	}
	was, err := guardianshipBy(c, r.StudentID, "g.id = ?", r.GuardianID)
	if err != nil {
		return err
	}
	if err := c.DB.Exec(`delete from student_guardian where student_id = ? and guardian_id = ?`, r.StudentID,
		r.GuardianID).Error; err != nil {
		return fmt.Errorf("unlinking a guardian: %w", err)
	}
	if was.IsPrimary { // the one who has been there longest is asked first now
		err := c.DB.Exec(`update student_guardian set is_primary = true, version = version + 1, updated_at = ?
			where id = (select id from student_guardian where student_id = ? order by created_at, id limit 1)`, c.Now, r.StudentID).Error
		if err != nil {
			return fmt.Errorf("naming another primary guardian: %w", err)
		}
	}
	c.Changed("delete", linked, r.StudentID, was, nil)
	c.Tell(sightChanged(was.UserID))
	if err := DisableChildless(c, []uuid.UUID{r.GuardianID}); err != nil {
		return err
	}
	return RefreshSearch(c, []uuid.UUID{r.StudentID})
}

// SightChanged is the fact that some guardians see other things than before. It says
// their users, as userIds.
const SightChanged = "guardians.sight-changed"

func sightChanged(user uuid.UUID) events.Fact {
	return events.Fact{Kind: SightChanged, Data: map[string]any{"userIds": []uuid.UUID{user}}}
}

// linked is what the audit calls the tie of a guardian to a student. It is auditEntry
// under the student's id, where the student's timeline finds it.
const linked = "student guardian"

func guardianshipBy(c api.Ctx, student uuid.UUID, where string, arg any) (Guardianship, error) {
	var found []Guardianship
	err := c.DB.Raw(guardianships+`? and `+where, student, arg).Scan(&found).Error
	if err != nil {
		return Guardianship{}, fmt.Errorf("reading a guardian: %w", err)
	}
	if len(found) == 0 {
		return Guardianship{}, api.NotFound("guardian")
	}
	return found[0], nil
}

// guardiansOf are the ids of a student's guardians.
func guardiansOf(c api.Ctx, student uuid.UUID) (ids []uuid.UUID, err error) {
	err = c.DB.Raw(`select guardian_id from student_guardian where student_id = ?`, student).Scan(&ids).Error
	if err != nil {
		return nil, fmt.Errorf("reading a student's guardians: %w", err)
	}
	return ids, nil
}
