package tenancy

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Profile is what a school says of itself. The school's own settings have it; the
// platform's record is a copy that follows, so that every request knows it without
// asking the school's database.
type Profile struct {
	Name        string     `json:"name"`
	TimeZone    string     `json:"timeZone"`
	Locale      string     `json:"locale"`
	Currency    string     `json:"currency"`
	WeekendDays []int16    `json:"weekendDays"`
	Address     string     `json:"address"`
	Phone       string     `json:"phone"`
	Email       string     `json:"email"`
	LogoFileID  *uuid.UUID `json:"logoFileId"`
}

// Describe makes the platform's record say what the school says, and tells every
// instance. It reports whether that was anything new.
func (c *Cluster) Describe(ctx context.Context, id uuid.UUID, p Profile) (changed bool, err error) {
	done, err := c.platform.Exec(ctx, `update platform.school set name = $2, time_zone = $3, locale = $4, currency = $5, weekend_days = $6, address = $7, phone = $8, email = $9,
			logo_file_id = $10, version = version + 1, updated_at = now()
		where id = $1 and (name, time_zone, locale, currency, weekend_days, address, phone, email, logo_file_id) is distinct from ($2, $3, $4, $5, $6::smallint[], $7, $8, $9, $10::uuid)`,
		id, p.Name, p.TimeZone, p.Locale, p.Currency, p.WeekendDays, p.Address, p.Phone, p.Email, p.LogoFileID)
	if err != nil {
		return false, fmt.Errorf("describing school %s: %w", id, err)
	}
	if done.RowsAffected() == 0 {
		return false, nil
	}
	c.changed(id)
	return true, nil
}
