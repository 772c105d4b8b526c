package realtime_test

import (
	"bytes"
	"encoding/json"
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// channelDocument is /asyncapi.json, and which of its messages were played.
type channelDocument struct {
	compiler *jsonschema.Compiler
	messages map[string]any
	played   map[string]bool
}

func readChannelDocument(t *testing.T, app *testkit.App) *channelDocument {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(app.Nobody().Call(t, "GET", "/asyncapi.json", nil).Body))
	if err != nil {
		t.Fatal(err)
	}
	d := &channelDocument{compiler: jsonschema.NewCompiler(), played: map[string]bool{}}
	if err := d.compiler.AddResource("live.json", parsed); err != nil {
		t.Fatal(err)
	}
	root := parsed.(map[string]any)
	if root["asyncapi"] != "3.0.0" {
		t.Errorf("it calls itself %v", root["asyncapi"])
	}
	d.messages = root["components"].(map[string]any)["messages"].(map[string]any)
	for name := range d.messages {
		if op := root["operations"].(map[string]any)[name]; op == nil && name != "accepted" && name != "refused" {
			t.Errorf("no operation has the message %s", name)
		}
	}
	return d
}

// plays checks what travelled against its documented message.
func (d *channelDocument) plays(t *testing.T, name string, data any) {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if d.messages[name] == nil {
		t.Errorf("%s is not documented: %s", name, raw)
		return
	}
	s, err := d.compiler.Compile("live.json#/components/messages/" + name + "/payload")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = s.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %s is not as documented: %v", name, raw, err)
	}
	d.played[name] = true
}

// calls sends an event and checks it and its answer.
func (d *channelDocument) calls(t *testing.T, c *ioclient.Client, event string, data any, answer string) {
	t.Helper()
	d.plays(t, event, data)
	said, err := c.Ask(event, data)
	if err != nil {
		t.Fatal(err)
	}
	d.plays(t, answer, wait.Receive(t, "the answer to "+event, said))
}

func TestAsyncAPI_EveryMessage_IsPlayedAsDocumented(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
	d := readChannelDocument(t, app)
	l := newLine(t, app)
	l.command(t, "start")
	driver, watcher := dial(t, app, l.driver), dial(t, app, l.admin)
	heard := func(until ...string) {
		t.Helper()
		for len(until) > 0 {
			e := wait.Receive(t, strings.Join(until, ", "), watcher.Events)
			d.plays(t, e.Name, e.Data)
			until = slices.DeleteFunc(until, func(name string) bool { return name == e.Name })
		}
	}
	d.calls(t, watcher, "join-bus-room", l.room(), "accepted")
	d.calls(t, watcher, "join-bus-room", map[string]any{"schoolId": api.NewID(), "busId": l.bus}, "refused")
	heard("trip-status")
	position := at(10)
	position["timestamp"] = clock.Now().UTC().Format(time.RFC3339)
	d.calls(t, driver, "update-location", position, "accepted")
	heard("location", "eta")
	incident := map[string]any{"busId": l.bus, "type": "traffic_jam", "description": "A flood"}
	if a := l.driver.Call(t, "POST", "/driver/incident/report", incident); a.Status != 201 {
		t.Fatalf("reporting an incident: %d %s", a.Status, a.Body)
	}
	heard("incident")
	tap := map[string]any{"tripId": l.trip, "studentId": l.child, "status": "boarded"}
	if a := l.driver.Call(t, "POST", "/driver/student/board", tap); a.Status != 200 {
		t.Fatalf("boarding: %d %s", a.Status, a.Body)
	}
	heard("boarding")
	d.calls(t, watcher, "renew", map[string]any{"token": app.Sign(t, l.School, l.admin, api.SchoolAdmin)}, "accepted")
	d.calls(t, watcher, "leave-bus-room", l.room(), "accepted")
	clock.Pass(14*time.Minute + 10*time.Second)
	heard("token-expiring")
	page := string(app.Nobody().Call(t, "GET", "/api-docs/live", nil).Body)
	for _, source := range []string{"`", `{"type`, "](/"} {
		if strings.Contains(html.UnescapeString(page), source) {
			t.Errorf("the page shows its source: %s", source)
		}
	}
	for name := range d.messages {
		if !d.played[name] {
			t.Errorf("%s was not played", name)
		}
		if !strings.Contains(page, "<code>"+name+"</code>") {
			t.Errorf("the page does not name %s", name)
		}
	}
}
