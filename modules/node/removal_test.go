package node_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/localstack"
	"homeroom/modules/node"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func TestNode_StruckOff_OnlyWhenEmptyAndNotMain(t *testing.T) {
	t.Parallel()
	stack := testkit.Stack(t)
	database := "nodes_" + uuid.NewString()[:8]
	app := testkit.StartOn(t, stack, database)
	super := app.SuperAdmin(t)
	main := testkit.Get[api.Page[node.Node]](t, super, listPath).Items[0]
	super.Refuses(t, "DELETE", "/super-admin/node/"+main.ID.String(), nil, 409, "")
	super.Refuses(t, "DELETE", "/super-admin/node/"+api.NewID().String(), nil, 404, "")

	address := testkit.Database(t, stack, "main", database+"_west")
	west := testkit.Post[node.Node](t, super, createPath, map[string]any{"name": "west", "url": address})
	app.NewSchoolAs(t, lifecycle.NewSchool{Node: "west"})
	super.Refuses(t, "DELETE", "/super-admin/node/"+west.ID.String(), nil, 409, "")

	empty := testkit.Post[node.Node](t, super, createPath,
		map[string]any{"name": "east", "url": testkit.Database(t, stack, "main", database+"_east")})
	if gone := super.Call(t, "DELETE", "/super-admin/node/"+empty.ID.String(), nil); gone.Status != 204 {
		t.Fatalf("striking an empty node off: %d %s", gone.Status, gone.Body)
	}
	if left := testkit.Get[api.Page[node.Node]](t, super, listPath); left.Total != 2 {
		t.Errorf("%d nodes are left, want main and west", left.Total)
	}
}

func TestStandby_ServerThatIsNone_IsRefusedByName(t *testing.T) {
	t.Parallel()
	stack := testkit.Stack(t)
	app := testkit.StartOn(t, stack, "nodes_"+uuid.NewString()[:8])
	super := app.SuperAdmin(t)
	main := testkit.Get[api.Page[node.Node]](t, super, listPath).Items[0]
	for what, address := range map[string]string{"the node itself": stack.PostgresURL("main"), "nobody": "postgres://127.0.0.1:1/none",
		"no address": "db2", "two servers": "postgres://127.0.0.1:1,127.0.0.1:2/none"} {
		refused := super.Refuses(t, "PUT", "/super-admin/node/"+main.ID.String()+"/standby", map[string]any{"url": address}, 422, "")
		if len(refused.Details) != 1 || refused.Details[0].Field != "url" {
			t.Errorf("%s: %+v", what, refused)
		}
	}
	if got := testkit.Get[api.Page[node.Node]](t, super, listPath).Items[0]; got.StandbyReads != "OFF" || got.StandbyURL != "" {
		t.Errorf("a standby that was refused is kept: %+v", got)
	}
}

func TestPlatform_ServerBecomesReadOnly_WritesAreToldToComeBack(t *testing.T) {
	t.Parallel()
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"}, Redis: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	app := testkit.StartOn(t, stack, "platform")
	super := app.SuperAdmin(t)
	activate := "/super-admin/node/" + testkit.Get[api.Page[node.Node]](t, super, listPath).Items[0].ID.String() + "/activate"
	testkit.Post[node.Node](t, super, activate, nil)

	// Connections that are open become read-only, as when a managed server is demoted in its place.
	configure(t, stack, `alter system set default_transaction_read_only = on`)
	wait.Eventually(t, "a write is told to come back", func() bool { return super.Call(t, "POST", activate, nil).Status == 503 })
	if a := super.Call(t, "POST", activate, nil); a.Status != 503 {
		t.Errorf("the next write is answered %d %s", a.Status, a.Body)
	}
	configure(t, stack, `alter system reset default_transaction_read_only`)
	wait.Eventually(t, "writes are taken again", func() bool { return super.Call(t, "POST", activate, nil).Status == 200 })
}

func configure(t *testing.T, stack *localstack.Stack, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), stack.PostgresURL("main"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, statement := range []string{"set default_transaction_read_only = off", sql, "select pg_reload_conf()"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
