package roster

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
)

// checkAssignments names every assignment whose class, division or subject is not
// there or does not fit, all at once.
func checkAssignments(c api.Ctx, list []assignmentInput) error {
	var classIDs, divisionIDs, subjectIDs []uuid.UUID
	for _, a := range list {
		classIDs = append(classIDs, a.ClassID)
		divisionIDs = appendID(divisionIDs, a.DivisionID)
		subjectIDs = appendID(subjectIDs, a.SubjectID)
	}
	classes, err := Present(c, "class", classIDs)
	if err != nil {
		return err
	}
	subjects, err := Present(c, "subject", subjectIDs)
	if err != nil {
		return err
	}
	classOf, err := classesOf(c, divisionIDs)
	if err != nil {
		return err
	}
	var bad []api.Detail
	seen, led := map[string]bool{}, map[uuid.UUID]bool{}
	for i, a := range list {
		fail := func(field, message string) {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("assignments[%d].%s", i, field), Message: message})
		}
		if !classes[a.ClassID] {
			fail("classId", "classId does not exist")
		}
		if a.DivisionID != nil {
			switch class, there := classOf[*a.DivisionID]; {
			case !there:
				fail("divisionId", "divisionId does not exist")
			case class != a.ClassID:
				fail("divisionId", "this division belongs to another class")
			case a.IsClassTeacher && led[*a.DivisionID]:
				fail("isClassTeacher", "the division's class teacher is named twice")
			}
			led[*a.DivisionID] = led[*a.DivisionID] || a.IsClassTeacher
		} else if a.IsClassTeacher {
			fail("divisionId", "divisionId is required: a class teacher has a division")
		}
		if a.SubjectID != nil && !subjects[*a.SubjectID] {
			fail("subjectId", "subjectId does not exist")
		}
		key := a.key()
		if seen[key] {
			fail("classId", "this assignment is named twice")
		}
		seen[key] = true
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// key is what an assignment is for, and more that is to be compared.
func (a assignmentInput) key(more ...any) string {
	return fmt.Sprint(a.ClassID, orNone(a.DivisionID), orNone(a.SubjectID), more)
}

// claimDivisions makes sure that nobody else is class teacher where the list says this
// user is. The divisions are locked: of two who claim one at once, the second is
// refused with the name of the first. Someone who has left holds no division back.
func claimDivisions(c api.Ctx, user uuid.UUID, year *uuid.UUID, list []assignmentInput) error {
	var ids []uuid.UUID
	for _, a := range list {
		if a.IsClassTeacher {
			ids = appendID(ids, a.DivisionID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := c.DB.Exec(`select id from division where id in ? order by id for no key update`, ids).Error; err != nil {
		return fmt.Errorf("locking divisions: %w", err)
	}
	var holders []struct {
		ID                                       uuid.UUID
		ClassName, DivisionName, First, Last, At string
	}
	err := ofYear(c.DB.Table("teacher_assignment a").Where("a.is_class_teacher and a.division_id in ? and a.user_id <> ?", ids, user), year).
		Joins("join class k on k.id = a.class_id").Joins("join division d on d.id = a.division_id").
		Joins("join app_user u on u.id = a.user_id").
		Select("a.id, k.name as class_name, d.name as division_name, u.first_name as first, u.last_name as last, u.status as at").
		Order("k.level, k.name, d.name").Scan(&holders).Error
	if err != nil {
		return fmt.Errorf("looking for class teachers: %w", err)
	}
	var taken []string
	var gone []uuid.UUID
	for _, h := range holders {
		if h.At != "ACTIVE" {
			gone = append(gone, h.ID)
			continue
		}
		taken = append(taken, fmt.Sprintf("%s is the class teacher of %s %s", FullName(h.First, h.Last), h.ClassName, h.DivisionName))
	}
	if taken != nil {
		return api.Conflict("%s", strings.Join(taken, "; "))
	}
	if gone == nil {
		return nil
	}
	if err := c.DB.Exec(`update teacher_assignment set is_class_teacher = false, version = version + 1, updated_at = ?, updated_by = ?
		where id in ?`, c.Now, c.User.ID, gone).Error; err != nil {
		return fmt.Errorf("releasing divisions: %w", err)
	}
	return nil
}

// classesOf is which class divisions belong to, and keeps them there until the assignments are written.
func classesOf(c api.Ctx, divisions []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	out := map[uuid.UUID]uuid.UUID{}
	if len(divisions) == 0 {
		return out, nil
	}
	var found []Division
	if err := c.DB.Clauses(clause.Locking{Strength: "KEY SHARE"}).Select("id", "class_id").Where("id in ?",
		divisions).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("looking for divisions: %w", err)
	}
	for _, d := range found {
		out[d.ID] = d.ClassID
	}
	return out, nil
}

func appendID(ids []uuid.UUID, id *uuid.UUID) []uuid.UUID {
	if id == nil {
		return ids
	}
	return append(ids, *id)
}

func orNone(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}
