package platform_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/migrations"
	"homeroom/modules/platform"
	"homeroom/tenancy"
	"homeroom/testkit"
)

// next is a migration that may run twice, and cannot where a class is called Poison.
func next(_ *config.Config, o *service.Options) {
	all := migrations.School()
	o.Migrations = append(all, migrations.Migration{Version: len(all) + 1, Name: fmt.Sprintf("%04d_next", len(all)+1),
		SQL: `alter table class add column if not exists note text; alter table class drop constraint if exists class_poison_check; alter table class add constraint class_poison_check check (name <> 'Poison')`})
}

// setBack makes a school look as if the last migration had not run, with a class that
// keeps it from running.
func setBack(t *testing.T, s *testkit.School) {
	t.Helper()
	version := s.App.Service.Cluster.SchoolVersion() - 1
	node, err := s.App.Service.Cluster.Node(t.Context(), s.Node)
	if err == nil {
		_, err = node.Admin().Exec(t.Context(), `alter table `+tenancy.Ident(s.Schema)+`.class drop constraint class_poison_check`)
	}
	if err == nil {
		err = s.DB(t).Exec(`insert into class (id, name) values (?, 'Poison')`, uuid.New()).Error
	}
	if err == nil {
		_, err = node.Admin().Exec(t.Context(), fmt.Sprintf(`comment on schema %s is 'homeroom version %d'`, tenancy.Ident(s.Schema), version))
	}
	if err == nil {
		_, err = s.App.Service.Cluster.PlatformPool().Exec(t.Context(), `update platform.school set schema_version = $2 where id = $1`, s.ID,
			version)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestMigrationsAreAskedForWatchedAndTriedAgainNeverTwoAtOnce(t *testing.T) {
	t.Parallel()
	// A database of its own: nobody else's schools are behind this version.
	app := testkit.StartOn(t, testkit.Stack(t), "homeroom_fleet_"+uuid.NewString()[:8], next)
	super := app.SuperAdmin(t)
	schools := []*testkit.School{app.NewSchool(t), app.NewSchool(t), app.NewSchool(t)}
	fine := app.NewSchool(t)
	for _, s := range schools {
		setBack(t, s)
	}
	status := func() platform.MigrationStatus {
		return testkit.Get[platform.MigrationStatus](t, super, "/super-admin/migration/status")
	}
	if now := status(); now.Total != 4 || now.Current < 1 || now.Behind+now.Failed != 3 || now.Run != nil ||
		now.Version != app.Service.Cluster.SchoolVersion() {
		t.Fatalf("%+v", now)
	}
	super.Refuses(t, "POST", "/super-admin/migration/run", map[string]any{"schoolIds": []any{fine.ID, uuid.New()}}, 422, "")

	// While one waits for a table that somebody reads, no other begins.
	reader := schools[0].DB(t).Begin()
	if err := reader.Exec(`select from class`).Error; err != nil {
		t.Fatal(err)
	}
	var accepted, refused atomic.Int64
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			switch a, err := super.TryCall("POST", "/super-admin/migration/run", map[string]any{}); {
			case err == nil && a.Status == 200:
				accepted.Add(1)
			case err == nil && a.Status == 409:
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	if accepted.Load() != 1 || refused.Load() != 5 {
		t.Errorf("%d were taken, %d refused", accepted.Load(), refused.Load())
	}
	if err := reader.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	over := func() platform.MigrationStatus {
		t.Helper()
		var now platform.MigrationStatus
		testkit.Eventually(t, "the run ends", func() bool { now = status(); return now.Run != nil && now.Run.FinishedAt != nil })
		return now
	}
	now := over()
	if now.Run.State != "DONE" || now.Run.Failed != 3 || now.Run.Done != now.Run.Total || now.Run.Percent != 100 || now.Failed != 3 ||
		now.Behind != 0 || *now.Run.AskedBy != super.UserID {
		t.Errorf("%+v %+v", now, now.Run)
	}
	failed := testkit.Get[api.Page[platform.SchoolMigration]](t, super, asked("/super-admin/migration/list", "state", "FAILED"))
	if failed.Total != 3 || failed.Items[0].Error == "" || failed.Items[0].SchemaVersion != now.Version-1 {
		t.Errorf("%+v", failed)
	}
	if current := testkit.Get[api.Page[platform.SchoolMigration]](t, super, asked("/super-admin/migration/list", "state", "CURRENT")); current.Total != 1 || current.Items[0].ID != fine.ID {
		t.Errorf("%+v", current)
	}

	for _, s := range schools[:2] {
		if err := s.DB(t).Exec(`delete from class where name = 'Poison'`).Error; err != nil {
			t.Fatal(err)
		}
	}
	testkit.Post[platform.MigrationStatus](t, super, "/super-admin/migration/retry", nil)
	if now := over(); now.Failed != 1 || now.Current != 3 || now.Run.Failed != 1 {
		t.Errorf("%+v %+v", now, now.Run)
	}
	if err := schools[2].DB(t).Exec(`delete from class where name = 'Poison'`).Error; err != nil {
		t.Fatal(err)
	}
	testkit.Post[platform.MigrationStatus](t, super, "/super-admin/migration/run", map[string]any{"schoolIds": []any{schools[2].ID}})
	if now := over(); now.Failed != 0 || now.Current != 4 || len(now.Run.SchoolIDs) != 1 {
		t.Errorf("%+v %+v", now, now.Run)
	}
	super.Refuses(t, "POST", "/super-admin/migration/retry", nil, 409, "")
	if book := booked(t, super, "entity", "migration"); book.Total != 3 {
		t.Errorf("%+v", book)
	}
}
