package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/api"
)

// account is one entry of the platform's directory: where a phone or an e-mail belongs.
type account struct {
	id       uuid.UUID
	schoolID uuid.UUID // zero for the cross-school administrator
	userID   uuid.UUID
	role     api.RoleType
	phone    string
	email    string
}

const accountColumns = `id, school_id, user_id, role_type, coalesce(phone, ''), coalesce(email, '')`

func scanAccount(row pgx.CollectableRow) (account, error) {
	var acc account
	var school *uuid.UUID
	err := row.Scan(&acc.id, &school, &acc.userID, &acc.role, &acc.phone, &acc.email)
	if school != nil {
		acc.schoolID = *school
	}
	return acc, err
}

// accounts finds entries of the directory, the one used last first.
func (a *Auth) accounts(ctx context.Context, where string, args ...any) ([]account, error) {
	rows, err := a.Cluster.PlatformPool().Query(ctx, `select `+accountColumns+` from platform.account
		where not disabled and barred_at is null and `+where+` order by last_used_at desc nulls last, created_at, id`, args...)
	if err != nil {
		return nil, fmt.Errorf("looking up accounts: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("looking up accounts: %w", err)
	}
	return found, nil
}

// byPhone finds a phone's accounts; role narrows them to one client's.
func (a *Auth) byPhone(ctx context.Context, phone string, role api.RoleType) ([]account, error) {
	return a.accounts(ctx, `phone = $1 and ($2 = '' or role_type = $2)`, phone, string(role))
}

// byEmail finds an e-mail's account, or nil.
func (a *Auth) byEmail(ctx context.Context, email string) (*account, error) {
	found, err := a.accounts(ctx, `lower(email) = $1`, strings.ToLower(email))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

func (a *Auth) byID(ctx context.Context, id uuid.UUID) (*account, error) {
	found, err := a.accounts(ctx, `id = $1`, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// EmailTaken reports whether an account has the e-mail, be it one that may not sign in.
func (a *Auth) EmailTaken(ctx context.Context, email string) (taken bool, err error) {
	err = a.Cluster.PlatformPool().QueryRow(ctx, `select exists (select from platform.account where lower(email) = $1)`, strings.ToLower(email)).Scan(&taken)
	if err != nil {
		return false, fmt.Errorf("looking for an e-mail: %w", err)
	}
	return taken, nil
}

// ErrEmailTaken is an e-mail that another account signs in with.
var ErrEmailTaken = api.Duplicate("Another account signs in with this e-mail")

// Enter puts a school's user into the directory, or brings their entry up to date, so
// that they can sign in. It may run before the user's own transaction commits: an
// entry whose user never came to be signs nobody in, and Heal removes it.
func (a *Auth) Enter(ctx context.Context, school, user uuid.UUID, role api.RoleType, phone, email string) error {
	err := a.writeEntries(ctx, `
		insert into platform.account as a (id, school_id, user_id, role_type, phone, email)
		values ($1, $2, $3, $4, nullif($5, ''), nullif($6, ''))
		on conflict (user_id, school_id) do update set role_type = excluded.role_type, phone = excluded.phone, email = excluded.email, disabled = false, updated_at = now()
		where (a.role_type, a.phone, a.email, a.disabled) is distinct from (excluded.role_type, excluded.phone, excluded.email, false)`,
		accountID(school, user), school, user, role, phone, strings.ToLower(email))
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.ConstraintName == "account_email_key" {
		return ErrEmailTaken
	}
	if err != nil {
		return fmt.Errorf("entering an account: %w", err)
	}
	return nil
}

// writeEntries writes entries of the directory. Two who enter the same new user at the
// same moment both find nobody there, and Postgres settles a conflict by the key that was
// named only: who comes second is refused by the other key, and finds the entry when they
// look again. Of many there may be several such, met one after the other.
func (a *Auth) writeEntries(ctx context.Context, sql string, args ...any) (err error) {
	for range 10 {
		_, err = a.Cluster.PlatformPool().Exec(ctx, sql, args...)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.ConstraintName != "account_pkey" {
			return err
		}
	}
	return err
}

// accountID follows from whom it is for. A school that was restored beside the one it
// was archived from has the same users, and accounts of its own.
func accountID(school, user uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(user, append([]byte("account of "), school[:]...))
}

// EnterMany is Enter for many users of one role who sign in by phone, in one statement.
func (a *Auth) EnterMany(ctx context.Context, school uuid.UUID, role api.RoleType, users []uuid.UUID, phones []string) error {
	ids := make([]uuid.UUID, len(users))
	for i, user := range users {
		ids[i] = accountID(school, user)
	}
	err := a.writeEntries(ctx, `
		insert into platform.account as a (id, school_id, user_id, role_type, phone)
		select v.id, $1, v.user_id, $2, nullif(v.phone, '') from unnest($3::uuid[], $4::uuid[], $5::text[]) as v(id, user_id, phone)
		on conflict (user_id, school_id) do update set role_type = excluded.role_type, phone = excluded.phone, email = excluded.email, disabled = false, updated_at = now()
		where (a.role_type, a.phone, a.email, a.disabled) is distinct from (excluded.role_type, excluded.phone, excluded.email, false)`,
		school, role, ids, users, phones)
	if err != nil {
		return fmt.Errorf("entering %d accounts: %w", len(users), err)
	}
	return nil
}

// leave takes a user of a school out of the directory, or shuts their entry, and ends
// their sessions.
func (a *Auth) leave(ctx context.Context, school, user uuid.UUID, gone bool) error {
	_, err := a.endSessions(ctx, "account closed", `account_id in (select id from platform.account where user_id = $3 and school_id = $4)`, user, school)
	if err != nil {
		return err
	}
	sql := `update platform.account set disabled = true, updated_at = now() where user_id = $1 and school_id = $2 and not disabled`
	if gone {
		sql = `delete from platform.account where user_id = $1 and school_id = $2`
	}
	if _, err := a.Cluster.PlatformPool().Exec(ctx, sql, user, school); err != nil {
		return fmt.Errorf("closing an account: %w", err)
	}
	a.Gone(user)
	return nil
}
