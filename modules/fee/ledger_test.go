package fee_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/testkit"
)

func TestPostgresRefusesToChangeTheLedger(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	o.pay(t, asha, 100, "CASH")
	for _, table := range []string{"ledger_transaction", "ledger_entry", "fee_invoice", "fee_receipt", "fee_fine"} {
		column := map[string]string{"ledger_transaction": "narration = 'x'", "ledger_entry": "amount = 1", "fee_invoice": "name = 'x'",
			"fee_receipt": "amount = 1", "fee_fine": "amount = 1"}[table]
		for _, sql := range []string{"update " + table + " set " + column, "delete from " + table, "truncate " + table + " cascade"} {
			if err := o.DB(t).Exec(sql).Error; err == nil || !strings.Contains(err.Error(), "42501") {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	for _, sql := range []string{"update ledger_account set type = 'CASH'", "update ledger_account set student_id = null",
		fmt.Sprintf("delete from ledger_account where id = '%s'", asha)} {
		if err := o.DB(t).Exec(sql).Error; err == nil {
			t.Errorf("%s went through", sql)
		}
	}
	// The owner has the right and is refused by the trigger.
	node, err := o.App.Service.Cluster.Node(t.Context(), o.Node)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"update %s.ledger_entry set amount = 1", "delete from %s.ledger_transaction", "truncate %s.fee_receipt",
		// Erasure may change words, and nothing else.
		"select set_config('homeroom.erasing', 'yes', true); update %s.fee_receipt set amount = 1",
		"select set_config('homeroom.erasing', 'yes', true); update %s.ledger_transaction set value_date = '2020-01-01'",
		"select set_config('homeroom.erasing', 'yes', true); update %s.ledger_entry set amount = 1",
		"select set_config('homeroom.erasing', 'yes', true); delete from %s.fee_receipt"} {
		if _, err := node.Admin().Exec(t.Context(), fmt.Sprintf(sql, o.Schema)); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	o.sound(t)
}

func TestPostgresRefusesATransactionThatDoesNotBalance(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	paid := o.pay(t, asha, 100, "CASH")
	insert := `with t as (insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
		values (?, 'PAYMENT', current_date, 'x', ?, now()))
		insert into ledger_entry (transaction_id, line, account_id, entry_type, amount)
		values (?, 1, ?, 'CR', 100), (?, 2, '00000000-0000-4000-8000-000000000001', 'DR', ?)`
	post := func(amount int) error {
		id := api.NewID()
		return o.DB(t).Exec(insert, id, id.String(), id, asha, id, amount).Error
	}
	if err := post(99); err == nil || !strings.Contains(err.Error(), "does not balance") {
		t.Errorf("an unbalanced one: %v", err)
	}
	if err := post(100); err != nil {
		t.Errorf("a balanced one: %v", err)
	}
	err := o.DB(t).Exec(`insert into ledger_entry (transaction_id, line, account_id, entry_type, amount) values (?, 3, ?, 'CR', 5)`,
		paid.TransactionID, asha).Error
	if err == nil || !strings.Contains(err.Error(), "does not balance") {
		t.Errorf("an entry added later: %v", err)
	}
	if n := o.Count(t, "ledger_transaction", "true"); n != 2 {
		t.Errorf("%d transactions", n)
	}
	o.sound(t)
}

func TestAThousandPaymentsAtOnceAreAThousandReceipts(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	students := []uuid.UUID{o.admit(t, "Asha"), o.admit(t, "Ravi"), o.admit(t, "Zoe")}
	o.charge(t, 1)
	var all sync.WaitGroup
	for worker := range 40 {
		all.Go(func() {
			for i := range 25 {
				o.pay(t, students[(worker+i)%len(students)], int64(1+i), "CASH")
			}
		})
	}
	all.Wait()
	var sum int64
	for _, s := range students {
		sum += o.report(t, s).Balance
	}
	if n := o.Count(t, "fee_receipt", "true"); n != 1_000 || sum != 3*term1-40*25*26/2 {
		t.Errorf("%d receipts, a balance of %d", n, sum)
	}
	o.sound(t)
}

// Who pays first opens the student's account; nobody who comes at the same moment is
// told that it exists.
func TestTheFirstPaymentsOfAStudentAreAllTakenWhenTheyComeAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 20 {
		student := o.admit(t, fmt.Sprint("Child ", i))
		start := make(chan struct{})
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				<-start
				o.pay(t, student, 100, "CASH")
			})
		}
		close(start)
		all.Wait()
		if r := o.report(t, student); r.Balance != -1_200 {
			t.Fatalf("twelve payments of 100 leave a balance of %d", r.Balance)
		}
	}
	o.sound(t)
}

// TestWhateverHappensAtOnceTheLedgerIsSound does everything at random from 32 sides.
func TestWhateverHappensAtOnceTheLedgerIsSound(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var students []uuid.UUID
	for i := range 6 {
		students = append(students, o.admit(t, fmt.Sprint("Child ", i)))
	}
	var mu sync.Mutex
	var receipts []uuid.UUID
	paid, reversed := map[uuid.UUID]int64{}, map[uuid.UUID]bool{}
	var all sync.WaitGroup
	for worker := range 32 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 7))
			for range 12 {
				who := students[random.IntN(len(students))]
				switch random.IntN(6) {
				case 0:
					o.charge(t, 1+random.IntN(2))
				case 1:
					o.charge(t, 1+random.IntN(2), who)
				case 2, 3:
					amount := 1 + random.Int64N(4_000)
					got := o.pay(t, who, amount, []string{"CASH", "CHEQUE", "UPI"}[random.IntN(3)])
					mu.Lock()
					receipts, paid[got.ID] = append(receipts, got.ID), amount
					mu.Unlock()
				case 4:
					testkit.Post[charging.GrantedConcession](t, o.clerk, "/school-admin/fee/concession",
						map[string]any{"studentId": who, "mode": []string{"PERCENT", "AMOUNT"}[random.IntN(2)], "value": 1 + random.IntN(60),
							"category": "SIBLING", "reason": "Sibling"})
				case 5:
					mu.Lock()
					var pick uuid.UUID
					if len(receipts) > 0 {
						pick = receipts[random.IntN(len(receipts))]
					}
					mu.Unlock()
					a := o.clerk.Call(t, "POST", "/school-admin/fee/collection/"+pick.String()+"/reverse", map[string]any{"reason": "Bounced"})
					mu.Lock()
					switch {
					case a.Status == 200 && !reversed[pick]:
						reversed[pick] = true
					case a.Status == 200:
						t.Errorf("receipt %s was reversed twice", pick)
					case a.Status != 409 && a.Status != 404:
						t.Errorf("reversal: %d %s", a.Status, a.Body)
					}
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	o.sound(t)
	var money int64
	for id, amount := range paid {
		if !reversed[id] {
			money += amount
		}
	}
	var got int64
	if err := o.DB(t).Raw(`select sum(case entry_type when 'DR' then amount else -amount end) from ledger_entry e
		join ledger_account a on a.id = e.account_id where a.type in ('CASH', 'BANK')`).Scan(&got).Error; err != nil {
		t.Fatal(err)
	}
	if got != money || o.Count(t, "fee_receipt", "true") != len(paid) {
		t.Errorf("%d in the drawer, %d was acknowledged", got, money)
	}
	var total int64
	for _, s := range students {
		r := o.report(t, s)
		var sum, open int64
		for _, e := range r.Entries {
			if e.EntryType == "DR" {
				sum += e.Amount
			} else {
				sum -= e.Amount
			}
			if e.Balance != sum {
				t.Fatalf("a running balance of %d, the sum is %d", e.Balance, sum)
			}
		}
		for _, i := range r.Invoices {
			open += i.Open
			if i.Open < 0 || i.Paid < 0 || i.Concession < 0 || i.Charged-i.Concession != i.Paid+i.Open {
				t.Errorf("invoice %+v", i)
			}
		}
		if r.Balance != sum || r.Advance < 0 || open-r.Advance != r.Balance {
			t.Errorf("balance %d, sum %d, open %d, advance %d", r.Balance, sum, open, r.Advance)
		}
		total += max(0, r.Balance)
	}
	if d := testkit.Get[fee.Dues](t, o.clerk, "/school-admin/fee/dues"); d.Ageing.Total != total {
		t.Errorf("dues of %d, the reports say %d", d.Ageing.Total, total)
	}
}
