package api

import (
	"context"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/tenancy"
)

// User is who a token speaks for.
type User struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	SessionID uuid.UUID
	SchoolID  uuid.UUID // zero for the cross-school administrator
	Role      RoleType
	RoleID    uuid.UUID
	Key       *Key // that the caller came with instead of a token; nil: a person
}

// Key is what an API key brings besides its user, which is a record of its own without phone and
// password. A key never may do more than its maker may at that moment.
type Key struct {
	MakerID     uuid.UUID
	MakerRoleID uuid.UUID
	PerMinute   int      // calls, of all rows together
	Scopes      []string // of the token that the caller came with; nil: the key itself
}

// Has reports whether the caller may use what a scope of OAuth 2 is for.
func (k *Key) Has(scope string) bool { return k.Scopes == nil || slices.Contains(k.Scopes, scope) }

// actorRole is what the audit log calls the caller's role.
func (u User) actorRole() string {
	if u.Key != nil {
		return string(KeyRole)
	}
	if u.Role == "" {
		return "SYSTEM" // the service by itself
	}
	return string(u.Role)
}

// Ctx is what a school's handler works with: one user, one school, its database,
// and the moment the request came in.
type Ctx struct {
	context.Context
	User   User
	School *tenancy.School
	DB     *gorm.DB
	Now    time.Time
	rq     *request
}

// Today is the day it is now at the school.
func (c Ctx) Today() Date { return DateOf(c.Now.In(c.School.Location())) }

// IsSilent reports whether the notices of this call are kept in the log and not sent.
func (c Ctx) IsSilent() bool { return c.rq.row.Silent }

// Tell records facts. They are written with the transaction, and published after it.
func (c Ctx) Tell(facts ...events.Fact) { c.rq.facts = append(c.rq.facts, facts...) }

// Finally writes with the COMMIT, in its round trip: for the last statement of a change,
// whose result is not needed. What the handler reads afterwards does not show it yet.
func (c Ctx) Finally(q tenancy.Query) { c.rq.last = append(c.rq.last, q) }

// Statements are gathered while a handler runs and written with the COMMIT.
type Statements interface {
	Statements(c Ctx) ([]tenancy.Query, error)
}

// AtCommit is the T of c's transaction; it is made when it is first asked for.
func AtCommit[T any, P interface {
	*T
	Statements
}](c Ctx) P {
	for _, known := range c.rq.atCommit {
		if p, ok := known.(P); ok {
			return p
		}
	}
	p := P(new(T))
	c.rq.atCommit = append(c.rq.atCommit, p)
	return p
}

// Changed records who changed what, in the transaction of the change. before is
// nil for a thing that is new, after for one that is gone. A thing that is as it was is not
// recorded.
func (c Ctx) Changed(action, entity string, id uuid.UUID, before, after any) {
	if action == "update" && reflect.DeepEqual(before, after) {
		c.Unchanged()
		return
	}
	c.rq.audits = append(c.rq.audits, audit{action: action, entity: entity, entityID: id.String(), before: before, after: after})
}

// Unchanged says that the request asked for what is there already: nothing was written, and
// no entry of the audit log is owed.
func (c Ctx) Unchanged() { c.rq.unchanged = true }

// RightsChanged says that this change alters who may do what: it is in force on every
// instance within a second of the commit.
func (c Ctx) RightsChanged() { c.rq.rights = true }

// SentVersion is the version of the record the caller had before them, if they said.
func (c Ctx) SentVersion() *int { return c.rq.version }

// PlatformCtx is what a cross-school administrator's handler works with. It has no school.
type PlatformCtx struct {
	context.Context
	User User
	DB   *gorm.DB
	Now  time.Time
	rq   *request

	school uuid.UUID // its audit rows are about this one; zero is none
}

// At is the context of an action that concerns one school: what it records in the
// platform's audit is found by the school.
func (c PlatformCtx) At(school uuid.UUID) PlatformCtx {
	c.school = school
	return c
}

// Changed records an administrator's action in the platform's own audit.
func (c PlatformCtx) Changed(action, entity string, id uuid.UUID, before, after any) {
	c.rq.audits = append(c.rq.audits, c.audit(action, entity, id, before, after))
}

// SentVersion is the version of the record the caller had before them, if they said.
func (c PlatformCtx) SentVersion() *int { return c.rq.version }

func (c PlatformCtx) audit(action, entity string, id uuid.UUID, before, after any) audit {
	a := audit{action: action, entity: entity, entityID: id.String(), before: before, after: after}
	switch {
	case c.school != uuid.Nil:
		a.school = &c.school
	case entity == "school":
		a.school = &id
	}
	return a
}

// Book writes the audit row of an action, for a handler that keeps its own transaction.
func (c PlatformCtx) Book(action, entity string, id uuid.UUID, after any) tenancy.InTx {
	return c.BookChange(action, entity, id, func() (any, any) { return nil, after })
}

// BookChange is Book of a change; what is called in the transaction, once before and after are
// known.
func (c PlatformCtx) BookChange(action, entity string, id uuid.UUID, what func() (before, after any)) tenancy.InTx {
	return func(ctx context.Context, tx pgx.Tx) error {
		before, after := what()
		q, err := c.audit(action, entity, id, before, after).query(c.rq)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "set local search_path = platform"); err != nil {
			return fmt.Errorf("booking %s: %w", action, err)
		}
		if _, err := tx.Exec(ctx, q.SQL, q.Args...); err != nil {
			return fmt.Errorf("booking %s: %w", action, err)
		}
		return nil
	}
}

// SchoolEntry is the audit row of an action for the log of the school it was done at.
func (c PlatformCtx) SchoolEntry(action, entity string, id uuid.UUID, after any) (tenancy.Query, error) {
	return audit{action: action, entity: entity, entityID: id.String(), after: after}.schoolQuery(c.rq)
}

// OpenCtx is what a sign-in handler works with: an address, and a user only where
// the row asks for a token.
type OpenCtx struct {
	context.Context
	User        User
	Now         time.Time
	IP          string
	Device      string // what the client calls itself
	DeviceToken string // as sent, on rows that know devices
	RequestID   string
	Token       string        // the bearer token as sent, unverified unless the row asks for one
	Basic       *url.Userinfo // of HTTP Basic, as sent; nil: none
	browser     *browser
}
