// Package directory keeps who may sign in: an account for every phone and e-mail of a school's users, in step with the schools'
// own records; it ends what an account has open, and writes the audit of it. It proves nobody and opens no session.
package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Schools finds and opens schools; cmd/service has the rules.
type Schools interface {
	api.Schools
	api.Opener
	// OpenAny opens a school in any status: its users are followed while it is suspended, too.
	OpenAny(ctx context.Context, id uuid.UUID, mode tenancy.Mode) (*tenancy.School, *gorm.DB, error)
}

// Parts are the dependencies of a directory; auth wires them.
type Parts struct {
	Cluster *tenancy.Cluster
	Schools Schools
	Clock   func() time.Time
	// SessionEnded sends every instance the hint that a session has ended; SessionsChanged, that
	// a user's sessions have to be read again.
	SessionEnded    func(session uuid.UUID)
	SessionsChanged func(user uuid.UUID)
}

// Directory is the platform's directory of accounts.
type Directory struct{ Parts }

// New makes a Directory of its parts.
func New(p Parts) *Directory { return &Directory{p} }

// Account is one entry of the platform's directory: the user a phone or an e-mail belongs to.
type Account struct {
	ID       uuid.UUID
	SchoolID uuid.UUID // zero for the cross-school administrator
	UserID   uuid.UUID
	Role     api.RoleType
	Phone    string
	Email    string
	Proven   bool // its holder has entered a code for the phone
	Epoch    int  // raised by everything that ends all sign-ins of the account
}

const accountColumns = `id, school_id, user_id, role_type, coalesce(phone, ''), coalesce(email, ''), phone_proven_at is not null, epoch`

func scanAccount(row pgx.CollectableRow) (Account, error) {
	var acc Account
	var school *uuid.UUID
	err := row.Scan(&acc.ID, &school, &acc.UserID, &acc.Role, &acc.Phone, &acc.Email, &acc.Proven, &acc.Epoch)
	if school != nil {
		acc.SchoolID = *school
	}
	return acc, err
}

// Find finds entries of the directory, the one used last first.
func (d *Directory) Find(ctx context.Context, where string, args ...any) ([]Account, error) {
	rows, err := d.Cluster.PlatformPool().Query(ctx, `select `+accountColumns+` from platform.account
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

// ByPhone finds a phone's accounts; role narrows them to one client's. Those whose phone
// was only entered by an office come last.
func (d *Directory) ByPhone(ctx context.Context, phone string, role api.RoleType) ([]Account, error) {
	found, err := d.Find(ctx, `phone = $1 and ($2 = '' or role_type = $2)`, phone, string(role))
	slices.SortStableFunc(found, func(a, b Account) int {
		switch {
		case a.Proven == b.Proven:
			return 0
		case a.Proven:
			return -1
		}
		return 1
	})
	return found, err
}

// ByEmail finds an e-mail's accounts, at most one of each school.
func (d *Directory) ByEmail(ctx context.Context, email string) ([]Account, error) {
	return d.Find(ctx, `lower(email) = $1`, strings.ToLower(email))
}

// ByID finds an account that may sign in; nil: there is none.
func (d *Directory) ByID(ctx context.Context, id uuid.UUID) (*Account, error) {
	found, err := d.Find(ctx, `id = $1`, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// ErrEmailTaken is an e-mail that another account of the same school signs in with.
var ErrEmailTaken = api.Duplicate("Another account signs in with this e-mail")

// Enter puts a school's user into the directory, or brings their entry up to date, so
// that they can sign in. It may run before the user's own transaction commits: an
// entry without a user signs nobody in, and RepairDirectory removes it.
func (d *Directory) Enter(ctx context.Context, school, user uuid.UUID, role api.RoleType, phone, email string) error {
	err := d.writeEntries(ctx, school, role, []uuid.UUID{user}, []string{phone}, []string{strings.ToLower(email)})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.ConstraintName == "account_email_key" {
		return ErrEmailTaken
	}
	if err != nil {
		return fmt.Errorf("entering an account: %w", err)
	}
	return nil
}

// EnterMany is Enter for many users of one role who sign in by phone, in one statement.
func (d *Directory) EnterMany(ctx context.Context, school uuid.UUID, role api.RoleType, users []uuid.UUID, phones []string) error {
	if err := d.writeEntries(ctx, school, role, users, phones, make([]string, len(users))); err != nil {
		return fmt.Errorf("entering %d accounts: %w", len(users), err)
	}
	return nil
}

// enterSQL is the one statement by which a contact gets into the directory. A contact
// that is another than before is not proven yet: the account's sessions end, and the proof
// of the old one with them. A link to set a password ends with the e-mail it was sent to.
const enterSQL = `
	with given as (
		select v.id, v.user_id, nullif(v.phone, '') as phone, nullif(v.email, '') as email
		from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]) as v (id, user_id, phone, email)),
	changed as (
		select a.id, lower(a.email) is distinct from g.email as email from given g join platform.account a on a.user_id = g.user_id
		and a.school_id = $1
		where a.phone is distinct from g.phone or lower(a.email) is distinct from g.email),
	ended as (
		update platform.session set revoked_at = $7, revoke_reason = 'the phone or e-mail was changed'
		where revoked_at is null and account_id in (select id from changed) returning id),
	dead as (delete from platform.password_link where account_id in (select id from changed where email)),
	written as (
		insert into platform.account as a (id, school_id, user_id, role_type, phone, email)
		select id, $1, user_id, $2, phone, email from given
		on conflict (user_id, school_id) do update
		set role_type = excluded.role_type, phone = excluded.phone, email = excluded.email, disabled = false, updated_at = now(),
			epoch = a.epoch + case when (a.phone, lower(a.email)) is not distinct from (excluded.phone, excluded.email) then 0 else 1 end,
			phone_proven_at = case when a.phone = excluded.phone then a.phone_proven_at end,
			last_used_at = case when (a.phone, lower(a.email)) is not distinct from (excluded.phone, excluded.email) then a.last_used_at end
		where (a.role_type, a.phone, lower(a.email), a.disabled) is distinct from (excluded.role_type, excluded.phone, excluded.email, false))
	select id from ended`

// writeEntries writes entries of the directory. Two callers that enter the same new user at
// the same moment both find no entry, and ON CONFLICT covers only the key it names: the second
// is refused by the other key, and finds the entry when it tries again. Of many entries several
// may conflict, one after the other.
func (d *Directory) writeEntries(ctx context.Context, school uuid.UUID, role api.RoleType, users []uuid.UUID, phones,
	emails []string) (err error) {
	ids := make([]uuid.UUID, len(users))
	for i, user := range users {
		ids[i] = AccountID(school, user)
	}
	for range 10 {
		var ended []uuid.UUID
		rows, asked := d.Cluster.PlatformPool().Query(ctx, enterSQL, school, role, ids, users, phones, emails, d.Clock())
		if err = asked; err == nil {
			ended, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		}
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.ConstraintName != "account_pkey" {
			d.PublishEnded(ended)
			return err
		}
	}
	return err
}

// AccountID follows from school and user. A school that was restored beside the one it
// was archived from has the same users, and accounts of its own.
func AccountID(school, user uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(user, append([]byte("account of "), school[:]...))
}

// closeEntry removes or disables a user's entry in the directory and ends their sessions.
func (d *Directory) closeEntry(ctx context.Context, school, user uuid.UUID, gone bool) error {
	_, err := d.EndWhere(ctx, "account closed", `account_id in (select id from platform.account where user_id = $3 and school_id = $4)`,
		user, school)
	if err != nil {
		return err
	}
	sql := `update platform.account set disabled = true, updated_at = now() where user_id = $1 and school_id = $2 and not disabled`
	if gone {
		sql = `delete from platform.account where user_id = $1 and school_id = $2`
	}
	if _, err := d.Cluster.PlatformPool().Exec(ctx, sql, user, school); err != nil {
		return fmt.Errorf("closing an account: %w", err)
	}
	d.SessionsChanged(user)
	return nil
}
