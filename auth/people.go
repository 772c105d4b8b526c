package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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

// SealAdmin is what onboarding keeps of a school's first administrator until the
// school exists: no secret waits in a table.
func (a *Auth) SealAdmin(ctx context.Context, firstName, lastName, email, phone, password string) (json.RawMessage, error) {
	f := firstAdmin{FirstName: firstName, LastName: lastName, Email: strings.ToLower(email), Phone: phone}
	if password != "" {
		hashed, err := a.hasher.Hash(ctx, password)
		if err != nil {
			return nil, err
		}
		f.PasswordHash = hashed
	}
	return json.Marshal(f)
}

// ErrEmailTaken is an e-mail that another account signs in with.
var ErrEmailTaken = errors.New("auth: the e-mail belongs to another account")

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
	userID := uuid.NewSHA1(s.ID, []byte("first administrator"))
	db, err := a.cluster.School(ctx, s, tenancy.ReadWrite)
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
	return a.addAccount(ctx, account{id: uuid.NewSHA1(s.ID, []byte("account "+userID.String())), schoolID: s.ID, userID: userID, role: api.SchoolAdmin, phone: f.Phone, email: f.Email})
}

// addAccount enters a user into the platform's directory; twice is once.
func (a *Auth) addAccount(ctx context.Context, acc account) error {
	var school *uuid.UUID
	if acc.schoolID != uuid.Nil {
		school = &acc.schoolID
	}
	_, err := a.cluster.PlatformPool().Exec(ctx, `
		insert into platform.account (id, school_id, user_id, role_type, phone, email)
		values ($1, $2, $3, $4, nullif($5, ''), nullif($6, '')) on conflict (user_id) do nothing`,
		acc.id, school, acc.userID, acc.role, acc.phone, strings.ToLower(acc.email))
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.ConstraintName == "account_email_key" {
		return ErrEmailTaken
	}
	if err != nil {
		return fmt.Errorf("adding an account: %w", err)
	}
	return nil
}

// EmailTaken reports whether an account signs in with the e-mail.
func (a *Auth) EmailTaken(ctx context.Context, email string) (bool, error) {
	acc, err := a.byEmail(ctx, email)
	return acc != nil, err
}

// AddSuperAdmin makes a cross-school administrator, or leaves the one with this
// e-mail as they are. It reports whether it made one.
func (a *Auth) AddSuperAdmin(ctx context.Context, email, name, password string) (bool, error) {
	hashed, err := a.hasher.Hash(ctx, password)
	if err != nil {
		return false, err
	}
	tx, err := a.cluster.PlatformPool().Begin(ctx)
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
	_, err = tx.Exec(ctx, `insert into platform.account (id, user_id, role_type, email) values ($1, $2, 'SUPER_ADMIN', $3)`, api.NewID(), id, strings.ToLower(email))
	if err != nil {
		return false, fmt.Errorf("adding a super-admin: %w", err)
	}
	return true, tx.Commit(ctx)
}
