package fee_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/rbac"
	"homeroom/testkit"
)

const refundPath = "/school-admin/fee/refund"

func (o *office) refund(t *testing.T, student uuid.UUID, amount int64) fee.Refunded {
	t.Helper()
	return testkit.Post[fee.Refunded](t, o.clerk, refundPath,
		map[string]any{"studentId": student, "amount": amount, "paymentMode": "CASH", "reason": "Left the school"})
}

func TestRefund_WritesItsOwnReceipt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	parent := o.parent(t, asha)
	o.charge(t, 1)
	o.pay(t, asha, term1+3_000, "CASH")
	got := o.refund(t, asha, 1_000)
	if got.RefundNumber != "2026-27/RF-000001" || got.Balance != -2_000 {
		t.Errorf("refunded %+v, want number 2026-27/RF-000001 and a balance of -2000", got)
	}
	if next := o.refund(t, asha, 2_000); next.RefundNumber != "2026-27/RF-000002" || next.Balance != 0 {
		t.Errorf("refunded %+v, want number 2026-27/RF-000002 and a balance of 0", next)
	}
	r := o.report(t, asha)
	if e := r.Entries[2]; e.Kind != "REFUND" || e.EntryType != "DR" || *e.RefundID != got.ID || *e.ReceiptNumber != got.RefundNumber {
		t.Errorf("the statement has %+v", e)
	}
	if states(r) != "Term 1 PAID 0; " {
		t.Errorf("after it: %s", states(r))
	}
	day := testkit.Get[fee.Closing](t, o.clerk, "/school-admin/fee/collection")
	if len(day.Days) != 1 || day.Days[0].Refunds != 2 || day.Days[0].RefundedTotal != 3_000 || day.Total != term1 ||
		day.Amount != term1+3_000 {
		t.Errorf("the day book has %+v", day)
	}
	b := testkit.Get[fee.TrialBalance](t, o.clerk, "/school-admin/fee/trial-balance")
	for _, a := range b.Accounts {
		if a.Code == "CASH" && a.Debit != term1 {
			t.Errorf("%d in the drawer, want %d", a.Debit, term1)
		}
	}
	if one := testkit.Get[fee.Refund](t, parent, "/parent/fee/refund/"+got.ID.String()); one.Amount != 1_000 ||
		one.Reason != "Left the school" {
		t.Errorf("the parent reads %+v", one)
	}
	if a := o.clerk.Call(t, "GET", refundPath+"/"+got.ID.String()+"?format=pdf", nil); !bytes.HasPrefix(a.Body, []byte("%PDF-")) {
		t.Errorf("on paper: %d %.100s", a.Status, a.Body)
	}
	if list := testkit.Get[api.Page[fee.Refund]](t, o.clerk, refundPath+"/list"); list.Total != 2 || list.Items[0].Amount != 2_000 {
		t.Errorf("the list has %+v", list)
	}
	if n := o.Count(t, "notification", "title = 'Refund paid' and body like '%RF-000001%'"); n != 1 {
		t.Errorf("%d guardians were told, want 1", n)
	}
	o.sound(t)
}

func TestRefund_OfMoreThanTheAdvance_IsRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	body := map[string]any{"studentId": asha, "amount": 1, "paymentMode": "CASH", "reason": "Left"}
	o.clerk.Refuses(t, "POST", refundPath, body, 409, "")
	o.charge(t, 1)
	o.pay(t, asha, term1+500, "CASH")
	body["amount"] = 501
	o.clerk.Refuses(t, "POST", refundPath, body, 422, "")
	for _, name := range []string{"reason", "paymentMode", "amount"} {
		bad := map[string]any{"studentId": asha, "amount": 1, "paymentMode": "CASH", "reason": "Left"}
		delete(bad, name)
		o.clerk.Refuses(t, "POST", refundPath, bad, 422, "")
	}
	if n := o.Count(t, "fee_refund", "true"); n != 0 {
		t.Errorf("%d refunds, want none", n)
	}
	o.sound(t)
}

func TestRefund_AskedForTenTimesAtOnce_IsPaidOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.pay(t, asha, 500, "CASH")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			o.clerk.Call(t, "POST", refundPath, map[string]any{"studentId": asha, "amount": 500, "paymentMode": "CASH", "reason": "Left"})
		})
	}
	all.Wait()
	if n := o.Count(t, "fee_refund", "true"); n != 1 || o.report(t, asha).Balance != 0 {
		t.Errorf("%d refunds, a balance of %d", n, o.report(t, asha).Balance)
	}
	o.sound(t)
}

// TestRefundAndWriteOff_OnPaper_HaveTheGlyphsOfNames has names, classes' dues and reasons in four scripts.
func TestRefundAndWriteOff_OnPaper_HaveTheGlyphsOfNames(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.set(t, map[string]any{"locale": "en-IN", "address": "12 MG Road\nPune"})
	written := o.today.In(o.Location()).Format("2 Jan 2006")
	for script, name := range scripts {
		left, gone := o.admit(t, name), o.admit(t, name)
		o.pay(t, left, 123_450, "CASH")
		back := testkit.Post[fee.Refunded](t, o.clerk, refundPath,
			map[string]any{"studentId": left, "amount": 123_450, "paymentMode": "BANK_TRANSFER", "reference": "UTR 1", "reason": name})
		o.owes(t, gone, 30_000, 40)
		o.owes(t, gone, 20_000, 3)
		off := testkit.Post[fee.WriteOff](t, o.clerk, writeOffPath, map[string]any{"studentId": gone, "reason": name})
		for path, says := range map[string][]string{
			refundPath + "/" + back.ID.String():  {back.RefundNumber, written, "₹1,234.50", "One thousand two hundred thirty-four rupees and fifty paise only"},
			writeOffPath + "/" + off.ID.String(): {off.WriteOffNumber, written, "300.00", "500.00", "Five hundred rupees only"},
		} {
			on := o.print(t, path)
			if len(on.Missing) > 0 {
				t.Errorf("%s: no glyphs for %q", script, on.Missing)
			}
			for _, want := range append(says, name+" Rao", "Class 5 A", "12 MG Road", o.Name) {
				if !on.Says(want) {
					t.Errorf("%s: the paper does not say %q: %q", script, want, on.Pages)
				}
			}
			if n := strings.Count(strings.Join(on.Pages[0], "\n"), name); n < 2 {
				t.Errorf("%s: name and reason are there %d times, want both: %q", script, n, on.Pages)
			}
		}
	}
	o.sound(t)
}

const writeOffPath = "/school-admin/fee/write-off"

func TestWriteOff_TakesWhatIsDueOffTheOldestInvoices(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.owes(t, asha, 300, 40)
	o.owes(t, asha, 200, 3)
	o.owes(t, asha, 5_000, -20) // not due yet
	o.pay(t, asha, 100, "CASH")
	o.clerk.Refuses(t, "POST", writeOffPath, map[string]any{"studentId": asha, "amount": 401, "reason": "Gone"}, 422, "")
	o.clerk.Refuses(t, "POST", writeOffPath, map[string]any{"studentId": asha}, 422, "")
	part := testkit.Post[fee.WriteOff](t, o.clerk, writeOffPath, map[string]any{"studentId": asha, "amount": 250, "reason": "Gone"})
	if part.WriteOffNumber != "2026-27/WO-000001" || part.Balance != 5_150 || len(part.Invoices) != 2 || part.Invoices[0].Amount != 200 || part.Invoices[1].Amount != 50 {
		t.Errorf("a part: %+v", part)
	}
	if got := states(o.report(t, asha)); got != "Dues PAID 0; Dues OVERDUE 150; Dues UNPAID 5000; " {
		t.Error(got)
	}
	rest := testkit.Post[fee.WriteOff](t, o.clerk, writeOffPath, map[string]any{"studentId": asha, "reason": "Gone"})
	if rest.WriteOffNumber != "2026-27/WO-000002" || rest.Amount != 150 || rest.Balance != 5_000 {
		t.Errorf("the rest: %+v", rest)
	}
	one := testkit.Get[fee.WriteOffReceipt](t, o.clerk, writeOffPath+"/"+part.ID.String())
	if one.WriteOffNumber != part.WriteOffNumber || one.StudentID != asha || one.Amount != 250 || one.Reason != "Gone" || one.Reversed ||
		one.ClassName != "Class 5 A" || one.WrittenOffOn != o.today || one.WrittenOffBy == nil || !slices.Equal(one.Invoices, part.Invoices) {
		t.Errorf("the receipt says %+v", one)
	}
	paper := o.clerk.Call(t, "GET", writeOffPath+"/"+part.ID.String()+"?format=pdf", nil)
	if p := testkit.ReadPaper(t, paper.Body); !p.Says(part.WriteOffNumber) || !p.Says("Gone") || len(p.Missing) > 0 {
		t.Errorf("on paper: %+v", p)
	}
	if e := o.report(t, asha).Entries; *e[len(e)-1].ReceiptNumber != rest.WriteOffNumber {
		t.Errorf("the statement has %+v", e[len(e)-1])
	}
	o.clerk.Refuses(t, "POST", writeOffPath, map[string]any{"studentId": asha, "reason": "Gone"}, 409, "")
	b := testkit.Get[fee.TrialBalance](t, o.clerk, "/school-admin/fee/trial-balance")
	if i := strings.Index(accountsOf(b), "WRITE_OFF 400"); i < 0 {
		t.Errorf("the trial balance has %s", accountsOf(b))
	}
	o.sound(t)

	back := testkit.Post[fee.WriteOff](t, o.clerk, writeOffPath+"/"+rest.ID.String()+"/reverse", map[string]any{"reason": "They came"})
	if back.Balance != 5_150 || back.WriteOffNumber != rest.WriteOffNumber {
		t.Errorf("reversed: %+v", back)
	}
	if one := testkit.Get[fee.WriteOffReceipt](t, o.clerk, writeOffPath+"/"+rest.ID.String()); !one.Reversed {
		t.Errorf("the receipt of what was reversed says %+v", one)
	}
	type writeOffs struct{ Items []fee.ListedWriteOff }
	all := testkit.Get[writeOffs](t, o.clerk, writeOffPath+"/list?sort[field]=amount").Items
	if len(all) != 2 || all[0].ID != rest.ID || !all[0].Reversed || all[1].WriteOffNumber != part.WriteOffNumber || all[1].Reversed ||
		all[1].Amount != 250 || all[1].Reason != "Gone" || all[1].ClassName != "Class 5 A" || all[1].WrittenOffByName == "" {
		t.Errorf("the list has %+v", all)
	}
	if found := testkit.Get[writeOffs](t, o.clerk, writeOffPath+"/list?filters[search]=WO-000002").Items; len(found) != 1 {
		t.Errorf("searched by number: %+v", found)
	}
	o.clerk.Refuses(t, "POST", writeOffPath+"/"+rest.ID.String()+"/reverse", map[string]any{"reason": "Again"}, 409, "")
	o.clerk.Refuses(t, "POST", writeOffPath+"/"+uuid.NewString()+"/reverse", map[string]any{"reason": "Again"}, 404, "")
	if got := states(o.report(t, asha)); got != "Dues PAID 0; Dues OVERDUE 150; Dues UNPAID 5000; " {
		t.Error(got)
	}
	o.sound(t)
}

func TestWriteOff_NeedsItsOwnPermission(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.owes(t, asha, 300, 40)
	role := testkit.Post[rbac.Role](t, o.clerk, "/school-admin/permission/role/create",
		map[string]any{"name": "Cashier", "type": "SCHOOL_ADMIN"})
	cashier := o.As(t, api.SchoolAdmin)
	if err := o.DB(t).Exec(`update app_user set role_id = ? where id = ?`, role.ID, cashier.UserID).Error; err != nil {
		t.Fatal(err)
	}
	modules := testkit.Get[struct{ Modules []rbac.Module }](t, o.clerk, "/school-admin/permission/modules").Modules
	allow := func(module string) {
		i := slices.IndexFunc(modules, func(m rbac.Module) bool { return m.Name == module })
		testkit.Put[struct{}](t, o.clerk, "/school-admin/permission/update", map[string]any{"roleId": role.ID,
			"permissions": []any{map[string]any{"moduleId": modules[i].ID, "canRead": true, "canWrite": true, "canDelete": false}}})
	}
	allow("fee")
	body := map[string]any{"studentId": asha, "amount": 100, "reason": "Gone"}
	cashier.Refuses(t, "POST", writeOffPath, body, 403, "PERMISSION_DENIED")
	allow("write-off")
	testkit.Post[fee.WriteOff](t, cashier, writeOffPath, body)
}

// accountsOf is the trial balance in a line: code and balance, debit above zero.
func accountsOf(b fee.TrialBalance) string {
	var out []string
	for _, a := range b.Accounts {
		out = append(out, a.Code+" "+strconv.FormatInt(a.Debit-a.Credit, 10))
	}
	return strings.Join(out, ", ")
}
