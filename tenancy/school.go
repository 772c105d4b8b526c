// Package tenancy knows the schools: where each one's data lives, how a query is
// bound to exactly one of them, and how a school is made, migrated, suspended and
// found again. It is the only package that opens Postgres, and it refuses to run
// a statement that is bound to no school.
package tenancy

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Status is where a school stands in its life.
type Status string

const (
	Provisioning Status = "PROVISIONING"
	Active       Status = "ACTIVE"
	Suspended    Status = "SUSPENDED"
	Archived     Status = "ARCHIVED"
	Failed       Status = "FAILED"
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

// Location is the school's time zone: "today" is a day there.
func (s *School) Location() *time.Location { return s.location }

// Role is the database role this school's statements run under. It has the
// schema's name: both come from one random id and from nothing a person typed.
func (s *School) Role() string { return s.Schema }

// What can be wrong with a school when a request asks for it.
var (
	ErrSchoolNotFound = errors.New("tenancy: no such school")
	ErrNoSchool       = errors.New("tenancy: statement is bound to no school")
	ErrOtherSchool    = errors.New("tenancy: statement is bound to another school than its transaction")
)

var ownName = regexp.MustCompile(`^(school_template|platform|homeroom_[0-9a-f]{8}_shard_[0-9]{2,4}|homeroom_move_[0-9a-f]{32})$`)

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

// newSchemaName makes the name of a schema that does not exist yet.
func newSchemaName() string {
	return "school_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
}
