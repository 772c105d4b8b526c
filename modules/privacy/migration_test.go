package privacy_test

import (
	"fmt"
	"testing"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/migrations"
	"homeroom/testkit"
)

// Who was erased by the version before left a remark, a promotion's summary, a key with
// their phone and audit rows behind.
func TestMigration_WhoWasErasedBefore_LosesTheRest(t *testing.T) {
	t.Parallel()
	database := fmt.Sprintf("%s_erased%d", testkit.DatabaseName(), testkit.Unique())
	older := testkit.StartOn(t, testkit.Stack(t), database,
		func(_ *config.Config, o *service.Options) { o.Migrations = migrations.School()[:28] })
	s := older.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	gone, here := s.Child(t, seat, 0).ID, s.Child(t, seat, 0).ID
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := s.DB(t).Exec(sql, args...).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(`update student set first_name = 'Erased', last_name = 'person 1', erased_at = now() where id = ?`, gone)
	exec(`insert into report_card_remark (id, student_id, academic_year_id, remark)
		values (?, ?, ?, 'Klaxon the first'), (?, ?, ?, 'Diligent')`, api.NewID(), gone, seat.YearID, api.NewID(), here, seat.YearID)
	exec(`insert into promotion (id, from_year_id, to_year_id, class_id, summary)
		values (?, ?, ?, ?, jsonb_build_object('promoted', 2, 'students', jsonb_build_array(
		jsonb_build_object('studentId', ?::text, 'name', 'Klaxon', 'outcome', 'PROMOTED'), jsonb_build_object('studentId', ?::text, 'name', 'Asha Rao', 'outcome', 'PROMOTED'))))`,
		api.NewID(), seat.YearID, seat.YearID, seat.ClassID, gone, here)
	exec(`insert into delivery (id, channel, recipient, purpose, title, body, dedupe_key, next_at, created_at, state)
		values (?, 'SMS', 'erased', 'NOTICE', 'Erased', 'Erased', 'x/SMS/Klaxon', now(), now(), 'SENT')`, api.NewID())
	exec(`insert into audit_event (id, actor_role, action, entity, entity_id, after, occurred_at)
		select gen_random_uuid(), 'X', 'create', 'remark', id::text, jsonb_build_object('remark', remark), now() from report_card_remark`)
	exec(`insert into audit_event (id, actor_role, action, entity, entity_id, after, occurred_at)
		values (?, 'X', 'erase', 'student', ?, '{"reason": "Asked in writing"}', now())`, api.NewID(), gone.String())

	newer := testkit.StartOn(t, testkit.Stack(t), database)
	if err := newer.Service.Migrator.EnsureSchool(t.Context(), s.School); err != nil {
		t.Fatal(err)
	}
	f := &family{School: s}
	if left := f.mentions(t, "Klaxon"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	for table, where := range map[string]string{
		"report_card_remark": "remark = 'Diligent'",
		"promotion":          "summary -> 'students' -> 1 ->> 'name' = 'Asha Rao' and summary -> 'students' -> 0 ->> 'outcome' = 'PROMOTED'",
		"audit_event":        "action = 'erase' and after ->> 'reason' = 'Asked in writing'",
	} {
		if n := s.Count(t, table, where); n != 1 {
			t.Errorf("%d rows of %s where %s, want 1", n, table, where)
		}
	}
	if n := s.Count(t, "audit_event", "after ->> 'remark' = 'Diligent'"); n != 1 {
		t.Errorf("%d audit rows of the other child's remark, want 1", n)
	}
}
