// Package platform is the cross-school administrator's desk: administrators of schools,
// accounts, migrations, the platform's audit log, and how much is going on. It
// reads the platform's records only: what is in a school is asked of the school.
package platform

import (
	"context"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// People gives administrators a way in, and takes it.
type People interface {
	CanInvite() error
	AddAdmin(ctx context.Context, s *tenancy.School, firstName, lastName, email, phone string,
		booked func(user uuid.UUID) (tenancy.Query, error)) (account uuid.UUID, err error)
	Invite(ctx context.Context, school, user uuid.UUID, name string) error
	Bar(ctx context.Context, account uuid.UUID, also ...tenancy.InTx) error
	Unbar(ctx context.Context, account uuid.UUID, also ...tenancy.InTx) error
	ResetFactors(ctx context.Context, account uuid.UUID, also ...tenancy.InTx) error
	DisableOperator(ctx context.Context, operator uuid.UUID, also ...tenancy.InTx) error
	EnableOperator(ctx context.Context, operator uuid.UUID, also ...tenancy.InTx) error
	EndSessions(ctx context.Context, account uuid.UUID, reason string, also ...tenancy.InTx) (int, error)
}

// Fleet migrates schools.
type Fleet interface {
	RequestMigration(ctx context.Context, m lifecycle.NewMigration, also ...tenancy.InTx) error
}

// Module serves the super-admin's rows.
type Module struct {
	People  People
	Fleet   Fleet
	Schools api.Schools
	// Version is what this binary brings schools to.
	Version int
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:     "platform",
		Rows:     m.routes(),
		Personal: personal(),
	}
}

// routes are the endpoints.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.PlatformRow("POST", "/super-admin/admin/create", "Add an administrator to a school and invite them to set a password", api.Write,
			201, m.createAdmin, api.Says("Administrator added and invited"), api.MayFail(api.Coded(404, "SCHOOL_NOT_FOUND", "School not found")),
			api.Fresh),
		api.PlatformList("/super-admin/admin/list", "Administrators of all schools", adminListing, listAdmins),
		api.PlatformRow("GET", "/super-admin/admin/:id", "Read an administrator", api.Read, 200, getAdmin),
		api.PlatformRow("POST", "/super-admin/admin/:id/disable", "Keep an administrator out; their sessions end at once", api.Write, 200,
			m.disableAdmin, api.OwnTransaction, api.Says("Disabled")),
		api.PlatformRow("POST", "/super-admin/admin/:id/enable", "Let a disabled administrator in again", api.Write, 200, m.enableAdmin,
			api.OwnTransaction, api.Says("Enabled"), api.Fresh),
		api.PlatformRow("POST", "/super-admin/admin/:id/invite", "Send an administrator a new link to set a password; links sent before end",
			api.Write, 200, m.inviteAdmin, api.Says("Invitation sent")),
		api.PlatformRow("POST", "/super-admin/admin/:id/reset-factor",
			"Take an administrator's second factors, who has lost them; their sessions end at once", api.Write, 200, m.resetAdminFactor,
			api.OwnTransaction, api.Says("Second factors removed"), api.Fresh),

		api.PlatformList("/super-admin/operator/list", "The operators of the platform", operatorListing, listOperators),
		api.PlatformRow("GET", "/super-admin/operator/:id", "Read an operator", api.Read, 200, getOperator),
		api.PlatformRow("POST", "/super-admin/operator/:id/disable",
			"Keep an operator out; their sessions end at once. The last active one stays", api.Write, 200, m.disableOperator, api.OwnTransaction,
			api.Says("Disabled"), api.Fresh),
		api.PlatformRow("POST", "/super-admin/operator/:id/enable", "Let a disabled operator in again", api.Write, 200, m.enableOperator,
			api.OwnTransaction, api.Says("Enabled"), api.Fresh),

		api.PlatformRow("GET", "/super-admin/account/search", "Find accounts of any school by the beginning of a phone or an e-mail", api.Read,
			200, searchAccounts),
		api.PlatformRow("POST", "/super-admin/account/revoke-sessions", "End every session of an account", api.Write, 200, m.revokeSessions,
			api.OwnTransaction, api.Says("Sessions ended")),

		api.PlatformRow("GET", "/super-admin/migration/status",
			"How many schools are up to date, behind or failed, and how far the last migration has come", api.Read, 200, m.migrationStatus),
		api.PlatformList("/super-admin/migration/list", "The version of every school", m.migrationListing(), m.listMigrations),
		api.PlatformRow("POST", "/super-admin/migration/run", "Migrate all schools that are behind, or some; never two at once", api.Write, 200,
			m.runMigration, api.OwnTransaction, api.NoBodyNeeded, api.Says("Migration is under way")),
		api.PlatformRow("POST", "/super-admin/migration/retry", "Migrate the schools whose migration failed", api.Write, 200, m.retryMigration,
			api.OwnTransaction, api.Says("Migration is under way")),

		api.PlatformList("/super-admin/audit/list", "What super-admins and the command line did, newest first", auditListing, listAudit),
		api.PlatformList("/super-admin/audit/deed/list", "What kinds of entries the platform's audit log has", deedListing, listDeeds),
		api.PlatformRow("GET", "/super-admin/stats/overview", "Schools, students and traffic, with a series for charts and the slowest schools",
			api.Read, 200, overview),
	)
}

type byID struct {
	ID uuid.UUID `path:"id"`
}
