package notification_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/dispatch"
	"homeroom/testkit"
)

func TestWhatWasToldLongAgoIsClearedAndWhatWaitsOrIsUnreadIsNot(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := s.DB(t).Exec(sql, args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	// More than one batch of what is old and read, and some of everything else.
	exec(`insert into notification (id, user_id, dedupe_key, type, title, body, read_at, created_at)
		select gen_random_uuid(), cast(@user as uuid), 'old ' || n, 'FEE', 't', 'b', case
		when n <= 5100 then now() end, now() - interval '401 days' from generate_series(1, 5103) n
		union all select gen_random_uuid(), cast(@user as uuid), 'new', 'FEE', 't', 'b', now(),
		now() - interval '399 days'`, map[string]any{"user": admin.UserID})
	exec(`insert into notice (id, type, key, user_id, title, body, teaser, due_at, told_at, created_at)
		select gen_random_uuid(), 'FEE', 'old ' || n, cast(@user as uuid), 't', 'b', 't', now(), case
		when n <= 3 then now() - interval '401 days' end, now() - interval '401 days' from generate_series(1, 4) n
		union all select gen_random_uuid(), 'FEE', 'new', cast(@user as uuid), 't', 'b', 't', now(), now(),
		now()`, map[string]any{"user": admin.UserID})
	sent := api.NewID()
	exec(`insert into dispatch (id, channel, body, audience, recipients, created_at)
		values (?, 'SMS', 'Closed', '{}', 5, now() - interval '91 days')`, sent)
	exec(`insert into delivery (id, channel, recipient, purpose, dispatch_id, title, body, dedupe_key, state, next_at, created_at)
		select gen_random_uuid(), 'SMS', '+1', 'DISPATCH', cast(@dispatch as uuid), '', 'b', 'old ' || n, case when n <= 3 then 'SENT'
		when n = 4 then 'FAILED' else 'QUEUED' end, now() + interval '1 day', now() - interval '91 days' from generate_series(1, 5) n
		union all select gen_random_uuid(), 'SMS', '+1', 'NOTICE', null, '', 'b', 'new', 'SENT', now(),
		now() - interval '89 days'`, map[string]any{"dispatch": sent})
	platform := s.App.Service.Cluster.PlatformPool()
	letter := func(days int) uuid.UUID {
		t.Helper()
		id := api.NewID()
		_, err := platform.Exec(t.Context(), `with letter as (insert into platform.message (id, channel, recipient, sealed, state, next_at,
			expires_at, created_at)
				values ($1, 'SMS', '+1', '', 'SENT', now(), now(), now() - $2 * interval '1 day'))
			insert into platform.dead_letter (id, channel, recipient, type, attempts, last_error, created_at, failed_at)
			values ($1, 'SMS', '+1', '', 1, '', now(), now() - $2 * interval '1 day')`, id, days)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	old, young := letter(91), letter(89)

	for range 2 { // done twice is done once
		s.RunScheduled(t, "clear-told")
	}
	for table, want := range map[string]int{"notification": 4, "notice": 2, "delivery": 2} {
		if n := s.Count(t, table, "true"); n != want {
			t.Errorf("%d rows are left of %s, want %d", n, table, want)
		}
	}
	if p := testkit.Get[dispatch.Progress](t, admin, "/school-admin/dispatch/"+sent.String()); p.Sent != 3 || p.Failed != 1 ||
		p.Queued != 1 || p.Recipients != 5 {
		t.Errorf("the dispatch says %+v", p)
	}
	for id, want := range map[uuid.UUID]int{old: 0, young: 2} {
		var n int
		if err := platform.QueryRow(t.Context(), `select (select count(*) from platform.message where id = $1) + (select count(*)
			from platform.dead_letter where id = $1)`, id).Scan(&n); err != nil || n != want {
			t.Errorf("%d letters are left, want %d: %v", n, want, err)
		}
	}
}
