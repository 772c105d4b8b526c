package demo

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
)

// pinPhones are those of the plan's accounts that sign in with a PIN.
func (p *plan) pinPhones() []string {
	return []string{p.parentPhone(), p.teacherPhone(), p.driverPhone()}
}

// pinsDone is the condition that each of them has one.
func (p *plan) pinsDone() string {
	phones := p.pinPhones()
	return fmt.Sprintf(`(select count(distinct phone) from app_user where pin_hash is not null and phone in ('%s')) >= %d`,
		strings.Join(phones, `', '`), len(phones))
}

// setSignIns gives each of them the demo's, and the accountant the configured password. Each takes as long as a sign-in; they are
// made side by side.
func (b *builder) setSignIns(ctx context.Context) error {
	auth := b.demo.service.Auth
	all, each := errgroup.WithContext(ctx)
	for _, phone := range b.plan.pinPhones() {
		all.Go(func() error {
			return patiently(each, func() error { return auth.EnsurePIN(each, b.school.ID, phone, PIN) })
		})
	}
	all.Go(func() error {
		return patiently(each, func() error {
			return auth.EnsurePassword(each, b.plan.accountantEmail(), b.demo.service.Config.LocalPassword)
		})
	})
	return all.Wait()
}
