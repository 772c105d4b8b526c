package fee_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/fee"
	"homeroom/testkit"
)

// The crash test needs an instance to kill: this test binary once more, as a server.
const (
	instanceEnv = "FEE_TEST_INSTANCE"
	roundsEnv   = "FEE_TEST_ROUNDS" // how often it is killed; 3 unless set, 20 by make faults
	desks       = 200               // payments under way when it is
)

func TestMain(m *testing.M) {
	if os.Getenv(instanceEnv) != "" {
		app := testkit.Start(alone{})
		fmt.Println(app.URL)
		_, _ = io.Copy(io.Discard, os.Stdin) // closed when the test is gone, however it went
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// alone stands for the test in a process that has none: what is fatal ends it, and says why.
type alone struct{ testing.TB }

func (alone) Helper()        {}
func (alone) Cleanup(func()) {}
func (alone) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(3)
}

// instance starts another instance of the service, on the same databases.
func instance(t *testing.T) (*testkit.App, *exec.Cmd) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), instanceEnv+"=1")
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the instance did not start: %v", lines.Err())
	}
	return &testkit.App{URL: lines.Text()}, cmd
}

// sentPayment is one that was sent, and what it was answered, if it was.
type sentPayment struct {
	key  string
	body map[string]any
	got  *fee.Collection
}

func TestAnInstanceKilledAmidPaymentsLosesAndDoublesNone(t *testing.T) {
	t.Parallel()
	rounds := 3
	if n, err := strconv.Atoi(os.Getenv(roundsEnv)); err == nil {
		rounds = n
	}
	o := newOffice(t)
	students := []uuid.UUID{o.admit(t, "Asha"), o.admit(t, "Ravi"), o.admit(t, "Zoe")}
	o.charge(t, 1)
	var sent []sentPayment
	for range rounds {
		sent = append(sent, o.payUntilKilled(t, students, 5+rand.IntN(60))...)
	}
	acknowledged := 0
	for _, p := range sent {
		// Who got no answer asks again with the same key: it is done once, then or now.
		a := o.clerk.With("Idempotency-Key", p.key).Call(t, "POST", "/school-admin/fee/collection/record", p.body)
		var now fee.Collection
		a.Read(t, &now)
		if a.Status != 201 || (p.got != nil && now.ID != p.got.ID) {
			t.Errorf("asked again: %d %s, it was answered %+v", a.Status, a.Body, p.got)
		}
		if p.got != nil {
			acknowledged++
			if n := o.Count(t, "fee_receipt", "id = ? and amount = ?", p.got.ID, p.body["amount"]); n != 1 {
				t.Errorf("receipt %s is there %d times", p.got.ReceiptNumber, n)
			}
		}
	}
	if n := o.Count(t, "fee_receipt", "true"); n != len(sent) || acknowledged == 0 {
		t.Errorf("%d receipts for %d payments, %d acknowledged", n, len(sent), acknowledged)
	}
	o.sound(t)
}

// payUntilKilled pays from all desks at once until so many are acknowledged, when the instance
// is killed with SIGKILL in the middle of the others.
func (o *office) payUntilKilled(t *testing.T, students []uuid.UUID, lines int) (sent []sentPayment) {
	t.Helper()
	app, cmd := instance(t)
	clerk := o.clerk.On(app)
	var mu sync.Mutex
	var all sync.WaitGroup
	done := 0
	for range desks {
		all.Go(func() {
			for {
				p := sentPayment{key: uuid.NewString(), body: map[string]any{"studentId": students[rand.IntN(len(students))], "amount": 1 + rand.IntN(500), "paymentMode": "CASH"}}
				a, err := clerk.With("Idempotency-Key", p.key).TryCall("POST", "/school-admin/fee/collection/record", p.body)
				if err == nil {
					if a.Status != 201 {
						t.Errorf("%d %s", a.Status, a.Body)
					}
					p.got = new(fee.Collection)
					a.Read(t, p.got)
				}
				mu.Lock()
				sent = append(sent, p)
				if done++; done == lines {
					_ = cmd.Process.Kill()
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	all.Wait()
	_ = cmd.Process.Kill() // also where nobody was answered often enough
	_ = cmd.Wait()
	return sent
}
