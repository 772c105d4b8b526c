package importing_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/tenancy"
	"homeroom/testkit"
)

func TestImport_SameFileFourTimesAtOnce_CreatesEachStudentOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := family(120)
	results := make([]imports.ImportResult, 4)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = o.imports(t, file, "") })
	}
	wg.Wait()
	creates := 0
	for _, r := range results {
		creates += r.Creates
	}
	if creates != 120 || o.Count(t, "student", "true") != 120 || o.Count(t, "guardian", "true") != 80 ||
		o.Count(t, "enrolment", "true") != 120 {
		t.Errorf("%d created of 120: %+v", creates, results)
	}
}

func TestImport_DataChangedSinceDryRun_IsRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.imports(t, family(3), "")
	change := "admissionNumber,lastName\nA-0001,Rao Bahadur\n"
	plan := o.imports(t, change, "dryRun=true")
	if plan.Updates != 1 {
		t.Fatalf("plan %+v", plan)
	}
	o.imports(t, "admissionNumber,address\nA-0001,1 Hill Road\n", "")
	if a := o.send(t, change, "planHash="+plan.PlanHash); a.Status != 409 {
		t.Errorf("data moved: %d %s", a.Status, a.Body)
	}
	fresh := o.imports(t, change, "dryRun=true")
	if a := o.send(t, change+"A-0002,Iyer\n", "planHash="+fresh.PlanHash); a.Status != 409 {
		t.Errorf("file moved: %d", a.Status)
	}
	if n := o.Count(t, "student", "last_name = 'Rao'"); n != 3 {
		t.Errorf("%d still called Rao", n)
	}
	o.imports(t, "admissionNumber,address\nA-0003,2 Hill Road\n", "") // somebody the plan does not touch
	if r := o.imports(t, change, "planHash="+fresh.PlanHash); r.Updates != 1 {
		t.Errorf("commit %+v", r)
	}
	if n := o.Count(t, "student", "last_name = 'Rao Bahadur' and address = '1 Hill Road' and search_text like '%bahadur%'"); n != 1 {
		t.Error("the change is not there, or took more than it named")
	}
}

func TestImport_SkipBadRows_ImportsTheRest(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if r := o.imports(t, family(10, 4, 7), "mode=SKIP_BAD_ROWS"); r.Creates != 8 || r.Bad != 2 || r.Errors[0].Row != 6 ||
		r.Errors[0].Column != "dateOfBirth" {
		t.Errorf("skipping: %+v", r)
	}
	var b strings.Builder
	b.WriteString("admissionNumber,firstName,class\n")
	for i := range 99_999 {
		fmt.Fprintf(&b, "Z-%d,Asha,Class 5\n", i)
	}
	b.WriteString("Z-99999,Asha,Class 50\n")
	a := o.send(t, b.String(), "")
	f := a.Failure(t)
	if a.Status != 422 || len(f.Details) != 1 || f.Details[0].Field != "rows[100001].class" ||
		!strings.Contains(f.Details[0].Message, `"Class 50"`) {
		t.Errorf("%d %.300s", a.Status, a.Body)
	}
	if n := o.Count(t, "student", "true"); n != 8 {
		t.Errorf("%d students", n)
	}
}

func TestImport_Interrupted_KeepsNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := context.Background()
	pg, err := pgx.Connect(ctx, nodeURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pg.Close(ctx) }()
	// Someone holds the last table, so that the import stands still with most of it written.
	schema := tenancy.Ident(o.School.Schema)
	holder, err := pg.Begin(ctx)
	if err == nil {
		_, err = holder.Exec(ctx, "lock table "+schema+".student_guardian in share mode")
	}
	if err != nil {
		t.Fatal(err)
	}
	id := api.NewID()
	answered := make(chan testkit.Answer)
	go func() {
		a, _ := o.TrySend("POST", importPath+"?id="+id.String(), "text/csv", []byte(family(50)))
		answered <- a
	}()
	testkit.Eventually(t, "the import waits in its transaction", func() bool {
		var cut int
		err := holder.QueryRow(ctx, `select count(pg_terminate_backend(l.pid)) from pg_locks l
			where not l.granted and l.relation = ($1 || '.student_guardian')::regclass`, schema).Scan(&cut)
		return err == nil && cut > 0
	})
	if a := <-answered; a.Status != 503 {
		t.Errorf("answered %d %s", a.Status, a.Body)
	}
	if err := holder.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	run := testkit.Get[imports.ImportRun](t, o.Client, importPath+"/"+id.String())
	if run.State != "FAILED" || !strings.Contains(run.Message, "Nothing was kept") || run.RowsRead != 50 {
		t.Errorf("run %+v", run)
	}
	for _, table := range []string{"student", "guardian", "enrolment"} {
		if n := o.Count(t, table, "true"); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	// A process that was killed cannot say anything: its run stands still.
	dead := api.NewID()
	if err := o.DB(t).Exec(`insert into import_run (id, kind, state, dry_run, rows_read, beat_at)
		values (?, 'STUDENT', 'RUNNING', false, 7, ?)`, dead, time.Now().Add(-time.Hour)).Error; err != nil {
		t.Fatal(err)
	}
	if run := testkit.Get[imports.ImportRun](t, o.Client, importPath+"/"+dead.String()); run.State != "FAILED" ||
		!strings.Contains(run.Message, "Nothing was kept") {
		t.Errorf("a dead run %+v", run)
	}
}

// nodeURL is the server the schools are on, as its owner.
func nodeURL(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(testkit.Stack(t).PostgresURL("north"))
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + testkit.DatabaseName()
	return u.String()
}

func TestExport_ImportedAgain_ChangesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.imports(t, family(5), "")
	for _, f := range []map[string]any{{"kind": "YES_NO", "label": "Scholar"}, {"kind": "TEXT", "label": "Remark"}, {"kind": "TEXT", "label": "Address"},
		{"kind": "CHOICE", "label": "House", "options": []any{"Red", "Blue"}, "required": true}, {"kind": "NUMBER", "label": "Height"}} {
		f["appliesTo"] = "STUDENT"
		testkit.Post[any](t, o.Client, "/school-admin/custom-field/create", f)
	}
	bad := o.imports(t, "firstName,house,Scholar,HEIGHT\nZoe,green,perhaps,tall\nAsha,,,\n", "dryRun=true")
	if got := fmt.Sprint(bad.Errors); got != "[{2 house must be one of Red, Blue} {2 Scholar must be one of YES, NO} "+
		"{2 HEIGHT must be a number of at most 12 digits and 6 decimals} {3 house is required}]" {
		t.Errorf("what is wrong with custom fields: %s", got)
	}
	odd := "admissionNumber,firstName,lastName,address,phone,class,division,guardian1Name,guardian1Phone,guardian2Name,guardian2Phone,guardian2Relation,House,Scholar,Team remark,Height\n" +
		"'=1+1,\"'=HYPERLINK(\"\"x\"\")\",'-Rao,\"1, Hill\nRoad \"\"north\"\"\",+91 98123-45678,Class 6,B,'@Meera,+919812345671,Ravi,+919812345672,father,RED,y,'=2,-1.5\n" +
		"C-2,Zoë,''quoted,,,,,,,,,,blue,,,\n"
	if r := o.imports(t, odd, "mapping="+url.QueryEscape(`{"Team remark":"customFields.remark"}`)); r.Creates != 2 {
		t.Fatalf("%+v", r)
	}
	if n := o.Count(t, "student", "first_name like '=HYPER%' and admission_number = '=1+1'"); n != 1 {
		t.Error("the apostrophe was kept")
	}
	if n := o.Count(t, "student", `custom_fields = '{"house": "Red", "scholar": true, "remark": "=2", "height": -1.5}'
		or custom_fields = '{"house": "Blue"}'`); n != 2 {
		t.Errorf("%d students have the custom fields of the file", n)
	}
	a := o.Call(t, "GET", "/school-admin/student/export", nil)
	if head, _, _ := strings.Cut(string(a.Body), "\n"); !strings.Contains(head, ",Scholar,Remark,customFields.address,House,Height") {
		t.Errorf("the head is %s", head)
	}
	if a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv") ||
		!strings.Contains(a.Header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%d %v %s", a.Status, a.Header, a.Body)
	}
	for _, line := range strings.Split(string(a.Body), "\n") {
		for _, cell := range strings.Split(line, ",") {
			if cell = strings.Trim(cell, `"`); cell != "" && strings.ContainsAny(cell[:1], "=+-@") {
				t.Errorf("a spreadsheet would run %q", cell)
			}
		}
	}
	r := o.imports(t, string(a.Body), "")
	if r.Unchanged != 7 || r.Updates+r.Creates+r.Bad != 0 || len(r.UnknownColumns) != 0 {
		t.Errorf("importing the export: %+v\n%s", r, a.Body)
	}
	few := o.Call(t, "GET", "/school-admin/student/export?filters[search]=zoe", nil)
	if n := strings.Count(string(few.Body), "\n"); n != 2 {
		t.Errorf("%d lines for one student: %s", n, few.Body)
	}
}
