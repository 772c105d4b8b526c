package api

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Row is one endpoint. Rows are made by the constructors below, listed in a
// module's routes.go, and read by everything that needs to know an endpoint.
type Row struct {
	Method  string
	Path    string // as Gin writes it: /school-admin/class/:id
	Summary string
	Module  string // permission module; empty for platform and open rows
	Action  Action
	Needed  Action     // the permission it asks for, where that is not its action's
	OrReads []string   // other modules of which one read permission does as well
	Roles   []RoleType // who may call it; empty on open rows
	Class   LimitClass
	Status  int // of success

	Message   string
	Flat      bool // the body is the request itself, without the data wrapper
	Bearer    bool // needs a token
	Fresh     bool // needs a proof of identity not older than FreshFor
	FreshFile bool // the same, where the list is asked for as a file
	// SometimesFresh is the part of what the row does that needs one, in words for the document.
	SometimesFresh       string
	ForPeople            bool          // refuses API keys: see TakesKeys
	Counted              bool          // must not run when nothing can be counted (Redis away)
	OpenInEvaluationMode bool          // teachers may call it while the school is evaluated
	NoAudit              bool          // writes no entry of the audit log by itself
	Silent               bool          // its notices are kept in the log and not sent
	Idempotent           bool          // takes an Idempotency-Key
	SecretAnswer         bool          // its answer is not kept, so it takes none
	Versioned            bool          // takes the record's version; a stale one is 409
	OwnTx                bool          // the handler keeps its own transactions
	Upload               bool          // takes a file besides its parameters: CSV, unless AnyFile
	AnyFile              bool          // takes a file of any kind
	MaxUpload            int64         // bytes of the file
	NoBodyNeeded         bool          // what its body would say has defaults
	Stale                bool          // may be answered from a standby: see MayBeStale
	Console              bool          // lives on a cookie: for the console's own pages
	KnowsDevice          bool          // reads DeviceHeader: tries of a known device are counted apart
	Unlisted             bool          // not in the document: it exists on a developer's machine only
	Version              int           // of the API; 1 is implicit in the path
	Timeout              time.Duration // of its handler, where the kernel's does not do
	Columns              []FileColumn  // of the CSV file it takes
	members              *members      // a field of its list's records that is several columns of the file
	Listing              *Listing
	sync                 *synced  // callers may keep a copy of its list: see Syncs
	Twin                 bool     // the POST form of a GET list
	Failures             []*Error // refusals of its own handler, for the document
	Form                 *Form    // of its answers, where another standard describes them
	Scopes               []string // of OAuth 2: see Scoped
	Produces             string   // the type of the file it answers with, for the document
	Request              reflect.Type
	Response             reflect.Type
	callSchool           func(Ctx, any) (any, error)
	callPlatform         func(PlatformCtx, any) (any, error)
	callOpen             func(OpenCtx, any) (any, error)
	scope                func(Ctx, any) ([]Target, error)
	countsFor            func(OpenCtx, any) string
	fromCSV              func(any, *Incoming) error // fills the request from a file instead of a JSON body
	plan                 *bindPlan
}

// Name identifies the row in logs, metrics and idempotency records.
func (r *Row) Name() string { return r.Method + " " + r.Path }

// RowKind is whom a row's handler works for.
type RowKind int

const (
	KindSchool   RowKind = iota // one school, the caller's
	KindPlatform                // the platform, above all schools
	KindOpen                    // no school and no platform: signing in, and what needs no token
)

// Kind follows from the constructor that made the row.
func (r *Row) Kind() RowKind {
	switch {
	case r.callOpen != nil:
		return KindOpen
	case r.callPlatform != nil:
		return KindPlatform
	}
	return KindSchool
}

// Option changes a row away from what its constructor says.
type Option func(*Row)

// Says sets the message of a successful answer.
func Says(message string) Option { return func(r *Row) { r.Message = message } }

// MayTake gives a row's handler longer than others have: it goes through whole tables.
func MayTake(d time.Duration) Option { return func(r *Row) { r.Timeout = d } }

// Limit puts the row into another limit class than its action's.
func Limit(c LimitClass) Option { return func(r *Row) { r.Class = c } }

// About says which division or subject a request is about. A teacher needs an
// assignment there besides the role's permission.
func About[Req any](target func(Ctx, Req) (Target, error)) Option {
	return AboutEach(func(c Ctx, req Req) ([]Target, error) {
		t, err := target(c, req)
		return []Target{t}, err
	})
}

// AboutEach is About for a request that is about several of them: a teacher needs an
// assignment to each.
func AboutEach[Req any](targets func(Ctx, Req) ([]Target, error)) Option {
	return func(r *Row) {
		if r.Request != reflect.TypeFor[Req]() {
			panic(fmt.Sprintf("row %s takes %v, its scope %v", r.Name(), r.Request, reflect.TypeFor[Req]()))
		}
		r.scope = func(c Ctx, req any) ([]Target, error) { return targets(c, *req.(*Req)) }
	}
}

// OrCSV lets a row take a CSV file where it takes a JSON body: as the field file of a
// form, or as the whole body, with its other parameters in the query or the form. read
// fills the rest of the request from the file; what follows is the same for both.
func OrCSV[Req any](read func(*Req, *Incoming) error) Option {
	return func(r *Row) {
		if r.Request != reflect.TypeFor[Req]() {
			panic(fmt.Sprintf("row %s takes %v, its file is read into %v", r.Name(), r.Request, reflect.TypeFor[Req]()))
		}
		r.fromCSV = func(req any, file *Incoming) error { return read(req.(*Req), file) }
		r.MaxUpload = MaxUpload
	}
}

// FileColumn is a column of a CSV file that a row takes.
type FileColumn struct {
	Name string
	Also []string // other names it is known by
	Rule string   // what a cell must be; empty: anything
}

// Columns documents the columns of the CSV file that the row takes: see sheet.Document. Every row that takes one has it.
func Columns(columns ...FileColumn) Option { return func(r *Row) { r.Columns = columns } }

// TakesCSV reports whether the row takes a CSV file where it takes a JSON body.
func (r *Row) TakesCSV() bool { return r.fromCSV != nil }

// MayFail documents refusals that only the row's own handler gives: the very errors
// it returns. What every row of its kind can answer is known without it.
func MayFail(errs ...*Error) Option {
	return func(r *Row) { r.Failures = append(r.Failures, errs...) }
}

// NoBodyNeeded is for rows whose body only says what has a default.
func NoBodyNeeded(r *Row) { r.NoBodyNeeded = true }

// Needs makes a row ask for another permission than its action's: what one may read,
// one may have a calendar's address for, though making it writes.
func Needs(a Action) Option { return func(r *Row) { r.Needed = a } }

// OrReads opens a read to who may read in any of these modules besides the row's own. The handler
// gives each part of its answer to who may read that: see Ctx.MayRead.
func OrReads(modules ...string) Option { return func(r *Row) { r.OrReads = modules } }

// Permission is what the row asks for in its module.
func (r *Row) Permission() Action {
	if r.Needed != "" {
		return r.Needed
	}
	return r.Action
}

// AnyRole opens the row to every signed-in role of a school.
func AnyRole(r *Row) { r.Roles = []RoleType{SchoolAdmin, Teacher, Parent, Driver} }

// OpenInEvaluationMode is for rows that write nothing of the school's, only the caller's own
// device or read marks: teachers may call them while the school is evaluated.
func OpenInEvaluationMode(r *Row) { r.OpenInEvaluationMode = true }

// ClosedInEvaluationMode reports whether teachers are refused while their school is evaluated.
func (r *Row) ClosedInEvaluationMode() bool { return r.Action != Read && !r.OpenInEvaluationMode }

// NoAudit is for rows whose changes are not worth an entry of the audit log.
func NoAudit(r *Row) { r.NoAudit = true }

// ForPeople is for the office's rows that are about the caller as a person, their messages and
// notices, or about API keys themselves: no key may call them.
func ForPeople(r *Row) { r.ForPeople = true }

// TakesKeys reports whether an API key with the row's permission may call it: rows of the office
// that need no fresh proof and are not for people alone.
func (r *Row) TakesKeys() bool {
	return r.Kind() == KindSchool && len(r.Roles) == 1 && r.Roles[0] == SchoolAdmin && !r.Fresh && !r.ForPeople
}

// Silent is for rows that enter what happened before: imports and opening balances. Their notices are kept in
// the log and not sent.
func Silent(r *Row) { r.Silent = true }

// Idempotent rows answer a repeated Idempotency-Key with the first answer. A POST that writes
// does so without being told.
func Idempotent(r *Row) { r.Idempotent = true }

// SecretAnswer is for rows that answer with a secret: it must not be kept for a repetition.
func SecretAnswer(r *Row) { r.SecretAnswer = true }

// Versioned rows take the record's version and refuse a stale one.
func Versioned(r *Row) { r.Versioned = true }

// OwnTransaction leaves transactions to the handler: work that is several of them,
// or that another package does in its own. Such a handler books its own audit rows.
func OwnTransaction(r *Row) { r.OwnTx = true }

// MayBeStale lets a read be answered from a standby of the school's node, where an operator has given it one. It shows all
// that the caller and the office have written; what others write it may show some seconds late. It is for lists, boards
// and reports: not for money, rights, sessions, messages, nor for what is live.
func MayBeStale(r *Row) { r.Stale = true }

// Unlisted keeps a row out of the document.
func Unlisted(r *Row) { r.Unlisted = true }

// APIVersion puts the row under /v2, /v3 …
func APIVersion(n int) Option {
	return func(r *Row) { r.Version, r.Path = n, fmt.Sprintf("/v%d%s", n, r.Path) }
}

// Bearer makes an open row need a token, of any role.
func Bearer(r *Row) { r.Bearer = true }

// Counted makes a row refuse to run while attempts cannot be counted.
func Counted(r *Row) { r.Counted = true }

// DeviceHeader is where a client says which device it is, by the token its last sign-in
// answered with.
const DeviceHeader = "X-Device-Token"

// KnowsDevice marks a sign-in row that counts tries by the device they come from.
func KnowsDevice(r *Row) { r.KnowsDevice = true }

// CountsFor says for whom a call counts that has no bearer token but something else to
// know them by, a refresh token say. An empty answer: for the call's address.
func CountsFor[Req any](who func(OpenCtx, Req) string) Option {
	return func(r *Row) {
		if r.Request != reflect.TypeFor[Req]() {
			panic(fmt.Sprintf("row %s takes %v, not %v", r.Name(), r.Request, reflect.TypeFor[Req]()))
		}
		r.countsFor = func(c OpenCtx, req any) string { return who(c, *req.(*Req)) }
	}
}

// CountsPer is what calls of the row are counted by: the user, the session or the address.
func (r *Row) CountsPer() string {
	switch {
	case r.Bearer:
		return "user"
	case r.countsFor != nil:
		return "session"
	}
	return "address"
}

// Get is a read: its handler cannot write, the database refuses.
func Get[Req, Resp any](path, module, summary string, h func(Ctx, Req) (Resp, error), opts ...Option) Row {
	return schoolRow("GET", path, module, summary, Read, 200, h, opts)
}

// Query is a read that is asked for by POST, as the apps do.
func Query[Req, Resp any](path, module, summary string, h func(Ctx, Req) (Resp, error), opts ...Option) Row {
	return schoolRow("POST", path, module, summary, Read, 200, h, opts)
}

// Create adds a record: POST, answered 201.
func Create[Req, Resp any](path, module, summary string, h func(Ctx, Req) (Resp, error), opts ...Option) Row {
	return schoolRow("POST", path, module, summary, Write, 201, h, opts)
}

// Post does something: answered 200.
func Post[Req, Resp any](path, module, summary string, h func(Ctx, Req) (Resp, error), opts ...Option) Row {
	return schoolRow("POST", path, module, summary, Write, 200, h, opts)
}

// Put changes the fields it names.
func Put[Req, Resp any](path, module, summary string, h func(Ctx, Req) (Resp, error), opts ...Option) Row {
	return schoolRow("PUT", path, module, summary, Write, 200, h, opts)
}

// Remove deletes: answered 204 with no body.
func Remove[Req any](path, module, summary string, h func(Ctx, Req) error, opts ...Option) Row {
	return schoolRow("DELETE", path, module, summary, Delete, 204,
		func(c Ctx, r Req) (Nothing, error) { return Nothing{}, h(c, r) }, opts)
}

// List is a GET of a page of records and its POST twin.
func List[V any](path, module, summary string, listing Listing, h func(Ctx, ListRequest) (Page[V], error), opts ...Option) []Row {
	get := schoolRow("GET", path, module, summary, Read, 200, h, opts)
	get.Listing = &listing
	post := schoolRow("POST", path, module, summary, Read, 200, h, opts)
	post.Listing, post.Twin = &listing, true
	return []Row{get, post}
}

// Nothing is the request or the answer of a row that has none.
type Nothing struct{}

func schoolRow[Req, Resp any](method, path, module, summary string, action Action, status int, h func(Ctx, Req) (Resp, error),
	opts []Option) Row {
	return newSchoolRow(newRow(method, path, summary, action, status, reflect.TypeFor[Req](), reflect.TypeFor[Resp]()), module,
		func(c Ctx, req any) (any, error) { return h(c, *req.(*Req)) }, opts)
}

func newSchoolRow(r *Row, module string, call func(Ctx, any) (any, error), opts []Option) Row {
	r.Module = module
	r.Bearer = true
	client, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	if role, ok := prefixRoles[client]; ok {
		r.Roles = []RoleType{role}
	}
	r.callSchool = call
	return r.with(opts)
}

// PlatformRow declares an endpoint of the cross-school administrator. Its handler
// has the platform's records and no school's: the compiler keeps the two apart.
func PlatformRow[Req, Resp any](method, path, summary string, action Action, status int, h func(PlatformCtx, Req) (Resp, error),
	opts ...Option) Row {
	r := newRow(method, path, summary, action, status, reflect.TypeFor[Req](), reflect.TypeFor[Resp]())
	r.Bearer = true
	r.Roles = []RoleType{SuperAdmin}
	r.callPlatform = func(c PlatformCtx, req any) (any, error) { return h(c, *req.(*Req)) }
	return r.with(opts)
}

// PlatformList is a list of the platform's records and its POST twin.
func PlatformList[V any](path, summary string, listing Listing, h func(PlatformCtx, ListRequest) (Page[V], error), opts ...Option) []Row {
	get := PlatformRow("GET", path, summary, Read, 200, h, opts...)
	get.Listing = &listing
	post := PlatformRow("POST", path, summary, Read, 200, h, opts...)
	post.Listing, post.Twin = &listing, true
	return []Row{get, post}
}

// Open declares a sign-in endpoint: a flat body, no token unless Bearer says so, the
// auth limit per address. With Bearer it counts for the user, and against the limit of its
// action unless secrets could be guessed with it (Counted).
func Open[Req, Resp any](method, path, summary string, action Action, h func(OpenCtx, Req) (Resp, error), opts ...Option) Row {
	status := 200
	if method == "DELETE" {
		status = 204
	}
	row := newRow(method, path, summary, action, status, reflect.TypeFor[Req](), reflect.TypeFor[Resp]())
	class := row.Class
	row.Flat, row.Class = true, LimitAuth
	row.callOpen = func(c OpenCtx, req any) (any, error) { return h(c, *req.(*Req)) }
	r := row.with(opts)
	if r.Bearer && !r.Counted {
		r.Class = class
	}
	return r
}

// newRow knows the handler's types by reflection alone: what is generic is compiled once for every row.
func newRow(method, path, summary string, action Action, status int, request, response reflect.Type) *Row {
	class := LimitWrite
	if action == Read {
		class = LimitRead
	}
	return &Row{
		Method: method, Path: path, Summary: summary, Action: action, Class: class, Status: status, Version: 1,
		Request: request, Response: response,
	}
}

func (r *Row) newRequest() any { return reflect.New(r.Request).Interface() }

func (r *Row) with(opts []Option) Row {
	for _, o := range opts {
		o(r)
	}
	if r.Message == "" {
		r.Message = defaultMessage(*r)
	}
	r.Idempotent = r.Idempotent || r.takesKey()
	return *r
}

// takesKey reports whether the row takes an Idempotency-Key by itself: a POST that writes in
// one transaction, with an answer that can be kept. A file's bytes are not compared.
func (r *Row) takesKey() bool {
	writes := r.Method == "POST" && r.Action != Read && r.Kind() != KindOpen
	return writes && !r.OwnTx && !r.Upload && !r.TakesCSV() && !r.SecretAnswer && r.Answers() == Answers{Record: r.Response}
}

func defaultMessage(r Row) string {
	switch {
	case r.Action == Read:
		return "OK"
	case r.Status == 201:
		return "Created"
	default:
		return "Saved"
	}
}

// Rows gathers single rows and the pairs that List makes into one list.
func Rows(parts ...any) []Row {
	var out []Row
	for _, p := range parts {
		switch p := p.(type) {
		case Row:
			out = append(out, p)
		case []Row:
			out = append(out, p...)
		default:
			panic(fmt.Sprintf("api.Rows: %T is not a row", p))
		}
	}
	return out
}
