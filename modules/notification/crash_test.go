package notification_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/notice"
	"homeroom/testkit"
)

// Some tests need a process to kill: this test binary once more, as an instance that
// hears facts and sends what is queued, and says so on its standard output.
const (
	childDatabase  = "NOTIFICATION_TEST_DATABASE"
	childNamespace = "NOTIFICATION_TEST_NAMESPACE"
	childToken     = "NOTIFICATION_TEST_TOKEN"
	childStudent   = "NOTIFICATION_TEST_STUDENT"
	// moreRounds says how often the process is killed, where somebody has the time.
	moreRounds = "HOMEROOM_TEST_KILLS"
)

func TestMain(m *testing.M) {
	if database := os.Getenv(childDatabase); database != "" {
		beKilled(database)
	}
	os.Exit(m.Run())
}

// teller is a provider that takes its time, and says what it was given.
type teller struct{}

func (teller) Send(_ context.Context, m delivery.Message) (string, error) {
	fmt.Println("sent", m.SchoolID.String()+"/"+m.ID.String())
	time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond) // a provider takes a moment; killed in it, nothing is marked
	return m.ID.String(), nil
}

// beKilled is an instance that is asked for notices without end, by itself.
func beKilled(database string) {
	t := &testing.B{}
	app := testkit.StartOn(t, testkit.Stack(t), database, labRows, func(_ *config.Config, o *service.Options) {
		o.Namespace = os.Getenv(childNamespace)
		o.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: teller{}}
	})
	office := app.Nobody()
	office.Token = os.Getenv(childToken)
	for range 3 {
		go func() {
			for {
				key := uuid.NewString()
				a, err := office.TryCall("POST", "/school-admin/report/tell",
					map[string]any{"type": "TRANSPORT", "key": key, "studentId": os.Getenv(childStudent)})
				if err != nil || a.Status != 200 {
					fmt.Println("failed", a.Status, err, string(a.Body))
					return
				}
				fmt.Println("acknowledged", key)
			}
		}()
	}
	select {}
}

// kills is how often the process is killed in this run.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv(moreRounds)); err == nil && n > 0 {
		return n
	}
	return 4
}

func TestAProcessKilledAtAnyMomentOfDeliveryTellsEveryFactAndLogsItOnce(t *testing.T) {
	t.Parallel()
	database, namespace := testkit.DatabaseName()+"_tell_kill", "kill_"+uuid.NewString()[:8]
	last := &provider{}
	app := testkit.StartOn(t, testkit.Stack(t), database, func(_ *config.Config, o *service.Options) {
		// It makes the school, and hears nothing of the others' facts.
		o.Namespace, o.Drivers = namespace+"_elsewhere", map[delivery.Channel]delivery.Driver{delivery.Push: last}
	})
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	env := []string{childDatabase + "=" + database, childNamespace + "=" + namespace, childToken + "=" + o.admin.Token, childStudent + "=" +
		asha.ID.String()}
	told, acknowledged := map[string]bool{}, []string{}
	for range kills() {
		for _, word := range runAndKill(t, env, 1+rand.IntN(60)) {
			switch what, id, _ := strings.Cut(word, " "); what {
			case "sent": // what an earlier run left at its own school is sent too
				if school, id, _ := strings.Cut(id, "/"); school == o.ID.String() {
					told[id] = true
				}
			case "acknowledged":
				acknowledged = append(acknowledged, id)
			default:
				t.Errorf("the process said %q", word)
			}
		}
	}
	// What a dead process had claimed is free a minute later; this clock is there already.
	clock := &clock{now: time.Now().Add(2 * time.Minute)}
	testkit.StartOn(t, testkit.Stack(t), database, func(_ *config.Config, p *service.Options) {
		p.Namespace, p.Clock = namespace, clock.Now
		p.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: last}
	})
	// After many rounds there is much to do: what counts is that it becomes less, and ends.
	left := func() int {
		return o.Count(t, "delivery", "state = 'QUEUED'") + o.Count(t, "outbox", "kind = ?", notice.Due)
	}
	for before := left(); before > 0; before = left() {
		testkit.Eventually(t, fmt.Sprintf("fewer than %d are left", before), func() bool { return left() < before })
	}
	for _, m := range last.got(o.ID) {
		told[m.ID.String()] = true
	}
	n := o.Count(t, "notice", "told_at is not null")
	if lost := len(acknowledged) - o.Count(t, "notice", "key in ?", acknowledged); lost != 0 || len(acknowledged) == 0 {
		t.Errorf("%d of %d acknowledged changes are lost", lost, len(acknowledged))
	}
	if len(told) != 3*n || o.Count(t, "notification", "true") != 2*n ||
		o.Count(t, "delivery", "state = 'SENT'") != 3*n { // two parents, and the child's topic
		t.Errorf("%d facts: %d told, %d lines for two parents, %d deliveries", n, len(told), o.Count(t, "notification", "true"),
			o.Count(t, "delivery", "true"))
	}
}

// runAndKill starts an instance, kills it with SIGKILL after so many words, and
// returns what it had said by then.
func runAndKill(t *testing.T, env []string, words int) (said []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if said = append(said, lines.Text()); len(said) == words {
			_ = cmd.Process.Kill() // what it says until it is dead counts too
		}
	}
	_ = cmd.Wait()
	if len(said) < words {
		t.Fatalf("the process ended after %d words", len(said))
	}
	return said
}
