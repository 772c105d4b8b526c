package auth

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
)

// Returning is the people of a school that is being restored, on their way back into the
// directory.
type Returning struct {
	Accounts int // entered
	// Elsewhere are those whose e-mail signs them in at another school, the one the archive
	// was made of, say: at this one they sign in by phone.
	Elsewhere int

	auth   *Auth
	school uuid.UUID
	people []person
}

// Returning begins with nobody.
func (a *Auth) Returning() *Returning { return &Returning{auth: a} }

// Read finds the people of the school, before anybody can reach it.
func (r *Returning) Read(ctx context.Context, s *tenancy.School) error {
	db, err := r.auth.Cluster.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	r.school = s.ID
	err = db.Raw(`select ` + personColumns + ` from app_user u join role r on r.id = u.role_id
		where u.status = 'ACTIVE' and (u.phone is not null or u.email is not null)`).Find(&r.people).Error
	if err != nil {
		return fmt.Errorf("reading the users of school %s: %w", s.ID, err)
	}
	return nil
}

// Enter puts them into the directory, in the transaction that makes the school known. An
// e-mail that a school which is shut for good still holds is taken over.
func (r *Returning) Enter(ctx context.Context, tx pgx.Tx) error {
	if err := enterAll(ctx, tx, r.school, r.people, r); err != nil {
		return fmt.Errorf("entering the people of school %s: %w", r.school, err)
	}
	return nil
}

func enterAll(ctx context.Context, tx pgx.Tx, school uuid.UUID, people []person, out *Returning) error {
	ids, users := make([]uuid.UUID, len(people)), make([]uuid.UUID, len(people))
	roles, phones, emails := make([]string, len(people)), make([]string, len(people)), make([]string, len(people))
	for i, p := range people {
		ids[i], users[i], roles[i], phones[i], emails[i] = accountID(school, p.ID), p.ID, string(p.Role), p.Phone, strings.ToLower(p.Email)
	}
	_, err := tx.Exec(ctx, `update platform.account set email = null, updated_at = now() where lower(email) = any($1)
		and school_id in (select id from platform.school where status = 'ARCHIVED')`, emails)
	if err != nil {
		return err
	}
	entered := tx.QueryRow(ctx, `with wanted as (
			select v.*, v.email <> '' and exists (select from platform.account a where lower(a.email) = v.email) as taken
			from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[]) as v (id, user_id, role, phone, email)),
		entered as (insert into platform.account (id, school_id, user_id, role_type, phone, email)
			select id, $1, user_id, role, nullif(phone, ''), case when not taken then nullif(email, '') end from wanted where phone <> '' or not taken returning 1)
		select (select count(*) from entered), (select count(*) from wanted where taken)`, school, ids, users, roles, phones, emails)
	return entered.Scan(&out.Accounts, &out.Elsewhere)
}
