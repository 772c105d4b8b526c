package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// firstAdmin is the administrator a school begins with, as onboarding keeps them:
// the password only as its hash.
type firstAdmin struct {
	FirstName    string `json:"firstName"`
	LastName     string `json:"lastName"`
	Email        string `json:"email"`
	Phone        string `json:"phone"`
	PasswordHash string `json:"passwordHash"`
}

// SealAdmin is the first administrator as onboarding keeps them until the school exists: no
// secret is stored in a table.
func (a *Auth) SealAdmin(ctx context.Context, firstName, lastName, email, phone, password string) (json.RawMessage, error) {
	f := firstAdmin{FirstName: firstName, LastName: lastName, Email: strings.ToLower(email), Phone: phone}
	if password != "" {
		hashed, err := a.Hasher.Hash(ctx, password)
		if err != nil {
			return nil, err
		}
		f.PasswordHash = hashed
	}
	return json.Marshal(f)
}

// AddFirstAdmin makes the school's first administrator and their account. It may
// run again after a crash: the ids follow from the school's.
func (a *Auth) AddFirstAdmin(ctx context.Context, s *tenancy.School, sealed json.RawMessage) error {
	var f firstAdmin
	if err := json.Unmarshal(sealed, &f); err != nil {
		return fmt.Errorf("reading the first administrator: %w", err)
	}
	if f.Email == "" {
		return nil // a school may be made without one
	}
	userID := firstAdminID(s.ID)
	db, err := a.Cluster.School(ctx, s, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	err = db.Exec(`
		insert into app_user (id, role_id, first_name, last_name, phone, email, password_hash)
		select ?, r.id, ?, ?, nullif(?, ''), ?, nullif(?, '') from role r where r.type = 'SCHOOL_ADMIN' and r.system
		on conflict (id) do nothing`, userID, f.FirstName, f.LastName, f.Phone, f.Email, f.PasswordHash).Error
	if err != nil {
		return fmt.Errorf("adding the first administrator: %w", err)
	}
	if err := a.Enter(ctx, s.ID, userID, api.SchoolAdmin, f.Phone, f.Email); err != nil {
		return err
	}
	return a.EnterName(ctx, userID, strings.TrimSpace(f.FirstName+" "+f.LastName))
}

// InviteFirstAdmin sends the first administrator a link to set their password, if they
// were given none.
func (a *Auth) InviteFirstAdmin(ctx context.Context, s *tenancy.School, sealed json.RawMessage) error {
	var f firstAdmin
	if err := json.Unmarshal(sealed, &f); err != nil {
		return fmt.Errorf("reading the first administrator: %w", err)
	}
	if f.Email == "" || f.PasswordHash != "" {
		return nil
	}
	return a.Invite(ctx, s.ID, firstAdminID(s.ID), s.Name)
}

// firstAdminID follows from the school's, so that making them again finds them.
func firstAdminID(school uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(school, []byte("first administrator"))
}

// AddSuperAdmin makes a cross-school administrator, or leaves the one with this
// e-mail as they are. It reports whether it made one.
func (a *Auth) AddSuperAdmin(ctx context.Context, email, name, password string) (bool, error) {
	hashed, err := a.Hasher.Hash(ctx, password)
	if err != nil {
		return false, err
	}
	tx, err := a.Cluster.PlatformPool().Begin(ctx)
	if err != nil {
		return false, fmt.Errorf("adding a super-admin: %w", err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	id := api.NewID()
	err = tx.QueryRow(ctx, `insert into platform.super_admin (id, email, name, password_hash) values ($1, $2, $3, $4)
		on conflict (lower(email)) do nothing returning id`, id, strings.ToLower(email), name, hashed).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("adding a super-admin: %w", err)
	}
	_, err = tx.Exec(ctx, `with booked as (insert into platform.audit_event (id, actor_role, action, entity, entity_id, occurred_at)
			values ($4, 'COMMAND_LINE', 'create', 'super-admin', $2::uuid::text, $5))
		insert into platform.account (id, user_id, role_type, email) values ($1, $2, 'SUPER_ADMIN', $3)`,
		api.NewID(), id, strings.ToLower(email), api.NewID(), a.Clock())
	if err != nil {
		return false, fmt.Errorf("adding a super-admin: %w", err)
	}
	return true, tx.Commit(ctx)
}

// EnsurePassword sets an account's password if it is another, and leaves its sessions alone:
// the demo accounts' is printed at every start of the local profile.
func (a *Auth) EnsurePassword(ctx context.Context, email, password string) error {
	found, err := a.ByEmail(ctx, email)
	if err != nil || len(found) == 0 {
		return err
	}
	acc := found[0]
	stored, err := a.passwordOf(ctx, acc)
	if err != nil {
		return err
	}
	ok, err := a.Hasher.Verify(ctx, password, stored)
	if err != nil || ok {
		return err
	}
	hashed, err := a.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return a.storePassword(api.OpenCtx{Context: ctx}, acc, hashed, "demo password set")
}

// EnsurePIN gives the accounts of a phone at a school a PIN if they have none, and takes the phone as proven: of the demo's
// people, who have no phone that a code could be sent to.
func (a *Auth) EnsurePIN(ctx context.Context, school uuid.UUID, phone, pin string) error {
	found, err := a.Find(ctx, `phone = $1 and school_id = $2`, phone, school)
	if err != nil {
		return err
	}
	hashed, err := a.HashPIN(ctx, pin)
	if err != nil {
		return err
	}
	c := api.OpenCtx{Context: ctx, Now: a.Clock()}
	for _, acc := range found {
		if _, err := a.Cluster.PlatformPool().Exec(ctx,
			`update platform.account set phone_proven_at = coalesce(phone_proven_at, $2) where id = $1`,
			acc.ID, c.Now); err != nil {
			return fmt.Errorf("taking a demo phone as proven: %w", err)
		}
		db, err := a.SchoolDB(ctx, school, tenancy.ReadWrite)
		if err != nil {
			return err
		}
		if err := tenancy.Pipeline(db,
			tenancy.Query{SQL: `update app_user set pin_hash = $2 where id = $1 and pin_hash is null`, Args: []any{acc.UserID, hashed}},
			a.AuditRow(c, acc, "demo PIN set")); err != nil {
			return fmt.Errorf("setting a demo PIN: %w", err)
		}
	}
	return nil
}
