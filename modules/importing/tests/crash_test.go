package importing_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestImport_ProcessKilled_KeepsAllOrNothing(t *testing.T) {
	t.Parallel()
	const rows = 399
	file := family(rows)
	for round := range 3 {
		o := newOffice(t)
		release := func() {}
		if round == 0 { // surely in the middle: most of it is written, and it waits for the last table
			release = o.holdTable(t, "student_guardian")
		}
		app, kill := testkit.Killable(t)
		child := o.Client.On(app)
		testkit.Get[struct{}](t, child, "/auth/me") // it knows the session and the school
		id := api.NewID()
		answered := make(chan testkit.Answer, 1)
		go func() {
			a, _ := child.TrySend("POST", importPath+"?id="+id.String(), "text/csv", []byte(file))
			answered <- a
		}()
		// At any moment of it: from its beginning to after its end.
		testkit.Eventually(t, "the import begins", func() bool { return o.Count(t, "import_run", "id = ?", id) == 1 })
		if round == 0 {
			testkit.Eventually(t, "the import waits in its transaction", func() bool { return o.waitsFor(t, "student_guardian") })
			kill()
			release()
		} else {
			time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, kill)
		}
		got := <-answered
		kill()

		var seen struct {
			State    string
			Students int
		}
		look := func() {
			t.Helper()
			if err := o.DB(t).Raw(`select state, (select count(*) from student) as students from import_run where id = ?`, id).Take(&seen).Error; err != nil {
				t.Fatal(err)
			}
			if whole := seen.State == "DONE"; (whole && seen.Students != rows) || (!whole && seen.Students != 0) {
				t.Fatalf("%s with %d students", seen.State, seen.Students)
			}
		}
		look()
		if round == 0 && seen.State == "DONE" {
			t.Error("it was done before it was killed")
		}
		if got.Status == 200 && seen.State != "DONE" {
			t.Errorf("it was acknowledged and is %s", seen.State)
		}
		// Sent again, to another instance, it is whole, whatever was there. What the dead one
		// had begun is taken back by then.
		if r := o.imports(t, file, ""); r.Creates+r.Unchanged != rows || r.Bad != 0 {
			t.Errorf("sent again: %+v", r)
		}
		if o.Count(t, "student", "true") != rows || o.Count(t, "enrolment", "end_date is null") != rows ||
			o.Count(t, "guardian", "true") != rows*2/3 {
			t.Errorf("%d students, %d guardians", o.Count(t, "student", "true"), o.Count(t, "guardian", "true"))
		}
	}
}

// holdTable keeps others from writing to a table until it is released.
func (o *office) holdTable(t *testing.T, table string) (release func()) {
	t.Helper()
	pg, err := pgx.Connect(t.Context(), nodeURL(t))
	if err != nil {
		t.Fatal(err)
	}
	holder, err := pg.Begin(t.Context())
	if err == nil {
		_, err = holder.Exec(t.Context(), "lock table "+tenancy.Ident(o.School.Schema)+"."+table+" in share mode")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = holder.Rollback(t.Context())
		_ = pg.Close(t.Context())
	}
}

// waitsFor says whether somebody waits to write to a table.
func (o *office) waitsFor(t *testing.T, table string) bool {
	t.Helper()
	pg, err := pgx.Connect(t.Context(), nodeURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pg.Close(t.Context()) }()
	var waits bool
	err = pg.QueryRow(t.Context(), `select exists (select from pg_locks where not granted and relation = ($1 || '.' || $2)::regclass)`,
		tenancy.Ident(o.School.Schema), table).Scan(&waits)
	if err != nil {
		t.Fatal(err)
	}
	return waits
}
