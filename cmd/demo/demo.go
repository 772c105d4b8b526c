// Package demo makes the demo schools of `homeroom local`: what is in them is made by the product's own endpoints, called in
// process, at the day it is said to have happened. Nothing is sent to anybody. It is compiled into the build of `make run` alone.
package demo

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// SuperAdminEmail signs in to the operators' console.
const SuperAdminEmail = "super@homeroom.local"

// PIN is that of every demo account that signs in by phone.
const PIN = "4826"

// Account is one that a newcomer can use: by e-mail and password in the console, by phone and PIN in the app.
type Account struct {
	School, Role, Name string
	Email, Password    string
	Phone, PIN         string
	Shut               string // why it cannot sign in at present
}

// Demo makes and keeps the demo schools.
type Demo struct {
	Days int // how far back the registers go; three months unless set
	// Complete is called by Live, beside it, once the schools are complete; it may be nil.
	Complete func(context.Context)

	service *service.Service
	schools []*tenancy.School // by the plan
	calls   atomic.Int64      // of the product's endpoints
}

// Open makes the super-admin and the demo schools, empty, with their first administrators. It may be interrupted and run
// again. Fill puts everything else into them.
func Open(ctx context.Context, s *service.Service) (*Demo, error) {
	if s.Config.Profile != config.Local {
		return nil, errors.New("demo data is for the local profile")
	}
	if err := AddSuperAdmin(ctx, s); err != nil {
		return nil, err
	}
	d := &Demo{service: s}
	for _, p := range plans {
		school, err := d.open(ctx, p)
		if err != nil {
			return nil, err
		}
		d.schools = append(d.schools, school)
	}
	return d, d.ensurePasswords(ctx)
}

// ensurePasswords gives the schools' accounts the configured password, if it is another than at the last start: the one that is
// printed counts. Each takes as long as a sign-in; they are made side by side.
func (d *Demo) ensurePasswords(ctx context.Context) error {
	all, each := errgroup.WithContext(ctx)
	for i, p := range plans {
		if d.schools[i].Status != tenancy.Active {
			continue // somebody tried that
		}
		for _, email := range []string{p.adminEmail(), p.accountantEmail()} {
			all.Go(func() error {
				err := patiently(each, func() error { return d.service.Auth.EnsurePassword(each, email, d.service.Config.LocalPassword) })
				if err != nil {
					return fmt.Errorf("setting the password of %s: %w", email, err)
				}
				return nil
			})
		}
	}
	return all.Wait()
}

// Make is Open and Fill.
func Make(ctx context.Context, s *service.Service) (*Demo, error) {
	d, err := Open(ctx, s)
	if err == nil {
		err = d.Fill(ctx)
	}
	return d, err
}

// AddSuperAdmin makes the super-admin, once: all that somebody who wants no demo needs.
func AddSuperAdmin(ctx context.Context, s *service.Service) error {
	if _, err := s.Auth.AddSuperAdmin(ctx, SuperAdminEmail, "Local super-admin", s.Config.LocalPassword); err != nil {
		return err
	}
	return s.Auth.EnsurePassword(ctx, SuperAdminEmail, s.Config.LocalPassword)
}

// SuperAdmin is the sign-in of the operators' console.
func SuperAdmin(s *service.Service) []Account {
	return []Account{{Role: "Super-admin", Name: "Local super-admin", Email: SuperAdminEmail, Password: s.Config.LocalPassword}}
}

// DriverPhone is the phone of the driver who can sign in: homeroom demo-drive drives their bus.
func DriverPhone() string { return plans[0].driverPhone() }

// open finds a school by its fixed id, or makes it.
func (d *Demo) open(ctx context.Context, p *plan) (*tenancy.School, error) {
	s := d.service
	school, err := s.Cluster.FindSchool(ctx, p.id)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		sealed, err := s.Auth.SealAdmin(ctx, p.admin.first, p.admin.last, p.adminEmail(), "", s.Config.LocalPassword)
		if err != nil {
			return nil, err
		}
		school, err = s.Provisioner.Request(ctx, lifecycle.NewSchool{
			ID: p.id, Code: p.code, Name: p.name, TimeZone: p.timeZone, Locale: p.locale, Currency: p.currency, Admin: sealed,
			Address: p.address, Email: "office@" + p.domain,
		})
		if err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	if school.Status == tenancy.Provisioning || school.Status == tenancy.Failed {
		if err := s.Provisioner.Run(ctx, p.id); err != nil {
			return nil, fmt.Errorf("making the school %s: %w", p.name, err)
		}
	}
	return s.Cluster.FindSchool(ctx, p.id)
}

// Fill puts people, lessons, marks, money and all the rest into the schools, as far as they are not there: the first time
// everything, on later days what has happened since. What is there is left as it is.
func (d *Demo) Fill(ctx context.Context) error {
	all, each := errgroup.WithContext(ctx)
	for i, p := range plans {
		if d.schools[i].Status != tenancy.Active {
			continue
		}
		all.Go(func() error {
			if err := d.fill(each, p, d.schools[i]); err != nil {
				return fmt.Errorf("filling %s: %w", p.name, err)
			}
			return nil
		})
	}
	return all.Wait()
}

// Accounts are the sign-ins of the demo, the operators' first.
func (d *Demo) Accounts() []Account {
	password := d.service.Config.LocalPassword
	all := SuperAdmin(d.service)
	for i, p := range plans {
		shut := ""
		if s := d.schools[i]; s.Status != tenancy.Active {
			shut = fmt.Sprintf("%s is %s", s.Name, s.Status)
		}
		all = append(all,
			Account{School: p.name, Role: "School admin", Name: p.admin.name(), Email: p.adminEmail(), Password: password, Shut: shut})
		if p.accountant.first != "" {
			all = append(all, Account{School: p.name, Role: "Accountant", Name: p.accountant.name(), Email: p.accountantEmail(), Password: password,
				Shut: shut})
		}
		for _, who := range []struct {
			role   string
			person person
			phone  string
		}{{"Parent", p.parent, p.parentPhone()}, {"Teacher", p.teacher, p.teacherPhone()}, {"Driver", p.driver, p.driverPhone()}} {
			if who.person.first != "" {
				all = append(all, Account{School: p.name, Role: who.role, Name: who.person.name(), Phone: who.phone, PIN: PIN, Shut: shut})
			}
		}
	}
	return all
}

// now is the moment at which the demo is alive.
func (d *Demo) now() time.Time { return d.service.Kernel.Clock() }

// today is the day at a school.
func (d *Demo) today(s *tenancy.School) api.Date { return api.DateOf(d.now().In(s.Location())) }

// person is a name.
type person struct{ first, last string }

func (p person) name() string { return p.first + " " + p.last }

// id of a fixed thing of the demo.
func id(text string) uuid.UUID { return uuid.MustParse(text) }
