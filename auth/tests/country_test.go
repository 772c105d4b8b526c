package auth_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

func TestSendOTP_WithoutTheCountrysCode_GoesByTheInstallationsCountry(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t) // homeroom local: IN
	for i, typed := range []func(string) string{
		func(national string) string { return national },
		func(national string) string { return "0" + national },
		func(national string) string { return national[:5] + " " + national[5:] },
	} {
		phone := testkit.NewPhone()
		s.Add(t, testkit.Person{Role: api.Parent, Phone: phone})
		a := s.App.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": typed(strings.TrimPrefix(phone, "+91"))})
		if n := len(s.App.Sent(t, phone)); a.Status != 200 || n != 1 {
			t.Errorf("way %d: %d %s, %d messages", i, a.Status, a.Body, n)
		}
	}
}

func TestSendOTP_NoCountrySet_NeedsTheCode(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) { c.Country = "" })
	app.Nobody().Refuses(t, "POST", "/auth/send-otp", map[string]any{"phone": "9812345678"}, 422, "")
}
