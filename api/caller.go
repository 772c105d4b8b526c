package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"homeroom/tenancy"
)

// authenticate says who the bearer token speaks for.
func (k *Kernel) authenticate(ctx context.Context, g *gin.Context, rq *request) error {
	user, err := k.Authenticator.Authenticate(ctx, bearer(g))
	if err != nil {
		rq.expired = user.SessionID
		return err
	}
	if err := rq.row.takes(user.Key); err != nil {
		rq.expired = user.SessionID // it counts for the key
		return err
	}
	rq.user = user
	return nil
}

// Refusals of callers who are a person where a program is wanted, or the other way round.
var (
	errNeedsPerson = Denied("An API key cannot do this: it needs a person who is signed in")
	errNeedsKey    = Denied("This is for programs: it needs an API key of the school, or a token of one")
	errScope       = Denied("The token's scope does not cover this")
)

// takes refuses an API key that the row is not for, and a person (nil) whom it is not for.
func (r *Row) takes(key *Key) error {
	switch {
	case key == nil && r.Scopes != nil:
		return errNeedsKey
	case key != nil && !r.TakesKeys():
		return errNeedsPerson
	case key != nil && key.Scopes != nil && !slices.ContainsFunc(r.Scopes, key.Has):
		return errScope
	}
	return nil
}

func addressCaller(rq *request) string { return "address " + AddressKey(rq.ip) }

func (k *Kernel) schoolOf(ctx context.Context, user User) (*tenancy.School, error) {
	if user.Role == SuperAdmin {
		return nil, Denied("This is not for your role")
	}
	s, err := k.Schools.School(ctx, user.SchoolID)
	if err != nil {
		return nil, err
	}
	switch s.Status {
	case tenancy.Active:
		return s, nil
	case tenancy.Suspended, tenancy.Archived:
		return nil, newError(403, "", "This school is suspended")
	default:
		return nil, Unavailable("This school is being set up")
	}
}

func allowsRole(row *Row, role RoleType) error {
	if !slices.Contains(row.Roles, role) {
		return Denied("This is not for your role")
	}
	return nil
}

// Permits asks about a user what a call of the named row asks before anything is counted
// or read: their school, the row's roles, the module's permission, evaluation mode. It is
// for channels that do what a row does without a request, so that both go by one rule.
func (k *Kernel) Permits(ctx context.Context, name string, user User) (*tenancy.School, error) {
	row := k.named[name]
	if row == nil {
		return nil, fmt.Errorf("there is no row %s to go by", name)
	}
	school, err := k.schoolOf(ctx, user)
	if err != nil {
		return nil, err
	}
	if err := allowsRole(row, user.Role); err != nil {
		return nil, err
	}
	return school, k.permit(ctx, row, school, user, Target{})
}

// permit asks for the module's permission, and keeps teachers from writing while
// the school is being evaluated.
func (k *Kernel) permit(ctx context.Context, row *Row, school *tenancy.School, user User, target Target) error {
	d, err := retryWhileMoving(ctx, func() (Decision, error) {
		d, err := k.Permissions.Decide(ctx, school, user, Question{Module: row.Module, Action: row.Permission(), Target: target})
		for i := 0; i < len(row.OrReads) && err == nil && !d.Allowed; i++ {
			var other Decision
			if other, err = k.Permissions.Decide(ctx, school, user, Question{Module: row.OrReads[i], Action: Read}); other.Allowed {
				return other, err
			}
		}
		return d, err
	})
	if err != nil {
		return err
	}
	if d.Unknown {
		return NotFound("division")
	}
	if !d.Allowed {
		return Denied("%s", d.Why)
	}
	if d.Evaluation && row.ClosedInEvaluationMode() {
		return newError(403, "EVALUATION_MODE_READONLY", "%s", d.EvaluationRefusal())
	}
	return nil
}

// checkScope asks whether the caller's assignment covers what the request is about.
func (k *Kernel) checkScope(c Ctx, row *Row, req any) error {
	if row.scope == nil || c.User.Role != Teacher {
		return nil
	}
	targets, err := row.scope(c, req)
	if err != nil {
		return err
	}
	for _, target := range targets {
		if err := k.permit(c, row, c.School, c.User, target); err != nil {
			return err
		}
	}
	return nil
}

// Permit refuses (403) the part of a request that another module's rows would do, unless the
// caller may write there too.
func (c Ctx) Permit(module string, action Action) error {
	d, err := c.rq.kernel.Permissions.Decide(c, c.School, c.User, Question{Module: module, Action: action})
	if err == nil && !d.Allowed {
		err = Denied("%s", d.Why)
	}
	return err
}

// MayRead says whether the caller may read a module's records: for rows whose answer has parts
// of several. It decides by the policy that let the request in.
func (c Ctx) MayRead(module string) (bool, error) {
	d, err := c.rq.kernel.Permissions.Decide(c, c.School, c.User, Question{Module: module, Action: Read})
	return d.Allowed, err
}

// CheckGrant refuses (403) to hand one of these roles to anybody, or to change how an account
// that holds one is signed in to, unless the caller may give all that the role may do. Every
// handler that writes a user's role, phone, e-mail or status asks it before it writes; a zero id
// is no role. What the service does by itself, without a caller, is not asked about.
func (c Ctx) CheckGrant(roles ...uuid.UUID) error {
	if c.User.ID == uuid.Nil {
		return nil
	}
	return c.rq.kernel.Permissions.CheckGrant(c, roles...)
}

// CheckRights refuses (403) to give these rights, by module, unless the caller has all of them.
func (c Ctx) CheckRights(rights map[string]Granted) error {
	return c.rq.kernel.Permissions.CheckRights(c, rights)
}

func bearer(g *gin.Context) string {
	scheme, token, ok := strings.Cut(g.GetHeader("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
