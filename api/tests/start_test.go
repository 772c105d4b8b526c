package api_test

import (
	"testing"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// What tests change about an instance they start.

// startLab runs another instance that has the lab's rows too.
func startLab(t testing.TB, changes ...testkit.Change) *testkit.App {
	t.Helper()
	return testkit.Start(t, append(changes, labRows)...)
}

func allowOrigin(origin string) testkit.Change {
	return func(c *config.Config, _ *service.Options) { c.AllowedOrigins = []string{origin} }
}

func limitReads(rate string) testkit.Change {
	return func(c *config.Config, _ *service.Options) { c.LimitRead = rate }
}

func limitWrites(rate string) testkit.Change {
	return func(c *config.Config, _ *service.Options) { c.LimitWrite = rate }
}

func limitSignIns(rate string) testkit.Change {
	return func(c *config.Config, _ *service.Options) { c.LimitAuth = rate }
}

func trust(proxies ...string) testkit.Change {
	return func(c *config.Config, _ *service.Options) { c.TrustedProxies = proxies }
}

// asInProduction gives calls no more time for Redis than they have there.
func asInProduction(_ *config.Config, o *service.Options) { o.Patience = 0 }
