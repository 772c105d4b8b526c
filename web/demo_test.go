package web_test

import (
	"slices"
	"testing"

	"homeroom/cmd/demo"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// TestDemo_EachRole_FindsASchoolAtWork signs in as the first of each role on the start page.
func TestDemo_EachRole_FindsASchoolAtWork(t *testing.T) {
	t.Parallel()
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_demo_seen", func(_ *config.Config, o *service.Options) {
		o.NoFirstYear = false
	})
	d, err := demo.Open(t.Context(), app.Service)
	if err != nil {
		t.Fatal(err)
	}
	d.Days = 1
	if err := d.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	var first []demo.Account
	for _, a := range d.Accounts() {
		if !slices.ContainsFunc(first, func(b demo.Account) bool { return b.Role == a.Role }) {
			first = append(first, a)
		}
	}
	browse(t, app, "demo", map[string]any{"accounts": first})
}
