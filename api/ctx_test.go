package api

import "testing"

func TestActorRole_OfTheServiceItself_IsSystem(t *testing.T) {
	t.Parallel()
	for want, user := range map[string]User{
		"SYSTEM": {}, "SUPER_ADMIN": {Role: SuperAdmin}, "KEY": {Role: SchoolAdmin, Key: &Key{}},
	} {
		if got := user.actorRole(); got != want {
			t.Errorf("an act is recorded as one of %q, want %s", got, want)
		}
	}
}
