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
