// Package clients_test runs the quick starts against a real instance.
package clients_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

const password = "a quick start needs one"

// school has 105 students and a bus: more than a page holds.
func school(t *testing.T) (address, email string) {
	t.Helper()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	err := s.DB(t).Exec(`insert into student (id, admission_number, first_name, last_name, admission_date)
		select gen_random_uuid(), 'Q' || n, 'Asha', 'Rao', current_date from generate_series(1, 105) n`).Error
	if err != nil {
		t.Fatal(err)
	}
	testkit.Post[struct{ ID uuid.UUID }](t, admin, "/school-admin/transport/bus/create", map[string]any{"busNumber": "8"})
	email = uuid.NewString() + "@quickstart.test"
	s.Add(t, testkit.Person{Role: api.SchoolAdmin, Email: email})
	if err := s.App.Service.Auth.EnsurePassword(t.Context(), email, password); err != nil {
		t.Fatal(err)
	}
	if list := testkit.Get[api.Page[roster.StudentItem]](t, admin, "/school-admin/student/list"); list.Total != 105 {
		t.Fatalf("the school has %d students", list.Total)
	}
	return s.App.URL, email
}

func TestQuickStart_Go_SignsInReadsAndWatches(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "quickstart")
	if out, err := exec.Command("go", "build", "-tags", "lean,nomsgpack", "-trimpath", "-o", program, "./go").CombinedOutput(); err != nil {
		t.Fatalf("building it: %v\n%s", err, out)
	}
	address, email := school(t)
	runs(t, func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, program, "-url", address, "-email", email, "-password", password)
	})
}

func TestQuickStart_TypeScript_CompilesAndSignsInReadsAndWatches(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Abs("../web/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Fatal("web's packages are not there: run scripts/web deps, or let `make test` do it")
	}
	address, email := school(t)
	folder := t.TempDir()
	copied(t, "typescript", folder, "quickstart.ts", "tsconfig.json", "package.json")
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	document := testkit.Shared(t).Nobody().Call(t, "GET", "/openapi.json", nil).Body
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][]string{{"openapi-typescript", "openapi.json", "-o", "schema.d.ts"}, {"tsc"}} {
		cmd := exec.Command(filepath.Join(modules, ".bin", step[0]), step[1:]...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step[0], err, out)
		}
	}
	runs(t, func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "node", "quickstart.js")
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "HOMEROOM_URL="+address, "HOMEROOM_EMAIL="+email, "HOMEROOM_PASSWORD="+password)
		return cmd
	})
}

// TestQuickStart_GeneratedGo_CompilesSignsInAndReads has oapi-codegen, in the version that the quick start's go.mod pins, make a
// client from the document: its program is an app developer's.
func TestQuickStart_GeneratedGo_CompilesSignsInAndReads(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	copied(t, "go-generated", folder, "go.mod", "go.sum", "oapi.yaml", "quickstart.go")
	document := fetch(t, testkit.Shared(t).URL+"/openapi.json")
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "homeroom"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][]string{{"generate", "."}, {"build", "-trimpath", "-o", "quickstart", "."}} {
		cmd := exec.Command("go", step...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", step[0], err, out)
		}
	}
	address, email := school(t)
	reads(t, exec.CommandContext(t.Context(), filepath.Join(folder, "quickstart"), "-url", address, "-email", email, "-password", password))
}

// TestQuickStart_Kotlin_CompilesSignsInAndReads has openapi-generator make a client of the calls that the quick start makes. What it
// makes is compiled as it is.
func TestQuickStart_Kotlin_CompilesSignsInAndReads(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Abs("kotlin/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Fatal("its packages are not there: run scripts/need java && scripts/packages clients/kotlin, or let `make test` do it")
	}
	folder := t.TempDir()
	copied(t, "kotlin", folder, "package.json", "calls.cjs", "quickstart.kt")
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	document := fetch(t, testkit.Shared(t).URL+"/openapi.json")
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	npm := func(step string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "npm", "run", "--silent", step)
		cmd.Dir = folder
		return cmd
	}
	for _, step := range []string{"calls", "generate", "compile"} {
		if out, err := npm(step).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step, err, out)
		}
	}
	address, email := school(t)
	start := npm("start")
	start.Env = append(os.Environ(), "HOMEROOM_URL="+address, "HOMEROOM_EMAIL="+email, "HOMEROOM_PASSWORD="+password)
	reads(t, start)
}

// reads runs a quick start that ends by itself.
func reads(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("running it: %v\n%s", err, out)
	}
	said := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		said[name] = value
	}
	readStudents(t, said, string(out))
}

// copied copies files of a quick start into a folder of the test's own.
func copied(t *testing.T, from, to string, files ...string) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(from, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, file), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// readStudents looks whether a quick start has read the school's students, by what it printed.
func readStudents(t *testing.T, said map[string]string, also string) {
	t.Helper()
	for name, want := range map[string]string{"students": "20 of 105", "first": "Asha Rao", "all": "105"} {
		if said[name] != want {
			t.Errorf("%s: %q, want %q (%s)", name, said[name], want, also)
		}
	}
}

// lint runs redocly's recommended rules on a document, as redocly lint does, and prints what is an error.
const lint = `
const { createConfig, lint } = require(process.argv[1] + "/@redocly/openapi-core");
createConfig({ extends: ["recommended"] }).then((config) => lint({ ref: process.argv[2], config })).then((found) => {
  for (const p of found) if (p.severity === "error") console.log(p.ruleId, p.message, p.location[0].pointer);
  console.log("read");
});`

func TestDocument_RedoclysRecommendedRules_FindNoError(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Abs("../web/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(document, fetch(t, testkit.Shared(t).URL+"/openapi.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", "-e", lint, modules, document).CombinedOutput()
	if err != nil || string(out) != "read\n" {
		t.Errorf("redocly: %v\n%s", err, out)
	}
}

// runs reads what a quick start prints until it has joined the bus's room, then ends it.
func runs(t *testing.T, start func(context.Context) *exec.Cmd) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	cmd := start(ctx)
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for lines := bufio.NewScanner(out); said["joined"] == "" && lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		said[name] = value
	}
	end()
	_ = cmd.Wait() // it was ended
	readStudents(t, said, failed.String())
	var answer []struct{ OK bool }
	if err := json.Unmarshal([]byte(said["joined"]), &answer); err != nil || len(answer) != 1 || !answer[0].OK {
		t.Errorf("joining the bus's room was answered %q (%s)", said["joined"], failed.String())
	}
}
