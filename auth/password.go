package auth

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/auth/hashing"
	"homeroom/auth/strength"
	"homeroom/tenancy"
)

const (
	resetLife  = time.Hour
	inviteLife = 7 * 24 * time.Hour
)

type forgotRequest struct {
	Email string `json:"email" validate:"required,email,max=254"`
}

var errNoPassword = api.Denied("Passwords are for web accounts")

// forgot sends a link to set a new password. It answers alike for unknown e-mails.
func (a *Auth) forgot(c api.OpenCtx, r forgotRequest) (api.Nothing, error) {
	if err := a.Messages.Ready("EMAIL"); err != nil {
		return api.Nothing{}, err
	}
	if wait, err := a.attempts.CountLink(c, r.Email); err != nil || wait > 0 {
		return api.Nothing{}, err // the links that were sent are still valid
	}
	accounts, err := a.ByEmail(c, r.Email)
	if err != nil {
		return api.Nothing{}, err
	}
	for _, acc := range accounts {
		of, err := a.schoolName(c, acc)
		if err != nil {
			return api.Nothing{}, err
		}
		token, err := a.resetLink(c, acc)
		if err != nil {
			return api.Nothing{}, err
		}
		err = a.mailLink(c, acc, token, "Set a new password",
			"Someone asked to set a new password for your Homeroom account"+
				of+". If it was you, open this link within an hour:\n\n%s\n\nIf it was not, do nothing: your password stays as it is.")
		if err != nil {
			return api.Nothing{}, err
		}
	}
	return api.Nothing{}, nil
}

// schoolName is the name of an account's school: an e-mail may have accounts at several.
func (a *Auth) schoolName(ctx context.Context, acc directory.Account) (string, error) {
	if acc.Role == api.SuperAdmin {
		return "", nil
	}
	s, err := a.Schools.School(ctx, acc.SchoolID)
	if err != nil {
		return "", err
	}
	return " at " + strings.ReplaceAll(s.Name, "%", "%%"), nil
}

// resetLink is the token of a link to set a new password. One that was made less than its
// life ago is sent again, and is valid for an hour from then: else anybody who requests
// links would make the owner's useless. The token follows from the link's account and
// time under the secret; the table has its hash, as of any link.
func (a *Auth) resetLink(ctx context.Context, acc directory.Account) (string, error) {
	now := a.Clock().UTC().Truncate(time.Microsecond) // as Postgres keeps it
	var made time.Time
	var stored []byte
	err := a.Cluster.PlatformPool().QueryRow(ctx, `select created_at, token_hash from platform.password_link
		where account_id = $1 and purpose = 'RESET' and used_at is null and created_at > $2 order by created_at desc
		limit 1`, acc.ID, now.Add(-resetLife)).Scan(&made, &stored)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("looking for a password link: %w", err)
	}
	if token := a.resetToken(acc.ID, made); bytes.Equal(digest(token), stored) {
		if _, err := a.Cluster.PlatformPool().Exec(ctx, `update platform.password_link set expires_at = $2 where token_hash = $1`, stored,
			now.Add(resetLife)); err != nil {
			return "", fmt.Errorf("sending a password link again: %w", err)
		}
		return token, nil
	}
	token := a.resetToken(acc.ID, now)
	_, err = a.Cluster.PlatformPool().Exec(ctx, `insert into platform.password_link (token_hash, account_id, purpose, expires_at, created_at)
		values ($1, $2, 'RESET', $3, $4) on conflict do nothing`, digest(token), acc.ID, now.Add(resetLife), now)
	if err != nil {
		return "", fmt.Errorf("making a password link: %w", err)
	}
	return token, nil
}

func (a *Auth) resetToken(acc uuid.UUID, made time.Time) string {
	return base64.RawURLEncoding.EncodeToString(hashing.Keyed(a.Secret, "reset "+acc.String()+" "+strconv.FormatInt(made.UnixMicro(), 10)))
}

// Invite sends a school's administrator a link to set their first password.
func (a *Auth) Invite(ctx context.Context, school, user uuid.UUID, name string) error {
	found, err := a.Find(ctx, `user_id = $1 and school_id = $2 and email is not null`, user, school)
	if err != nil || len(found) == 0 {
		return err
	}
	return a.sendLink(ctx, found[0], "INVITE", inviteLife, inviteSubject, inviteText(name))
}

// sendLink makes a one-use link and sends it. The links sent before it, for the same
// purpose, end.
func (a *Auth) sendLink(ctx context.Context, acc directory.Account, purpose string, life time.Duration, subject, text string) error {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: the runtime ends the program instead
	token := base64.RawURLEncoding.EncodeToString(secret)
	if err := a.makeLink(ctx, acc, token, purpose, life); err != nil {
		return err
	}
	return a.mailLink(ctx, acc, token, subject, text)
}

func (a *Auth) makeLink(ctx context.Context, acc directory.Account, token, purpose string, life time.Duration) error {
	now := a.Clock()
	_, err := a.Cluster.PlatformPool().Exec(ctx, `
		with earlier as (delete from platform.password_link where account_id = $2 and purpose = $3)
		insert into platform.password_link (token_hash, account_id, purpose, expires_at, created_at) values ($1, $2, $3, $4, $5)`,
		digest(token), acc.ID, purpose, now.Add(life), now)
	if err != nil {
		return fmt.Errorf("making a password link: %w", err)
	}
	return nil
}

func (a *Auth) mailLink(ctx context.Context, acc directory.Account, token, subject, text string) error {
	return a.Messages.Send(ctx, Message{Channel: "EMAIL", To: acc.Email, Subject: subject,
		Text: fmt.Sprintf(text, a.PublicURL+"/console/password?token="+token)})
}

type resetRequest struct {
	Token    string `json:"token" validate:"required,max=200" doc:"From the link in the e-mail"`
	Password string `json:"password" validate:"required,min=12,max=200"`
}

// reset sets a password by a link, uses the link up, and ends every session.
func (a *Auth) reset(c api.OpenCtx, r resetRequest) (api.Nothing, error) {
	acc, err := a.linkAccount(c, r.Token)
	if err != nil {
		return api.Nothing{}, err
	}
	if err := strength.Password("password", r.Password, acc.Email); err != nil {
		return api.Nothing{}, err
	}
	hashed, err := a.Hasher.Hash(c, r.Password)
	if err != nil {
		return api.Nothing{}, err
	}
	// The link is used up before the password is set: two at once set one password,
	// and a crash in between costs a new link, not a second use.
	tag, err := a.Cluster.PlatformPool().Exec(c, `update platform.password_link set used_at = $2 where token_hash = $1 and used_at is null
		and expires_at > $2`, digest(r.Token), a.Clock())
	if err != nil {
		return api.Nothing{}, fmt.Errorf("using a password link: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return api.Nothing{}, errLink
	}
	if err := a.storePassword(c, acc, hashed, "password set by link"); err != nil {
		return api.Nothing{}, err
	}
	if err := a.endOldPassword(c, acc, "password was set", uuid.Nil); err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, a.attempts.ResetAllLogins(c, acc.Email)
}

var errLink = api.Malformed("This link is not valid any more, ask for a new one")

func (a *Auth) linkAccount(ctx context.Context, token string) (directory.Account, error) {
	var id uuid.UUID
	err := a.Cluster.PlatformPool().QueryRow(ctx, `select account_id from platform.password_link where token_hash = $1 and used_at is null
		and expires_at > $2`, digest(token), a.Clock()).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return directory.Account{}, errLink
	}
	if err != nil {
		return directory.Account{}, fmt.Errorf("reading a password link: %w", err)
	}
	acc, err := a.ByID(ctx, id)
	if err != nil {
		return directory.Account{}, err
	}
	if acc == nil {
		return directory.Account{}, errLink
	}
	return *acc, nil
}

type changeRequest struct {
	CurrentPassword string `json:"currentPassword" validate:"required,max=200"`
	NewPassword     string `json:"newPassword" validate:"required,min=12,max=200"`
}

// change replaces the caller's password and ends their other sessions.
func (a *Auth) change(c api.OpenCtx, r changeRequest) (api.Nothing, error) {
	acc, err := a.ByID(c, c.User.AccountID)
	if err != nil || acc == nil {
		return api.Nothing{}, orSignedOut(err)
	}
	if acc.Email == "" {
		return api.Nothing{}, errNoPassword
	}
	if err := a.attempts.CountLogin(c, acc.Email); err != nil {
		return api.Nothing{}, err
	}
	stored, err := a.passwordOf(c, *acc)
	if err != nil {
		return api.Nothing{}, err
	}
	ok, err := a.Hasher.Verify(c, r.CurrentPassword, stored)
	if err != nil {
		return api.Nothing{}, err
	}
	if !ok {
		return api.Nothing{}, a.AuditFailure(c, *acc, "password change refused", api.InvalidField("currentPassword", "currentPassword is wrong"))
	}
	if err := a.attempts.ResetLogin(c, acc.Email); err != nil {
		return api.Nothing{}, err
	}
	if err := strength.Password("newPassword", r.NewPassword, acc.Email); err != nil {
		return api.Nothing{}, err
	}
	hashed, err := a.Hasher.Hash(c, r.NewPassword)
	if err != nil {
		return api.Nothing{}, err
	}
	if err := a.storePassword(c, *acc, hashed, "password changed"); err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, a.endOldPassword(c, *acc, "password was changed", c.User.SessionID)
}

// endOldPassword ends the sessions that the former password opened, except one, and every link
// that could set another.
func (a *Auth) endOldPassword(ctx context.Context, acc directory.Account, reason string, except uuid.UUID) error {
	pool := a.Cluster.PlatformPool()
	ended, err := a.EndAll(ctx, pool, reason, acc.ID, except)
	if err != nil {
		return err
	}
	a.PublishEnded(ended)
	if _, err := pool.Exec(ctx, `delete from platform.password_link where account_id = $1 and used_at is null`, acc.ID); err != nil {
		return fmt.Errorf("ending password links: %w", err)
	}
	return nil
}

func (a *Auth) storePassword(c api.OpenCtx, acc directory.Account, hashed, action string) error {
	if acc.Role == api.SuperAdmin {
		return tenancy.Pipeline(a.Cluster.Platform(c, tenancy.ReadWrite),
			tenancy.Query{SQL: `update super_admin set password_hash = $2, updated_at = $3 where id = $1`,
				Args: []any{acc.UserID, hashed, a.Clock()}}, a.AuditRow(c, acc, action))
	}
	db, err := a.SchoolDB(c, acc.SchoolID, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	return tenancy.Pipeline(db,
		tenancy.Query{SQL: `update app_user set password_hash = $2, updated_at = $3 where id = $1`, Args: []any{acc.UserID, hashed, a.Clock()}},
		a.AuditRow(c, acc, action))
}
