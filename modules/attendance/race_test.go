package attendance_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/attendance"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func TestMarks_OfTwoTeachersAtOnce_AreWholeAndToldOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 12)
	second, _ := r.hire(t, map[string]any{"classId": r.five.ID, "divisionId": r.a.ID})
	parent := r.parentOf(t, r.children[0])
	forward, backward := []map[string]any{}, []map[string]any{}
	for i := range r.children {
		status := "PRESENT"
		if i == 0 {
			status = "ABSENT"
		}
		forward = append(forward, record(r.children[i], status, map[string]any{"remark": "one"}))
		backward = append([]map[string]any{record(r.children[i], status, map[string]any{"remark": "two"})}, backward...)
	}
	for range 3 {
		var group sync.WaitGroup
		for i, c := range []*testkit.Client{r.teacher, second, r.teacher, second, r.admin} {
			records, path := forward, teacherMark
			if i%2 == 1 {
				records = backward
			}
			if c == r.admin {
				path = officeMark
			}
			group.Go(func() {
				a, err := c.TryCall("POST", path, sheet(r.a, r.today, records...))
				if err != nil || a.Status != 200 {
					t.Errorf("%v %d %s", err, a.Status, a.Body)
				}
			})
		}
		group.Wait()
		var remarks []string
		if err := r.DB(t).Raw(`select distinct remark from attendance`).Scan(&remarks).Error; err != nil || len(remarks) != 1 {
			t.Fatalf("two teachers' marks are mixed: %v %v", remarks, err)
		}
	}
	if n := r.Count(t, "attendance", "true"); n != 12 {
		t.Errorf("%d marks", n)
	}
	if n := r.Count(t, "attendance a", "version <> 1 + (select count(*) from attendance_revision v where v.attendance_id = a.id)"); n != 0 {
		t.Errorf("%d marks have lost a revision", n)
	}
	if n := r.told(t, parent); n != 1 {
		t.Errorf("told %d times", n)
	}
}

func TestAMarkAgainstItsCorrectionTellsParentsWhatHoldsInTheEnd(t *testing.T) {
	t.Parallel()
	for _, delay := range []int{0, 15} {
		r := newRoom(t, 3)
		r.delay(t, delay)
		parent := r.parentOf(t, r.children[0])
		r.mark(t, record(r.children[0], "ABSENT"))
		for range 4 {
			var group sync.WaitGroup
			for _, status := range []string{"ABSENT", "PRESENT", "ABSENT", "LATE"} {
				group.Go(func() {
					a, err := r.teacher.TryCall("POST", teacherMark, sheet(r.a, r.today, record(r.children[0], status)))
					if err != nil || a.Status != 200 {
						t.Errorf("%v %d %s", err, a.Status, a.Body)
					}
				})
			}
			group.Wait()
		}
		r.pass(t)
		var status, last string
		db := r.DB(t)
		if err := db.Raw(`select status from attendance`).Scan(&status).Error; err != nil {
			t.Fatal(err)
		}
		// What was heard last is by the mark's version, which the key ends with.
		if err := db.Raw(`select split_part(dedupe_key, ':', 4) from notification where user_id = ?
			order by split_part(dedupe_key, ':', 3)::int desc limit 1`, parent.UserID).Scan(&last).Error; err != nil {
			t.Fatal(err)
		}
		if status != last && (status != "PRESENT" || last != "") {
			t.Errorf("delay %d: the mark is %s, parents last heard %q", delay, status, last)
		}
	}
}

func TestMark_OfStudentMarkedMeanwhile_IsOneMoreVersion(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	// Whoever writes a mark holds the division; this stands for a student who has changed divisions meanwhile.
	school, err := r.App.Service.Cluster.FindSchool(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	node, err := r.App.Service.Cluster.Node(t.Context(), school.Node)
	if err != nil {
		t.Fatal(err)
	}
	other, err := node.Admin().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := other.Exec(t.Context(), `insert into `+tenancy.Ident(school.Schema)+`.attendance
		(id, student_id, division_id, date, status, source, marked_by, marked_at) values (gen_random_uuid(), $1, $2, $3, 'ABSENT', 'ADMIN', $4, now())`,
		r.children[0].ID, r.a.ID, r.today.String(), r.admin.UserID); err != nil {
		t.Fatal(err)
	}
	answered := make(chan int, 1)
	go func() {
		a, err := r.teacher.TryCall("POST", teacherMark, sheet(r.a, r.today, record(r.children[0], "PRESENT"), record(r.children[1], "PRESENT")))
		if err != nil {
			t.Error(err)
		}
		answered <- a.Status
	}()
	testkit.Eventually(t, "the marks wait for the other's, or are through", func() bool {
		var waiting bool
		err := other.QueryRow(t.Context(), `select exists (select from pg_locks
			where not granted and pg_backend_pid() = any(pg_blocking_pids(pid)))`).Scan(&waiting)
		return len(answered) == 1 || err == nil && waiting
	})
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status := <-answered; status != 200 {
		t.Errorf("marking meanwhile is answered %d", status)
	}
	if n := r.Count(t, "attendance", "status = 'PRESENT'"); n != 2 {
		t.Errorf("%d are present, want 2", n)
	}
	if n := r.Count(t, "attendance_revision", "status = 'ABSENT' and version = 1"); n != 1 {
		t.Errorf("the other's mark has %d revisions, want 1", n)
	}
}

func TestMarkingFortyStudentsIsAFewRoundTripsToPostgresWithItsFacts(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t)
	r := furnish(t, app.NewSchoolAs(t, lifecycle.NewSchool{WeekendDays: []int16{}}), 0)
	err := r.DB(t).Exec(`with s as (
			insert into student (id, admission_number, first_name, admission_date) select gen_random_uuid(), n::text, 'Child' || n, current_date
			from generate_series(1, 40) n returning id)
		insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date) select gen_random_uuid(), id, ?, ?, ?, ?
		from s`,
		r.year.ID, r.five.ID, r.a.ID, r.year.StartDate).Error
	if err != nil {
		t.Fatal(err)
	}
	var ids []uuid.UUID
	if err := r.DB(t).Raw(`select id from student`).Scan(&ids).Error; err != nil {
		t.Fatal(err)
	}
	n, away := 0, true
	marks := func() {
		n++
		var records []map[string]any
		for i, id := range ids {
			status := "PRESENT"
			if away && i%10 == n%10 {
				status = "ABSENT"
			}
			records = append(records, map[string]any{"studentId": id, "status": status, "remark": fmt.Sprint(n)})
		}
		testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today, records...))
	}
	sent := string(wire.Record(marks))
	for _, want := range []string{"attendance.marked", "notices.due"} {
		if !strings.Contains(sent, want) {
			t.Errorf("no fact %s was written", want)
		}
	}
	// Who is told is written with the commit; telling them is the instance's own work, which
	// is not to be counted here.
	away = false
	trips := wire.Postgres.Fewest(9, marks)
	if trips >= 10 {
		t.Errorf("%d round trips", trips)
	}
	t.Logf("%d round trips with corrections", trips)
	testkit.Eventually(t, "all are told", func() bool { return r.Count(t, "outbox", "next_at <= now()") == 0 })
	report := func() {
		testkit.Get[attendance.MonthRegister](t, r.teacher, "/teacher/attendance/report?divisionId="+r.a.ID.String())
	}
	if trips := wire.Postgres.Fewest(1, report); trips != 1 {
		t.Errorf("a month's register takes %d round trips", trips)
	}
}
