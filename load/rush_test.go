//go:build load

package load

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"homeroom/config"
	"homeroom/fleet"
	"homeroom/localstack"
	"homeroom/testkit"
)

// fromEnv is a number of the environment's.
func fromEnv(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s: want a number, not %q", name, text)
	}
	return n
}

// stepUp is how much more each step asks for, in percent of the steady rate.
var stepUp = []int{150, 200, 300, 350, 400, 500, 600, 800, 1200}

// tries is how often a rate is asked for that was not held: the machine may have had
// something else to do.
const tries = 2

// TestTheMorningRushIsAnsweredByOneTwoAndThreeInstances is `make load`. It fails if
// anything is refused at the steady rate; how fast it was is for people to read.
func TestTheMorningRushIsAnsweredByOneTwoAndThreeInstances(t *testing.T) {
	schools := fromEnv(t, "HOMEROOM_LOAD_SCHOOLS", 200)
	rate := fromEnv(t, "HOMEROOM_LOAD_RATE", 100)
	seconds := fromEnv(t, "HOMEROOM_LOAD_SECONDS", 60)
	stepSeconds := fromEnv(t, "HOMEROOM_LOAD_STEP_SECONDS", 15)
	floodSeconds := fromEnv(t, "HOMEROOM_LOAD_FLOOD_SECONDS", 10)
	rounds := fromEnv(t, "HOMEROOM_LOAD_FLOODS", 12)
	climbs := fromEnv(t, "HOMEROOM_LOAD_CLIMBS", 3)
	if stepSeconds == 0 {
		climbs = 0
	}
	most := fromEnv(t, "HOMEROOM_LOAD_INSTANCES", 3)
	r := results{schools: schools, others: wanting()}

	stack, err := localstack.Start(context.Background(),
		localstack.Options{Dir: t.TempDir(), Postgres: []string{"main"}, Redis: true, MaxConnections: 300})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	secret := strings.Repeat("load", 12)
	ours := map[string]string{
		"DATABASE_URL": testkit.Database(t, stack, "main", "load"), "REDIS_URL": stack.RedisURL(), "HOMEROOM_SECRET": secret,
		"HOMEROOM_JWT_KEYS": "load:" + base64.StdEncoding.EncodeToString([]byte(secret)),
	}
	// As a new installation has them, but for sign-ins: everybody comes from this machine.
	env := []string{
		"HOMEROOM_SHARDS=16", "HOMEROOM_LIMIT_AUTH=1000000-M", "HOMEROOM_LIMIT_READ=100-M", "HOMEROOM_LIMIT_WRITE=30-M",
		"HOMEROOM_LIMIT_RIDE=300-M", "HOMEROOM_LOG=info",
	}
	for name, value := range ours {
		env = append(env, name+"="+value)
	}
	f := fleet.Start(t, fleet.Options{Instances: most, Stack: stack, Env: env})
	if os.Getenv("HOMEROOM_LOAD_STANDBY") != "" { // a second run, to compare Postgres's cores with
		readFromStandby(t, f, stack, ours["DATABASE_URL"])
	}
	ours["PORT"], ours["HOMEROOM_SPARES"] = "0", "0"
	c, err := config.Load(config.Local, ours)
	if err != nil {
		t.Fatal(err)
	}
	town := newTown(t, c, schools)
	users := filepath.Join(t.TempDir(), "users.json")
	h := &rush{url: f.URL(), users: users}
	for n := 1; n <= most; n++ {
		only(t, f, n)
		town.signIn(t, users)
		h.parts = theParts(t, c, f, n)
		h.run(t, n, 2*rate, seconds) // until every connection has met its schools, which costs it some milliseconds each
		r.steady = append(r.steady, h.run(t, n, rate, seconds))
		for _, percent := range stepUp {
			if stepSeconds == 0 {
				break
			}
			held := false
			for try := 0; try < tries && !held; try++ {
				step := h.run(t, n, rate*percent/100, stepSeconds)
				r.steps = append(r.steps, step)
				held = step.held()
			}
			if !held {
				break
			}
		}
	}
	if most > 1 && rounds > 0 {
		quiet(t, stack.PostgresURL("main"))
		alone := fleet.Start(t, fleet.Options{Instances: 1, Stack: stack, Env: env})
		many, one, signIn := side{f.URL(), most, theParts(t, c, f, most)}, side{alone.URL(), 1, theParts(t, c, alone, 1)},
			func() { town.signIn(t, users) }
		r.flood = sideBySide(t, h, rounds, floodSeconds, signIn, many, one)
		for i := range climbs {
			sides := []side{many, one}
			if i%2 == 1 {
				slices.Reverse(sides)
			}
			both := climb(t, h, 3*rate, max(1, rate/2), stepSeconds, signIn, sides...)
			if i%2 == 1 {
				slices.Reverse(both)
			}
			r.climbs = append(r.climbs, both)
		}
	}
	for _, x := range r.steady {
		if x.failed > heldFailed {
			t.Errorf("%s: %.2f %% failed at %d calls a second", plural(x.instances, "instance"), 100*x.failed, x.rate)
		}
	}
	write(t, r)
}

// readFromStandby has lists and reports answered by a standby, whose cores are told from those of the server it follows.
func readFromStandby(t *testing.T, f *fleet.Fleet, stack *localstack.Stack, primary string) {
	t.Helper()
	if err := stack.Follow(context.Background(), "main-standby", "main"); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(stack.PostgresURL("main-standby"))
	if err != nil {
		t.Fatal(err)
	}
	of, err := url.Parse(primary)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = of.Path
	standby = u.String()
	f.Run(t, "node", "standby", "main", standby)
}

// standby is the address of the standby that reads go to, if there is one.
var standby string

// only has n instances run, and the others not. Several on one machine share what one
// has for itself, as docs/operations/instances.md says.
func only(t *testing.T, f *fleet.Fleet, n int) {
	t.Helper()
	conns := 2
	if n > 1 {
		conns = 1
	}
	for _, i := range f.Instances {
		i.Stop(t)
		i.Set(fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/n)), fmt.Sprintf("HOMEROOM_SHARD_CONNS=%d", conns))
	}
	for _, i := range f.Instances[:n] {
		i.Start(t)
	}
}

// write puts the results where HOMEROOM_LOAD_OUT says, bench/ unless given.
func write(t *testing.T, r results) {
	t.Helper()
	text := r.text()
	t.Log("\n" + text)
	folder := os.Getenv("HOMEROOM_LOAD_OUT")
	if folder == "" {
		folder = "../bench"
	}
	for name, content := range map[string]string{"load.md": text, "load.svg": r.plot()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// theParts are the programs that run, k6 excepted.
func theParts(t *testing.T, c config.Config, f *fleet.Fleet, instances int) []part {
	t.Helper()
	ctx := context.Background()
	var parts []part
	for i, one := range f.Instances[:instances] {
		parts = append(parts, part{"instance " + strconv.Itoa(i+1), []int{one.PID()}})
	}
	postmaster := func(url string) int {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(ctx) }()
		var backend int
		if err := conn.QueryRow(ctx, `select pg_backend_pid()`).Scan(&backend); err != nil {
			t.Fatal(err)
		}
		return processes()[backend].parent
	}
	options, err := config.RedisOptions(c.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewUniversalClient(options)
	defer func() { _ = client.Close() }()
	said, err := client.Info(ctx, "server").Result()
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	if m := regexp.MustCompile(`process_id:(\d+)`).FindStringSubmatch(said); m != nil {
		pid, _ = strconv.Atoi(m[1])
	}
	parts = append(parts, part{"nginx", below("nginx")}, part{"Postgres", []int{postmaster(c.DatabaseURL)}}, part{"Redis", []int{pid}})
	if standby != "" {
		parts = append(parts, part{"Standby", []int{postmaster(standby)}})
	}
	return parts
}
