package events_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/events"
	"homeroom/testkit/wait"
)

// Some tests need a process to kill: this test binary once more, with a part to play.
const partEnv = "EVENTS_TEST_PART"

func TestMain(m *testing.M) {
	if part := os.Getenv(partEnv); part != "" {
		play(part)
	}
	os.Exit(m.Run())
}

// play commits facts (or waits in the middle of telling them), says so, and waits
// to be killed.
func play(part string) {
	t := &testing.B{} // only its Fatal, which nothing here survives
	id := uuid.MustParse(os.Getenv("EVENTS_TEST_SCHOOL"))
	db, err := open(os.Getenv("EVENTS_TEST_DATABASE"))
	must(t, err)
	f := &fleet{t: t, db: db, namespace: os.Getenv("EVENTS_TEST_NAMESPACE"), schools: []uuid.UUID{id}}
	o, err := redis.ParseURL(os.Getenv("EVENTS_TEST_REDIS"))
	must(t, err)
	o.ContextTimeoutEnabled = true
	bus := busWith(func(_ context.Context, h events.Heard) error {
		fmt.Println("telling", h.ID)
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
	if part == "tell" {
		go func() { _ = r.Run(context.Background()) }()
		f.write(r, id, time.Now(), fact(1), fact(2))
		select {}
	}
	ids, commit := f.prepare(r, id, time.Now(), fact(1), fact(2))
	must(t, commit())
	fmt.Println("committed", ids[0])
	select {} // between commit and Wake
}

// killAt starts a process, waits for its word, and kills it with SIGKILL.
func (f *fleet) killAt(part, word, redisURL string) { f.killAfter(1, part, word, redisURL) }

// killAfter kills it after so many words, and returns what it had said by then.
func (f *fleet) killAfter(lines int, part, word, redisURL string) (said []string) {
	f.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), partEnv+"="+part, "EVENTS_TEST_DATABASE="+f.url, "EVENTS_TEST_REDIS="+redisURL,
		"EVENTS_TEST_NAMESPACE="+f.namespace, "EVENTS_TEST_SCHOOL="+f.schools[0].String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(f.t, err)
	must(f.t, cmd.Start())
	words := bufio.NewScanner(out)
	for words.Scan() {
		what, id, _ := strings.Cut(words.Text(), " ")
		if what != word {
			f.t.Errorf("the process said %q", words.Text())
		}
		if said = append(said, id); len(said) == lines {
			must(f.t, cmd.Process.Kill()) // what it says until it is dead counts too
		}
	}
	_ = cmd.Wait()
	if len(said) < lines {
		f.t.Fatalf("the process ended after %d words: %v", len(said), words.Err())
	}
	return said
}

func TestProcessesKilledAtAnyMomentLoseNoAcknowledgedFact(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.start(busWith(insertHeardOnce)).swept(f)
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
		t.Errorf("%d facts were acknowledged and %d told", len(acknowledged), heard)
	}
}

func TestAProcessKilledBetweenCommitAndTellingLosesNothing(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 1), newEar()
	f.start(busWith(e.hear)).swept(f)
	s, err := stack()
	must(t, err)
	f.killAt("write", "committed", s.RedisURL())
	// Long before it would look at all schools.
	wait.Eventually(t, "the survivor tells its facts", func() bool { return e.count() == 2 })
	wait.Eventually(t, "they left the outbox", func() bool { return f.waiting(f.schools[0]) == 0 })
}

func TestAProcessKilledWhileTellingLosesNothing(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 1), newEar()
	f.start(busWith(e.hear)).swept(f)
	s, err := stack()
	must(t, err)
	f.killAt("tell", "telling", s.RedisURL())
	wait.Eventually(t, "the survivor tells its facts", func() bool { return e.count() == 2 && f.waiting(f.schools[0]) == 0 })
}

func TestAProcessKilledWhileRedisWasAwayIsFoundByASweep(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 3), newEar()
	nowhere := "redis://127.0.0.1:1/0"
	f.killAt("write", "committed", nowhere)
	i := f.start(busWith(e.hear)).swept(f) // a start sweeps
	wait.Eventually(t, "the next start tells its facts", func() bool { return e.count() == 2 })
	i.stop()

	f.start(busWith(e.hear), func(o *events.Options) { o.SweepEvery = time.Second })
	f.killAt("write", "committed", nowhere)
	wait.Eventually(t, "the periodic sweep finds the others", func() bool { return e.count() == 4 })
}
