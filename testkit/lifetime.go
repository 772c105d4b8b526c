package testkit

import (
	"sync"
	"testing"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/localstack"
)

// Sign gives a signed-in user a fresh access token of the same session.
func (a *App) Sign(t testing.TB, s *School, c *Client, role api.RoleType) string {
	t.Helper()
	token, err := a.Service.Tokens.SignAccess(tokens.Access{UserID: c.UserID, SessionID: c.SessionID, SchoolID: s.ID, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// StartStoppable starts another instance, which the test stops by kill.
func StartStoppable(t testing.TB, changes ...Change) (app *App, kill func()) {
	t.Helper()
	return StartStoppableOn(t, Stack(t), DatabaseName(), changes...)
}

// StartStoppableOn is StartStoppable on given servers and in a database of the given name.
func StartStoppableOn(t testing.TB, stack *localstack.Stack, database string, changes ...Change) (app *App, kill func()) {
	t.Helper()
	app, stop, err := start(stack, database, changes...)
	if err != nil {
		t.Fatalf("starting the service: %v", err)
	}
	kill = sync.OnceFunc(stop)
	t.Cleanup(kill)
	return app, kill
}
