// Package setting is how a school wants things done: one record, changed by its
// administrators, in force everywhere within a second. It keeps what other modules go
// by; what they do with it is theirs.
package setting

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Grades knows the school's grade scales, one of which is the default.
type Grades interface {
	// DefaultScale is the scale of classes that name none; nil is none.
	DefaultScale(c api.Ctx) (*uuid.UUID, error)
	// MakeDefault makes it another; nil: none.
	MakeDefault(c api.Ctx, id *uuid.UUID) error
}

// Files knows the school's files.
type Files interface {
	// ContentType is what a file is; nothing if there is no such file.
	ContentType(c api.Ctx, id uuid.UUID) (string, error)
}

// Module serves the settings.
type Module struct {
	Grades Grades
	Files  Files
	// Record keeps the platform's record of a school in step with what the school says of itself:
	// name, time zone, currency and the like; every request finds them in the registry.
	Record func(ctx context.Context, school uuid.UUID, p tenancy.Profile) (changed bool, err error)
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "setting",
		Permissions: []api.Permission{{Key: "setting", Title: "Settings"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Listen:      m.listen,
		Scheduled:   []api.Scheduled{{Name: "heal-profiles", Every: 24 * time.Hour, School: m.healProfile}},
	}
}

// routes are the endpoints.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Get("/school-admin/setting", "setting", "Read the school's settings", m.get),
		api.Put("/school-admin/setting", "setting", "Change the school's settings", m.update, api.Versioned,
			api.SometimesFresh("To change secondFactorRequired")),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "school_setting_logo_fkey", Field: "logoFileId", Message: "logoFileId does not exist"},
		{Name: "school_setting_evaluation_check", Field: "evaluationModeUntil", Message: "evaluationModeUntil must be after evaluationModeFrom"},
		{Name: "school_setting_late_fine_check", Field: "lateFineAmount", Message: "lateFineAmount is required for a fine"},
	}
}
