package fee_test

import (
	"strings"
	"testing"

	"homeroom/testkit"
)

func TestAmounts_OfACurrencyWithoutDecimals_AreWrittenWhole(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.set(t, map[string]any{"currency": "XPF"})
	o.admit(t, "Asha")
	o.charge(t, 1)
	a := o.clerk.Call(t, "GET", "/school-admin/fee/dues?format=csv", nil)
	if !strings.Contains(string(a.Body), ",6001,") {
		t.Errorf("dues of 6001 XPF: %s", a.Body)
	}
	me := testkit.Get[struct{ School struct{ CurrencyDigits int } }](t, o.clerk, "/auth/me")
	if me.School.CurrencyDigits != 0 {
		t.Errorf("XPF has %d decimals at sign-in", me.School.CurrencyDigits)
	}
}
