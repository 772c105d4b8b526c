package node_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/node"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

const (
	listPath   = "/super-admin/node/list"
	createPath = "/super-admin/node/create"
)

func TestNodesAreAddedListedAndShut(t *testing.T) {
	t.Parallel()
	stack := testkit.Stack(t)
	database := "nodes_" + uuid.NewString()[:8]
	app := testkit.StartOn(t, stack, database)
	super := app.SuperAdmin(t)
	address := testkit.Database(t, stack, "main", database+"_south")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()

	nodes := testkit.Get[api.Page[node.Node]](t, super, listPath)
	main := nodes.Items[0]
	if nodes.Total != 1 || main.Name != "main" || !main.Reachable || main.State != "ACTIVE" || main.WALLevel != "logical" ||
		main.MaxConnections == 0 || main.Connections == 0 {
		t.Fatalf("at first there is %+v", nodes)
	}
	super.Refuses(t, "POST", "/super-admin/node/"+main.ID.String()+"/drain", nil, 409, "")

	// What cannot be a node is told so, all at once, and is not one afterwards.
	bad := super.Refuses(t, "POST", createPath, map[string]any{"name": "North!", "url": "mysql://somewhere/x", "poolUrl": "nonsense"}, 422,
		"")
	if len(bad.Details) != 3 {
		t.Errorf("%+v", bad)
	}
	nobody := *u
	nobody.User = url.UserPassword(u.User.Username(), "not-"+password)
	for what, address := range map[string]string{"a wrong password": nobody.String(),
		"nobody there": "postgres://x:secret-word@127.0.0.1:1/none"} {
		refused := super.Refuses(t, "POST", createPath, map[string]any{"name": "south", "url": address}, 422, "")
		if len(refused.Details) != 1 || refused.Details[0].Field != "url" || strings.Contains(refused.Details[0].Message, "secret-word") {
			t.Errorf("%s: %+v", what, refused)
		}
	}

	made := super.Call(t, "POST", createPath, map[string]any{"name": "south", "url": address})
	if made.Status != 201 {
		t.Fatalf("%d %s", made.Status, made.Body)
	}
	again := testkit.Post[node.Node](t, super, createPath, map[string]any{"name": "south", "url": address}) // sets it up again
	if !again.Reachable || !strings.HasSuffix(again.Address, u.Host+"/"+database+"_south") {
		t.Errorf("made %+v", again)
	}
	super.Refuses(t, "POST", createPath, map[string]any{"name": "twin", "url": address}, 409, "DUPLICATE_ENTRY")
	super.Refuses(t, "POST", createPath, map[string]any{"name": "main", "url": address}, 409, "DUPLICATE_ENTRY")

	// New schools go where there are fewest.
	first := app.NewSchoolAs(t, lifecycle.NewSchool{Node: "main"})
	if second := app.NewSchool(t); second.Node != "south" {
		t.Errorf("with a school on %s, the next is on %s", first.Node, second.Node)
	}
	all := super.Call(t, "GET", listPath+"?sort[field]=name&sort[order]=desc", nil)
	south := testkit.Get[api.Page[node.Node]](t, super, listPath+"?sort[field]=name&sort[order]=desc").Items[0]
	if south.Name != "south" || south.Schools != 1 {
		t.Errorf("south is %+v", south)
	}
	details := testkit.Get[node.Details](t, super, "/super-admin/node/"+south.ID.String())
	if details.Name != "south" || len(details.Moves) != 0 {
		t.Errorf("south is %+v", details)
	}

	// A shut node takes nobody, whether asked for by name or not.
	if drained := testkit.Post[node.Node](t, super, "/super-admin/node/"+main.ID.String()+"/drain", nil); drained.State != "DRAINING" {
		t.Errorf("drained: %+v", drained)
	}
	super.Refuses(t, "POST", "/super-admin/node/"+south.ID.String()+"/drain", nil, 409, "")
	if third := app.NewSchool(t); third.Node != "south" {
		t.Errorf("a school was placed on %s", third.Node)
	}
	if open := testkit.Post[node.Node](t, super, "/super-admin/node/"+main.ID.String()+"/activate", nil); open.State != "ACTIVE" {
		t.Errorf("activated: %+v", open)
	}
	super.Refuses(t, "GET", "/super-admin/node/"+api.NewID().String(), nil, 404, "")
	super.Refuses(t, "POST", "/super-admin/node/"+api.NewID().String()+"/drain", nil, 404, "")

	// The password is in no answer, no log line and no book.
	var books string
	if err := app.Service.Cluster.PlatformPool().QueryRow(t.Context(),
		`select string_agg(coalesce(after::text, ''), ' ') from platform.audit_event where entity = 'node'`).Scan(&books); err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"an answer": string(made.Body) + string(all.Body), "the log": app.Log.String(),
		"the books": books} {
		if strings.Contains(text, password) || strings.Contains(text, "secret-word") {
			t.Errorf("%s has a password: %s", where, text)
		}
	}
	if !strings.Contains(books, "south") {
		t.Errorf("the books say %s", books)
	}
}
