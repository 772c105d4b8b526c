package roster

import (
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"homeroom/api"
)

type guardianChange struct {
	guardianOf
	api.Change[guardianEdit]
}

// guardianEdit is what of a guardian can be changed: what the office says of them,
// which all their children share, and what they are to this student.
type guardianEdit struct {
	GuardianFields
	LinkFields
}

func (m *Module) updateGuardian(c api.Ctx, r guardianChange) (Guardianship, error) {
	if _, err := lockStudent(c, r.StudentID); err != nil {
		return Guardianship{}, err
	}
	before, err := guardianshipBy(c, r.StudentID, "g.id = ?", r.GuardianID)
	if err != nil {
		return before, err
	}
	edit := guardianEdit{before.GuardianFields, before.LinkFields}
	if err := r.Apply(&edit); err != nil {
		return before, err
	}
	if r.Names("customFields") {
		change := customChange{subject: OfGuardians, said: edit.CustomFields, was: before.CustomFields}
		if edit.CustomFields, err = change.custom(c); err != nil {
			return before, err
		}
	}
	after := before
	after.GuardianFields, after.LinkFields = edit.GuardianFields, edit.LinkFields
	if !reflect.DeepEqual(after.GuardianFields, before.GuardianFields) {
		if err := m.changePerson(c, before, after); err != nil {
			return before, err
		}
	}
	if after.LinkFields != before.LinkFields {
		if err := changeLink(c, r.guardianOf, before, after); err != nil {
			return before, err
		}
	}
	c.Changed("update", linked, r.StudentID, before, after)
	if after.Phone != before.Phone {
		return after, m.enter(c, &account{userID: after.UserID, role: api.Parent, phone: string(after.Phone)})
	}
	return after, nil
}

// changePerson writes what is said of the guardian themselves. A new phone is what
// they sign in with from now on; their children are found by it and by their name.
func (m *Module) changePerson(c api.Ctx, before, after Guardianship) error {
	err := c.DB.Exec(`update guardian set first_name = ?, last_name = ?, phone = ?, email = ?, occupation = ?,
		custom_fields = ?, version = version + 1, updated_at = ?, updated_by = ? where id = ?`, after.FirstName, after.LastName, after.Phone,
		after.Email, after.Occupation, after.CustomFields, c.Now, c.User.ID, after.GuardianID).Error
	if err != nil {
		return fmt.Errorf("changing a guardian: %w", err)
	}
	err = c.DB.Exec(`update app_user set first_name = ?, last_name = ?, phone = ?, version = version + 1, updated_at = ? where id = ?`,
		after.FirstName, after.LastName, after.Phone, c.Now, after.UserID).Error
	if err != nil {
		return fmt.Errorf("changing a guardian's account: %w", err)
	}
	if after.Phone != before.Phone {
		c.Tell(userChanged(after.UserID))
	} else if after.FirstName == before.FirstName && after.LastName == before.LastName {
		return nil
	}
	var children []uuid.UUID
	if err := c.DB.Raw(`select student_id from student_guardian where guardian_id = ?`, after.GuardianID).Scan(&children).Error; err != nil {
		return fmt.Errorf("reading a guardian's children: %w", err)
	}
	return RefreshSearch(c, children)
}

func changeLink(c api.Ctx, r guardianOf, before, after Guardianship) error {
	if before.IsPrimary && !after.IsPrimary {
		return api.InvalidField("isPrimary", "make another guardian the primary one instead")
	}
	if after.IsPrimary && !before.IsPrimary {
		if err := clearPrimary(c, r.StudentID); err != nil {
			return err
		}
	}
	err := c.DB.Exec(`update student_guardian set relation = ?, is_primary = ?, has_custody = ?, can_view_data = ?, can_pick_up = ?,
		is_fee_payer = ?,
			version = version + 1, updated_at = ?, updated_by = ? where student_id = ? and guardian_id = ?`,
		after.Relation, after.IsPrimary, after.HasCustody, after.CanViewData, after.CanPickUp, after.IsFeePayer,
		c.Now, c.User.ID, r.StudentID, r.GuardianID).Error
	if err != nil {
		return fmt.Errorf("changing what a guardian is to a student: %w", err)
	}
	if after.CanViewData != before.CanViewData {
		c.Tell(sightChanged(after.UserID))
	}
	return nil
}
