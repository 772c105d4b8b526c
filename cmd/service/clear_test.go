package service_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func TestWhatNobodyNeedsAnyMoreIsClearedAway(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	app, user := s.App, s.As(t, api.Parent)
	pool := app.Service.Cluster.PlatformPool()
	old, recent := uuid.New(), uuid.New()
	for id, age := range map[uuid.UUID]string{old: "40 days", recent: "1 hour"} {
		if err := s.DB(t).Exec(`insert into idempotency (actor_id, key, row_name, body_hash, created_at)
			values (?, 'k', 'r', '', now() - ?::interval)`, id, age).Error; err != nil {
			t.Fatal(err)
		}
		_, err := pool.Exec(t.Context(), `with kept as (insert into platform.idempotency (actor_id, key, row_name, body_hash, created_at)
			values ($1, 'k', 'r', '', now() - $2::interval)),
			linked as (insert into platform.password_link (token_hash, account_id, purpose, expires_at)
			values (decode(replace($1::uuid::text, '-', ''), 'hex'), $3, 'RESET', now() - $2::interval))
			insert into platform.session (id, account_id, token_hash, expires_at)
			values ($1, $3, '', now() - $2::interval)`, id, age, user.AccountID)
		if err != nil {
			t.Fatal(err)
		}
	}
	// More than one piece of it.
	if err := s.DB(t).Exec(`insert into idempotency (actor_id, key, row_name, body_hash, created_at)
		select gen_random_uuid(), 'k', 'r', '', now() - interval '25 hours' from generate_series(1, 5001)`).Error; err != nil {
		t.Fatal(err)
	}
	if err := lifecycle.DeleteOutdated(t.Context(), app.Service.Cluster); err != nil {
		t.Fatal(err)
	}
	before := s.Count(t, "idempotency", "true")
	s.RunScheduled(t, "clear-schools")
	if cleared := before - s.Count(t, "idempotency", "true"); cleared != 5002 {
		t.Errorf("%d cleared", cleared)
	}
	for id, want := range map[uuid.UUID]int{old: 0, recent: 3} {
		var n int
		err := pool.QueryRow(t.Context(), `select (select count(*) from platform.idempotency where actor_id = $1) + (select count(*)
			from platform.session where id = $1)
			+ (select count(*) from platform.password_link where token_hash = decode(replace($1::uuid::text, '-', ''), 'hex'))`, id).Scan(&n)
		if err != nil || n != want {
			t.Errorf("%d rows are left, want %d: %v", n, want, err)
		}
	}
	if n := s.Count(t, "idempotency", "true"); n != 1 {
		t.Errorf("%d answers are left at the school", n)
	}
	testkit.Get[struct{}](t, user, "/auth/me") // who is signed in stays signed in
}
