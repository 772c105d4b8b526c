package events_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/events"
	"homeroom/testkit/wait"
)

// partEnv names what this test binary does when a test starts it as a process to kill.
const partEnv = "EVENTS_TEST_PART"

func TestMain(m *testing.M) {
	if part := os.Getenv(partEnv); part != "" {
		playPart(part)
	}
	os.Exit(m.Run())
}

// playPart commits facts (or hangs while publishing them), prints that, and waits to be
// killed.
func playPart(part string) {
	t := &testing.B{} // must needs one; its Fatal ends this goroutine
	id := uuid.MustParse(os.Getenv("EVENTS_TEST_SCHOOL"))
	db, err := open(os.Getenv("EVENTS_TEST_DATABASE"))
	must(t, err)
	f := &fleet{t: t, db: db, namespace: os.Getenv("EVENTS_TEST_NAMESPACE"), schools: []uuid.UUID{id}}
	o, err := redis.ParseURL(os.Getenv("EVENTS_TEST_REDIS"))
	must(t, err)
	o.ContextTimeoutEnabled = true
	bus := busWith(func(_ context.Context, h events.Heard) error {
		fmt.Println("publishing", h.ID)
		select {}
	})
	r := events.NewRelay(events.Options{Redis: redis.NewClient(o), Schools: f, Bus: bus, Namespace: f.namespace})
	if part == "storm" {
		bus = busWith(insertHeardOnce)
		r = events.NewRelay(events.Options{Redis: redis.NewClient(o), Schools: f, Bus: bus, Namespace: f.namespace})
		go func() { _ = r.Run(context.Background()) }()
		for range 4 {
			go func() {
				for n := 0; ; n++ {
					fmt.Printf("acknowledged %s\n", f.write(r, id, time.Now(), fact(n))[0])
				}
			}()
		}
		select {}
	}
	if part != "write without Redis" {
		f.leaseInRedis(r, redis.NewClient(o))
	}
	if part == "publish" {
		f.write(r, id, time.Now(), fact(1), fact(2))
		go func() { _ = r.Run(context.Background()) }()
		select {}
	}
	ids, commit := f.prepare(r, id, time.Now(), fact(1), fact(2))
	must(t, commit())
	fmt.Println("committed", ids[0])
	select {} // between commit and Wake
}

// leaseInRedis takes a lease until Redis has it: on a busy machine one that comes too late stays in the memory of the process.
func (f *fleet) leaseInRedis(r *events.Relay, client *redis.Client) {
	wait.Eventually(f.t, "Redis has the lease", func() bool {
		r.Lease(context.Background(), f.schools[0])
		members, err := client.ZRange(context.Background(), f.namespace+":outbox:pending", 0, -1).Result()
		return err == nil && slices.ContainsFunc(members, func(m string) bool { return strings.HasPrefix(m, f.schools[0].String()+"/") })
	})
}

// killAt starts a process, waits for its first line, and kills it with SIGKILL.
func (f *fleet) killAt(part, word, redisURL string) { f.killAfter(1, part, word, redisURL) }

// killAfter kills it after so many lines, and returns the ids it had printed by then.
func (f *fleet) killAfter(lines int, part, word, redisURL string) (ids []string) {
	f.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), partEnv+"="+part, "EVENTS_TEST_DATABASE="+f.url, "EVENTS_TEST_REDIS="+redisURL,
		"EVENTS_TEST_NAMESPACE="+f.namespace, "EVENTS_TEST_SCHOOL="+f.schools[0].String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(f.t, err)
	must(f.t, cmd.Start())
	output := bufio.NewScanner(out)
	for output.Scan() {
		what, id, _ := strings.Cut(output.Text(), " ")
		if what != word {
			f.t.Errorf("the process printed %q, want %s and an id", output.Text(), word)
		}
		if ids = append(ids, id); len(ids) == lines {
			must(f.t, cmd.Process.Kill()) // lines it prints until it is dead count too
		}
	}
	_ = cmd.Wait()
	if len(ids) < lines {
		f.t.Fatalf("the process ended after %d lines, want %d: %v", len(ids), lines, output.Err())
	}
	return ids
}

func TestRelay_ProcessKilledAtAnyMoment_LosesNoAcknowledgedFact(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	// Facts whose lease Redis did not store in time are found by a sweep.
	f.start(busWith(insertHeardOnce), func(o *events.Options) { o.SweepEvery = time.Second }).swept(f)
	s, err := stack()
	must(t, err)
	var acknowledged []string
	for range 8 {
		acknowledged = append(acknowledged, f.killAfter(1+rand.IntN(80), "storm", "acknowledged", s.RedisURL())...)
	}
	wait.Eventually(t, "every outbox is empty", func() bool { return f.waiting(f.schools[0]) == 0 })
	var heard int
	must(t, f.db.Raw("select count(*) from "+schema(f.schools[0])+".heard where fact::text in ?", acknowledged).Scan(&heard).Error)
	if heard != len(acknowledged) {
		t.Errorf("%d facts were acknowledged and %d heard", len(acknowledged), heard)
	}
}

func TestRelay_ProcessKilledAfterCommit_AnotherPublishes(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 1), newRecorder()
	f.start(busWith(rec.listen)).swept(f)
	s, err := stack()
	must(t, err)
	f.killAt("write", "committed", s.RedisURL())
	// Long before the next sweep.
	wait.Eventually(t, "the survivor publishes its facts", func() bool { return rec.count() == 2 })
	wait.Eventually(t, "the outbox is empty", func() bool { return f.waiting(f.schools[0]) == 0 })
}

func TestRelay_ProcessKilledWhilePublishing_AnotherPublishes(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 1), newRecorder()
	f.start(busWith(rec.listen)).swept(f)
	s, err := stack()
	must(t, err)
	f.killAt("publish", "publishing", s.RedisURL())
	wait.Eventually(t, "the survivor publishes its facts", func() bool { return rec.count() == 2 && f.waiting(f.schools[0]) == 0 })
}

func TestSweep_ProcessKilledWithoutRedis_FindsItsFacts(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 3), newRecorder()
	nowhere := "redis://127.0.0.1:1/0"
	f.killAt("write without Redis", "committed", nowhere)
	i := f.start(busWith(rec.listen)).swept(f) // a start sweeps
	wait.Eventually(t, "the next start publishes its facts", func() bool { return rec.count() == 2 })
	i.stop()

	f.start(busWith(rec.listen), func(o *events.Options) { o.SweepEvery = time.Second })
	f.killAt("write without Redis", "committed", nowhere)
	wait.Eventually(t, "the periodic sweep finds the other facts", func() bool { return rec.count() == 4 })
}
