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
	"gorm.io/gorm"

	"homeroom/api"
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
	childNow       = "NOTIFICATION_TEST_NOW"       // the moment its clock begins at, if it is another; nobody asks it for notices then
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
		if now, err := time.Parse(time.RFC3339, os.Getenv(childNow)); err == nil {
			began := time.Now()
			o.Clock = func() time.Time { return now.Add(time.Since(began)) }
		}
	})
	if os.Getenv(childNow) != "" {
		select {}
	}
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

// What waited through the quiet hours is one message to each in the morning, also if processes are killed while they make it and
// while they send it.
func TestMorningMessage_ProcessKilledAmidIt_ReachesEachOnce(t *testing.T) {
	t.Parallel()
	const families = 60
	database, namespace := testkit.DatabaseName()+"_morning_kill", "morning_"+uuid.NewString()[:8]
	night := &clock{now: time.Now()}
	late := &provider{}
	app := testkit.StartOn(t, testkit.Stack(t), database, labRows, func(_ *config.Config, o *service.Options) {
		o.Namespace, o.Clock = namespace, night.Now
		o.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: late, delivery.SMS: late}
	})
	school := app.NewSchool(t)
	night.at(school, 22, 30)
	o := newOffice(t, school)
	o.QuietHours(t, "21:00", "07:00")
	o.rule(t, "ATTENDANCE", []string{"PUSH", "SMS"}, "waitMinutes", 60) // no push is given up while processes die
	o.families(t, families)
	var children []uuid.UUID
	if err := o.DB(t).Raw(`select id from student`).Scan(&children).Error; err != nil {
		t.Fatal(err)
	}
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-absent", map[string]any{"studentIds": children})
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-register", map[string]any{"studentIds": children})
	testkit.Eventually(t, "two things wait for each", func() bool { return o.Count(t, "digest_entry", "true") == 2*families })

	// The first is killed while the messages are made: a line of the log is held, for which it waits after its entries were taken.
	at := night.Now().Add(8*time.Hour + 31*time.Minute)
	env := func() []string {
		at = at.Add(2 * time.Minute) // what a dead process had claimed is free by then
		return []string{childDatabase + "=" + database, childNamespace + "=" + namespace, childNow + "=" + at.Format(time.RFC3339)}
	}
	free := func() bool { // nobody has taken an entry
		var n int
		err := o.DB(t).Raw(`select count(*) from (select from digest_entry for update skip locked) e`).Scan(&n).Error
		return err == nil && n == 2*families
	}
	err := o.DB(t).Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(`select from notification where dedupe_key like 'absent/%' for update`).Error; err != nil {
			return err
		}
		first := exec.Command(os.Args[0])
		first.Env, first.Stderr = append(os.Environ(), env()...), os.Stderr
		if err := first.Start(); err != nil {
			return err
		}
		testkit.Eventually(t, "it makes the messages", func() bool { return !free() })
		_ = first.Process.Kill()
		_ = first.Wait()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "what it took is given back", free)
	if n := o.Count(t, "delivery", "user_id is not null"); n != 0 {
		t.Fatalf("killed amid making them: %d messages, want none", n)
	}

	// The others are killed while they send.
	told := map[string]int{}
	for range kills() - 1 {
		for _, word := range runAndKill(t, env(), 1+rand.IntN(families/kills())) {
			what, id, _ := strings.Cut(word, " ")
			if school, id, _ := strings.Cut(id, "/"); what == "sent" && school == o.ID.String() {
				told[id]++
			}
		}
	}
	at = at.Add(2 * time.Minute)
	night.turn(at.Sub(night.Now()))
	testkit.Eventually(t, "nothing waits", func() bool {
		return o.Count(t, "delivery", "state = 'QUEUED'") == 0 && o.Count(t, "digest_entry", "true") == 0 &&
			o.Count(t, "delivery", "user_id is not null") >= families
	})
	for _, m := range late.got(o.ID) {
		told[m.ID.String()]++
	}
	var ids []string
	if err := o.DB(t).Raw(`select id::text from delivery where user_id is not null and cardinality(log_keys) = 2`).Scan(&ids).Error; err != nil {
		t.Fatal(err)
	}
	if people := o.Count(t, "delivery", "user_id is not null"); len(ids) != families || people != families {
		t.Errorf("%d messages to people, %d of them tell both things; want one to each of %d", people, len(ids), families)
	}
	missing, twice := 0, 0
	for _, id := range ids {
		if told[id] == 0 {
			missing++
		}
		twice += max(0, told[id]-1)
	}
	t.Logf("%d messages, %d of them twice", len(ids), twice)
	if most := (kills() - 1) * 32 * 4; missing > 0 || twice > most {
		t.Errorf("%d messages did not reach a provider, and %d did twice, of %d at most", missing, twice, most)
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
