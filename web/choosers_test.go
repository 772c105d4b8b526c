package web_test

import (
	"context"
	"testing"

	"homeroom/api"
	"homeroom/modules/audit"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestChoosers_OfLongLists_SearchOnTheServer has more schools than a page of their list, and more entries of the audit log.
func TestChoosers_OfLongLists_SearchOnTheServer(t *testing.T) {
	t.Parallel()
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_choosers")                 // others look through the list of schools
	s, clerk, stage := office(t, app, lifecycle.NewSchool{Name: "Zz " + api.NewID().String()[24:]}) // the last by name
	_, err := app.Service.Cluster.PlatformPool().Exec(context.Background(),
		`insert into platform.school (id, code, name, status, time_zone, locale, currency, created_at)
		select gen_random_uuid(), 'many-' || gen_random_uuid(), 'Aa School ' || n, 'ARCHIVED', 'Asia/Kolkata', 'en-IN', 'INR', '2020-01-01'
		from generate_series(1, 120) n`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = app.Service.Cluster.PlatformPool().Exec(context.Background(), `insert into platform.dead_letter (id, school_id, channel, recipient,
		type, attempts, last_error, created_at, failed_at) values ($1, $2, 'SMS', '+910000000000', 'FEE', 8, 'no such number', now(), now())`,
		api.NewID(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	quentin := s.As(t, api.SchoolAdmin)
	if err := s.DB(t).Exec(`update app_user set first_name = 'Quentin' where id = ?`, quentin.UserID).Error; err != nil {
		t.Fatal(err)
	}
	art := testkit.Post[roster.Subject](t, quentin, "/school-admin/subject/create", map[string]any{"name": "Art", "code": "ART"})
	err = s.DB(t).Exec(`insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, occurred_at)
		select gen_random_uuid(), ?, 'SCHOOL_ADMIN', 'create', 'class', n::text, now() from generate_series(1, 2100) n`, clerk.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	stage["entry"] = testkit.Get[api.Page[audit.AuditEvent]](t, clerk, "/school-admin/audit/list?filters[entityId]="+art.ID.String()).Items[0].ID
	stage["school"], stage["superEmail"] = s.Name, superAdmin(t, app)
	browse(t, app, "choosers", stage)
}
