// Package tenancy knows the schools: where each one's data lives, how it is found, and how a query is bound to exactly one
// of them. With its wings it is the only package that opens Postgres, and it refuses to run a statement that is bound to no
// school. The wings import it, never the other way round: lifecycle makes schools and nodes and keeps them up to date,
// move takes a school to another node.
package tenancy

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// School is what a request needs to know about the school it is for. It is shared
// between requests through the registry: never change one.
type School struct {
	ID            uuid.UUID
	Code          string
	Name          string
	Node          string
	Schema        string
	Shard         int
	Status        Status
	TimeZone      string
	Locale        string
	Currency      string
	WeekendDays   []int16
	SchemaVersion int
	Address       string
	Phone         string
	Email         string
	Home          int  // how often it has moved to another node
	Held          bool // its writes wait: it is about to be served from another node

	location *time.Location
}

// LoadLocation finds the school's time zone by its name. A School that ScanSchool has not read needs it once, before it
// is shared.
func (s *School) LoadLocation() (err error) {
	s.location, err = time.LoadLocation(s.TimeZone)
	return err
}

// Location is the school's time zone: "today" is a day there.
func (s *School) Location() *time.Location { return s.location }

// Role is the database role this school's statements run under. It has the
// schema's name: both come from one random id and from nothing a person typed.
func (s *School) Role() string { return s.Schema }

// Schemas that are no school's.
const (
	// PlatformSchema holds what belongs to no school.
	PlatformSchema = "platform"
	// TemplateSchema has a school's tables and no rows. A login's statements are parsed
	// against it when they are bound to no school, and then refused: it may be named,
	// not read.
	TemplateSchema = "school_template"
	// NodeSchema holds what a node keeps of itself: whose it is, and whose its schemas are.
	NodeSchema = "homeroom"
)

// What can be wrong with a school when a request asks for it.
var (
	ErrSchoolNotFound = errors.New("tenancy: no such school")
	// ErrNotActive says that a school is suspended, archived or not made yet: where only active schools are opened it is as
	// good as not there.
	ErrNotActive   = fmt.Errorf("tenancy: the school is not active: %w", ErrSchoolNotFound)
	ErrNoSchool    = errors.New("tenancy: statement is bound to no school")
	ErrOtherSchool = errors.New("tenancy: statement is bound to another school than its transaction")
	// ErrBehind says that a school's schema is older than this binary and could not be
	// brought up to date just now. It is worth trying again in a few seconds.
	ErrBehind = errors.New("tenancy: the school is being brought up to date")
)

var ownName = regexp.MustCompile(`^(school_template|platform|homeroom|homeroom_[0-9a-f]{8}_shard_[0-9]{2,4}|homeroom_move_[0-9a-f]{32})$`)

// Ident returns the name of a schema, of its role, of a shard's login or of what a move
// makes on the servers, quoted for SQL. Everything that concatenates such a name goes through here, so that nothing
// else can get in.
func Ident(name string) string {
	if !isSchools(name) && !ownName.MatchString(name) {
		panic(fmt.Sprintf("tenancy: %q is not a name of ours", name))
	}
	return `"` + name + `"`
}

// isSchools reports whether name is of a school's schema. Every statement asks, so it
// is answered without a regular expression.
func isSchools(name string) bool {
	digits, ours := strings.CutPrefix(name, "school_")
	if !ours || len(digits) != 32 {
		return false
	}
	for _, d := range []byte(digits) {
		if (d < '0' || d > '9') && (d < 'a' || d > 'f') {
			return false
		}
	}
	return true
}
