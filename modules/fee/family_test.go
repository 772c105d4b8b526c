package fee_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/fee"
	"homeroom/testkit"
)

const familyPath = "/school-admin/fee/collection/family"

// siblings admits children who share a guardian.
func (o *office) siblings(t *testing.T, names ...string) (out []uuid.UUID) {
	t.Helper()
	phone := testkit.NewPhone()
	for _, name := range names {
		child := o.admit(t, name)
		testkit.Post[struct{ ID uuid.UUID }](t, o.clerk, "/school-admin/student/"+child.String()+"/guardians",
			map[string]any{"firstName": "Meera", "phone": phone, "relation": "MOTHER"})
		out = append(out, child)
	}
	return out
}

// paid are the students' parts of a payment for a family, in the order of the students.
func paid(f fee.FamilyCollection, students ...uuid.UUID) (out []int64) {
	for _, s := range students {
		var sum int64
		for _, r := range f.Receipts {
			if r.StudentID == s {
				sum += r.Amount
			}
		}
		out = append(out, sum)
	}
	return out
}

func TestFamilyPayment_SettlesTheOldestDuesOfAllFirst(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	kids := o.siblings(t, "Asha", "Ravi", "Zoe")
	o.owes(t, kids[0], 1_000, 5)
	o.owes(t, kids[1], 500, 40)
	o.owes(t, kids[1], 300, 2)
	got := testkit.Post[fee.FamilyCollection](t, o.clerk, familyPath,
		map[string]any{"studentId": kids[0], "amount": 1_600, "paymentMode": "CASH"})
	if want := []int64{1_000, 600, 0}; fmt.Sprint(paid(got, kids...)) != fmt.Sprint(want) {
		t.Errorf("they paid %v, want %v", paid(got, kids...), want)
	}
	if len(got.Receipts) != 2 || got.Receipts[0].Number+got.Receipts[1].Number != 3 {
		t.Errorf("receipts %+v, want numbers 1 and 2", got.Receipts)
	}
	for _, r := range got.Receipts {
		one := testkit.Get[fee.Receipt](t, o.clerk, "/school-admin/fee/receipt/"+r.ID.String())
		if one.FamilyPaymentID == nil || *one.FamilyPaymentID != got.ID {
			t.Errorf("receipt %s names the payment %v, want %s", r.ReceiptNumber, one.FamilyPaymentID, got.ID)
		}
	}
	// What is more than they owe stays with the child who was named.
	more := testkit.Post[fee.FamilyCollection](t, o.clerk, familyPath,
		map[string]any{"studentId": kids[2], "amount": 1_000, "paymentMode": "UPI"})
	if want := []int64{0, 200, 800}; fmt.Sprint(paid(more, kids...)) != fmt.Sprint(want) {
		t.Errorf("then they paid %v, want %v", paid(more, kids...), want)
	}
	if b := o.report(t, kids[2]).Balance; b != -800 {
		t.Errorf("a balance of %d, want -800", b)
	}
	o.sound(t)
}

func TestFamilyPayment_GivenShares_AreTaken(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	kids, stranger := o.siblings(t, "Asha", "Ravi"), o.admit(t, "Stranger")
	pay := func(amount, first, second int64, whose uuid.UUID) map[string]any {
		return map[string]any{"studentId": kids[0], "amount": amount, "paymentMode": "CASH", "shares": []any{
			map[string]any{"studentId": kids[0], "amount": first}, map[string]any{"studentId": whose, "amount": second}}}
	}
	o.clerk.Refuses(t, "POST", familyPath, pay(300, 100, 201, kids[1]), 422, "")
	o.clerk.Refuses(t, "POST", familyPath, pay(300, 100, 200, stranger), 422, "")
	o.clerk.Refuses(t, "POST", familyPath, pay(300, 100, 200, kids[0]), 422, "")
	o.clerk.Refuses(t, "POST", familyPath, map[string]any{"studentId": uuid.New(), "amount": 5, "paymentMode": "CASH"}, 404,
		"STUDENT_NOT_FOUND")
	if n := o.Count(t, "fee_receipt", "true"); n != 0 {
		t.Errorf("%d receipts, want none", n)
	}
	got := testkit.Post[fee.FamilyCollection](t, o.clerk, familyPath, pay(300, 100, 200, kids[1]))
	if want := []int64{100, 200}; fmt.Sprint(paid(got, kids...)) != fmt.Sprint(want) {
		t.Errorf("they paid %v, want %v", paid(got, kids...), want)
	}
	o.clerk.Refuses(t, "POST", familyPath, pay(300, 100, 200, kids[1]), 409, "REPEATED_PAYMENT")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/collection/record", receive(kids[1], 200), 409, "REPEATED_PAYMENT")
	o.sound(t)
}

func TestFamilyPayment_SentAgainWithItsKey_IsReceivedOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	kids := o.siblings(t, "Asha", "Ravi")
	o.charge(t, 1)
	once := o.clerk.With("Idempotency-Key", uuid.NewString())
	var all sync.WaitGroup
	answers := make([]testkit.Answer, 10)
	for i := range answers {
		all.Go(func() {
			answers[i] = once.Call(t, "POST", familyPath, map[string]any{"studentId": kids[0], "amount": 2 * term1, "paymentMode": "CASH"})
		})
	}
	all.Wait()
	for _, a := range answers {
		if a.Status != 201 || !bytes.Equal(a.Body, answers[0].Body) {
			t.Fatalf("%d %s, and %d %s", a.Status, a.Body, answers[0].Status, answers[0].Body)
		}
	}
	if n := o.Count(t, "fee_receipt", "true"); n != 2 {
		t.Errorf("%d receipts, want 2", n)
	}
	d := testkit.Get[fee.FamilyDues](t, o.clerk, "/school-admin/fee/family/"+kids[1].String())
	if len(d.Items) != 2 || d.Total != 0 {
		t.Errorf("the family owes %+v, want nothing for 2 children", d)
	}
	o.sound(t)
}

func TestFamilyPayments_FromBothSidesAtOnce_LeaveTheLedgerSound(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	kids := o.siblings(t, "Asha", "Ravi", "Zoe")
	o.charge(t, 1)
	var all sync.WaitGroup
	for worker := range 12 {
		all.Go(func() {
			testkit.Post[fee.FamilyCollection](t, o.clerk, familyPath, map[string]any{"studentId": kids[worker%3], "amount": 1_000 + worker,
				"paymentMode": "CASH", "confirmRepeat": true})
			o.pay(t, kids[(worker+1)%3], 100, "CASH")
		})
	}
	all.Wait()
	var sum int64
	for _, k := range kids {
		sum += o.report(t, k).Balance
	}
	if want := int64(3*term1 - 12*1_000 - 66 - 12*100); sum != want {
		t.Errorf("a balance of %d, want %d", sum, want)
	}
	o.sound(t)
}
