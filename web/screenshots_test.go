//go:build screenshots

package web_test

import (
	"context"
	"testing"
	"time"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

func init() { patience = 30 * time.Minute } // there are many

// TestScreenshots takes pictures of the console's pages with the demo data.
func TestScreenshots(t *testing.T) {
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) { c.LocalPassword = password })
	if _, err := app.Service.Demo(context.Background()); err != nil {
		t.Fatal(err)
	}
	browse(t, "screenshots.mjs", "HOMEROOM_URL="+app.URL, "PASSWORD="+password)
}
