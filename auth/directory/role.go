package directory

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// FindRole finds the role of the account's user in their school. A school that is not active
// is refused; a user who is removed or disabled is signed out.
func (d *Directory) FindRole(ctx context.Context, acc Account) (role uuid.UUID, err error) {
	if acc.Role == api.SuperAdmin {
		var u struct{ Status string }
		err := d.Cluster.Platform(ctx, tenancy.ReadOnly).Table("super_admin").Select("status").Where("id = ?", acc.UserID).Take(&u).Error
		if errors.Is(err, gorm.ErrRecordNotFound) || (err == nil && u.Status != "ACTIVE") {
			return uuid.Nil, ErrSignedOut
		}
		return uuid.Nil, err
	}
	db, err := d.SchoolDB(ctx, acc.SchoolID, tenancy.ReadOnly)
	if err != nil {
		return uuid.Nil, err
	}
	err = tenancy.Pipeline(db, tenancy.Query{SQL: `select role_id from app_user where id = $1 and status = 'ACTIVE'`, Args: []any{acc.UserID},
		Scan: tenancy.One(&role)})
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, ErrSignedOut
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("reading a user: %w", err)
	}
	return role, nil
}

// ErrNotActive is the refusal of who belongs to a school that is not active.
var ErrNotActive = api.Coded(403, "", "This school is not active")

// SchoolDB opens the school of an account, if it is active.
func (d *Directory) SchoolDB(ctx context.Context, id uuid.UUID, mode tenancy.Mode) (*gorm.DB, error) {
	_, db, err := d.Schools.Open(ctx, id, mode)
	if errors.Is(err, tenancy.ErrNotActive) {
		return nil, ErrNotActive
	}
	return db, err
}
