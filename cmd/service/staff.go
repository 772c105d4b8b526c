package service

import (
	"context"

	"github.com/google/uuid"

	"homeroom/events"
	"homeroom/modules/roster"
)

// inviteAdministrators sends those a school has made administrators the link to set
// their password, once the change is committed.
func (s *Service) inviteAdministrators() {
	s.Bus.On(roster.AdministratorAdded, "invitation", func(ctx context.Context, h events.Heard) error {
		var added struct {
			UserID uuid.UUID `json:"userId"`
		}
		if err := h.Read(&added); err != nil {
			return err
		}
		school, err := s.Registry.School(ctx, h.SchoolID)
		if err != nil {
			return err
		}
		return s.Auth.InviteOn(ctx, h.ID, h.SchoolID, added.UserID, school.Name)
	})
}
