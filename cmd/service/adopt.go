package service

import (
	"context"

	"homeroom/auth/directory"
	"homeroom/modules/setting"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// Adopted is a school that the platform has been made to know again.
type Adopted struct {
	School *tenancy.School
	People *directory.RestoredUsers
}

// Adopt makes the platform know a school whose schema it has lost sight of. What the school says of itself completes the
// record; its people get their entries in the directory.
func (s *Service) Adopt(ctx context.Context, a lifecycle.Adoption, also ...tenancy.InTx) (Adopted, error) {
	out := Adopted{People: s.Auth.RestoreUsers()}
	a.Describe = func(ctx context.Context, school *tenancy.School, record *tenancy.SchoolRecord) error {
		db, err := s.Cluster.School(ctx, school, tenancy.ReadOnly)
		if err != nil {
			return err
		}
		said, err := setting.Said(db)
		if err != nil {
			return err
		}
		if said != nil {
			record.Profile = describe(*said, record.Profile)
		}
		return out.People.Read(ctx, school)
	}
	var err error
	out.School, err = lifecycle.AdoptSchool(ctx, s.Cluster, a, append(also, out.People.Enter)...)
	return out, err
}

// describe is what a school says of itself, completed from the record where it says nothing.
func describe(said, record tenancy.Profile) tenancy.Profile {
	if said.Name == "" {
		said.Name = record.Name
	}
	if said.Locale == "" {
		said.Locale = record.Locale
	}
	if said.Currency == "" {
		said.Currency = record.Currency
	}
	if said.WeekendDays == nil {
		said.WeekendDays = record.WeekendDays
	}
	return said
}
