package fee_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/fee"
	"homeroom/testkit"
)

const (
	roundsEnv = "FEE_TEST_ROUNDS" // how often it is killed; 2 unless set, 20 by make faults
	desks     = 200               // payments under way when it is
)

func TestMain(m *testing.M) { testkit.Main(m) }

// sentPayment is one that was sent, and what it was answered, if it was.
type sentPayment struct {
	key  string
	body map[string]any
	got  *fee.Collection
}

func TestAnInstanceKilledAmidPaymentsLosesAndDoublesNone(t *testing.T) {
	t.Parallel()
	rounds := 2
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
	app, kill := testkit.Killable(t)
	clerk := o.clerk.On(app)
	var mu sync.Mutex
	var all sync.WaitGroup
	done := 0
	for range desks {
		all.Go(func() {
			for {
				p := sentPayment{key: uuid.NewString(), body: map[string]any{"studentId": students[rand.IntN(len(students))], "amount": 1 +
					rand.IntN(500), "paymentMode": "CASH", "confirmRepeat": true}}
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
					go kill()
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	all.Wait()
	kill() // also where nobody was answered often enough
	return sent
}
