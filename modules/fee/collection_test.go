package fee_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/testkit"
)

func TestAPaymentSettlesTheOldestDuesAndTheRestIsForTheNextCharge(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	parent := o.parent(t, asha)
	o.charge(t, 1)
	first := o.pay(t, asha, 1_000, "CASH")
	if first.Number != 1 || first.ReceiptNumber != "2026-27/R-000001" || first.Balance != term1-1_000 || len(first.Allocations) != 1 ||
		first.Allocations[0].Amount != 1_000 || first.Advance != 0 {
		t.Errorf("first %+v", first)
	}
	if got := states(o.report(t, asha)); got != "Term 1 PARTIAL 5001; " {
		t.Error(got)
	}
	second := o.pay(t, asha, 7_001, "UPI")
	if second.Number != 2 || second.Balance != -2_000 || second.Allocations[0].Amount != 5_001 || second.Advance != 2_000 {
		t.Errorf("second %+v", second)
	}
	if r := o.report(t, asha); r.Balance != -2_000 || r.Advance != 2_000 || states(r) != "Term 1 PAID 0; " {
		t.Errorf("%+v", r)
	}
	o.charge(t, 2)
	if r := o.report(t, asha); r.Balance != term2-2_000 || states(r) != "Term 1 PAID 0; Term 2 PARTIAL 4000; " ||
		r.Invoices[1].Paid != 2_000 {
		t.Errorf("%+v", r)
	}
	o.sound(t)

	type log struct{ Title, Body, Type string }
	var told []log
	if err := o.DB(t).Raw(`select title, body, type from notification n join app_user u on u.id = n.user_id
		order by n.created_at`).Scan(&told).Error; err != nil {
		t.Fatal(err)
	}
	if len(told) != 4 || told[0].Title != "Fees charged" || !strings.Contains(told[0].Body, "₹60.01") ||
		told[1].Title != "Payment received" || !strings.Contains(told[2].Body, "Advance: ₹20.00") {
		t.Errorf("told %+v", told)
	}
	if n := o.Count(t, "notice_batch", "kind = 'FEE_CHARGE'"); n != 2 {
		t.Errorf("%d charges told somebody, want both", n)
	}
	if n := o.Count(t, "notice", "type <> 'FEE' or title ~ '[0-9]' or teaser ~ '[0-9]'"); n != 0 {
		t.Errorf("%d notices show an amount on a locked screen", n)
	}
	if r := testkit.Get[fee.Receipt](t, parent, "/parent/fee/receipt/"+second.ID.String()); r.Amount != 7_001 || r.Reversed ||
		r.StudentName != "Asha Rao" {
		t.Errorf("receipt %+v", r)
	}
}

func TestAReversedPaymentOpensAgainWhatItHadSettled(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	paid := o.pay(t, asha, 8_000, "CHEQUE")
	o.charge(t, 2)
	back := o.reverse(t, paid.ID)
	if back.Balance != term1+term2 || back.ReversesID != paid.TransactionID {
		t.Errorf("reversed %+v", back)
	}
	r := o.report(t, asha)
	if states(r) != "Term 1 UNPAID 6001; Term 2 UNPAID 6000; " || len(r.Entries) != 4 || r.Entries[3].Kind != "REVERSAL" ||
		!strings.Contains(r.Entries[3].Narration, "The cheque bounced") || *r.Entries[3].ReversesID != paid.TransactionID {
		t.Errorf("%+v", r)
	}
	if got := testkit.Get[fee.Receipt](t, o.clerk, "/school-admin/fee/receipt/"+paid.ID.String()); !got.Reversed || got.Amount != 8_000 {
		t.Errorf("receipt %+v", got)
	}
	o.clerk.Refuses(t, "POST", "/school-admin/fee/collection/"+paid.ID.String()+"/reverse", map[string]any{"reason": "Again"}, 409, "")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/collection/"+paid.ID.String()+"/reverse", map[string]any{}, 422, "")
	closing := testkit.Get[fee.Closing](t, o.clerk, "/school-admin/fee/collection")
	if len(closing.Days) != 1 || closing.Days[0].PaymentMode != "CHEQUE" || closing.Amount != 8_000 || closing.Total != 0 ||
		closing.Days[0].Reversals != 1 {
		t.Errorf("closing %+v", closing)
	}
	o.sound(t)
}

func TestOfTwoReversalsAtOnceOneIsDone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	paid := o.pay(t, asha, 500, "CASH")
	var all sync.WaitGroup
	statuses := make([]int, 10)
	for i := range statuses {
		all.Go(func() {
			statuses[i] = o.clerk.Call(t, "POST", "/school-admin/fee/collection/"+paid.ID.String()+"/reverse",
				map[string]any{"reason": "Mistake"}).Status
		})
	}
	all.Wait()
	slices.Sort(statuses)
	if statuses[0] != 200 || statuses[1] != 409 || statuses[9] != 409 {
		t.Errorf("answers %v", statuses)
	}
	if b := o.report(t, asha).Balance; b != 0 {
		t.Errorf("balance %d", b)
	}
	o.sound(t)
}

func TestTheSamePaymentFiftyTimesAtOnceIsOneReceipt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	once := o.clerk.With("Idempotency-Key", uuid.NewString())
	var all sync.WaitGroup
	answers := make([]testkit.Answer, 50)
	for i := range answers {
		all.Go(func() {
			answers[i] = once.Call(t, "POST", "/school-admin/fee/collection/record",
				map[string]any{"studentId": asha, "amount": 700, "paymentMode": "CASH"})
		})
	}
	all.Wait()
	for _, a := range answers {
		if a.Status != 201 || !bytes.Equal(a.Body, answers[0].Body) {
			t.Fatalf("%d %s, and %d %s", a.Status, a.Body, answers[0].Status, answers[0].Body)
		}
	}
	if n := o.Count(t, "fee_receipt", "true"); n != 1 || o.report(t, asha).Balance != -700 {
		t.Errorf("%d receipts", n)
	}
	once.Refuses(t, "POST", "/school-admin/fee/collection/record", map[string]any{"studentId": asha, "amount": 701, "paymentMode": "CASH"},
		409, "")
	o.sound(t)
}

func TestAmountsThatAreNoneAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	for _, path := range []string{"collection/record", "fine"} {
		for _, amount := range []any{0, -1, int64(1e18), 1e30, 10.5, nil, "100", "", true} {
			o.clerk.Refuses(t, "POST", "/school-admin/fee/"+path,
				map[string]any{"studentId": asha, "amount": amount, "paymentMode": "CASH", "reason": "x"}, 422, "")
		}
	}
	for _, value := range []any{0, -1, 1e18, 0.5, 100.001, "5", nil} {
		o.clerk.Refuses(t, "POST", "/school-admin/fee/concession",
			map[string]any{"studentId": asha, "mode": "AMOUNT", "value": value, "reason": "x"}, 422, "")
	}
	o.clerk.Refuses(t, "POST", "/school-admin/fee/concession",
		map[string]any{"studentId": asha, "mode": "PERCENT", "value": 101, "reason": "x"}, 422, "")
	if f := o.clerk.Refuses(t, "POST", "/school-admin/fee/collection/record", map[string]any{"amount": 0, "paymentMode": "GOLD"}, 422, ""); len(f.Details) != 3 {
		t.Errorf("details %+v", f.Details)
	}
	o.clerk.Refuses(t, "POST", "/school-admin/fee/collection/record",
		map[string]any{"studentId": uuid.New(), "amount": 5, "paymentMode": "CASH"}, 404, "STUDENT_NOT_FOUND")
	stranger := newOffice(t)
	theirs := stranger.admit(t, "Stranger")
	for _, path := range []string{"collection/record", "fine", "concession"} {
		o.clerk.Refuses(t, "POST", "/school-admin/fee/"+path,
			map[string]any{"studentId": theirs, "amount": 5, "paymentMode": "CASH", "reason": "x", "mode": "AMOUNT", "value": 5}, 404,
			"STUDENT_NOT_FOUND")
	}
	if n := o.Count(t, "ledger_entry", "true") + o.Count(t, "fee_concession", "true") + stranger.Count(t, "ledger_entry", "true"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestAReceiptAndAStatementArePrinted(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "आशा")
	o.charge(t, 1)
	paid := o.pay(t, asha, 10_000, "CHEQUE")
	for range 60 { // more than a page
		o.pay(t, asha, 100, "CASH")
	}
	o.reverse(t, paid.ID)
	for _, path := range []string{"receipt/" + paid.ID.String(), "report/" + asha.String()} {
		a := o.clerk.Call(t, "GET", "/school-admin/fee/"+path+"?format=pdf", nil)
		if a.Status != 200 || a.Header.Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(a.Body, []byte("%PDF-")) ||
			len(a.Body) < 3000 {
			t.Errorf("%s: %d %s, %d bytes", path, a.Status, a.Header.Get("Content-Type"), len(a.Body))
		}
		o.clerk.Refuses(t, "GET", "/school-admin/fee/"+path+"?format=doc", nil, 422, "")
	}
}

func TestAParentSeesTheAccountsOfTheirOwnChildrenOnly(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	parent := o.parent(t, asha)
	o.charge(t, 1)
	his, hers := o.pay(t, ravi, 100, "CASH"), o.pay(t, asha, 1_000, "CASH")
	if r := testkit.Get[fee.Report](t, parent, "/parent/fee/report/"+asha.String()); r.Balance != term1-1_000 || len(r.Entries) != 2 {
		t.Errorf("%+v", r)
	}
	if d := testkit.Get[fee.FamilyDues](t, parent, "/parent/fee/dues"); d.Total != term1-1_000 || len(d.Items) != 1 ||
		d.Items[0].Student.ID != asha || len(d.Items[0].Invoices) != 1 || d.Items[0].Invoices[0].Open != term1-1_000 {
		t.Errorf("%+v", d)
	}
	testkit.Get[fee.Receipt](t, parent, "/parent/fee/receipt/"+hers.ID.String())
	parent.Refuses(t, "GET", "/parent/fee/report/"+ravi.String(), nil, 404, "STUDENT_NOT_FOUND")
	parent.Refuses(t, "GET", "/parent/fee/report/"+ravi.String()+"?format=pdf", nil, 404, "STUDENT_NOT_FOUND")
	parent.Refuses(t, "GET", "/parent/fee/receipt/"+his.ID.String(), nil, 404, "")
	parent.Refuses(t, "GET", "/school-admin/fee/report/"+asha.String(), nil, 403, "PERMISSION_DENIED")
	if err := o.DB(t).Exec(`update student_guardian set can_view_data = false`).Error; err != nil {
		t.Fatal(err)
	}
	parent.Refuses(t, "GET", "/parent/fee/report/"+asha.String(), nil, 404, "STUDENT_NOT_FOUND")
	if d := testkit.Get[fee.FamilyDues](t, parent, "/parent/fee/dues"); len(d.Items) != 0 || d.Total != 0 {
		t.Errorf("%+v", d)
	}
	o.As(t, api.Teacher).Refuses(t, "GET", "/parent/fee/dues", nil, 403, "PERMISSION_DENIED")
}

func TestAStudentWithALedgerStaysInTheBooks(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha", map[string]any{"admissionDate": o.today})
	o.charge(t, 1)
	if a := o.clerk.Call(t, "DELETE", "/school-admin/student/"+asha.String(), nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if r := o.report(t, asha); r.Balance == 0 {
		t.Errorf("%+v", r)
	}
	if paid := o.pay(t, asha, 50, "CASH"); paid.Balance != o.report(t, asha).Balance {
		t.Errorf("%+v", paid)
	}
}

func TestTheTrialBalanceShowsWhatIsOwedAndWhatIsPaidAhead(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	o.charge(t, 1)
	o.pay(t, asha, 10_000, "CASH")
	o.pay(t, ravi, 1, "CARD")
	b := testkit.Get[fee.TrialBalance](t, o.clerk, "/school-admin/fee/trial-balance")
	got := ""
	for _, a := range b.Accounts {
		got += fmt.Sprintf("%s %d %d; ", a.Code, a.Debit, a.Credit)
	}
	if want := "ADVANCE 0 3999; BANK 1 0; CASH 10000 0; EXA 0 2002; TUI 0 10000; STUDENTS 6000 0; "; got != want || b.TotalDebit != 16_001 ||
		b.TotalCredit != 16_001 {
		t.Errorf("%s %+v", got, b)
	}
}

func TestReceiptsAreFoundByStudentDayMethodAndNumber(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	o.charge(t, 1)
	cash, cheque := o.pay(t, asha, 1_000, "CASH"), o.pay(t, asha, 2_000, "CHEQUE")
	o.pay(t, ravi, 3_000, "UPI")
	o.reverse(t, cheque.ID)
	for query, want := range map[string]int{
		"": 3, "filters[studentId]=" + asha.String(): 2, "filters[paymentMode]=UPI": 1, "filters[reversed]=true": 1,
		"filters[reversed]=false": 2, "filters[search]=R-000001": 1, "filters[search]=ravi": 1,
		"filters[from]=" + o.today.String() + "&filters[to]=" + o.today.String(): 3, "filters[to]=" + o.today.AddDays(-1).String(): 0,
	} {
		if got := testkit.Get[api.Page[fee.ReceiptItem]](t, o.clerk, "/school-admin/fee/collection/list?"+query); got.Total != want ||
			len(got.Items) != want {
			t.Errorf("%q: %+v", query, got)
		}
	}
	list := testkit.Get[api.Page[fee.ReceiptItem]](t, o.clerk, "/school-admin/fee/collection/list?sort[field]=amount").Items
	if len(list) != 3 || list[0].ID != cash.ID || list[0].StudentName != "Asha Rao" || list[0].ReceivedByName == "" || list[0].Reversed ||
		!list[1].Reversed || !strings.Contains(list[1].ReversalNote, "bounced") {
		t.Errorf("listed %+v", list)
	}
	if r := testkit.Get[fee.Receipt](t, o.clerk, "/school-admin/fee/receipt/"+cash.ID.String()); r.ClassName != "Class 5 A" ||
		r.ReceivedByName != list[0].ReceivedByName {
		t.Errorf("receipt %+v", r)
	}
	o.clerk.Refuses(t, "GET", "/school-admin/fee/collection/list?filters[paymentMode]=GOLD", nil, 422, "")
}
