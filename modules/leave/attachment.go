package leave

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
)

// FileKind is what files are attached to here.
const FileKind = "leave"

// Files keeps what is attached to a leave: a doctor's note.
type Files interface {
	Attach(c api.Ctx, kind string, record uuid.UUID, field string, ids []uuid.UUID) error
	Of(db *gorm.DB, kind string, records ...uuid.UUID) (map[uuid.UUID][]uuid.UUID, error)
}

// page is a page of leaves with their files.
func (m *Module) page(c api.Ctx, query *gorm.DB, r api.ListRequest) (api.Page[LeaveView], error) {
	page, err := api.Fetch[LeaveView](query, r)
	if err != nil {
		return page, err
	}
	page.Items, err = m.withFiles(c, page.Items)
	return page, err
}

func (m *Module) withFiles(c api.Ctx, leaves []LeaveView) ([]LeaveView, error) {
	if len(leaves) == 0 {
		return leaves, nil
	}
	ids := make([]uuid.UUID, len(leaves))
	for i, l := range leaves {
		ids[i] = l.ID
	}
	files, err := m.Files.Of(c.DB, FileKind, ids...)
	for i := range leaves {
		leaves[i].AttachmentFileIDs = append([]uuid.UUID{}, files[leaves[i].ID]...)
	}
	return leaves, err
}

// MayRead says whether the caller may read one of these leaves: who asked for it, the
// student's guardians being one, and the class teacher who decides it.
func MayRead(c api.Ctx, ids []uuid.UUID) (bool, error) {
	var query *gorm.DB
	switch c.User.Role {
	case api.Parent:
		query = views(c, "l.student_id in (?)", roster.Linked(c.DB, c.User.ID))
	case api.Teacher:
		query = views(c, "(p.user_id = ? or "+leads+")", c.User.ID, c.User.ID)
	case api.SchoolAdmin:
		query = views(c, "true")
	default:
		return false, nil
	}
	var n int64
	if err := query.Where("id in ?", ids).Count(&n).Error; err != nil {
		return false, fmt.Errorf("looking for leave: %w", err)
	}
	return n > 0, nil
}
