//go:build screenshots

package web_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/cmd/demo"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func init() { patience = 60 * time.Minute } // there are many

// TestPictures takes the README's, of the demo while it lives.
func TestPictures(t *testing.T) {
	app := testkit.StartOn(t, testkit.Stack(t), "readme_"+uuid.NewString()[:8], func(c *config.Config, o *service.Options) {
		c.LocalPassword, o.NoFirstYear = password, false
	})
	d, err := demo.Make(t.Context(), app.Service)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Live(ctx, t.Logf)
	}()
	defer func() { stop(); <-ended }()
	stage := map[string]any{"pin": demo.PIN}
	for _, a := range d.Accounts() {
		if _, known := stage["email"]; a.Role == "School admin" && !known {
			stage["email"], stage["password"] = a.Email, a.Password
		}
		if _, known := stage["phone"]; a.Role == "Parent" && !known {
			stage["phone"] = a.Phone
		}
	}
	browse(t, app, "pictures", stage)
}

// TestScreenshots takes pictures of the console's pages: of the demo school, of one on
// its first day, and of the platform with two database nodes.
func TestScreenshots(t *testing.T) {
	stack := testkit.Stack(t)
	database := "pictures_" + uuid.NewString()[:8]
	app := testkit.StartOn(t, stack, database, func(c *config.Config, _ *service.Options) { c.LocalPassword = password })
	if _, err := demo.Make(context.Background(), app.Service); err != nil {
		t.Fatal(err)
	}
	sealed, err := app.Service.Auth.SealAdmin(context.Background(), "Asha", "Rao", "head@hill.local", "", password)
	if err != nil {
		t.Fatal(err)
	}
	app.NewSchoolAs(t, lifecycle.NewSchool{Name: "Hill School", Code: "hill-school", Admin: sealed})
	app.NewSchoolAs(t, lifecycle.NewSchool{Name: "Lake Academy", Code: "lake-academy"})
	browse(t, app, "screenshots", map[string]any{"password": password, "south": testkit.Database(t, stack, "main", database+"_south")})
}

// TestScreenshotsOfApp takes pictures of every page of the people's app, in every language, light and dark.
func TestScreenshotsOfApp(t *testing.T) {
	app := testkit.Shared(t)
	browse(t, app, "app-screenshots", everyPage(t, app))
}
