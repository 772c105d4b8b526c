package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/config"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/rbac"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// demoSchool's id is fixed, so that making the demo data again finds it.
var demoSchool = uuid.MustParse("01890000-0000-7000-8000-00000000d310")

// DemoSignIns are the accounts a newcomer can use.
type DemoSignIns struct{ Accounts []DemoAccount }

// DemoAccount is one of them. Shut says why it cannot sign in at present, if so.
type DemoAccount struct{ Role, Email, Password, Shut string }

// Demo makes the demo school and its people, once. It may be interrupted and run again.
func (s *Service) Demo(ctx context.Context) (DemoSignIns, error) {
	if s.Config.Profile != config.Local {
		return DemoSignIns{}, errors.New("demo data is for the local profile")
	}
	password := s.Config.LocalPassword
	signIns := DemoSignIns{Accounts: []DemoAccount{
		{Role: "Super-admin", Email: "super@homeroom.local", Password: password},
		{Role: "School admin", Email: "admin@green-valley.local", Password: password},
	}}
	if _, err := s.Auth.AddSuperAdmin(ctx, signIns.Accounts[0].Email, "Local super-admin", password); err != nil {
		return signIns, err
	}
	if err := s.Auth.EnsurePassword(ctx, signIns.Accounts[0].Email, password); err != nil {
		return signIns, err
	}
	school, err := s.demoSchool(ctx, signIns.Accounts[1].Email, password)
	if err != nil {
		return signIns, err
	}
	if school.Status != tenancy.Active { // somebody tried that
		signIns.Accounts[1].Shut = fmt.Sprintf("%s is %s", school.Name, school.Status)
		return signIns, nil
	}
	if err := s.Auth.EnsurePassword(ctx, signIns.Accounts[1].Email, password); err != nil {
		return signIns, err
	}
	db, err := s.Cluster.School(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return signIns, err
	}
	if err := roster.Demo(db, school.ID, s.demoYear(school)); err != nil {
		return signIns, err
	}
	return signIns, s.demoBus(ctx, school, db)
}

// Demo people who sign in with a code: the driver of the demo bus, and a parent who watches it.
const (
	DemoDriverPhone = "+919800000701"
	DemoParentPhone = "+919800000702"
)

// demoBus gives the demo school a bus that can be driven (homeroom demo-drive).
func (s *Service) demoBus(ctx context.Context, school *tenancy.School, db *gorm.DB) error {
	p := transport.DemoPeople{
		DriverUser: uuid.NewSHA1(school.ID, []byte("demo driver")), DriverPhone: DemoDriverPhone, DriverRole: rbac.RoleID(school.ID, api.Driver),
		ParentUser: uuid.NewSHA1(school.ID, []byte("demo parent")), ParentPhone: DemoParentPhone, ParentRole: rbac.RoleID(school.ID, api.Parent),
	}
	if err := transport.Demo(db, p, api.DateOf(s.now().In(school.Location())), school.Location()); err != nil {
		return err
	}
	if err := s.Auth.Enter(ctx, school.ID, p.DriverUser, api.Driver, p.DriverPhone, ""); err != nil {
		return err
	}
	return s.Auth.Enter(ctx, school.ID, p.ParentUser, api.Parent, p.ParentPhone, "")
}

// demoYear is the school year around today at the school.
func (s *Service) demoYear(school *tenancy.School) int {
	today := api.DateOf(s.now().In(school.Location()))
	if today.Month < 6 {
		return today.Year - 1
	}
	return today.Year
}

func (s *Service) demoSchool(ctx context.Context, email, password string) (*tenancy.School, error) {
	school, err := s.Cluster.FindSchool(ctx, demoSchool)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		sealed, err := s.Auth.SealAdmin(ctx, "Asha", "Rao", email, "", password)
		if err != nil {
			return nil, err
		}
		school, err = s.Provisioner.Request(ctx, lifecycle.NewSchool{
			ID: demoSchool, Code: "green-valley", Name: "Green Valley", TimeZone: "Asia/Kolkata", Locale: "en-IN", Currency: "INR", Admin: sealed,
		})
		if err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	if school.Status == tenancy.Provisioning || school.Status == tenancy.Failed {
		if err := s.Provisioner.Run(ctx, demoSchool); err != nil {
			return nil, fmt.Errorf("making the demo school: %w", err)
		}
	}
	return s.Cluster.FindSchool(ctx, demoSchool)
}
