package testkit

import (
	"sync"
	"testing"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/localstack"
)

// Sign gives a signed-in user a fresh access token of the same session.
func (a *App) Sign(t testing.TB, s *School, c *Client, role api.RoleType) string {
	t.Helper()
	token, err := a.Service.Tokens.SignAccess(auth.Access{UserID: c.UserID, SessionID: c.SessionID, SchoolID: s.ID, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Doomed is another instance, which the test ends when it likes.
func Doomed(t testing.TB, changes ...Change) (app *App, kill func()) {
	t.Helper()
	return DoomedOn(t, Stack(t), DatabaseName(), changes...)
}

// DoomedOn is Doomed on given servers and in a database of the given name.
func DoomedOn(t testing.TB, stack *localstack.Stack, database string, changes ...Change) (app *App, kill func()) {
	t.Helper()
	app, stop, err := start(stack, database, changes...)
	if err != nil {
		t.Fatalf("starting the service: %v", err)
	}
	kill = sync.OnceFunc(stop)
	t.Cleanup(kill)
	return app, kill
}
