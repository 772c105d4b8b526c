package auth_test

import (
	"testing"
	"time"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/testkit"
)

func TestALogoutIsSeenWithinSecondsEvenWhenNoWordOfItCame(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	in := byOTP(t, s.App, "/auth", s.Add(t, testkit.Person{Role: api.Parent}).Phone)
	now := time.Now()
	parts := s.App.Service.Auth.Parts
	parts.Clock = func() time.Time { return now }
	deaf := auth.New(parts)
	if _, err := deaf.Authenticate(t.Context(), in.AccessToken); err != nil {
		t.Fatal(err)
	}
	as(s.App, in.AccessToken).Call(t, "POST", "/auth/logout", nil)
	now = now.Add(29 * time.Second)
	if _, err := deaf.Authenticate(t.Context(), in.AccessToken); err == nil {
		t.Error("the session is alive after 29 seconds")
	}
}
