package platform_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/modules/platform"
	"homeroom/testkit"
)

func TestTheOverviewCountsWhatAllInstancesAnsweredAndAsksNoSchool(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	super, admin := s.App.SuperAdmin(t), s.As(t, api.SchoolAdmin)
	for range 25 {
		testkit.Get[struct{}](t, admin, "/school-admin/setting")
	}
	// Two more instances count at once, and write at once.
	cluster := s.App.Service.Cluster
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			traffic := platform.NewTraffic(cluster, slog.New(slog.DiscardHandler), time.Now)
			var counting sync.WaitGroup
			for range 4 {
				counting.Go(func() {
					for i := range 100 {
						traffic.Count(s.ID, 200+300*(i%10/9), 90*time.Second) // every tenth is a 500, and slow
					}
				})
			}
			counting.Wait()
			if err := traffic.Flush(t.Context()); err != nil {
				t.Error(err)
			}
			if err := traffic.Flush(t.Context()); err != nil { // nothing is written twice
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := s.App.Service.Traffic.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Child(t, s.Seat(t, "Class 5"), 1)
	s.RunScheduled(t, "count-schools")
	got := testkit.Get[platform.Overview](t, super, "/super-admin/stats/overview?hours=1")
	if got.Schools == 0 || got.Students == 0 || got.CountedAt == nil || got.Requests < 825 || got.Errors < 80 || got.StepMinutes != 1 ||
		len(got.Series) != 60 || got.Sessions == 0 {
		t.Errorf("%+v", got)
	}
	var mine *platform.SchoolTraffic
	for i, school := range got.Slowest {
		if school.SchoolID == s.ID {
			mine = &got.Slowest[i]
		}
	}
	if mine == nil || mine.Requests != 825 || mine.Errors != 80 || mine.AverageMs < 80_000 {
		t.Errorf("%+v of %+v", mine, got.Slowest)
	}
	if day := testkit.Get[platform.Overview](t, super, "/super-admin/stats/overview"); day.StepMinutes != 24 || len(day.Series) != 60 ||
		day.Requests < got.Requests {
		t.Errorf("%d steps of %d minutes, %d requests", len(day.Series), day.StepMinutes, day.Requests)
	}
	super.Refuses(t, "GET", "/super-admin/stats/overview?hours=49", nil, 422, "")

	var students int
	err := cluster.PlatformPool().QueryRow(t.Context(), `select students from platform.school_count where school_id = $1`,
		s.ID).Scan(&students)
	if err != nil || students != 1 {
		t.Errorf("%d students, %v", students, err)
	}
}
