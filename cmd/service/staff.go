package service

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/modules/privacy"
	"homeroom/modules/roster"
	"homeroom/tenancy"
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

// openSchool opens a school for what is asked without a token; one that is not active
// is as good as not there.
func (s *Service) openSchool(ctx context.Context, id uuid.UUID) (*tenancy.School, *gorm.DB, error) {
	school, err := readySchools{s}.School(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if school.Status != tenancy.Active {
		return nil, nil, tenancy.ErrSchoolNotFound
	}
	db, err := s.Cluster.School(ctx, school, tenancy.ReadOnly)
	return school, db, err
}

// forgetErased removes what the platform keeps by the phone or e-mail of somebody a
// school has erased: messages that could not be delivered, and codes that were sent.
func (s *Service) forgetErased() {
	s.Bus.On(privacy.PersonErased, "platform", func(ctx context.Context, h events.Heard) error {
		var gone privacy.Gone
		if err := h.Read(&gone); err != nil {
			return err
		}
		_, err := s.Cluster.PlatformPool().Exec(ctx, `with letters as (delete from platform.dead_letter where school_id = $1 and recipient <> '' and recipient = any($2))
			delete from platform.message where state <> 'QUEUED' and recipient <> '' and recipient = any($2)`, h.SchoolID, gone.Addresses)
		return err
	})
}
