package auth

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
)

// appPath is where the cookies of the people's app go, and nowhere else. An account has a
// cookie of its own, so that several of a phone are signed in side by side.
const appPath = "/auth/app"

func appCookie(account uuid.UUID) string {
	return "homeroom_app_" + strings.ReplaceAll(account.String(), "-", "")
}

// isForApp reports whether the people's app is for a role. Administrators use the console.
func isForApp(role api.RoleType) bool { return role != api.SchoolAdmin && role != api.SuperAdmin }

// appSession is everything the people's app needs to start.
type appSession struct {
	consoleSession
	AccountID uuid.UUID `json:"accountId" doc:"Whom the session is of; refresh, switch and logout name it"`
	Accounts  []choice  `json:"accounts" doc:"The accounts of the phone that was proven"`
}

type appAccount struct {
	AccountID uuid.UUID `json:"accountId" validate:"required"`
}

// appMobile is sign-in by phone, for the roles of the app.
func (a *Auth) appMobile() mobile { return mobile{Auth: a, app: true} }

func (a *Auth) appRows() []api.Row {
	m := a.appMobile()
	return api.Rows(
		api.Open("POST", appPath+"/send-otp", "Send a one-time password by SMS, for the app", api.Write,
			delayAnswers(lookUpStep, m.sendOTP), api.Console, api.Counted, api.Says("If the phone has an account, a code is on its way")),
		api.Open("POST", appPath+"/verify-otp", "Sign in to the app with a one-time password", api.Write,
			countSignIns(a, "code", delayRefusals(lookUpStep, appSignIn(a, m.verifyOTP))), api.Console, api.Counted, api.Says("Signed in"),
			api.MayFail(attempt.ErrCodeInvalid, attempt.ErrCodeExpired, directory.ErrNotActive, errSecondFactor)),
		api.Open("POST", appPath+"/verify-pin", "Sign in to the app with phone and PIN", api.Write,
			countSignIns(a, "pin", delayRefusals(hashStep, appSignIn(a, m.verifyPIN))), api.Console, api.Counted, api.Says("Signed in"),
			api.MayFail(errPINWrong, directory.ErrNotActive, errSecondFactor)),
		api.Open("POST", appPath+"/refresh", "Go on with the app's session of an account", api.Write, a.appRefresh, api.Console,
			api.CountsFor(a.appCaller), api.Limit(api.LimitRead), api.Says("Refreshed"),
			api.MayFail(errRefreshInvalid, errRefreshExpired, directory.ErrSignedOut, directory.ErrNotActive)),
		api.Open("POST", appPath+"/switch", "Go on in the app as another account of the same phone", api.Write, a.appSwitch, api.Bearer,
			api.Console, api.Says("Signed in"), api.MayFail(errAccountNotFound, errSecondFactor, api.ErrNotFresh)),
		api.Open("POST", appPath+"/logout", "End the app's session of an account", api.Write, a.appLogout, api.Console,
			api.CountsFor(a.appCaller), api.Limit(api.LimitRead), api.Says("Signed out")),
	)
}

// appSignIn keeps the refresh token of a sign-in in the browser, out of reach of anything
// that runs in the page.
func appSignIn[Req any](a *Auth, signIn func(api.OpenCtx, Req) (signedIn, error)) func(api.OpenCtx, Req) (appSession, error) {
	return func(c api.OpenCtx, r Req) (appSession, error) {
		in, err := signIn(c, r)
		if err != nil {
			return appSession{}, err
		}
		a.setCookie(c, appPath, attempt.DeviceCookie(in.account.Phone), in.DeviceToken, attempt.DeviceLife)
		role, err := a.FindRole(c, in.account)
		if err != nil {
			return appSession{}, err
		}
		return a.appAnswer(c, in.account, role, Pair{AccessToken: in.AccessToken, RefreshToken: in.RefreshToken})
	}
}

// appRefresh changes the account's cookie for a new one, as consoleRefresh does.
func (a *Auth) appRefresh(c api.OpenCtx, r appAccount) (appSession, error) {
	token := c.Cookie(appCookie(r.AccountID))
	if token == "" {
		return appSession{}, errRefreshInvalid
	}
	acc, role, pair, err := a.rotate(c, token)
	if err == nil && acc.ID != r.AccountID {
		err = errRefreshInvalid
	}
	if err != nil {
		var refused *api.Error
		if errors.As(err, &refused) && refused.Status == 401 {
			a.setAppCookie(c, r.AccountID, "")
		}
		return appSession{}, err
	}
	return a.appAnswer(c, acc, role, pair)
}

func (a *Auth) appCaller(c api.OpenCtx, r appAccount) string {
	return a.refreshCaller(c.Cookie(appCookie(r.AccountID)))
}

// appSwitch opens a session for another account of the phone, beside the one that goes on.
func (a *Auth) appSwitch(c api.OpenCtx, r appAccount) (appSession, error) {
	other, err := a.ByID(c, r.AccountID)
	if err != nil {
		return appSession{}, err
	}
	if other == nil || !isForApp(other.Role) {
		return appSession{}, errAccountNotFound
	}
	in, err := a.switchTo(c, switchRequest{AccountID: r.AccountID, RefreshToken: c.Cookie(appCookie(c.User.AccountID))})
	if err != nil {
		return appSession{}, err
	}
	role, err := a.FindRole(c, *other)
	if err != nil {
		return appSession{}, err
	}
	return a.appAnswer(c, *other, role, Pair{AccessToken: in.AccessToken, RefreshToken: in.RefreshToken})
}

// appLogout ends the account's session, if it still has one, and its cookie.
func (a *Auth) appLogout(c api.OpenCtx, r appAccount) (api.Nothing, error) {
	a.setAppCookie(c, r.AccountID, "")
	id, err := a.readRefresh(c.Cookie(appCookie(r.AccountID)))
	if err != nil {
		return api.Nothing{}, nil // no session: signing out has nothing to do
	}
	return api.Nothing{}, a.endAndAudit(c, id)
}

func (a *Auth) appAnswer(c api.OpenCtx, acc directory.Account, role uuid.UUID, pair Pair) (appSession, error) {
	out := appSession{AccountID: acc.ID}
	var err error
	if out.consoleSession, err = a.browserSession(c, acc, role, pair); err != nil {
		return appSession{}, err
	}
	if out.Accounts, err = a.accountsBeside(c, pair); err != nil {
		return appSession{}, err
	}
	a.setAppCookie(c, acc.ID, pair.RefreshToken)
	return out, nil
}

// accountsBeside are the accounts of the app that the session's proof opens.
func (a *Auth) accountsBeside(c api.OpenCtx, pair Pair) ([]choice, error) {
	id, err := a.readRefresh(pair.RefreshToken)
	if err != nil {
		return nil, err
	}
	_, s, err := a.findSession(c, id)
	if err != nil || s.proof.phone == "" {
		return []choice{}, err
	}
	all, err := a.appMobile().accountsOf(c, s.proof.phone)
	if err != nil {
		return nil, err
	}
	return a.choices(c, all, s.proof)
}

// accountsOf finds the phone's accounts that this family of paths is for.
func (m mobile) accountsOf(ctx context.Context, phone string) ([]directory.Account, error) {
	found, err := m.ByPhone(ctx, phone, m.role)
	if m.app {
		found = slices.DeleteFunc(found, func(acc directory.Account) bool { return !isForApp(acc.Role) })
	}
	return found, err
}

func (a *Auth) setAppCookie(c api.OpenCtx, account uuid.UUID, token string) {
	a.setRefreshCookie(c, appPath, appCookie(account), token)
}
