package directory

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
)

// RestoredUsers are the users of a school that is being restored, to be entered into the directory.
type RestoredUsers struct {
	Accounts int64 // entered

	directory *Directory
	school    uuid.UUID
	people    []person
}

// RestoreUsers starts with none.
func (d *Directory) RestoreUsers() *RestoredUsers { return &RestoredUsers{directory: d} }

// Read reads the users of the school, before it can be reached.
func (r *RestoredUsers) Read(ctx context.Context, s *tenancy.School) error {
	db, err := r.directory.Cluster.School(ctx, s, tenancy.ReadOnly)
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

// Enter puts them into the directory, in the transaction that makes the school known.
// No phone is proven at this school yet: a PIN counts only after the first code.
func (r *RestoredUsers) Enter(ctx context.Context, tx pgx.Tx) error {
	people := r.people
	ids, users := make([]uuid.UUID, len(people)), make([]uuid.UUID, len(people))
	roles, phones, emails := make([]string, len(people)), make([]string, len(people)), make([]string, len(people))
	for i, p := range people {
		ids[i], users[i], roles[i], phones[i], emails[i] = AccountID(r.school, p.ID), p.ID, string(p.Role), p.Phone, strings.ToLower(p.Email)
	}
	tag, err := tx.Exec(ctx, `insert into platform.account (id, school_id, user_id, role_type, phone, email)
		select v.id, $1, v.user_id, v.role, nullif(v.phone, ''), nullif(v.email, '')
		from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[]) as v (id, user_id, role, phone, email)`,
		r.school, ids, users, roles, phones, emails)
	if err != nil {
		return fmt.Errorf("entering the people of school %s: %w", r.school, err)
	}
	r.Accounts = tag.RowsAffected()
	return nil
}
