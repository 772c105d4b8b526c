package roster_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func TestPhone_WithoutItsCountry_IsOfTheSchools(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for name, write := range map[string]func(national string) string{
		"bare":                   func(n string) string { return n },
		"with the trunk's 0":     func(n string) string { return "0" + n },
		"with spaces and dashes": func(n string) string { return "(" + n[:5] + ") " + n[5:7] + "-" + n[7:] },
		"from abroad":            func(n string) string { return "0091 " + n },
		"with its country":       func(n string) string { return "+91 " + n },
	} {
		phone := testkit.NewPhone()
		made := testkit.Post[roster.Employee](t, admin, "/school-admin/employee/create",
			person("Meera", map[string]any{"phone": write(phone[3:])}))
		if string(made.Phone) != phone {
			t.Errorf("%s: %s, want %s", name, made.Phone, phone)
		}
	}
}

func TestPhone_OfAGuardianChanged_IsReadAsWritten(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", nil)
	meera := f.addGuardian(t, asha, guardian("Meera", testkit.NewPhone()[3:], "MOTHER"))
	phone := testkit.NewPhone()
	changed := testkit.Put[roster.Guardianship](t, f.admin, path(asha)+"/guardians/"+meera.GuardianID.String(),
		map[string]any{"phone": "0" + phone[3:]})
	if string(changed.Phone) != phone {
		t.Errorf("%s, want %s", changed.Phone, phone)
	}
}

func TestPhone_OfNobodyInTheCountry_IsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for _, text := range []string{"12345", "0712 345 678", "call me", "98765432101234567"} {
		f := admin.Refuses(t, "POST", "/school-admin/employee/create", person("Meera", map[string]any{"phone": text}), 422, "")
		if f.Details[0].Field != "phone" {
			t.Errorf("%s: %+v", text, f.Details)
		}
	}
}

func TestPhone_AtASchoolInKenya_IsKenyan(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{TimeZone: "Africa/Nairobi", Locale: "en-GB", Currency: "KES"})
	made := testkit.Post[roster.Employee](t, s.As(t, api.SchoolAdmin), "/school-admin/employee/create",
		person("Wanjiku", map[string]any{"phone": "0712 345 678"}))
	if made.Phone != "+254712345678" {
		t.Errorf("%s", made.Phone)
	}
}

func TestPhone_WhereNoCountryIsKnown_NeedsItsCode(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{Locale: "fr", Currency: "XOF"})
	s.As(t, api.SchoolAdmin).Refuses(t, "POST", "/school-admin/employee/create", person("Awa", map[string]any{"phone": "77 123 45 67"}), 422, "")
}
