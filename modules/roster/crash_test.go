package roster_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestAProcessKilledAmidAnImportLeavesAllOfItOrNothing(t *testing.T) {
	t.Parallel()
	const rows = 399
	file := family(rows)
	for range 3 {
		o := newOffice(t)
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
		time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, kill)
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
		if got.Status == 200 && seen.State != "DONE" {
			t.Errorf("it was acknowledged and is %s", seen.State)
		}
		// Sent again, to another instance, it is whole, whatever was there. What the dead one
		// had begun is taken back by then.
		if r := o.imports(t, file, ""); r.Creates+r.Unchanged != rows || r.Bad != 0 {
			t.Errorf("sent again: %+v", r)
		}
		if o.Count(t, "student", "true") != rows || o.Count(t, "enrolment", "end_date is null") != rows || o.Count(t, "guardian", "true") != rows*2/3 {
			t.Errorf("%d students, %d guardians", o.Count(t, "student", "true"), o.Count(t, "guardian", "true"))
		}
	}
}
