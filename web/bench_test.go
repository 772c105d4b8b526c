//go:build benchweb

package web_test

import (
	"context"
	"os"
	"testing"
	"time"

	"homeroom/cmd/demo"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

func init() { _ = os.Setenv("MEASURES", "yes") } // the browser is as users have it

// TestBench measures the console's main pages in a browser, with the demo data.
func TestBench(t *testing.T) { measure(t, "bench") }

// TestBenchSlowLine says how soon they can be used on Fast 3G with a quarter of the machine's speed.
func TestBenchSlowLine(t *testing.T) { measure(t, "slow") }

// TestBenchApp says the same of every page of the people's app, and how soon a tap in a register shows.
func TestBenchApp(t *testing.T) {
	app := testkit.Start(t)
	patience = 40 * time.Minute // some sixty pages, each opened nine times on a slow line
	browse(t, app, "app-slow", everyPage(t, app))
}

func measure(t *testing.T, story string) {
	t.Helper()
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) { c.LocalPassword = password })
	if _, err := demo.Make(context.Background(), app.Service); err != nil {
		t.Fatal(err)
	}
	browse(t, app, story, map[string]any{"password": password})
}
