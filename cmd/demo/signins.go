package demo

import (
	"context"
	"fmt"
	"strings"
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

// setPINs gives each of them the demo's.
func (b *builder) setPINs(ctx context.Context) error {
	for _, phone := range b.plan.pinPhones() {
		err := patiently(ctx, func() error { return b.demo.service.Auth.EnsurePIN(ctx, b.school.ID, phone, PIN) })
		if err != nil {
			return err
		}
	}
	return nil
}
