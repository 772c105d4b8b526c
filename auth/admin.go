package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/tenancy"
)

// AddAdmin makes a school's administrator with an account, and returns the account. They
// have no password until they set one by the link of an invitation. audit makes the row for
// the school's audit.
func (a *Auth) AddAdmin(ctx context.Context, s *tenancy.School, firstName, lastName, email, phone string,
	audit func(user uuid.UUID) (tenancy.Query, error)) (uuid.UUID, error) {
	user := api.NewID()
	email = strings.ToLower(email)
	db, err := a.Cluster.School(ctx, s, tenancy.ReadWrite)
	if err != nil {
		return uuid.Nil, err
	}
	line, err := audit(user)
	if err != nil {
		return uuid.Nil, err
	}
	err = db.Transaction(func(tx *gorm.DB) error {
		err := tenancy.Pipeline(tx, tenancy.Query{SQL: `insert into app_user (id, role_id, first_name, last_name, phone, email)
			select $1, id, $2, $3, nullif($4, ''), $5 from role where type = 'SCHOOL_ADMIN'
			and system`, Args: []any{user, firstName, lastName, phone, email}}, line)
		if err != nil {
			return fmt.Errorf("adding an administrator: %w", err)
		}
		// Before the commit, as the roster does: an entry without a user signs nobody in.
		if err := a.Enter(ctx, s.ID, user, api.SchoolAdmin, phone, email); err != nil {
			return err
		}
		return a.EnterName(ctx, user, strings.TrimSpace(firstName+" "+lastName))
	})
	return directory.AccountID(s.ID, user), err
}

// CanInvite returns an error that says why invitations cannot be sent, or nil.
func (a *Auth) CanInvite() error { return a.Messages.Ready("EMAIL") }

// Bar disables an account for the platform, in any status at the school, and ends its
// sessions. The caller's statements run in the same transaction.
func (a *Auth) Bar(ctx context.Context, account uuid.UUID, also ...tenancy.InTx) error {
	return a.setBarred(ctx, account, true, also)
}

// Unbar ends a bar.
func (a *Auth) Unbar(ctx context.Context, account uuid.UUID, also ...tenancy.InTx) error {
	return a.setBarred(ctx, account, false, also)
}

func (a *Auth) setBarred(ctx context.Context, account uuid.UUID, barred bool, also []tenancy.InTx) error {
	var user uuid.UUID
	var ended []uuid.UUID
	err := pgx.BeginFunc(ctx, a.Cluster.PlatformPool(), func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `update platform.account set barred_at = case when $2 then coalesce(barred_at, $3) end, updated_at = $3
			where id = $1 returning user_id`, account, barred, a.Clock()).Scan(&user)
		if errors.Is(err, pgx.ErrNoRows) {
			return api.NotFound("account")
		}
		if err == nil && barred {
			ended, err = a.EndAll(ctx, tx, "barred by the platform", account, uuid.Nil)
		}
		if err != nil {
			return err
		}
		return runInTx(ctx, tx, also)
	})
	if err != nil {
		return fmt.Errorf("barring an account: %w", err)
	}
	a.PublishEnded(ended)
	a.SessionsChanged(user)
	return nil
}

// EndSessions ends every session of an account and returns how many there were.
func (a *Auth) EndSessions(ctx context.Context, account uuid.UUID, reason string, also ...tenancy.InTx) (int, error) {
	var ended []uuid.UUID
	err := pgx.BeginFunc(ctx, a.Cluster.PlatformPool(), func(tx pgx.Tx) (err error) {
		if ended, err = a.EndAll(ctx, tx, reason, account, uuid.Nil); err != nil {
			return err
		}
		return runInTx(ctx, tx, also)
	})
	if err != nil {
		return 0, err
	}
	a.PublishEnded(ended)
	return len(ended), nil
}

// runInTx runs the caller's part of a transaction.
func runInTx(ctx context.Context, tx pgx.Tx, also []tenancy.InTx) error {
	for _, do := range also {
		if err := do(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
