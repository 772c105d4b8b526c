package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/tenancy"
)

// request is what the kernel keeps of one call while it runs.
type request struct {
	id       string
	ip       string
	device   string
	row      *Row
	user     User
	over     uuid.UUID // session of a token that was good once
	school   *tenancy.School
	db       *gorm.DB // as it was opened
	now      time.Time
	version  *int
	bodyHash []byte
	key      string // Idempotency-Key
	kernel   *Kernel
	upload   *Incoming

	facts    []events.Fact
	audits   []audit
	atCommit []Statements
	last     []tenancy.Query // sent with the COMMIT
	limited  bool            // its limit was looked at
	rights   bool            // who may do what was changed
	replayed bool            // its answer is that of an earlier request
	fed      bool            // it was answered with a feed
	trace    string          // id of the trace it is part of; empty: none is kept
}

// serve runs one row, in one fixed order: who, which school, which client, how
// often, may they, evaluation mode, fresh proof, input, database, handler, answer.
func (k *Kernel) serve(row *Row) gin.HandlerFunc {
	return func(g *gin.Context) {
		rq := requestOf(g)
		rq.row, rq.kernel = row, k
		if k.Tracer != nil {
			k.traced(g, row, rq)
			return
		}
		k.answer(g, row, rq)
	}
}

// answer runs the row and sends what came of it.
func (k *Kernel) answer(g *gin.Context, row *Row, rq *request) {
	// A client that hangs up must not cost a warm connection: work ends by its own timeout.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.Request.Context()), k.patience(g, row))
	defer cancel()
	a, err := k.run(ctx, g, row, rq)
	if err == nil {
		err = a.send(ctx, g, rq)
	}
	if err != nil {
		k.refuse(g, rq, err)
	}
}

// patience is how long the row may take. One that takes longer than the others may
// also read and write for longer than the server lets them.
func (k *Kernel) patience(g *gin.Context, row *Row) time.Duration {
	if row.Timeout == 0 {
		return k.HandlerTimeout
	}
	until := time.Now().Add(row.Timeout)
	control := http.NewResponseController(g.Writer)
	_ = control.SetReadDeadline(until) // not every writer can; the server's own limits then hold
	_ = control.SetWriteDeadline(until)
	return row.Timeout
}

func (k *Kernel) run(ctx context.Context, g *gin.Context, row *Row, rq *request) (answer, error) {
	if row.Kind() == KindOpen {
		return k.runOpen(ctx, g, row, rq)
	}
	if err := k.authenticate(ctx, g, rq); err != nil {
		return nil, err
	}
	var err error
	user := rq.user
	if row.Kind() != KindPlatform {
		ctx = withPolicyCache(ctx)
		if rq.school, err = k.schoolOf(ctx, user); err != nil {
			return nil, err
		}
	}
	if err := allowsRole(row, user.Role); err != nil {
		return nil, err
	}
	if err := k.limit(ctx, g, rq, row.Class, user.ID.String()); err != nil {
		return nil, err
	}
	if row.Kind() != KindPlatform {
		if err := k.permit(ctx, row, rq.school, user, Target{}); err != nil {
			return nil, err
		}
	}
	if err := k.checkFresh(ctx, row, user); err != nil {
		return nil, err
	}
	req, err := k.bind(row, g, rq)
	if err != nil {
		return nil, err
	}
	if row.Idempotent {
		if rq.key, err = idempotencyKey(g); err != nil {
			return nil, err
		}
	}
	if row.OwnTx || row.Upload {
		return k.runRead(ctx, row, rq, req)
	}
	return retryWhileMoving(ctx, func() (answer, error) {
		if row.Action == Read {
			return k.runRead(ctx, row, rq, req)
		}
		return k.runWrite(ctx, row, rq, req)
	})
}

func (k *Kernel) runOpen(ctx context.Context, g *gin.Context, row *Row, rq *request) (answer, error) {
	caller := OpenCtx{Context: ctx, Now: rq.now, IP: rq.ip, Device: rq.device, RequestID: rq.id, Token: bearer(g)}
	if row.Console {
		caller.browser = &browser{g}
	}
	if row.KnowsDevice {
		caller.DeviceToken = g.GetHeader(DeviceHeader)
	}
	// Who has a good token counts for themselves: a whole school may have one address.
	counts := addressCaller(rq)
	if row.Bearer {
		if err := k.authenticate(ctx, g, rq); err != nil {
			return nil, err
		}
		caller.User, counts = rq.user, rq.user.ID.String()
	}
	var req any
	var bindErr error
	if row.countsFor != nil {
		if req, bindErr = k.bind(row, g, rq); bindErr == nil {
			if who := row.countsFor(caller, req); who != "" {
				counts = who
			}
		}
	}
	if row.Class != Unlimited {
		if err := k.limit(ctx, g, rq, row.Class, counts); err != nil {
			return nil, err
		}
	}
	if row.Console {
		if err := fromConsole(g); err != nil {
			return nil, err
		}
	}
	if err := k.checkFresh(ctx, row, rq.user); err != nil {
		return nil, err
	}
	if row.countsFor == nil {
		req, bindErr = k.bind(row, g, rq)
	}
	if bindErr != nil {
		return nil, bindErr
	}
	resp, err := row.callOpen(caller, req)
	if err != nil {
		return nil, err
	}
	return row.answer(resp)
}

// authenticate says who the bearer token speaks for.
func (k *Kernel) authenticate(ctx context.Context, g *gin.Context, rq *request) error {
	user, err := k.Authenticator.Authenticate(ctx, bearer(g))
	if err != nil {
		rq.over = user.SessionID
		return err
	}
	rq.user = user
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
		return k.Permissions.Decide(ctx, school, user, Question{Module: row.Module, Action: row.Permission(), Target: target})
	})
	if err != nil {
		return err
	}
	if d.Unknown {
		return NotFound("division")
	}
	if !d.Allowed {
		return Denied(d.Why)
	}
	if d.Evaluation && row.ClosedInEvaluationMode() {
		return Coded(403, "EVALUATION_MODE_READONLY", "The school is in evaluation mode: teachers can read only")
	}
	return nil
}

// runRead runs a handler on a database it cannot write to.
func (k *Kernel) runRead(ctx context.Context, row *Row, rq *request, req any) (answer, error) {
	if row.Kind() == KindPlatform {
		resp, err := row.callPlatform(PlatformCtx{Context: ctx, User: rq.user, DB: k.Databases.Platform(ctx, tenancy.ReadOnly), Now: rq.now, rq: rq}, req)
		if err != nil {
			return nil, err
		}
		return row.answer(resp)
	}
	mode := tenancy.ReadOnly
	if row.Response == reflect.TypeFor[Stream]() {
		mode = tenancy.LongRead // a slow reader holds it as long as the file takes
	}
	db, err := k.Databases.School(ctx, rq.school, mode)
	if err != nil {
		return nil, err
	}
	rq.db = db
	c := Ctx{Context: ctx, User: rq.user, School: rq.school, DB: db, Now: rq.now, rq: rq}
	if err := k.checkScope(c, row, req); err != nil {
		return nil, err
	}
	resp, err := row.callSchool(c, req)
	if err != nil {
		return nil, err
	}
	return row.answer(resp)
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

// refuse answers with an error. What went wrong on our side is logged once, here.
func (k *Kernel) refuse(g *gin.Context, rq *request, err error) {
	e := k.explain(err)
	if !rq.limited && e.Status != 429 && e.Status < 500 {
		// Nobody in particular: counted by address, so that tokens and paths cannot be guessed at
		// will. A token that was ours and is over is no guess: it counts for its session, so that
		// a school whose tokens end in the same minute hears that they did, not that it is too many.
		caller := addressCaller(rq)
		if rq.over != uuid.Nil {
			caller = "session " + rq.over.String()
		}
		if limitErr := k.limit(g.Request.Context(), g, rq, LimitRead, caller); limitErr != nil {
			e = k.explain(limitErr)
		}
	}
	if e.Status >= 500 {
		k.Log.LogAttrs(g.Request.Context(), slog.LevelError, "request failed", rq.named(slog.Int("status", e.Status), slog.String("error", causeOf(e)))...)
	}
	say(g, e)
}

// say writes the spec's error body.
func say(g *gin.Context, e *Error) {
	e = e.bounded()
	if e.RetryAfter > 0 {
		g.Header("Retry-After", fmt.Sprint(max(1, int((e.RetryAfter+time.Second-1)/time.Second))))
	}
	g.Abort()
	g.JSON(e.Status, e.Body())
}

func causeOf(e *Error) string {
	if cause := errors.Unwrap(e); cause != nil {
		return cause.Error()
	}
	return e.Message
}

func bearer(g *gin.Context) string {
	scheme, token, ok := strings.Cut(g.GetHeader("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
