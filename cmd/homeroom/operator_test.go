package main

import (
	"encoding/base32"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/auth/factor"
	"homeroom/testkit"
)

func TestASuperAdminMadeOnTheCommandLineSignsIn(t *testing.T) {
	t.Parallel()
	env := production(t)
	if said := refuses(t, env, "too-short\n", "superadmin", "create", "ops@example.org"); !strings.Contains(said, "at least 12") {
		t.Errorf("a short password is refused with %q", said)
	}
	if said := refuses(t, env, "password1234\n", "superadmin", "create", "ops@example.org"); !strings.Contains(said, "common") {
		t.Errorf("a common password is refused with %q", said)
	}
	if said := refuses(t, env, "", "superadmin", "create", "ops@example.org"); !strings.Contains(said, "standard input") {
		t.Errorf("no password is refused with %q", said)
	}
	if said := refuses(t, env, "", "superadmin", "create", "not an address"); !strings.Contains(said, "not an e-mail address") {
		t.Errorf("a bad address is refused with %q", said)
	}
	const password = "tell-nobody-of-this"
	said := mustRun(t, env, password+"\n", "superadmin", "create", "Ops@example.org", "--name", "Operations")
	if strings.Contains(said, password) {
		t.Error("it shows the password")
	}
	if said := refuses(t, env, password+"\n", "superadmin", "create", "ops@example.org"); !strings.Contains(said, "already") {
		t.Errorf("the same one twice is refused with %q", said)
	}
	p, address, _ := startServe(t, env)
	token := enrolOperator(t, address, "ops@example.org", password)
	wants(t, 200, "GET", address+"/super-admin/school/list", token, nil)

	must(t, "the list", mustRun(t, env, "", "superadmin", "list"), "ops@example.org  ACTIVE  yes")
	if said := refuses(t, env, "", "superadmin", "disable", "ops@example.org"); !strings.Contains(said, "last active") {
		t.Errorf("disabling the only one is refused with %q", said)
	}
	if said := refuses(t, env, "", "superadmin", "disable", "nobody@example.org"); !strings.Contains(said, "no super-admin has") {
		t.Errorf("disabling nobody is refused with %q", said)
	}
	mustRun(t, env, "", "superadmin", "reset-factor", "ops@example.org")
	testkit.Eventually(t, "the session has ended with its factor", func() bool {
		status, _ := call(t, "GET", address+"/super-admin/school/list", token, nil)
		return status == 401
	})
	token = enrolOperator(t, address, "ops@example.org", password) // they begin anew
	mustRun(t, env, password+"\n", "superadmin", "create", "second@example.org")
	mustRun(t, env, "", "superadmin", "disable", "ops@example.org")
	testkit.Eventually(t, "a disabled operator is out", func() bool {
		status, _ := call(t, "GET", address+"/super-admin/school/list", token, nil)
		return status == 401
	})
	wants(t, 400, "POST", address+"/auth/login", "", map[string]string{"email": "ops@example.org", "password": password})
	mustRun(t, env, "", "superadmin", "enable", "ops@example.org")
	wants(t, 403, "POST", address+"/auth/login", "",
		map[string]string{"email": "ops@example.org", "password": password}) // the factor is asked for
	const anew = "forgotten-and-made-anew"
	mustRun(t, env, anew+"\n", "superadmin", "reset-password", "ops@example.org")
	wants(t, 400, "POST", address+"/auth/login", "", map[string]string{"email": "ops@example.org", "password": password})
	wants(t, 403, "POST", address+"/auth/login", "", map[string]string{"email": "ops@example.org", "password": anew})
	p.stop(t, syscall.SIGTERM)
}

// enrolOperator signs an operator in for the first time, which sets a second factor up.
func enrolOperator(t *testing.T, address, email, password string) (token string) {
	t.Helper()
	read := func(text []byte, into any) {
		t.Helper()
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	var asked struct {
		Error string
		Data  struct {
			Challenge string
			Enrol     bool
		}
	}
	read(wants(t, 403, "POST", address+"/auth/login", "", map[string]string{"email": email, "password": password}), &asked)
	if asked.Error != "SECOND_FACTOR_NEEDED" || !asked.Data.Enrol {
		t.Fatalf("the password alone is answered with %+v", asked)
	}
	var begun struct{ Data struct{ Secret string } }
	read(wants(t, 200, "POST", address+"/auth/second-factor/enrol", "", map[string]string{"challenge": asked.Data.Challenge}), &begun)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(begun.Data.Secret)
	if err != nil {
		t.Fatal(err)
	}
	var in struct{ AccessToken string }
	read(wants(t, 200, "POST", address+"/auth/second-factor/enrol/confirm", "",
		map[string]string{"challenge": asked.Data.Challenge, "code": factor.Code(secret, factor.StepAt(time.Now()))}), &in)
	return in.AccessToken
}

func TestASchoolIsMadeListedShutAndOpenedOnTheCommandLine(t *testing.T) {
	t.Parallel()
	env := production(t)
	if said := refuses(t, env, "", "school", "list"); !strings.Contains(said, "homeroom migrate") {
		t.Errorf("an empty database is refused with %q", said)
	}
	const password = "chalk-and-blackboard"
	said := mustRun(t, env, password+"\n", "school", "create", "hill-top", "Hill Top", "--time-zone", "Asia/Kolkata", "--currency", "INR",
		"--admin-email", "head@hill-top.example")
	for _, step := range []string{"reserve", "schema", "permissions", "administrator", "activate"} {
		if !strings.Contains(said, "done: "+step+"\n") {
			t.Errorf("it does not say that step %s is done:\n%s", step, said)
		}
	}
	id := find(t, said, `School hill-top is ready: (\S+)`)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"has the code hill-top", []string{"hill-top", "Another"}},
		{"letters, digits or dashes", []string{"hill top", "Hill Top"}},
		{"ISO 4217", []string{"other", "Other", "--currency", "rupees"}},
		{"time zone", []string{"other", "Other", "--time-zone", "Mars"}},
		{"no active database node", []string{"other", "Other", "--node", "nowhere"}},
	} {
		if said := refuses(t, env, password+"\n", append([]string{"school", "create"}, c.args...)...); !strings.Contains(said, c.says) {
			t.Errorf("%v is refused with %q, not with %q", c.args, said, c.says)
		}
	}

	p, address, _ := startServe(t, env)
	admin := signIn(t, address, "head@hill-top.example", password)
	wants(t, 200, "GET", address+"/school-admin/class/list", admin, nil)
	move := func(verb, state string, status int) {
		t.Helper()
		heard := testkit.WatchRedis(t, testkit.Stack(t).RedisURL())
		if said := mustRun(t, env, "", "school", verb, id); strings.TrimSpace(said) != "hill-top is "+state {
			t.Errorf("%s says %q", verb, said)
		}
		heard.Has(t, id) // it need not wait until what it remembers grows old
		testkit.Eventually(t, "after "+verb+" the service answers otherwise", func() bool {
			got, _ := call(t, "GET", address+"/school-admin/class/list", admin, nil)
			return got == status
		})
		if list := mustRun(t, env, "", "school", "list"); !strings.Contains(list, id+"  hill-top  "+state) {
			t.Errorf("after %s the list is\n%s", verb, list)
		}
	}
	move("suspend", "SUSPENDED", 403)
	move("activate", "ACTIVE", 200)
	if said := refuses(t, env, "", "school", "archive", id); !strings.Contains(said, "the school is ACTIVE: it cannot become ARCHIVED") {
		t.Errorf("archiving an open school is refused with %q", said)
	}
	move("suspend", "SUSPENDED", 403)
	move("archive", "ARCHIVED", 403)
	silent := slices.DeleteFunc(slices.Clone(env), func(s string) bool { return strings.HasPrefix(s, "REDIS_URL=") })
	mustRun(t, silent, "", "school", "create", "sea-side", "Sea Side")
	other := find(t, mustRun(t, env, "", "school", "list"), `(\S+)  sea-side`)
	if code, _, said := run(t, silent, "", "school", "suspend", other); code != 0 || !strings.Contains(said, "within 20 seconds") {
		t.Errorf("without Redis it ends with %d and says %q", code, said)
	}
	if said := refuses(t, env, "", "school", "suspend", "hill-top"); !strings.Contains(said, "homeroom school list") {
		t.Errorf("a code instead of an id is refused with %q", said)
	}
	if said := refuses(t, env, "", "school", "suspend", "01890000-0000-7000-8000-000000000000"); !strings.Contains(said, "no school has the id") {
		t.Errorf("an unknown id is refused with %q", said)
	}
	p.stop(t, syscall.SIGTERM)
	if booked := platform[int](t, env, `select count(*) from platform.audit_event where school_id = $1 and actor_role = 'COMMAND_LINE'`, id); booked != 5 {
		t.Errorf("of 5 changes %d are in the books", booked)
	}
}

func TestMigrateReportsWhatItDidAndWhoFailed(t *testing.T) {
	t.Parallel()
	env := production(t)
	if said := mustRun(t, env, "", "migrate"); !strings.Contains(said, "Nothing to do: every school is at version") {
		t.Errorf("on an empty database it says %q", said)
	}
	mustRun(t, env, "", "school", "create", "hill-top", "Hill Top")
	mustRun(t, env, "", "school", "create", "sea-side", "Sea Side")
	// The directory believes both to be behind; one of them is gone.
	schema := platform[string](t, env, `update platform.school set schema_version = 1 where code = 'sea-side' returning schema_name`)
	platform[string](t, env, `update platform.school set schema_version = 1 where code = 'hill-top' returning schema_name`)
	execute(t, env, "HOMEROOM_NODE_URL", fmt.Sprintf(`drop schema %q cascade`, schema))
	code, said, complaint := run(t, env, "", "migrate")
	if code != 1 || !strings.Contains(complaint, "some schools could not be migrated") {
		t.Errorf("it ended with %d and %q", code, complaint)
	}
	if !strings.Contains(said, "1 failed") || !strings.Contains(said, "failed: school sea-side on node main: ") ||
		strings.Contains(said, "hill-top") {
		t.Errorf("it reports\n%s", said)
	}
	if list := mustRun(t, env, "", "school", "list"); !strings.Contains(list, "migration failed: ") {
		t.Errorf("the list does not say who failed:\n%s", list)
	}
}

func TestThePoolersUsersCanSignIn(t *testing.T) {
	t.Parallel()
	env := production(t)
	mustRun(t, env, "", "migrate")
	lines := strings.Split(strings.TrimSpace(mustRun(t, env, "", "pool-users")), "\n")
	if len(lines) != 2 {
		t.Fatalf("of 2 shards it prints %q", lines)
	}
	for _, line := range lines {
		node, err := url.Parse(setting(env, "HOMEROOM_NODE_URL"))
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Split(line, `"`)
		node.User = url.UserPassword(fields[1], fields[3])
		if me := ask[string](t, []string{"NODE=" + node.String()}, "NODE", `select current_user`); me != fields[1] {
			t.Errorf("%s signs in as %s", fields[1], me)
		}
	}
}

func TestOperatorsCommandsNameWhatTheyMiss(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"migrate"}, {"school", "list"}, {"superadmin", "create", "a@example.org"}} {
		if said := refuses(t, environment(), "", args...); !strings.Contains(said, "DATABASE_URL is missing") {
			t.Errorf("%v: it says %q", args, said)
		}
		env := environment("DATABASE_URL=postgres://nobody@127.0.0.1:1/none")
		if said := refuses(t, env, "", args...); !strings.Contains(said, "HOMEROOM_SECRET is missing") {
			t.Errorf("%v: it says %q", args, said)
		}
	}
}

func setting(env []string, name string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// platform asks the platform's database.
func platform[T any](t *testing.T, env []string, sql string, args ...any) T {
	t.Helper()
	return ask[T](t, env, "DATABASE_URL", sql, args...)
}

func ask[T any](t *testing.T, env []string, server, sql string, args ...any) (answer T) {
	t.Helper()
	with(t, env, server, func(conn *pgx.Conn) error { return conn.QueryRow(t.Context(), sql, args...).Scan(&answer) })
	return answer
}

func execute(t *testing.T, env []string, server, sql string) {
	t.Helper()
	with(t, env, server, func(conn *pgx.Conn) error { _, err := conn.Exec(t.Context(), sql); return err })
}

func with(t *testing.T, env []string, server string, f func(*pgx.Conn) error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), setting(env, server))
	if err == nil {
		err = f(conn)
		_ = conn.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSchoolCreateAll_File_MakesAllOrNone makes HOMEROOM_MANY_SCHOOLS schools where that is set; 1,000 are to take less than
// 5 minutes on a machine with nothing else to do, which only such a number is held to.
func TestSchoolCreateAll_File_MakesAllOrNone(t *testing.T) {
	t.Parallel()
	env := production(t)
	file := filepath.Join(t.TempDir(), "schools.csv")
	write := func(lines ...string) {
		t.Helper()
		text := "name,code,timeZone,currency\n" + strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("One,one,Asia/Kolkata,INR", "", "Two,two,Mars/Crater,INR", "Three,one,UTC,USD")
	said := refuses(t, env, "", "school", "create-all", file)
	must(t, "a file with two faults", said, "row 4: --time-zone")
	must(t, "a file with two faults", said, "row 5: the code one stands in row 2 too")

	rows := []string{"One,one,Asia/Kolkata,INR", "Two,two,Africa/Nairobi,KES"}
	many, _ := strconv.Atoi(os.Getenv("HOMEROOM_MANY_SCHOOLS"))
	for n := len(rows); n < many; n++ {
		rows = append(rows, fmt.Sprintf("School %d,many-%d,Asia/Kolkata,INR", n, n))
	}
	write(rows...)
	began := time.Now()
	all := start(t, env, "", "school", "create-all", file)
	if many > 0 {
		<-all.ended // they take longer than what tests wait for
	}
	all.exit(t)
	took := time.Since(began)
	must(t, "all", all.stdout.String(), fmt.Sprintf("%d of %d schools are ready", len(rows), len(rows)))
	if most := time.Duration(many) * 5 * time.Minute / 1000; many >= 1000 && took > most {
		t.Errorf("%d schools took %v, want at most %v", many, took, most)
	}
	list := mustRun(t, env, "", "school", "list")
	for _, code := range []string{"one", "two"} {
		if !regexp.MustCompile(code + `\s+ACTIVE`).MatchString(list) {
			t.Errorf("%s is not ready:\n%s", code, list)
		}
	}
	invited := "name,code,timeZone,currency,adminFirstName,adminEmail\nThree,three,UTC,USD,Asha,asha@three.test\n"
	if err := os.WriteFile(file, []byte(invited), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "an invitation without a mail server", refuses(t, env, "", "school", "create-all", file), "HOMEROOM_SMTP_URL")
	write("Three,three,UTC,USD", "Two again,two,UTC,USD")
	must(t, "a code that is taken", refuses(t, env, "", "school", "create-all", file), "none was made")
	if strings.Contains(mustRun(t, env, "", "school", "list"), "three") {
		t.Error("a school was made beside one that could not be")
	}
}
