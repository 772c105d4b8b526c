package api

import (
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"homeroom/tenancy"
)

// Record is what every record of a school has besides its own fields.
type Record struct {
	ID        uuid.UUID  `json:"id" gorm:"primaryKey"`
	CreatedAt time.Time  `json:"createdAt"`
	UpdatedAt time.Time  `json:"updatedAt"`
	CreatedBy *uuid.UUID `json:"createdBy,omitempty"`
	UpdatedBy *uuid.UUID `json:"updatedBy,omitempty"`
	Version   int        `json:"version"`
	touched   bool
}

func (r *Record) record() *Record { return r }

// Touch says, in an Update, that parts of the record change which are kept in other tables: it
// gets a new version though its own columns are the same.
func (r *Record) Touch() { r.touched = true }

// recorded is a pointer to a struct that embeds Record.
type recorded[M any] interface {
	*M
	record() *Record
}

// NewID makes an id. They sort by the time they were made.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// Insert adds a record, with its stamps and its audit row. thing is its name in messages.
func Insert[M any, P recorded[M]](c Ctx, thing string, m P) error {
	r := m.record()
	*r = Record{ID: NewID(), CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: &c.User.ID, UpdatedBy: &c.User.ID, Version: 1}
	if err := c.DB.Create(m).Error; err != nil {
		return fmt.Errorf("adding a %s: %w", thing, err)
	}
	c.Changed("create", thing, r.ID, nil, m)
	return nil
}

// Find reads one record into the view V. GORM builds the query, pgx reads the answer.
func Find[V any](c Ctx, thing string, query *gorm.DB, id uuid.UUID) (V, error) {
	var found []V
	sql, args, err := findSQL[V](query, id, query == c.rq.db)
	if err == nil {
		err = tenancy.Pipeline(query, tenancy.Query{SQL: sql, Args: args, Scan: func(r pgx.Rows) (err error) {
			found, err = scanViews[V](query, r, nil)
			return err
		}})
	}
	if err != nil {
		return *new(V), fmt.Errorf("reading a %s: %w", thing, err)
	}
	if len(found) == 0 {
		return *new(V), NotFound(thing)
	}
	return found[0], nil
}

// plainFinds remembers, by view, the SQL that reads a record by nothing but its id:
// building it anew takes GORM as long as sending it takes pgx.
var plainFinds sync.Map // reflect.Type → string

// findSQL builds the statement. A plain query is the database as the kernel opened it, without
// any condition.
func findSQL[V any](query *gorm.DB, id uuid.UUID, plain bool) (string, []any, error) {
	view := reflect.TypeFor[V]()
	if sql, ok := plainFinds.Load(view); ok && plain {
		return sql.(string), []any{id, 1}, nil
	}
	built := query.Session(&gorm.Session{DryRun: true}).Where("id = ?", id).Take(new(V))
	sql, args := built.Statement.SQL.String(), built.Statement.Vars
	if plain && built.Error == nil && len(args) == 2 && args[0] == any(id) && args[1] == any(1) {
		plainFinds.Store(view, sql)
	}
	return sql, args, built.Error
}

// Update changes one record under its lock: nothing slips in between what was read
// and what is written, and a version the caller sent must still be the record's. A change
// that leaves the record as it was is none: its version stays.
func Update[M any, P recorded[M]](c Ctx, thing string, id uuid.UUID, change func(P) error) (M, error) {
	m, err := Lock[M](c, thing, id)
	if err != nil {
		return m, err
	}
	return UpdateLocked(c, thing, m, change)
}

// UpdateLocked is Update for a record that the handler has locked and completed with what is
// kept in other tables.
func UpdateLocked[M any, P recorded[M]](c Ctx, thing string, m M, change func(P) error) (M, error) {
	before := m
	r := P(&m).record()
	id := r.ID
	if v := c.SentVersion(); v != nil && *v != r.Version {
		return m, Conflict("This %s was changed by someone else: it is at version %d, you have %d", thing, r.Version, *v)
	}
	stamps := *r
	if err := change(&m); err != nil {
		return m, err
	}
	touched := r.touched
	*r = stamps
	if !touched && reflect.DeepEqual(m, before) {
		c.Unchanged()
		return m, nil
	}
	r.UpdatedAt, r.UpdatedBy, r.Version = c.Now, &c.User.ID, r.Version+1
	if err := c.DB.Select("*").Omit("id", "created_at", "created_by").Where("id = ?", id).Updates(&m).Error; err != nil {
		return m, fmt.Errorf("changing a %s: %w", thing, err)
	}
	c.Changed("update", thing, id, before, m)
	return m, nil
}

// Erase removes one record for good. What others still refer to is refused by the database.
func Erase[M any](c Ctx, thing string, id uuid.UUID) error {
	m, err := Lock[M](c, thing, id)
	if err != nil {
		return err
	}
	if err := c.DB.Where("id = ?", id).Delete(&m).Error; err != nil {
		return fmt.Errorf("removing a %s: %w", thing, err)
	}
	c.Changed("delete", thing, id, m, nil)
	return nil
}

// Lock reads one record and keeps others from changing it until the transaction ends.
func Lock[M any](c Ctx, thing string, id uuid.UUID) (M, error) {
	return Find[M](c, thing, c.DB.Clauses(clause.Locking{Strength: "UPDATE"}), id)
}
