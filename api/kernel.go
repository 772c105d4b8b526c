package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/tenancy"
)

// Authenticator finds the user of a bearer token, or why there is none (an *Error). With an
// error the user has at most a SessionID: that of a token which was good once.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (User, error)
	// Fresh reports whether the user has proved who they are within FreshFor.
	Fresh(ctx context.Context, user User) (bool, error)
}

// Permissions decides what a user may do at their school. Changed is called when the
// school's rules have changed.
type Permissions interface {
	Decide(ctx context.Context, s *tenancy.School, u User, q Question) (Decision, error)
	// CheckGrant refuses to let the caller give away a role, or an account that holds it: see Ctx.CheckGrant.
	CheckGrant(c Ctx, roles ...uuid.UUID) error
	// CheckRights refuses rights that the caller lacks: see Ctx.CheckRights.
	CheckRights(c Ctx, rights map[string]Granted) error
	// TellsChanges reports whether the school has webhooks, to which changed records are sent.
	TellsChanges(ctx context.Context, s *tenancy.School) (bool, error)
	Changed(school uuid.UUID)
}

// Question is what a user wants to do.
type Question struct {
	Module string
	Action Action
	Target Target
}

// Target is what a question is about, where it is about some division or subject in
// particular. The zero Target is about none.
type Target struct {
	DivisionID uuid.UUID
	SubjectID  uuid.UUID
}

// Granted is what a role may do with one module.
type Granted struct {
	CanRead   bool `json:"canRead"`
	CanWrite  bool `json:"canWrite"`
	CanDelete bool `json:"canDelete"`
}

// Decision is the answer, and why.
type Decision struct {
	Allowed    bool
	Unknown    bool // the target is not of this school
	Evaluation bool // the user is a teacher, and the school is being evaluated
	Why        Phrase
	// EvaluationReason is what the school says of its evaluation mode; empty: nothing.
	EvaluationReason string
}

// EvaluationRefusal is what a teacher reads whose write is refused in evaluation mode.
func (d Decision) EvaluationRefusal() Phrase {
	if d.EvaluationReason == "" {
		return Say("The school is in evaluation mode: teachers can read only")
	}
	return Say("The school is in evaluation mode: teachers can read only (%s)", d.EvaluationReason)
}

// Schools finds schools, ready to be served.
type Schools interface {
	School(ctx context.Context, id uuid.UUID) (*tenancy.School, error)
}

// Opener opens active schools for what no caller's token opens.
type Opener interface {
	// Open returns tenancy.ErrSchoolNotFound for a school that does not exist or is not active.
	Open(ctx context.Context, id uuid.UUID, mode tenancy.Mode) (*tenancy.School, *gorm.DB, error)
}

// Databases opens what a handler works on.
type Databases interface {
	School(ctx context.Context, s *tenancy.School, mode tenancy.Mode) (*gorm.DB, error)
	Platform(ctx context.Context, mode tenancy.Mode) *gorm.DB
}

// Outbox publishes a school's facts: Lease comes before their commit, Wake after it.
type Outbox interface {
	Lease(ctx context.Context, school uuid.UUID)
	Wake(school uuid.UUID)
}

// Standbys answer reads that may be stale, and remember who has to see which write.
type Standbys interface {
	// For reports whether the school's node has a standby: then Wrote is called after each commit, with how far the
	// node's log was. everybody: all of the school have to see it, not the writer alone.
	For(s *tenancy.School) bool
	Wrote(ctx context.Context, s *tenancy.School, user uuid.UUID, everybody bool, end int64)
	// Open returns the school's database on a standby that has what the user must see, and what is to be called when the
	// reading is over; false: there is none just now. A statement may still be refused.
	Open(ctx context.Context, s *tenancy.School, user uuid.UUID) (db *gorm.DB, done func(), ok bool)
}

// Traffic counts answers by school (zero: none), status and duration.
type Traffic interface {
	Count(school uuid.UUID, status int, took time.Duration)
}

// Parts are what the kernel needs; cmd puts them together.
type Parts struct {
	Modules       []Module
	ExtraRows     []Row // of no module, for tests
	Webhooks      *Webhooks
	Authenticator Authenticator
	Permissions   Permissions
	Schools       Schools
	Databases     Databases
	Outbox        Outbox
	Standbys      Standbys // nil: every read is answered by the node itself
	Limits        Limiter
	Log           *slog.Logger
	Clock         func() time.Time
	Metrics       *Metrics
	Tracer        trace.Tracer    // of requests; nil: no traces, which cost nothing
	Traffic       Traffic         // nil: not counted
	Stopping      <-chan struct{} // closed when feeds shall end, so that the service can stop; nil: they need not
	// Untold reports facts that are not written, so that nobody hears of them: for records of what happened long ago. Nil: none.
	Untold func(events.Fact) bool

	HTTPS          bool     // clients reach it over https; browsers get Strict-Transport-Security
	TrustedProxies []string // whose X-Forwarded-For is believed; none by default
	AllowedOrigins []string // CORS; none by default
	HandlerTimeout time.Duration
}

// Kernel serves rows.
type Kernel struct {
	Parts
	Rows        []Row     // of all modules
	Catalogue   Catalogue // of all modules
	rules       *rules
	constraints map[string]Constraint
	proxies     []netip.Prefix // whose word on where a request began is taken
	named       map[string]*Row
	engine      *gin.Engine
}

// New checks every row and builds the router. A row that cannot be served or permitted
// is an error here, not a surprise later.
func New(p Parts) (*Kernel, error) {
	if p.Clock == nil {
		p.Clock = time.Now
	}
	if p.HandlerTimeout == 0 {
		p.HandlerTimeout = 15 * time.Second
	}
	k := &Kernel{Parts: p, rules: newRules(), constraints: map[string]Constraint{}, named: map[string]*Row{},
		proxies: networks(p.TrustedProxies)}
	if err := k.addModules(); err != nil {
		return nil, err
	}
	if err := k.route(); err != nil {
		return nil, err
	}
	return k, nil
}

// addModules gathers what the modules declare.
func (k *Kernel) addModules() error {
	definedBy := map[string]string{}
	for _, m := range k.Modules {
		if err := m.check(definedBy); err != nil {
			return err
		}
		k.Rows = append(k.Rows, m.Rows...)
		k.Catalogue = append(k.Catalogue, m.Permissions...)
		for _, c := range m.Constraints {
			k.constraints[c.Name] = c
		}
	}
	k.Rows = append(k.Rows, k.ExtraRows...)
	return checkExamples(k.Modules)
}

// checkRow refuses a row that contradicts itself.
func (k *Kernel) checkRow(r *Row) error {
	switch {
	case r.Summary == "":
		return fmt.Errorf("row %s has no summary", r.Name())
	case r.Kind() == KindSchool && len(r.Roles) == 0:
		return fmt.Errorf("row %s belongs to no client and names no roles", r.Name())
	case r.Kind() == KindSchool && k.Catalogue.Find(r.Module) < 0:
		return fmt.Errorf("row %s names a permission that no module defines: %q", r.Name(), r.Module)
	case slices.ContainsFunc(r.OrReads, func(module string) bool { return r.Action != Read || k.Catalogue.Find(module) < 0 }):
		return fmt.Errorf("row %s opens by permissions to read that no module defines, or is no read: %q", r.Name(), r.OrReads)
	case (r.TakesCSV() || r.Upload && !r.AnyFile) == (len(r.Columns) == 0):
		return fmt.Errorf("row %s takes a CSV file and does not say its columns, or the other way round: see api.Columns", r.Name())
	case r.Fresh && !r.Bearer:
		return fmt.Errorf("row %s asks for a fresh proof of nobody: it takes no token", r.Name())
	case r.Idempotent && (r.OwnTx || r.Upload):
		return fmt.Errorf("row %s keeps its own transaction, so its answer cannot be remembered in one", r.Name())
	case r.Idempotent && r.Answers() != Answers{Record: r.Response}:
		return fmt.Errorf("row %s answers with a file or a feed, which cannot be remembered", r.Name())
	case r.OwnTx && r.Kind() != KindPlatform:
		return fmt.Errorf("row %s: only the platform's rows keep their own transactions", r.Name())
	case r.Stale && (r.Kind() != KindSchool || r.Action != Read || r.Upload || r.Answers() != Answers{Record: r.Response}):
		return fmt.Errorf("row %s may be stale: only a school's reads that answer with a record or a list may", r.Name())
	case r.Listing != nil && r.Listing.Sorts[strings.TrimPrefix(r.Listing.Default, "-")] == "":
		return fmt.Errorf("row %s has no default sort", r.Name())
	case r.sync != nil:
		return r.sync.check(r)
	}
	return nil
}
