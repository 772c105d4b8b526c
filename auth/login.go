package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// loginRequest is a web administrator's.
type loginRequest struct {
	Email    string `json:"email" validate:"required,email,max=254"`
	Password string `json:"password" validate:"required,max=200"`
}

// signedIn is the answer of a sign-in.
type signedIn struct {
	AccessToken  string       `json:"accessToken"`
	RefreshToken string       `json:"refreshToken"`
	User         signedInUser `json:"user"`
}

type signedInUser struct {
	ID       uuid.UUID    `json:"id"`
	Phone    string       `json:"phone,omitempty"`
	Email    string       `json:"email,omitempty"`
	Role     api.RoleType `json:"role"`
	SchoolID string       `json:"schoolId"`
}

// Flatten puts the answer at the top level too, where the spec shows it.
func (s signedIn) Flatten() map[string]any {
	return map[string]any{"accessToken": s.AccessToken, "refreshToken": s.RefreshToken, "user": s.User}
}

var errWrongPassword = api.Unauthorized("The e-mail or the password is wrong")

// login signs a web administrator in. Every wrong try looks the same and takes as long.
func (a *Auth) login(c api.OpenCtx, r loginRequest) (signedIn, error) {
	acc, err := a.byEmail(c, r.Email)
	if err != nil {
		return signedIn{}, err
	}
	var stored string
	if acc != nil {
		if stored, err = a.passwordOf(c, *acc); err != nil {
			return signedIn{}, err
		}
	}
	ok, err := a.hasher.Verify(c, r.Password, stored)
	if err != nil {
		return signedIn{}, err
	}
	if acc == nil || !ok {
		return signedIn{}, errWrongPassword
	}
	if acc.role != api.SuperAdmin {
		s, err := a.schools.School(c, acc.schoolID)
		if err != nil {
			return signedIn{}, err
		}
		if s.Status != tenancy.Active {
			return signedIn{}, api.Coded(403, "", "This school is not active")
		}
	}
	return a.signIn(c, *acc, c.Device, c.IP)
}

func (a *Auth) signIn(ctx context.Context, acc account, device, ip string) (signedIn, error) {
	pair, err := a.startSession(ctx, acc, device, ip)
	if err != nil {
		return signedIn{}, err
	}
	out := signedIn{
		AccessToken: pair.AccessToken, RefreshToken: pair.RefreshToken,
		User: signedInUser{ID: acc.userID, Phone: acc.phone, Email: acc.email, Role: acc.role},
	}
	if acc.schoolID != uuid.Nil {
		out.User.SchoolID = acc.schoolID.String()
	}
	return out, nil
}

// byEmail finds an account in the directory, or nil.
func (a *Auth) byEmail(ctx context.Context, email string) (*account, error) {
	var acc account
	var school *uuid.UUID
	err := a.cluster.PlatformPool().QueryRow(ctx, `
		select id, school_id, user_id, role_type, coalesce(phone, ''), email
		from platform.account where lower(email) = $1 and not disabled`, strings.ToLower(email)).
		Scan(&acc.id, &school, &acc.userID, &acc.role, &acc.phone, &acc.email)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking up an account: %w", err)
	}
	if school != nil {
		acc.schoolID = *school
	}
	return &acc, nil
}

// passwordOf reads the stored hash of an account's user; empty when there is none.
func (a *Auth) passwordOf(ctx context.Context, acc account) (string, error) {
	db := a.cluster.Platform(ctx, tenancy.ReadOnly)
	table := "super_admin"
	if acc.role != api.SuperAdmin {
		table = "app_user"
		s, err := a.schools.School(ctx, acc.schoolID)
		if err != nil {
			return "", err
		}
		if db, err = a.cluster.School(ctx, s, tenancy.ReadOnly); err != nil {
			return "", err
		}
	}
	var u struct{ PasswordHash *string }
	err := db.Table(table).Select("password_hash").Where("id = ? and status = 'ACTIVE'", acc.userID).Limit(1).Scan(&u).Error
	if err != nil {
		return "", fmt.Errorf("reading a password: %w", err)
	}
	if u.PasswordHash == nil {
		return "", nil
	}
	return *u.PasswordHash, nil
}
