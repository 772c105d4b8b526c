package announcement

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// teachersText is what a teacher says to the parents of their divisions.
type teachersText struct {
	Text
	ClassIDs          []uuid.UUID `json:"classIds" validate:"max=200,unique" doc:"Only where every division of the class is yours"`
	DivisionIDs       []uuid.UUID `json:"divisionIds" validate:"max=500,unique"`
	AttachmentFileIDs []uuid.UUID `json:"attachmentFileIds" validate:"max=20,unique"`
}

// teachersTargets are the divisions a teacher wants to speak to: each must be theirs.
func teachersTargets(c api.Ctx, r teachersText) ([]api.Target, error) {
	ids := r.DivisionIDs
	if len(r.ClassIDs) > 0 {
		var inClasses []uuid.UUID
		if err := c.DB.Table("division").Where("class_id in ?", r.ClassIDs).Pluck("id", &inClasses).Error; err != nil {
			return nil, fmt.Errorf("reading the divisions of classes: %w", err)
		}
		if len(inClasses) == 0 {
			return nil, api.InvalidField("classIds", "classIds has no class with a division")
		}
		ids = append(inClasses, ids...)
	}
	if len(ids) == 0 {
		return nil, api.InvalidField("divisionIds", "divisionIds is required: a teacher speaks to their own divisions")
	}
	targets := make([]api.Target, len(ids))
	for i, id := range ids {
		targets[i] = api.Target{DivisionID: id}
	}
	return targets, nil
}

// createByTeacher publishes at once, unless a time is given.
func (m *Module) createByTeacher(c api.Ctx, r teachersText) (View, error) {
	if r.Urgent {
		return View{}, api.InvalidField("urgent", "urgent is for announcements of the office")
	}
	return m.write(c, Fields(r), true)
}
