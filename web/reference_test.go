package web_test

import (
	"testing"

	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestReference_InABrowser_IsFoundReadAndTriedOut is a developer with /api-docs and the pages beside it.
func TestReference_InABrowser_IsFoundReadAndTriedOut(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, _, stage := office(t, app, lifecycle.NewSchool{})
	s.Child(t, s.Seat(t, "Class 5"), 0)
	browse(t, app, "reference", stage)
}
