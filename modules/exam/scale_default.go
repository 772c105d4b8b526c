package exam

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
)

// DefaultScale is the scale of classes that name none; nil is none.
func (m *Module) DefaultScale(c api.Ctx) (*uuid.UUID, error) {
	var ids []uuid.UUID
	if err := c.DB.Raw(`select id from grade_scale where is_default`).Scan(&ids).Error; err != nil {
		return nil, fmt.Errorf("looking for the default scale: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return &ids[0], nil
}

// MakeDefault makes a scale the default one, for the school's settings; nil: none is.
func (m *Module) MakeDefault(c api.Ctx, id *uuid.UUID) error {
	if id == nil {
		return stepBack(c, uuid.Nil)
	}
	var found []GradeScale
	if err := c.DB.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", *id).Find(&found).Error; err != nil {
		return fmt.Errorf("looking for a scale: %w", err)
	}
	if len(found) == 0 {
		return api.InvalidField("gradeScaleId", "gradeScaleId does not exist")
	}
	if err := stepBack(c, *id); err != nil {
		return err
	}
	after := found[0]
	after.IsDefault = true
	return keepDefault(c, found[0], after)
}

// keepDefault writes whether a scale is the default. It is not api.Update: the version a
// caller sends is another record's.
func keepDefault(c api.Ctx, before, after GradeScale) error {
	after.UpdatedAt, after.UpdatedBy, after.Version = c.Now, &c.User.ID, before.Version+1
	if err := c.DB.Select("is_default", "updated_at", "updated_by", "version").Where("id = ?", after.ID).Updates(&after).Error; err != nil {
		return fmt.Errorf("changing the default scale: %w", err)
	}
	c.Changed("update", "grade scale", after.ID, before, after)
	return nil
}
