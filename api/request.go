package api

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
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
	expired  uuid.UUID // session of a token that has expired
	school   *tenancy.School
	db       *gorm.DB // as it was opened
	now      time.Time
	version  *int
	bodyHash []byte
	key      string // Idempotency-Key
	kernel   *Kernel
	upload   *Incoming
	since    *since // the caller keeps a copy of the list

	facts    []events.Fact
	audits   []audit
	changes  []RecordChange // of records, for the fact that says so
	atCommit []Statements
	last     []tenancy.Query // sent with the COMMIT
	limited  bool            // its limit was looked at

	tellsChanges bool   // the school has webhooks
	rights       bool   // who may do what was changed
	replayed     bool   // its answer is that of an earlier request
	fed          bool   // it was answered with a feed
	unchanged    bool   // what it asked for is there already
	trace        string // id of the trace it is part of; empty: none is kept
}

// serve runs one row, in one fixed order: user, school, client, rate limit, permission,
// evaluation mode, fresh proof, input, database, handler, answer.
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.Request.Context()), k.timeout(g, row))
	defer cancel()
	a, err := k.run(ctx, g, row, rq)
	if err == nil {
		err = a.send(ctx, g, rq)
	}
	if err != nil {
		k.refuse(g, rq, err)
	}
}

// timeout is how long the row may take. One with a timeout of its own may also read and
// write for longer than the server lets others.
func (k *Kernel) timeout(g *gin.Context, row *Row) time.Duration {
	most := row.Timeout
	if asFile, _ := wantsCSV(row, g); asFile {
		most = streamTimeout
	}
	if most == 0 {
		return k.HandlerTimeout
	}
	until := time.Now().Add(most)
	control := http.NewResponseController(g.Writer)
	_ = control.SetReadDeadline(until) // not every writer can; the server's own limits then hold
	_ = control.SetWriteDeadline(until)
	return most
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
	asFile, formatErr := wantsCSV(row, g)
	if err := k.checkFresh(ctx, row.Fresh || (row.FreshFile && asFile), user); err != nil {
		return nil, err
	}
	req, err := k.bind(row, g, rq)
	if err == nil {
		err = formatErr
	}
	if err == nil && asFile && rq.since != nil {
		err = InvalidField(SinceParameter, "a file has the whole list: it cannot be given together with format")
	}
	if err != nil {
		return nil, err
	}
	if asFile {
		return k.csvOf(ctx, row, rq, *req.(*ListRequest)), nil
	}
	if rq.since != nil {
		return retryWhileMoving(ctx, func() (answer, error) { return k.sync(ctx, row, rq, req) })
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
	if user, password, ok := g.Request.BasicAuth(); ok && row.Form != nil {
		caller.Basic = url.UserPassword(user, password)
	}
	if row.KnowsDevice {
		caller.DeviceToken = g.GetHeader(DeviceHeader)
	}
	// A caller with a valid token counts as that user: a whole school may have one address.
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
	if err := k.checkFresh(ctx, row.Fresh, rq.user); err != nil {
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

// runRead runs a handler on a database it cannot write to.
func (k *Kernel) runRead(ctx context.Context, row *Row, rq *request, req any) (answer, error) {
	if row.Stale && k.Standbys != nil {
		if a, ok := k.readStandby(ctx, row, rq, req); ok {
			return a, nil
		}
	}
	mode := tenancy.ReadOnly
	if row.Response == reflect.TypeFor[Stream]() {
		mode = tenancy.LongRead // a slow reader holds it as long as the file takes
	}
	resp, _, err := k.callRead(ctx, row, rq, req, mode)
	if err != nil {
		return nil, err
	}
	return row.answer(resp)
}

// callRead returns what the handler answers, and the database it was given.
func (k *Kernel) callRead(ctx context.Context, row *Row, rq *request, req any, mode tenancy.Mode) (any, *gorm.DB, error) {
	if row.Kind() == KindPlatform {
		db := k.Databases.Platform(ctx, tenancy.ReadOnly)
		resp, err := row.callPlatform(PlatformCtx{Context: ctx, User: rq.user, DB: db, Now: rq.now, rq: rq}, req)
		return resp, db, err
	}
	db, err := k.Databases.School(ctx, rq.school, mode)
	if err != nil {
		return nil, nil, err
	}
	resp, err := k.callOn(ctx, db, row, rq, req)
	return resp, db, err
}

func (k *Kernel) callOn(ctx context.Context, db *gorm.DB, row *Row, rq *request, req any) (any, error) {
	rq.db = db
	c := Ctx{Context: ctx, User: rq.user, School: rq.school, DB: db, Now: rq.now, rq: rq}
	if err := k.checkScope(c, row, req); err != nil {
		return nil, err
	}
	return row.callSchool(c, req)
}

// readStandby runs the handler on a standby. It gives no refusals: whatever goes wrong there (it is away, has not replayed
// enough, does not know a record or a right that is new), the node itself is asked.
func (k *Kernel) readStandby(ctx context.Context, row *Row, rq *request, req any) (answer, bool) {
	if !k.Standbys.For(rq.school) {
		return nil, false
	}
	db, done, ok := k.Standbys.Open(ctx, rq.school, rq.user.ID)
	if !ok {
		k.Metrics.standbyRead("node")
		return nil, false
	}
	defer done()
	resp, err := k.callOn(ctx, db, row, rq, req)
	if err != nil {
		k.Metrics.standbyRead("refused")
		return nil, false
	}
	a, err := row.answer(resp)
	if err != nil {
		return nil, false
	}
	k.Metrics.standbyRead("standby")
	return a, true
}
