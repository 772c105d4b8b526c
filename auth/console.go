package auth

import (
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
	"homeroom/auth/tokens"
)

// consoleCookie holds the console's refresh token. It goes to consolePath and nowhere
// else, and no script can read it.
const (
	consoleCookie = "homeroom_console"
	consolePath   = "/auth/console"
)

var errNotForConsole = api.Coded(403, "", "The console is for school offices; use the app")

// consoleSession is everything the console needs to start, in one call instead of two.
type consoleSession struct {
	AccessToken string                 `json:"accessToken"`
	ExpiresIn   int                    `json:"expiresIn" doc:"Seconds the access token is good for"`
	User        signedInUser           `json:"user"`
	School      *mySchool              `json:"school"`
	Permissions map[string]api.Granted `json:"permissions" doc:"By module; what the role may do"`
}

// consoleLogin signs an administrator in. The refresh token is kept by the browser,
// out of reach of anything that runs in the page.
func (a *Auth) consoleLogin(c api.OpenCtx, r loginRequest) (consoleSession, error) {
	acc, err := a.byPassword(c, r)
	if err != nil {
		return consoleSession{}, err
	}
	if acc.Role != api.SchoolAdmin && acc.Role != api.SuperAdmin {
		return consoleSession{}, errNotForConsole
	}
	role, err := a.FindRole(c, acc)
	if err != nil {
		return consoleSession{}, err
	}
	in, err := a.finishLogin(c, acc, r.Email)
	if err != nil {
		return consoleSession{}, err
	}
	return a.openConsole(c, acc, role, in)
}

// openConsole gives a session that was opened to the browser, and has the browser known from then on.
func (a *Auth) openConsole(c api.OpenCtx, acc directory.Account, role uuid.UUID, in signedIn) (consoleSession, error) {
	a.setCookie(c, consolePath, attempt.DeviceCookie(strings.ToLower(acc.Email)), in.DeviceToken, attempt.DeviceLife)
	return a.consoleAnswer(c, acc, role, Pair{AccessToken: in.AccessToken, RefreshToken: in.RefreshToken})
}

// consoleRefresh changes the cookie for a new one.
func (a *Auth) consoleRefresh(c api.OpenCtx, _ api.Nothing) (consoleSession, error) {
	token := c.Cookie(consoleCookie)
	if token == "" {
		return consoleSession{}, errRefreshInvalid
	}
	acc, role, pair, err := a.rotate(c, token)
	if err != nil {
		var refused *api.Error
		if errors.As(err, &refused) && refused.Status == 401 {
			a.setConsoleCookie(c, "")
		}
		return consoleSession{}, err
	}
	return a.consoleAnswer(c, acc, role, pair)
}

// consoleCaller is the session of the cookie.
func (a *Auth) consoleCaller(c api.OpenCtx, _ api.Nothing) string {
	return a.refreshCaller(c.Cookie(consoleCookie))
}

// consoleLogout ends the cookie's session, if it still has one, and the cookie.
func (a *Auth) consoleLogout(c api.OpenCtx, _ api.Nothing) (api.Nothing, error) {
	a.setConsoleCookie(c, "")
	id, err := a.readRefresh(c.Cookie(consoleCookie))
	if err != nil {
		return api.Nothing{}, nil // no session: signing out has nothing to do
	}
	return api.Nothing{}, a.endAndAudit(c, id)
}

func (a *Auth) endAndAudit(c api.OpenCtx, id uuid.UUID) error {
	acc, _, err := a.findSession(c, id)
	if errors.Is(err, directory.ErrSignedOut) {
		return nil
	}
	if err != nil {
		return err
	}
	n, err := a.EndWhere(c, "signed out", `id = $3`, id)
	if err != nil || n == 0 {
		return err
	}
	return a.AuditSessionEnd(c, acc, "sign-out")
}

func (a *Auth) consoleAnswer(c api.OpenCtx, acc directory.Account, role uuid.UUID, pair Pair) (consoleSession, error) {
	out, err := a.browserSession(c, acc, role, pair)
	if err == nil {
		a.setConsoleCookie(c, pair.RefreshToken)
	}
	return out, err
}

// browserSession is a session as a page gets it: everything but the refresh token.
func (a *Auth) browserSession(c api.OpenCtx, acc directory.Account, role uuid.UUID, pair Pair) (consoleSession, error) {
	who, err := a.describe(c, acc, role)
	if err != nil {
		return consoleSession{}, err
	}
	return consoleSession{
		AccessToken: pair.AccessToken, ExpiresIn: int(tokens.AccessLife.Seconds()), User: who.User, School: who.School,
		Permissions: who.Permissions,
	}, nil
}

func (a *Auth) setConsoleCookie(c api.OpenCtx, token string) {
	a.setRefreshCookie(c, consolePath, consoleCookie, token)
}

// setRefreshCookie stores a refresh token in the browser; an empty one deletes it.
func (a *Auth) setRefreshCookie(c api.OpenCtx, path, name, token string) {
	life := tokens.RefreshLife
	if token == "" {
		life = 0
	}
	a.setCookie(c, path, name, token, life)
}

func (a *Auth) setCookie(c api.OpenCtx, path, name, value string, life time.Duration) {
	c.SetCookie(api.Cookie{Name: name, Value: value, Path: path, Life: life, Secure: strings.HasPrefix(a.PublicURL, "https:")})
}
