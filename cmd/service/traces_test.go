package service_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"homeroom/api"
	"homeroom/cmd/service"
	export "homeroom/cmd/service/otlp"
	"homeroom/config"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// collected are the spans a collector was sent, and the bytes they came in.
type collected struct {
	mu    sync.Mutex
	spans []*otlp.Span
	raw   strings.Builder
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var sent collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &sent); err != nil || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(body)
	for _, from := range sent.ResourceSpans {
		for _, scope := range from.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// of are the spans with a name in a trace; an empty trace is any.
func (c *collected) of(name, trace string) (found []*otlp.Span) {
	for _, s := range c.spans {
		if s.Name == name && (trace == "" || hex.EncodeToString(s.TraceId) == trace) {
			found = append(found, s)
		}
	}
	return found
}

func attributes(s *otlp.Span) map[string]string {
	out := map[string]string{}
	for _, a := range s.Attributes {
		out[a.Key] = a.Value.GetStringValue()
		if n := a.Value.GetIntValue(); n != 0 {
			out[a.Key] = fmt.Sprint(n)
		}
	}
	return out
}

func TestARequestIsFollowedThroughPostgresAndRedisWithoutSayingWhoCalled(t *testing.T) {
	t.Parallel()
	seen := &collected{}
	server := httptest.NewServer(seen)
	t.Cleanup(server.Close)
	breaks := func(api.Ctx, api.Nothing) (api.Nothing, error) { panic("sesame") }
	app, end := testkit.StartStoppable(t, func(c *config.Config, o *service.Options) {
		c.TracesURL, c.TraceRatio, c.TrustedProxies = server.URL+"/", 1, []string{"127.0.0.2/32"}
		o.Traces = export.Open
		o.Namespace += uuid.NewString()[:8]
		o.ExtraRows = append(o.ExtraRows, api.Get("/school-admin/report/break", "report", "Breaks", breaks))
	})
	school := app.NewSchool(t)
	admin := school.As(t, api.SchoolAdmin)

	// A proxy that is trusted says where the request began; anybody else does not.
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	header := "00-" + trace + "-" + parent + "-01"
	const list, add = "GET /school-admin/class/list", "POST /school-admin/employee/create"
	asked := admin.With("Traceparent", header).With("X-Request-Id", "request-of-the-proxy")
	if a := asked.From(t, "127.0.0.2").Call(t, "GET", "/school-admin/class/list", nil); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	phone := testkit.NewPhone()
	testkit.Post[roster.Employee](t, admin.With("Traceparent", header), "/school-admin/employee/create",
		map[string]any{"firstName": "Zebulon", "lastName": "Quillfeather", "phone": phone, "employeeType": "DRIVER"})
	admin.Refuses(t, "GET", "/school-admin/report/break", nil, 500, "")
	app.Nobody().Refuses(t, "GET", "/no/such/path/"+phone, nil, 404, "")
	end() // what is left is sent

	spans := seen.of(list, trace)
	if len(spans) != 1 || hex.EncodeToString(spans[0].ParentSpanId) != parent || spans[0].Kind != otlp.Span_SPAN_KIND_SERVER {
		t.Fatalf("of the proxy's trace there are %v", spans)
	}
	for name, want := range map[string]string{
		"http.route": "/school-admin/class/list", "http.request.method": "GET", "http.response.status_code": "200",
		"homeroom.request_id": "request-of-the-proxy", "homeroom.role": "SCHOOL_ADMIN", "homeroom.school_id": school.ID.String(),
	} {
		if got := attributes(spans[0])[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	statements, commands := 0, 0
	for _, s := range seen.spans {
		if string(s.ParentSpanId) != string(spans[0].SpanId) {
			continue
		}
		if s.EndTimeUnixNano > spans[0].EndTimeUnixNano || s.StartTimeUnixNano < spans[0].StartTimeUnixNano {
			t.Errorf("%s is not within the request", s.Name)
		}
		switch {
		case s.Name == "postgres with" && strings.Contains(attributes(s)["db.query.text"], `"class"`):
			statements++
		case s.Name == "redis evalsha":
			commands++
		}
	}
	if statements != 1 || commands != 1 {
		t.Errorf("under the request are %d statements and %d calls to Redis", statements, commands)
	}
	if n := len(seen.of(add, trace)); n != 0 || len(seen.of(add, "")) != 1 {
		t.Errorf("a stranger put %d of %d spans into another trace", n, len(seen.of(add, "")))
	}
	if broke := seen.of("GET /school-admin/report/break", ""); len(broke) != 1 ||
		broke[0].Status.GetCode() != otlp.Status_STATUS_CODE_ERROR || attributes(broke[0])["http.response.status_code"] != "500" {
		t.Errorf("of what broke is told %v", broke)
	}
	logged := 0
	for line := range strings.Lines(app.Log.String()) {
		if strings.Contains(line, `"requestId":"request-of-the-proxy"`) && strings.Contains(line, `"traceId":"`+trace+`"`) ||
			strings.Contains(line, `"msg":"panic"`) && strings.Contains(line, `"traceId":"`) {
			logged++
		}
	}
	if logged != 2 {
		t.Errorf("%d of 2 log lines have their trace's id", logged)
	}
	for _, secret := range []string{"Zebulon", "Quillfeather", phone, strings.TrimPrefix(phone, "+"), admin.UserID.String(), admin.Token,
		"sesame", "/no/such"} {
		if strings.Contains(seen.raw.String(), secret) {
			t.Errorf("the spans tell %q", secret)
		}
	}
}
