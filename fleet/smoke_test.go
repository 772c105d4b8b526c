package fleet_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/fleet"
	"homeroom/modules/platform"
	"homeroom/modules/roster"
	"homeroom/rbac"
	"homeroom/testkit"
)

func (h *house) signsIn(t *testing.T) {
	h.super = h.SuperAdmin(t)
	h.school = h.NewSchool(t, h.super, 3)
	s := h.school
	for path, c := range map[string]*testkit.Client{
		"/super-admin/school/list": h.super, "/school-admin/student/list": s.Office, "/teacher/class/list": s.Teacher,
		"/driver/trip/list": s.Driver, "/parent/transport/my-buses": s.Parents[0],
	} {
		for _, i := range h.Instances {
			testkit.Get[any](t, c.On(i.App()), path)
		}
	}
}

func (h *house) onboards(t *testing.T) {
	from := h.Instances
	if !everything() {
		from = from[len(from)-1:] // a school takes Postgres half a second to make
	}
	var schools []*fleet.School
	for _, i := range from {
		schools = append(schools, h.Onboard(t, h.super.On(i.App())))
	}
	for n, s := range schools {
		other := h.super.On(h.Instances[(n+1)%len(h.Instances)].App())
		testkit.Eventually(t, "it is ready", func() bool {
			p := testkit.Get[fleet.Progress](t, other, "/super-admin/school/"+s.ID.String()+"/provisioning")
			return p.Status == "ACTIVE" && p.Percent == 100 && len(p.Steps) >= 5
		})
	}
	// The same as a stream, through nginx, to its end.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		h.URL()+"/super-admin/school/"+schools[0].ID.String()+"/provisioning/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.super.Token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var last fleet.Progress
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(text), &last); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
		}
	}
	if last.Status != "ACTIVE" || last.Percent != 100 {
		t.Errorf("the stream ends with %+v", last)
	}
}

func (h *house) writes(t *testing.T) {
	office := func(n int) *testkit.Client { return h.school.Office.On(h.Instances[n].App()) }
	class := testkit.Post[roster.Class](t, office(0), "/school-admin/class/create", map[string]any{"name": "Class 6", "level": 6})
	at := "/school-admin/class/" + class.ID.String()
	if read := testkit.Get[roster.Class](t, office(1), at); read.Name != "Class 6" {
		t.Errorf("the second instance reads %+v", read)
	}
	type versioned struct{ Version int }
	was := testkit.Get[versioned](t, office(2), at).Version
	testkit.Put[roster.Class](t, office(1), at, map[string]any{"name": "Class VI", "version": was})
	office(2).Refuses(t, "PUT", at, map[string]any{"name": "Class six", "version": was}, 409, "")
	list := testkit.Get[api.Page[roster.Class]](t, h.school.Office, "/school-admin/class/list")
	if list.Total != 2 || (list.Items[0].Name != "Class VI" && list.Items[1].Name != "Class VI") {
		t.Errorf("the list is %+v", list)
	}
	// The same key on two instances is one message.
	key := h.school.Teacher.With("Idempotency-Key", "one-and-only")
	message := map[string]any{"recipientIds": []any{h.school.Guardians[0]}, "studentId": h.school.Children[0], "body": "Once."}
	type sent struct{ ID string }
	if one, two := testkit.Post[sent](t, key.On(h.Instances[0].App()), "/teacher/message/send", message),
		testkit.Post[sent](t, key.On(h.Instances[2].App()), "/teacher/message/send", message); one != two {
		t.Errorf("the same key made %s and %s", one, two)
	}
}

// limits has one driver call all instances at once, far too often. An instance that waits
// too long for Redis counts by itself, which on a busy machine may be: then another driver
// tries, once all count together again. Were the limit each instance's own, none would ever
// be let through so seldom.
func (h *house) limits(t *testing.T) {
	const calls = 100
	var through []int64
	defer func() {
		if t.Failed() {
			t.Logf("of %d calls at once on a limit of %d were let through: %v", calls, rides, through)
		}
	}()
	testkit.Eventually(t, "a limit is one limit", func() bool {
		for _, i := range h.Instances {
			testkit.Eventually(t, "limits are counted together", func() bool {
				testkit.Get[any](t, h.school.Office.On(i.App()), "/school-admin/class/list")
				return strings.Contains(i.Metrics(t), `homeroom_redis_unreachable{part="limits"} 0`)
			})
		}
		driver := h.school.NewDriver(t)
		var let atomic.Int64
		var all sync.WaitGroup
		for n := range calls {
			all.Go(func() {
				a, err := driver.On(h.Instances[n%len(h.Instances)].App()).TryCall("POST", "/driver/student/undo", map[string]any{})
				if err != nil {
					t.Error(err)
				} else if a.Status != 429 {
					let.Add(1)
				}
			})
		}
		all.Wait()
		through = append(through, let.Load())
		return let.Load() == rides
	})
}

// everywhere waits until all instances answer so, and notes how long the last one took.
func (h *house) everywhere(t *testing.T, what string, holds func(*testkit.App) bool) {
	t.Helper()
	began := time.Now()
	for n, i := range h.Instances {
		testkit.Eventually(t, what, func() bool { return holds(i.App()) })
		if n > 0 { // the first one made the change
			h.heard[what] = max(h.heard[what], time.Since(began).Round(time.Millisecond))
		}
	}
}

func (h *house) changes(t *testing.T) {
	office := h.school.Office.On(h.Instances[0].App())
	var role, module string
	for _, r := range testkit.Get[api.Page[rbac.Role]](t, office, "/school-admin/permission/role/list").Items {
		if r.Type == api.Teacher {
			role = r.ID.String()
		}
	}
	for _, m := range testkit.Get[struct{ Modules []rbac.Module }](t, office, "/school-admin/permission/modules").Modules {
		if m.Name == "class" {
			module = m.ID.String()
		}
	}
	status := func(a *testkit.App) int {
		return h.school.Teacher.On(a).Call(t, "GET", "/teacher/class/list", nil).Status
	}
	for _, may := range []bool{false, true} {
		testkit.Put[any](t, office, "/school-admin/permission/update",
			map[string]any{"roleId": role, "permissions": []any{map[string]any{"moduleId": module, "canRead": may}}})
		h.everywhere(t, "rights", func(a *testkit.App) bool { return status(a) == map[bool]int{false: 403, true: 200}[may] })
	}
	// In evaluation mode teachers read only.
	write := func(a *testkit.App) int {
		return h.school.Teacher.On(a).Call(t, "POST", "/teacher/message/send", map[string]any{}).Status
	}
	for _, on := range []bool{true, false} {
		testkit.Put[any](t, office, "/school-admin/setting",
			map[string]any{"evaluationMode": on, "evaluationModeReason": map[bool]string{true: "Inspection"}[on]})
		h.everywhere(t, "settings", func(a *testkit.App) bool { return (write(a) == 403) == on })
	}
}

func (h *house) migrates(t *testing.T) {
	for n, i := range h.Instances {
		asked := testkit.Post[platform.MigrationStatus](t, h.super.On(i.App()), "/super-admin/migration/run", nil)
		other := h.super.On(h.Instances[(n+1)%len(h.Instances)].App())
		testkit.Eventually(t, "the migration is done", func() bool {
			now := testkit.Get[platform.MigrationStatus](t, other, "/super-admin/migration/status")
			return now.Run != nil && now.Run.ID == asked.Run.ID && now.Run.State == "DONE" && now.Failed == 0 && now.Behind == 0
		})
	}
	if said := h.Run(t, "migrate"); !strings.Contains(said, "Nothing to do") {
		t.Errorf("the command says %q", said)
	}
}
