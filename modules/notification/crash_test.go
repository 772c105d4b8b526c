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
	childPhoneless = "NOTIFICATION_TEST_NO_DEVICE" // a user whom no push reaches
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
	if m.To == "user_"+os.Getenv(childPhoneless) {
		return notice.NoDevice, nil
	}
	return m.ID.String(), nil
}

// beKilled is an instance that is asked for notices without end, by itself.
func beKilled(database string) {
	t := &testing.B{}
	app := testkit.StartOn(t, testkit.Stack(t), database, labRows, func(_ *config.Config, o *service.Options) {
		o.Namespace = os.Getenv(childNamespace)
		o.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: teller{}, delivery.SMS: teller{}}
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
		asha.ID.String(), childPhoneless + "=" + asha.Parents[1].UserID.String()}
	last.without(asha.Parents[1].UserID)
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"smsDailyLimit": 1000000})
	told, acknowledged := map[string]int{}, []string{}
	for range kills() {
		for _, word := range runAndKill(t, env, 1+rand.IntN(60)) {
			switch what, id, _ := strings.Cut(word, " "); what {
			case "sent": // what an earlier run left at its own school is sent too
				if school, id, _ := strings.Cut(id, "/"); school == o.ID.String() {
					told[id]++
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
		p.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: last, delivery.SMS: last}
	})
	// After many rounds there is much to do: what counts is that it becomes less, and ends.
	left := func() int {
		return o.Count(t, "delivery", "state = 'QUEUED'") + o.Count(t, "outbox", "kind in ?", []string{notice.Due, notice.Unanswered})
	}
	for before := left(); before > 0; before = left() {
		testkit.Eventually(t, fmt.Sprintf("fewer than %d are left", before), func() bool { return left() < before })
	}
	for _, m := range last.got(o.ID) {
		told[m.ID.String()]++
	}
	n := o.Count(t, "notice", "told_at is not null")
	if lost := len(acknowledged) - o.Count(t, "notice", "key in ?", acknowledged); lost != 0 || len(acknowledged) == 0 {
		t.Errorf("%d of %d acknowledged changes are lost", lost, len(acknowledged))
	}
	// A push to two parents and the child's topic; one parent has no device and gets an SMS.
	if lines, sent := o.Count(t, "notification", "true"), o.Count(t, "delivery", "state = 'SENT'"); lines != 2*n || sent != 4*n ||
		sent != o.Count(t, "delivery", "true") {
		t.Errorf("%d facts: %d lines for two parents, %d of %d deliveries", n, lines, sent, o.Count(t, "delivery", "true"))
	}
	texts := o.Count(t, "delivery", "channel = 'SMS' and user_id = ?", asha.Parents[1].UserID)
	if texts != n || o.Count(t, "delivery", "channel = 'SMS'") != n {
		t.Errorf("%d facts: %d SMS to who has no device, want one each and none to others", n, texts)
	}
	// What was on its way when a process died may come twice, with the same id: an SMS of each of its workers, and pushes, which
	// are written down by the batch.
	for channel, inHand := range map[delivery.Channel]int{delivery.SMS: 8, delivery.Push: 32 * 4} {
		var ids []string
		if err := o.DB(t).Raw(`select id::text from delivery where channel = ? and provider_id <> ?`, channel, notice.NoDevice).
			Scan(&ids).Error; err != nil {
			t.Fatal(err)
		}
		missing, twice := 0, 0
		for _, id := range ids {
			if told[id] == 0 {
				missing++
			}
			twice += max(0, told[id]-1)
		}
		t.Logf("%d by %s, %d of them twice", len(ids), channel, twice)
		if most := kills() * inHand; missing > 0 || twice > most || len(ids) < n {
			t.Errorf("of %d by %s %d did not reach a provider, and %d did twice, of %d at most", len(ids), channel, missing, twice, most)
		}
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
