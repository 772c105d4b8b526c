//go:build benchweb

package web_test

import (
	"context"
	"testing"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// TestBench measures the console's main pages in a browser, with the demo data.
func TestBench(t *testing.T) {
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) { c.LocalPassword = password })
	if _, err := app.Service.Demo(context.Background()); err != nil {
		t.Fatal(err)
	}
	browse(t, app, "bench", map[string]any{"password": password})
}
