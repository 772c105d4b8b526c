package fee_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/testkit"
)

// receive sends a payment as a clerk does who has confirmed nothing.
func receive(student uuid.UUID, amount int64) map[string]any {
	return map[string]any{"studentId": student, "amount": amount, "paymentMode": "CASH"}
}

func TestPayment_RepeatedWithinAMinute_AsksForConfirmation(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	const path = "/school-admin/fee/collection/record"
	first := testkit.Post[fee.Collection](t, o.clerk, path, receive(asha, 700))
	o.clerk.Refuses(t, "POST", path, receive(asha, 700), 409, "REPEATED_PAYMENT")
	a := o.clerk.Call(t, "POST", path, receive(asha, 700))
	var said struct{ Data fee.RepeatedPayment }
	if err := json.Unmarshal(a.Body, &said); err != nil {
		t.Fatal(err)
	}
	if said.Data.ReceiptID != first.ID || said.Data.ReceiptNumber != first.ReceiptNumber {
		t.Errorf("it names %+v, want receipt %s", said.Data, first.ReceiptNumber)
	}
	if n := o.Count(t, "fee_receipt", "true"); n != 1 {
		t.Errorf("%d receipts before it is confirmed, want 1", n)
	}
	again := receive(asha, 700)
	again["confirmRepeat"] = true
	if second := testkit.Post[fee.Collection](t, o.clerk, path, again); second.ID == first.ID || second.Balance != -1_400 {
		t.Errorf("confirmed: %+v, want a second receipt", second)
	}
	o.sound(t)
}

func TestPayment_UnlikeTheLast_IsReceivedWithoutAQuestion(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	const path = "/school-admin/fee/collection/record"
	testkit.Post[fee.Collection](t, o.clerk, path, receive(asha, 700))
	testkit.Post[fee.Collection](t, o.clerk, path, receive(asha, 701))
	testkit.Post[fee.Collection](t, o.clerk, path, receive(ravi, 700))
	wrong := testkit.Post[fee.Collection](t, o.As(t, api.SchoolAdmin), path, receive(asha, 700)) // another clerk
	o.reverse(t, wrong.ID)
	theirs := testkit.Post[fee.Collection](t, o.clerk, path, receive(ravi, 900))
	o.reverse(t, theirs.ID) // a mistake that was taken back is no first time
	testkit.Post[fee.Collection](t, o.clerk, path, receive(ravi, 900))
	o.sound(t)
}
