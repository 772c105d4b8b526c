// Package school is the cross-school administrator's view of the schools: onboard
// one, watch it become ready, suspend, activate and archive it, move it elsewhere, take all of it home.
package school

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/sheet"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
)

// Admins is asked about a school's first administrator.
type Admins interface {
	SealAdmin(ctx context.Context, firstName, lastName, email, phone, password string) (json.RawMessage, error)
	CanInvite() error
}

// Module serves the super-admin's school rows.
type Module struct {
	Cluster     *tenancy.Cluster
	Provisioner *lifecycle.Provisioner
	Mover       *move.Mover
	Admins      Admins
	Archives    Archives
	// Adopt has a school say of itself what the operator says of it.
	Adopt func(ctx context.Context, id uuid.UUID, p tenancy.Profile) error
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "school",
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Scheduled:   []api.Scheduled{{Name: "count-schools", Every: 15 * time.Minute, School: m.recountChanged}},
	}
}

// routes are the endpoints.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.PlatformRow("POST", "/super-admin/school/create", "Onboard a school; answers at once, the work goes on", api.Write, 201, m.create,
			api.OwnTransaction, api.Says("School is being set up")),
		api.PlatformRow("POST", "/super-admin/school/import",
			"Onboard many schools, from JSON or a CSV file: all of them or none; answers at once, the work goes on", api.Write, 201,
			m.importSchools,
			api.OwnTransaction, api.OrCSV(readSchools), api.Columns(sheet.Document(schoolSheet)...), api.Says("Schools are being set up"),
			api.Fresh),
		api.PlatformList("/super-admin/school/list", "List the schools", listing, m.list),
		api.PlatformRow("GET", "/super-admin/school/:id", "Read a school", api.Read, 200, m.get),
		api.PlatformRow("PUT", "/super-admin/school/:id", "Change what the platform's record says of a school", api.Write, 200, m.update,
			api.OwnTransaction, api.Versioned),
		api.PlatformRow("GET", "/super-admin/school/:id/provisioning", "How far a school's onboarding has come", api.Read, 200, m.provisioning),
		api.PlatformFeed("/super-admin/school/:id/provisioning/stream", "The same as it goes on, until the school is ready or has failed",
			m.watch),
		api.PlatformRow("GET", "/super-admin/school/:id/stats", "What there is at a school, who is signed in, and what was asked of it",
			api.Read, 200, m.stats),
		api.PlatformRow("POST", "/super-admin/school/:id/retry", "Go on with an onboarding that failed", api.Write, 200, m.retry,
			api.OwnTransaction),
		api.PlatformRow("POST", "/super-admin/school/:id/suspend", "Shut a school; its data stays", api.Write, 200, m.suspend,
			api.OwnTransaction, api.Fresh),
		api.PlatformRow("POST", "/super-admin/school/:id/activate", "Open a suspended school again", api.Write, 200, m.activate,
			api.OwnTransaction),
		api.PlatformRow("POST", "/super-admin/school/:id/archive", "Shut a suspended school for good", api.Write, 200, m.archive,
			api.OwnTransaction, api.Fresh),
		api.PlatformRow("POST", "/super-admin/school/:id/export", "Have a fresh archive of the whole school made", api.Write, 202,
			m.requestExport, api.OwnTransaction, api.Says("The archive is being made"), api.Fresh),
		api.PlatformDownload("/super-admin/school/:id/export", "The whole school as one archive, or ranges of it; 202 while it is being made",
			m.export, api.Gives("application/gzip"), api.Says("The archive is being made"), api.MayFail(errExportFailed), api.Fresh),
		api.PlatformRow("GET", "/super-admin/school/:id/exports", "The archives of a school, how far they are and who asked for them", api.Read,
			200, m.listExports),
		api.PlatformRow("POST", "/super-admin/school/:id/move",
			"Move a school to another database node while it is used; answers at once, the work goes on", api.Write, 200, m.moveTo,
			api.OwnTransaction, api.Says("School is being moved"), api.Fresh),
		api.PlatformRow("GET", "/super-admin/school/:id/move", "How far a school's move has come, or what became of the last one", api.Read, 200,
			m.moved),
		api.PlatformRow("POST", "/super-admin/school/:id/move/confirm", "Remove the old copy of a school that has moved, for good", api.Write,
			200, m.confirmMove, api.OwnTransaction, api.Says("Old copy removed"), api.Fresh),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{{Name: "school_code_key", Field: "code", Message: "A school with this code exists"}}
}
