package service_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func TestLateFinesComeAtNightWhereverTheSchoolIs(t *testing.T) {
	t.Parallel()
	// Two at night in Kolkata is half past eight in the evening of the day before in London.
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	year, month, day := time.Now().In(kolkata).Date()
	night := time.Date(year, month, day, 2, 0, 0, 0, kolkata)
	// A database of its own: the night is another at the schools of other tests.
	app := testkit.StartOn(t, testkit.Stack(t), "homeroom_night_"+uuid.NewString()[:8], func(_ *config.Config, o *service.Options) {
		o.Clock = func() time.Time { return night }
	})
	asleep, awake := app.NewSchoolAs(t, lifecycle.NewSchool{TimeZone: "Asia/Kolkata"}),
		app.NewSchoolAs(t, lifecycle.NewSchool{TimeZone: "Europe/London"})
	for _, s := range []*testkit.School{asleep, awake} {
		office := newMaker(t, s)
		structure := office.Example("/school-admin/fee/structure/:id")
		testkit.Put[struct{ Version int }](t, office.admin, "/school-admin/fee/structure/"+structure.String(),
			map[string]any{"lateFine": map[string]any{"type": "FIXED", "amount": 5}})
	}
	if last, done, err := app.Service.RunScheduledAtAll(t.Context(), "late-fines", uuid.Nil, time.Now().Add(-time.Second)); err != nil ||
		done || last != uuid.Nil {
		t.Errorf("without time it came to %s, %t, %v", last, done, err)
	}
	for range 2 {
		if _, done, err := app.Service.RunScheduledAtAll(t.Context(), "late-fines", uuid.Nil, wait.Deadline()); err != nil || !done {
			t.Fatalf("%t, %v", done, err)
		}
	}
	if n := asleep.Count(t, "fee_fine_run", "day = ?", api.DateOf(night)); n != 1 || awake.Count(t, "fee_fine_run", "true") != 0 {
		t.Errorf("%d runs where it is night", n)
	}
}

func TestScheduled_JobOfAnEarlierVersion_IsDone(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s := app.NewSchool(t)
	err := s.DB(t).Exec(`insert into idempotency (actor_id, key, row_name, body_hash, created_at)
		values (gen_random_uuid(), 'k', 'r', '', now() - interval '25 hours')`).Error
	if err == nil {
		// Such as was queued before all scheduled work was one kind of job.
		_, err = app.Service.Cluster.PlatformPool().Exec(t.Context(), `insert into platform.river_job (kind, queue, state, max_attempts, args)
			values ('clear-schools', 'default', 'available', 25, '{}')`)
	}
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the old answer is cleared", func() bool { return s.Count(t, "idempotency", "true") == 0 })
}
