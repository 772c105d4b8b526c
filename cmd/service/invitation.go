package service

import (
	"context"

	"github.com/google/uuid"

	"homeroom/auth"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// inviteAdministrators sends the users a school has made administrators the link to set
// their password, once the change is committed.
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
