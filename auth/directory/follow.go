package directory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// UserChanged is the fact a module publishes when it adds, changes or removes a user. The
// directory follows it; receiving it twice has no further effect.
const UserChanged = "user.changed"

// UsersChanged is the same fact of many users, who were added or changed at once.
const UsersChanged = "users.changed"

// usersChanged is its data.
type usersChanged struct {
	UserIDs []uuid.UUID `json:"userIds"`
}

// userChanged is its data.
type userChanged struct {
	UserID uuid.UUID `json:"userId"`
}

// Follow keeps the directory in step with the schools' users.
func (d *Directory) Follow(bus *events.Bus) {
	bus.On(UserChanged, "directory", func(ctx context.Context, h events.Heard) error {
		var u userChanged
		if err := h.Read(&u); err != nil {
			return err
		}
		return d.FollowUser(ctx, h.SchoolID, u.UserID)
	})
	bus.On(UsersChanged, "directory", func(ctx context.Context, h events.Heard) error {
		var u usersChanged
		if err := h.Read(&u); err != nil {
			return err
		}
		return d.followMany(ctx, h.SchoolID, u.UserIDs)
	})
}

// followMany is FollowUser for many, most of whose entries are right already: they
// were written when the users were added.
func (d *Directory) followMany(ctx context.Context, school uuid.UUID, users []uuid.UUID) error {
	_, db, err := d.Schools.OpenAny(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	var people []person
	if err := db.Raw(`select `+personColumns+` from app_user u join role r on r.id = u.role_id where u.id in ?`,
		users).Find(&people).Error; err != nil {
		return fmt.Errorf("reading users: %w", err)
	}
	entries, err := d.entriesWhere(ctx, `user_id = any($1) and school_id = $2`, users, school)
	if err != nil {
		return err
	}
	there := map[uuid.UUID]bool{}
	for _, p := range people {
		there[p.ID] = true
		if e, entered := entries[p.ID]; entered && p.Status == "ACTIVE" && e.matches(p) {
			continue
		}
		if err := d.reconcile(ctx, school, p); err != nil {
			return err
		}
	}
	for _, user := range users {
		if !there[user] {
			if err := d.closeEntry(ctx, school, user, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// person is a user, with the columns that the directory copies.
type person struct {
	ID     uuid.UUID
	Role   api.RoleType
	Phone  string
	Email  string
	Status string
	Name   string
}

const personColumns = `u.id, r.type as role, coalesce(u.phone, '') as phone,
	coalesce(u.email, '') as email, u.status, trim(u.first_name || ' ' || u.last_name) as name`

// FollowUser copies a user's record into their entry. It locks the record meanwhile: a change
// under way has written its entry already, which a copy of the record from before its commit
// would undo until the change's own fact is published.
func (d *Directory) FollowUser(ctx context.Context, school, user uuid.UUID) error {
	_, db, err := d.Schools.OpenAny(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	return db.Transaction(func(tx *gorm.DB) error {
		var p person
		err := tx.Raw(`select `+personColumns+` from app_user u join role r on r.id = u.role_id where u.id = ? for share of u`,
			user).Take(&p).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return d.closeEntry(ctx, school, user, true)
		}
		if err != nil {
			return fmt.Errorf("reading a user: %w", err)
		}
		return d.reconcile(ctx, school, p)
	})
}

func (d *Directory) reconcile(ctx context.Context, school uuid.UUID, p person) error {
	if p.Status != "ACTIVE" || (p.Phone == "" && p.Email == "") {
		// A user who has neither phone nor e-mail any more must not keep an old one here.
		return d.closeEntry(ctx, school, p.ID, p.Phone == "" && p.Email == "")
	}
	err := d.Enter(ctx, school, p.ID, p.Role, p.Phone, p.Email)
	if err == nil && p.Role == api.SchoolAdmin {
		err = d.enterNameAt(ctx, school, p.ID, p.Name)
	}
	if err == nil {
		d.SessionsChanged(p.ID) // the role may have changed
	}
	return err
}

// EnterName writes the name of an administrator who was made just now into their entry: no
// other school has a user of this id yet.
func (d *Directory) EnterName(ctx context.Context, user uuid.UUID, name string) error {
	return d.setName(ctx, `user_id = $1 and name <> $2`, user, name)
}

// enterNameAt writes an administrator's name into their entry at one school. A restored copy
// of the school has a user of the same id, whose name is its own.
func (d *Directory) enterNameAt(ctx context.Context, school, user uuid.UUID, name string) error {
	return d.setName(ctx, `user_id = $1 and name <> $2 and school_id = $3`, user, name, school)
}

func (d *Directory) setName(ctx context.Context, where string, args ...any) error {
	_, err := d.Cluster.PlatformPool().Exec(ctx, `update platform.account set name = $2 where `+where, args...)
	if err != nil {
		return fmt.Errorf("entering an administrator's name: %w", err)
	}
	return nil
}

// RepairDirectory compares a school's users with the directory and corrects missing, outdated
// and leftover entries, as a crash may leave them. It returns how many it corrected.
func (d *Directory) RepairDirectory(ctx context.Context, school uuid.UUID) (repaired int, err error) {
	_, db, err := d.Schools.OpenAny(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return 0, err
	}
	var people []person
	if err := db.Raw(`select ` + personColumns + ` from app_user u join role r on r.id = u.role_id`).Find(&people).Error; err != nil {
		return 0, fmt.Errorf("reading the users of school %s: %w", school, err)
	}
	entries, err := d.entries(ctx, school)
	if err != nil {
		return 0, err
	}
	for _, p := range people {
		e, there := entries[p.ID]
		delete(entries, p.ID)
		closed := p.Status != "ACTIVE" || (p.Phone == "" && p.Email == "")
		if there == !closed && (closed || e.matches(p)) {
			continue
		}
		if err := d.reconcile(ctx, school, p); err != nil {
			return repaired, err
		}
		repaired++
	}
	for user := range entries {
		// A user being added right now has an entry before a record: only old ones are left over.
		if entries[user].fresh {
			continue
		}
		if err := d.closeEntry(ctx, school, user, true); err != nil {
			return repaired, err
		}
		repaired++
	}
	return repaired, nil
}

// entry is a user's entry in the directory.
type entry struct {
	role         api.RoleType
	phone, email string
	name         string // of administrators
	fresh        bool
}

func (e entry) matches(p person) bool {
	return e.role == p.Role && e.phone == p.Phone && strings.EqualFold(e.email, p.Email) && (p.Role != api.SchoolAdmin || e.name == p.Name)
}

// entries are a school's open entries, by user.
func (d *Directory) entries(ctx context.Context, school uuid.UUID) (map[uuid.UUID]entry, error) {
	return d.entriesWhere(ctx, `school_id = $1`, school)
}

func (d *Directory) entriesWhere(ctx context.Context, where string, args ...any) (map[uuid.UUID]entry, error) {
	rows, err := d.Cluster.PlatformPool().Query(ctx, `select user_id, role_type, coalesce(phone, ''),
		coalesce(email, ''), name, created_at > now() - interval '10 minutes'
		from platform.account where not disabled and `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the directory: %w", err)
	}
	out := map[uuid.UUID]entry{}
	var user uuid.UUID
	var e entry
	_, err = pgx.ForEachRow(rows, []any{&user, &e.role, &e.phone, &e.email, &e.name, &e.fresh}, func() error {
		out[user] = e
		return nil
	})
	return out, err
}
