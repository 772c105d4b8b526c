package service_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/node"
	schools "homeroom/modules/school"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// addNode makes a database on one of the servers a node.
func addNode(t *testing.T, app *testkit.App, name, address string) node.Node {
	t.Helper()
	answer := app.SuperAdmin(t).Call(t, "POST", "/super-admin/node/create", map[string]any{"name": name, "url": address})
	if answer.Status != 201 {
		t.Fatalf("adding a node: %d %s", answer.Status, answer.Body)
	}
	return testkit.Get[api.Page[node.Node]](t, app.SuperAdmin(t), "/super-admin/node/list?filters[search]="+url.QueryEscape(name)).Items[0]
}

// traffic is people at work at a school: parents read, a teacher marks, clerks collect. It
// notes what was acknowledged, and fails on what no client should see.
type traffic struct {
	t       *testing.T
	stop    atomic.Bool
	wg      sync.WaitGroup
	good    atomic.Int64
	waits   atomic.Int64 // answered 503, to be tried again
	slowest atomic.Int64 // of what was acknowledged
	paid    atomic.Int64
	marks   atomic.Int64 // the last remark that was acknowledged; each is one more than the one before
	name    atomic.Value // the last one a class was acknowledged to have
}

// load calls again and again, at the pace of people, until the traffic stops.
func (f *traffic) load(what string, call func(i int) (testkit.Answer, error)) {
	f.wg.Go(func() {
		pace := time.NewTicker(15 * time.Millisecond)
		defer pace.Stop()
		for i := 0; !f.stop.Load(); i++ {
			<-pace.C
			began := time.Now()
			a, err := call(i)
			pace.Reset(max(15*time.Millisecond, time.Since(began))) // on a slow machine people wait too
			switch {
			case err != nil:
				f.t.Errorf("%s: %v", what, err)
			case a.Status < 300:
				f.good.Add(1)
				if took := int64(time.Since(began)); took > f.slowest.Load() {
					f.slowest.Store(took)
				}
			case a.Status == 503 && a.Header.Get("Retry-After") != "":
				f.waits.Add(1)
			default:
				f.t.Errorf("%s: %d %s", what, a.Status, a.Body)
			}
		}
	})
}

// collect pays one rupee at a time, each under a key of its own, until it is
// acknowledged: whatever is tried twice must be posted once.
func (f *traffic) collect(clerk *testkit.Client, student uuid.UUID) {
	key, tries := uuid.NewString(), 0
	f.load("a clerk", func(int) (testkit.Answer, error) {
		a, err := clerk.With("Idempotency-Key", key).TryCall("POST", "/school-admin/fee/collection/record",
			map[string]any{"studentId": student, "amount": 100, "paymentMode": "CASH", "confirmRepeat": true})
		if tries++; err == nil && a.Status == 201 {
			f.paid.Add(1)
			key, tries = uuid.NewString(), 0
		}
		return a, err
	})
}

// mark writes a new remark to a child's mark of today, each time another, until it is
// acknowledged.
func (f *traffic) mark(teacher *testkit.Client, seat testkit.Seat, child uuid.UUID, today api.Date) {
	f.load("a teacher", func(int) (testkit.Answer, error) {
		n := f.marks.Load() + 1
		a, err := teacher.With("Idempotency-Key", fmt.Sprint("mark ", n)).TryCall("POST", "/teacher/attendance/mark",
			map[string]any{"divisionId": seat.DivisionID, "date": today,
				"records": []any{map[string]any{"studentId": child, "status": []string{"ABSENT", "PRESENT"}[n%2], "remark": fmt.Sprint(n)}}})
		if err == nil && a.Status == 200 {
			f.marks.Store(n)
		}
		return a, err
	})
}

func TestASchoolMovesWhileParentsReadATeacherMarksAndClerksCollect(t *testing.T) {
	t.Parallel()
	// Servers of its own: the copy of each table waits for every transaction on its server.
	stack, database := testkit.Private(t), "moves"
	app := testkit.StartOn(t, stack, database)
	second := testkit.StartOn(t, stack, database)
	addNode(t, app, "south", testkit.Database(t, stack, "main", database+"_south"))
	s := app.NewSchoolAs(t, lifecycle.NewSchool{Node: "main", WeekendDays: []int16{}})
	neighbour := app.NewSchoolAs(t, lifecycle.NewSchool{Node: "main"})
	super, admin := app.SuperAdmin(t), s.As(t, api.SchoolAdmin)
	seat := s.Seat(t, "Class 5")
	child := s.Child(t, seat, 1)
	student, parent, teacher := child.ID, child.Parents[0], s.Teacher(t, seat)
	marked := create(t, admin, "/school-admin/class/create", map[string]any{"name": "Marked"})

	f := &traffic{t: t}
	end := sync.OnceFunc(func() { f.stop.Store(true); f.wg.Wait() })
	defer end()
	for _, instance := range []*testkit.App{app, second} {
		clerk := s.On(t, instance, api.SchoolAdmin)
		f.collect(clerk, student)
		f.load("a reader", func(int) (testkit.Answer, error) {
			return clerk.TryCall("GET", "/school-admin/fee/report/"+student.String(), nil)
		})
		reader := parent.On(instance)
		f.load("a parent", func(i int) (testkit.Answer, error) {
			path := []string{"/parent/student/" + student.String(), "/parent/attendance/list?studentId=" + student.String(),
				"/parent/fee/dues"}[i%3]
			a, err := reader.TryCall("GET", path, nil)
			if err == nil && a.Status == 200 && i%3 == 0 && !strings.Contains(string(a.Body), student.String()) {
				err = fmt.Errorf("their child is not in %s", a.Body)
			}
			return a, err
		})
		next := neighbour.On(t, instance, api.SchoolAdmin)
		f.load("the neighbour", func(i int) (testkit.Answer, error) {
			return next.TryCall("POST", "/school-admin/class/create", map[string]any{"name": fmt.Sprint("Class ", uuid.NewString())})
		})
	}
	f.mark(teacher, seat, student, api.DateOf(app.Service.Kernel.Clock().In(s.Location())))
	f.load("a change", func(i int) (testkit.Answer, error) {
		name := fmt.Sprint("Marked ", i)
		a, err := admin.TryCall("PUT", "/school-admin/class/"+marked.String(), map[string]any{"name": name})
		if err == nil && a.Status == 200 {
			f.name.Store(name)
		}
		return a, err
	})
	seen := f.good.Load()
	testkit.Eventually(t, "calls go through", func() bool { return f.good.Load() > seen+30 })

	path := "/super-admin/school/" + s.ID.String() + "/move"
	super.Refuses(t, "GET", path, nil, 404, "")
	super.Refuses(t, "POST", path+"/confirm", nil, 409, "")
	super.Refuses(t, "POST", path, map[string]any{"node": "nowhere"}, 422, "")
	super.Refuses(t, "POST", path, map[string]any{"node": "main"}, 422, "")
	super.Refuses(t, "POST", "/super-admin/school/"+uuid.NewString()+"/move", map[string]any{"node": "south"}, 404, "SCHOOL_NOT_FOUND")
	if m := testkit.Post[schools.Move](t, super, path, map[string]any{"node": "south"}); m.State != "RUNNING" || len(m.Steps) != 6 {
		t.Errorf("requested: %+v", m)
	}
	super.Refuses(t, "POST", path, map[string]any{"node": "south"}, 409, "")
	var m schools.Move
	look := func() schools.Move {
		if m = testkit.Get[schools.Move](t, super, path); m.State == "FAILED" {
			t.Fatalf("the move is %+v", m)
		}
		return m
	}
	defer func() {
		if t.Failed() {
			t.Logf("the move came to %+v", m)
		}
	}()
	testkit.Eventually(t, "the school is in its new home", func() bool { return look().State == "MOVED" })
	testkit.Eventually(t, "the move's traces are gone", func() bool { return look().Clean })
	if m := scrape(t, app.URL); m[`homeroom_moves{state="moved"}`] != 1 || m[`homeroom_moves{state="running"}`] != 0 ||
		m[`homeroom_schools{node="south",status="ACTIVE"}`] != 1 {
		t.Errorf("the metrics do not tell of the move: %v", m)
	}
	seen = f.good.Load()
	testkit.Eventually(t, "calls go through in the new home", func() bool { return f.good.Load() > seen+30 })
	end()
	t.Logf("%d good answers, %d × 503, %d payments, %d marks; writes held %d ms, the slowest answer took %v, %d rows compared",
		f.good.Load(), f.waits.Load(), f.paid.Load(), f.marks.Load(), m.HeldMs, time.Duration(f.slowest.Load()).Round(time.Millisecond), m.Rows)

	// Nothing acknowledged is lost or doubled, and the books balance, in the new home.
	home, err := app.Service.Cluster.FindSchool(context.Background(), s.ID)
	if err != nil || home.Node != "south" {
		t.Fatalf("it is on %+v: %v", home, err)
	}
	moved := &testkit.School{School: home, App: app}
	if n := moved.Count(t, "fee_receipt", ""); int64(n) != f.paid.Load() {
		t.Errorf("%d receipts, %d were acknowledged", n, f.paid.Load())
	}
	var out int64
	if err := moved.DB(t).Raw(`select coalesce(sum(case when entry_type = 'DR' then amount else -amount end), 0)
		from ledger_entry`).Scan(&out).Error; err != nil || out != 0 {
		t.Errorf("the books are out by %d: %v", out, err)
	}
	// The rule that they balance holds on the copy as it did on the original.
	err = moved.DB(t).Exec(`with t as (insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
			values (gen_random_uuid(), 'PAYMENT', current_date, 'half', 'half', now()) returning id)
		insert into ledger_entry (transaction_id, line, account_id, entry_type, amount) select t.id, 1, a.id, 'DR', 100 from t, (select id
		from ledger_account limit 1) a`).Error
	if err == nil || !strings.Contains(err.Error(), "balance") {
		t.Errorf("one side of a transaction was posted alone: %v", err)
	}
	var states, distinct int64
	var remark string
	err = moved.DB(t).Raw(`with states as (select remark from attendance union all select remark from attendance_revision)
		select count(*), count(distinct remark), (select remark from attendance) from states`).Row().Scan(&states, &distinct, &remark)
	if err != nil || states != f.marks.Load() || distinct != states || remark != fmt.Sprint(f.marks.Load()) {
		t.Errorf("%d marks were acknowledged; there are %d, %d of them different, the last is %q: %v", f.marks.Load(), states, distinct, remark,
			err)
	}
	last := f.name.Load()
	if moved.Count(t, "class", "id = ? and name = ?", marked, last) != 1 {
		t.Errorf("the last change %v is lost", last)
	}
	if a := s.On(t, second, api.SchoolAdmin).Call(t, "GET", listClasses, nil); a.Status != 200 {
		t.Errorf("afterwards: %d %s", a.Status, a.Body)
	}
	if c := testkit.Post[schools.Move](t, super, path+"/confirm", nil); c.State != "CONFIRMED" || !c.Clean {
		t.Errorf("confirmed: %+v", c)
	}
	super.Refuses(t, "POST", path+"/confirm", nil, 409, "")
}

func TestANodeThatIsDownIs503ForItsOwnSchoolsOnly(t *testing.T) {
	t.Parallel()
	stack := testkit.Private(t)
	app := testkit.StartOn(t, stack, "homeroom")
	addNode(t, app, "south", testkit.Database(t, stack, "main", "south"))
	here, there := app.NewSchoolAs(t, lifecycle.NewSchool{Node: "south"}), app.NewSchoolAs(t, lifecycle.NewSchool{Node: "main"})
	mine, theirs := here.As(t, api.SchoolAdmin), there.As(t, api.SchoolAdmin)
	// The test's servers write to disk when they like: what is to come back has to be there.
	main, err := app.Service.Cluster.Node(t.Context(), "main")
	if err == nil {
		_, err = main.Admin().Exec(t.Context(), "checkpoint")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := stack.KillPostgres("north"); err != nil { // where node main is
		t.Fatal(err)
	}
	for range 5 {
		if f := theirs.Refuses(t, "GET", listClasses, nil, 503, "Service Unavailable"); f.StatusCode != 503 {
			t.Errorf("%+v", f)
		}
		testkit.Get[any](t, mine, listClasses)
		create(t, mine, "/school-admin/class/create", map[string]any{"name": uuid.NewString()})
	}
	nodes := testkit.Get[api.Page[node.Node]](t, app.SuperAdmin(t), "/super-admin/node/list").Items
	if nodes[0].Reachable || nodes[0].Error == "" || !nodes[1].Reachable {
		t.Errorf("the nodes are said to be %+v", nodes)
	}
	if err := stack.RestartPostgres(context.Background(), "north"); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the school is back", func() bool { return theirs.Call(t, "GET", listClasses, nil).Status == 200 })
}
