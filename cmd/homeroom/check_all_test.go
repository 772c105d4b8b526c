package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func TestMigrate_CheckAll_NamesStraysAndSchoolsOnTwoNodes(t *testing.T) {
	t.Parallel()
	env := production(t)
	north := testkit.Database(t, testkit.Stack(t), "main", "verbs_"+strings.ReplaceAll(uuid.NewString(), "-", "")[:12])
	env = append(env, "NORTH="+north)
	mustRun(t, env, "", "migrate")
	c, err := tenancy.Open(t.Context(), tenancy.Options{PlatformURL: setting(env, "DATABASE_URL"), MainURL: setting(env, "HOMEROOM_NODE_URL"),
		Secret: []byte(setting(env, "HOMEROOM_SECRET")), Shards: 2, RolePerSchool: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := lifecycle.AddNode(t.Context(), c, "north", north, ""); err != nil {
		t.Fatal(err)
	}
	ids, schemas := map[string]string{}, map[string]string{}
	for _, code := range []string{"twice", "copied"} {
		said := mustRun(t, env, "", "school", "create", code, strings.ToUpper(code), "--node", "main")
		ids[code] = find(t, said, `School `+code+` is ready: (\S+)`)
		schemas[code] = platform[string](t, env, `select schema_name from platform.school where id = $1`, ids[code])
	}
	empty := "school_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	for _, schema := range []string{schemas["twice"], schemas["copied"], empty} {
		execute(t, env, "NORTH", "create schema "+schema)
	}
	execute(t, env, "NORTH", fmt.Sprintf(`insert into homeroom.schema_label (schema_name, state, school_id)
		values ('%s', 'SCHOOL', '%s'), ('%s', 'COPY', '%s')`, schemas["twice"], ids["twice"], schemas["copied"], ids["copied"]))

	code, said, complaint := run(t, env, "", "migrate", "--check-all")
	if code != 1 {
		t.Errorf("with a school on two nodes the check ends with %d, want 1", code)
	}
	strays := []string{
		"stray: schema " + schemas["copied"] + " on node north: it is an old copy of school copied, which lives on node main",
		"stray: schema " + empty + " on node north: it is a schema without a label that the platform does not know",
	}
	elsewhere := "elsewhere: school twice (" + ids["twice"] +
		") on node north: it lives here by the node's label, and on node main by the platform's record"
	for _, line := range append(strays, elsewhere) {
		must(t, "the check", said, line+"\n")
	}
	must(t, "its end", complaint, "do not agree on 1 school")

	// Strays are nobody's: they are named, and nothing is wrong.
	execute(t, env, "NORTH", "drop schema "+schemas["twice"]+" cascade")
	said = mustRun(t, env, "", "migrate", "--check-all")
	for _, line := range strays {
		must(t, "the check of strays alone", said, line+"\n")
	}
	if strings.Contains(said, "elsewhere") {
		t.Errorf("the school on one node is still said to be on two:\n%s", said)
	}
}
