package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

const (
	requestKey = "homeroom.request"
	// forwardedFor is the one header in which a trusted proxy says where a call comes from.
	forwardedFor = "X-Forwarded-For"
)

// route makes Gin's routes from the rows.
func (k *Kernel) route() error {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.RemoveExtraSlash = false
	engine.UseRawPath = true
	engine.UnescapePathValues = true
	engine.RemoteIPHeaders = []string{forwardedFor}
	if err := engine.SetTrustedProxies(k.TrustedProxies); err != nil {
		return fmt.Errorf("trusted proxies: %w", err)
	}
	engine.Use(k.observe, k.recoverPanic, k.cors, k.readQuery)
	engine.NoRoute(func(g *gin.Context) { k.refuse(g, requestOf(g), newError(404, "", "No such endpoint")) })
	methods := map[string][]string{} // by path
	wrongMethod := func(g *gin.Context) {
		if known := methods[g.Request.URL.Path]; known != nil {
			g.Header("Allow", strings.Join(known, ", "))
		}
		k.refuse(g, requestOf(g), newError(405, "", "This endpoint does not take %s", g.Request.Method))
	}
	engine.NoMethod(wrongMethod)
	for i := range k.Rows {
		row := &k.Rows[i]
		if err := k.checkRow(row); err != nil {
			return err
		}
		if slices.Contains(methods[row.Path], row.Method) {
			return fmt.Errorf("row %s is declared twice", row.Name())
		}
		if i := k.Catalogue.Find(row.Module); i >= 0 && k.Catalogue[i].OpenInEvaluationMode {
			row.OpenInEvaluationMode = true
		}
		methods[row.Path] = append(methods[row.Path], row.Method)
		k.named[row.Name()] = row
		row.plan = planOf(row.Request)
		serve := k.serve(row)
		engine.Handle(row.Method, row.Path, serve)
		if row.Method == http.MethodGet && row.Answers().Event == nil { // a feed has no end to come to
			engine.HEAD(row.Path, serve)
			methods[row.Path] = append(methods[row.Path], http.MethodHead)
		}
	}
	// GET /class/create is a wrong method, not the class whose id is "create".
	for path, known := range methods {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE"} {
			if !strings.Contains(path, ":") && !slices.Contains(known, method) {
				engine.Handle(method, path, wrongMethod)
			}
		}
	}
	k.engine = engine
	return nil
}

// Handler is the whole API.
func (k *Kernel) Handler() http.Handler { return k.engine }

// Engine lets cmd mount what is not an endpoint: the console, the realtime channel.
func (k *Kernel) Engine() *gin.Engine { return k.engine }

// MountPage serves a page that is not an endpoint, by GET and HEAD, under its path's name
// in logs and metrics.
func (k *Kernel) MountPage(path string, serve gin.HandlerFunc) {
	row := &Row{Method: http.MethodGet, Path: path}
	named := func(g *gin.Context) {
		requestOf(g).row = row
		serve(g)
	}
	k.engine.GET(path, named)
	k.engine.HEAD(path, named)
}

// MountCall serves calls of other programs that are not of the API's form, by POST, under their path's name in logs and metrics.
func (k *Kernel) MountCall(path string, serve gin.HandlerFunc) {
	row := &Row{Method: http.MethodPost, Path: path}
	k.engine.POST(path, func(g *gin.Context) {
		requestOf(g).row = row
		serve(g)
	})
}

func requestOf(g *gin.Context) *request { return g.MustGet(requestKey).(*request) }

var saneID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// observe gives the request its id and headers, and writes one log line and one
// measurement. The line has the row and ids, never what users typed.
func (k *Kernel) observe(g *gin.Context) {
	start := k.Clock()
	began := time.Now()
	id := g.GetHeader("X-Request-Id")
	if !saneID.MatchString(id) {
		id = uuid.NewString()
	}
	rq := &request{id: id, ip: clientIP(g), device: device(g), now: start.UTC().Truncate(time.Microsecond)}
	g.Set(requestKey, rq)
	h := g.Writer.Header()
	h.Set("X-Request-Id", id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	if k.HTTPS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	g.Next()

	took := time.Since(began)
	name := "unmatched"
	if rq.row != nil {
		name = rq.row.Name()
	}
	k.Metrics.observe(name, g.Writer.Status(), took, rq.fed)
	// A feed and a socket take as long as there is something to say: they are no measure.
	if k.Traffic != nil && rq.row != nil && !rq.fed {
		school := uuid.Nil
		if rq.school != nil {
			school = rq.school.ID
		}
		k.Traffic.Count(school, g.Writer.Status(), took)
	}
	if !k.Log.Enabled(g.Request.Context(), slog.LevelInfo) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 8), // as many as there can be: they need not leave the stack
		slog.String("requestId", id), slog.String("row", name), slog.Int("status", g.Writer.Status()), slog.Duration("took", took))
	if rq.trace != "" {
		attrs = append(attrs, slog.String("traceId", rq.trace))
	}
	if rq.user.ID != uuid.Nil {
		attrs = append(attrs, slog.String("userId", rq.user.ID.String()), slog.String("role", string(rq.user.Role)))
	}
	if rq.school != nil {
		attrs = append(attrs, slog.String("schoolId", rq.school.ID.String()))
	}
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0) // LogAttrs would look up which line of ours this is
	line.AddAttrs(attrs...)
	_ = k.Log.Handler().Handle(g.Request.Context(), line)
}

// readQuery refuses a query string that cannot be read whole. Go leaves out what it does not
// understand, so that a filter with a slip would be no filter.
func (k *Kernel) readQuery(g *gin.Context) {
	if raw := g.Request.URL.RawQuery; strings.ContainsAny(raw, ";%") {
		if _, err := url.ParseQuery(raw); err != nil {
			k.refuse(g, requestOf(g), Malformed("The query string cannot be read: write %s as %s and %s as %s", ";", "%3B", "%", "%25"))
			g.Abort()
		}
	}
}

// named are the attributes of another log line about the request, and its ids.
func (rq *request) named(attrs ...slog.Attr) []slog.Attr {
	attrs = append(attrs, slog.String("requestId", rq.id))
	if rq.trace != "" {
		attrs = append(attrs, slog.String("traceId", rq.trace))
	}
	return attrs
}

// clientIP is the address of the socket, or what a trusted proxy says it is. A proxy that
// adds a line of its own to the client's has the last word, as one that adds to the line.
func clientIP(g *gin.Context) string {
	if lines := g.Request.Header[forwardedFor]; len(lines) > 1 {
		g.Request.Header.Set(forwardedFor, strings.Join(lines, ", "))
	}
	return g.ClientIP()
}

func device(g *gin.Context) string {
	agent := g.GetHeader("User-Agent")
	if len(agent) > 200 {
		agent = agent[:200]
	}
	return strings.ToValidUTF8(agent, "")
}

// recoverPanic turns a panic into a 500 in the spec's body and one log line.
func (k *Kernel) recoverPanic(g *gin.Context) {
	defer func() {
		if cause := recover(); cause != nil {
			if cause == http.ErrAbortHandler {
				panic(cause)
			}
			k.Log.LogAttrs(g.Request.Context(), slog.LevelError, "panic",
				requestOf(g).named(slog.String("cause", fmt.Sprint(cause)), slog.String("stack", string(debug.Stack())))...)
			writeError(g, requestOf(g), newError(500, "", "Something went wrong on our side"))
		}
	}()
	g.Next()
}

// cors answers browsers of allowed origins only; there are none by default.
func (k *Kernel) cors(g *gin.Context) {
	origin := g.GetHeader("Origin")
	if origin == "" || len(k.AllowedOrigins) == 0 {
		return
	}
	h := g.Writer.Header()
	h.Add("Vary", "Origin")
	if !slices.Contains(k.AllowedOrigins, origin) {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Expose-Headers",
		"X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ETag, Content-Disposition")
	if g.Request.Method == http.MethodOptions && g.GetHeader("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, "+DeviceHeader)
		h.Set("Access-Control-Max-Age", "600")
		g.AbortWithStatus(http.StatusNoContent)
	}
}
