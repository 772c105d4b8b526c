package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/auth/hashing"
)

const inviteSubject = "Welcome to Homeroom"

func inviteText(school string) string {
	return "You are an administrator of " + strings.ReplaceAll(school, "%", "%%") +
		" on Homeroom. Set your password within seven days to sign in:\n\n%s"
}

// InviteOn is Invite for an occasion whose fact may be received twice: the link follows from
// the occasion, so that a second message carries the same one, and none is sent after the
// link was used.
func (a *Auth) InviteOn(ctx context.Context, occasion, school, user uuid.UUID, name string) error {
	found, err := a.Find(ctx, `user_id = $1 and school_id = $2 and email is not null`, user, school)
	if err != nil || len(found) == 0 {
		return err
	}
	token := base64.RawURLEncoding.EncodeToString(hashing.Keyed(a.Secret, "invitation "+occasion.String()))
	var used *time.Time
	err = a.Cluster.PlatformPool().QueryRow(ctx, `select used_at from platform.password_link where token_hash = $1`,
		digest(token)).Scan(&used)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		if err := a.makeLink(ctx, found[0], token, "INVITE", inviteLife); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("looking for an invitation: %w", err)
	case used != nil:
		return nil
	}
	return a.mailLink(ctx, found[0], token, inviteSubject, inviteText(name))
}
