package service

import (
	"context"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// invitationModule sends the users a school has made administrators the link to set
// their password, once the change is committed.
func invitationModule(registry *tenancy.Registry, accounts *auth.Auth) api.Module {
	return api.Module{
		Name:     "invitation",
		Folder:   "cmd/service",
		Personal: api.NoTables,
		Listen:   func(bus *events.Bus) { inviteAdministrators(bus, registry, accounts) },
	}
}

func inviteAdministrators(bus *events.Bus, registry *tenancy.Registry, accounts *auth.Auth) {
	bus.On(roster.AdministratorAdded, "invitation", func(ctx context.Context, h events.Heard) error {
		var added struct {
			UserID uuid.UUID `json:"userId"`
		}
		if err := h.Read(&added); err != nil {
			return err
		}
		school, err := registry.School(ctx, h.SchoolID)
		if err != nil {
			return err
		}
		return accounts.InviteOn(ctx, h.ID, h.SchoolID, added.UserID, school.Name)
	})
}
