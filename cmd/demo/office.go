package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/cmd/service"
	"homeroom/events"
	"homeroom/modules/attendance"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/notice"
	"homeroom/rbac"
	"homeroom/tenancy"
)

// office calls the product's endpoints in process, for one school, at a moment of its choosing. Its kernel has the modules,
// the permissions and the databases of the service, a clock and callers of its own, and no limits. Notices that it causes are
// in people's logs, read, and are not sent. One at a time may use it: the clock is everybody's.
type office struct {
	school  *tenancy.School
	handler http.Handler
	admin   api.User
	known   *callers
	clock   *clock
	calls   *atomic.Int64 // of all offices
	own     atomic.Int64  // of this one
	// sameAccounts says that what is done changes no account, so that nobody need look at what its holder may see.
	sameAccounts atomic.Bool
}

// clock is what an office takes for now.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// callers believes an office's word on who calls: its tokens are users' ids.
type callers struct {
	mu    sync.Mutex
	users map[string]api.User
}

func (c *callers) token(u api.User) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users[u.ID.String()] = u
	return u.ID.String()
}

// Authenticate finds the user of a token.
func (c *callers) Authenticate(_ context.Context, token string) (api.User, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, known := c.users[token]
	if !known {
		return u, fmt.Errorf("the demo knows no user %q", token)
	}
	return u, nil
}

// Fresh holds always: nobody has to prove anything to the demo.
func (c *callers) Fresh(context.Context, api.User) (bool, error) { return true, nil }

// noLimits counts nothing.
type noLimits struct{}

func (noLimits) Count(context.Context, api.LimitClass, string, bool) (api.LimitState, error) {
	return api.LimitState{Limit: 1, Remaining: 1, Shared: true}, nil
}

func (n noLimits) CountKey(ctx context.Context, key string, _ int) (api.LimitState, error) {
	return n.Count(ctx, "", key, false)
}

func (noLimits) Take(context.Context, api.LimitClass, string) error { return nil }

// newOffice opens an office at a school.
func newOffice(s *service.Service, school *tenancy.School, calls *atomic.Int64) (*office, error) {
	o := &office{school: school, calls: calls, clock: &clock{at: s.Kernel.Clock()}}
	parts := s.Kernel.Parts
	known := &callers{users: map[string]api.User{}}
	parts.Authenticator, parts.Limits, parts.Clock = known, noLimits{}, o.clock.now
	parts.Log, parts.Traffic, parts.Tracer, parts.Standbys = o.quiet(), nil, nil, nil
	parts.HandlerTimeout = time.Minute
	parts.Untold = o.untold
	parts.Databases = asyncDatabases{parts.Databases}
	kernel, err := api.New(parts)
	if err != nil {
		return nil, fmt.Errorf("opening the demo's office: %w", err)
	}
	kernel.Catalogue = s.Kernel.Catalogue
	for i := range kernel.Rows {
		kernel.Rows[i].Silent = true
	}
	o.handler = kernel.Handler()
	o.admin = api.User{ID: uuid.NewSHA1(school.ID, []byte("first administrator")), SchoolID: school.ID, Role: api.SchoolAdmin,
		RoleID: rbac.RoleID(school.ID, api.SchoolAdmin)}
	o.known = known
	return o, nil
}

// asyncDatabases are those of the service, whose commits an office does not wait for: what a crash loses is made again at the next
// start.
type asyncDatabases struct{ api.Databases }

// School is the school's database.
func (d asyncDatabases) School(ctx context.Context, s *tenancy.School, mode tenancy.Mode) (*gorm.DB, error) {
	return d.Databases.School(tenancy.WithAsyncCommit(ctx), s, mode)
}

// untold are the facts of which nobody would hear: their notices are silent, or somebody would be written to.
func (o *office) untold(f events.Fact) bool {
	switch f.Kind {
	case directory.UserChanged:
		return o.sameAccounts.Load()
	case notice.Due, roster.AdministratorAdded, attendance.MarkedFact, transport.BoardedFact, transport.EndDueFact:
		return true
	}
	return false
}

// answer keeps what a handler answers.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
func (a *answer) WriteHeader(status int)      { a.status = status }

// refusal is an answer that is no success.
type refusal struct {
	call    string
	Status  int
	Message string
	Details []api.Detail
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: %d %s %v", r.call, r.Status, r.Message, r.Details)
}

// refused reports a call whose values the product does not take.
func refused(err error) bool { return answered(err, http.StatusUnprocessableEntity) }

// answered reports a call that was answered with a status.
func answered(err error, status int) bool {
	var r *refusal
	return errors.As(err, &r) && r.Status == status
}

// send makes a call; the answer's data is read into into, unless that is nil.
func (o *office) send(ctx context.Context, as api.User, method, path, kind string, body io.Reader, into any) error {
	if err := ctx.Err(); err != nil {
		return err // a call that has begun is finished: it would not end with ctx
	}
	r, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		return err
	}
	o.calls.Add(1)
	o.own.Add(1)
	r.RequestURI, r.RemoteAddr = path, "127.0.0.1:1"
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Authorization", "Bearer "+o.known.token(as))
	return serve(o.handler, r, into)
}

// serve has a handler answer a request.
func serve(h http.Handler, r *http.Request, into any) error {
	a := &answer{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(a, r)
	call := r.Method + " " + r.URL.Path
	if a.status >= 300 {
		said := refusal{call: call, Status: a.status}
		_ = json.Unmarshal(a.body.Bytes(), &said)
		return &said
	}
	if into == nil {
		return nil
	}
	said := struct {
		Data any `json:"data"`
	}{into}
	if err := json.Unmarshal(a.body.Bytes(), &said); err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	return nil
}

// call makes a call as somebody.
func (o *office) call(ctx context.Context, as api.User, method, path string, data, into any) error {
	if data == nil {
		return patiently(ctx, func() error { return o.send(ctx, as, method, path, "application/json", http.NoBody, into) })
	}
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return err
	}
	return patiently(ctx, func() error { return o.send(ctx, as, method, path, "application/json", bytes.NewReader(body), into) })
}

// triesWhenBusy is how often something is tried that a busy machine answers with 503, a second apart.
const triesWhenBusy = 20

// patiently does something, and tries again while the answer is that there is too much to do.
func patiently(ctx context.Context, do func() error) error {
	for tries := 1; ; tries++ {
		err := do()
		var busy *api.Error
		if !answered(err, http.StatusServiceUnavailable) && !(errors.As(err, &busy) && busy.Status == http.StatusServiceUnavailable) ||
			tries == triesWhenBusy {
			return err
		}
		if pause(ctx, time.Second) != nil {
			return err
		}
	}
}

func (o *office) get(ctx context.Context, path string, into any) error {
	return o.call(ctx, o.admin, "GET", path, nil, into)
}

func (o *office) post(ctx context.Context, path string, data, into any) error {
	if data == nil {
		data = fields{}
	}
	return o.call(ctx, o.admin, "POST", path, data, into)
}

func (o *office) put(ctx context.Context, path string, data any) error {
	return o.call(ctx, o.admin, "PUT", path, data, nil)
}

// upload sends a CSV file.
func (o *office) upload(ctx context.Context, path, file string, into any) error {
	return o.send(ctx, o.admin, "POST", path, "text/csv", strings.NewReader(file), into)
}

// fields are those of a request.
type fields map[string]any

// page is one of a list.
type page[T any] struct {
	Items      []T
	Total      int
	TotalPages int
}

// list reads all pages of a list; query may narrow it.
func list[T any](ctx context.Context, o *office, path string, query url.Values) ([]T, error) {
	var all []T
	for n := 1; ; n++ {
		q := url.Values{"limit": {"100"}, "page": {fmt.Sprint(n)}}
		for k, v := range query {
			q[k] = v
		}
		var p page[T]
		if err := o.get(ctx, path+"?"+q.Encode(), &p); err != nil {
			return nil, err
		}
		all = append(all, p.Items...)
		if n >= p.TotalPages {
			return all, nil
		}
	}
}

// at sets the clock to an hour of a day at the school, but never to a moment that is to come.
func (o *office) at(day api.Date, hour, minute int, latest time.Time) {
	at := time.Date(day.Year, day.Month, day.Day, hour, minute, 0, 0, o.school.Location())
	if at.After(latest) {
		at = latest
	}
	o.clock.set(at)
}

// as is a user of a role of the school's own system.
func (o *office) as(user uuid.UUID, role api.RoleType) api.User {
	return api.User{ID: user, SchoolID: o.school.ID, Role: role, RoleID: rbac.RoleID(o.school.ID, role)}
}

// quiet is a log that nobody reads.
func (o *office) quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
