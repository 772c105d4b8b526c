package auth

import "homeroom/api"

// Routes are the ways in. Both path families of the mobile apps do the same; a
// client's own sees accounts of its role only.
func (a *Auth) Routes() []api.Row {
	return api.Rows(
		a.mobileRows("/parent/user-auth", api.Parent),
		a.mobileRows("/teacher/user-auth", api.Teacher),
		a.mobileRows("/driver/user-auth", api.Driver),
		a.mobileRows("/auth", ""),

		api.Open("POST", "/auth/refresh", "Change a refresh token for a new pair", api.Write, a.refresh, api.CountsFor(func(_ api.OpenCtx, r refreshRequest) string { return a.refreshCaller(r.RefreshToken) }), api.Says("Refreshed"), api.MayFail(errRefreshInvalid, errRefreshExpired, errSignedOut, errNotActive)),
		api.Open("POST", "/auth/logout", "End this session", api.Write, a.logout, api.CountsFor(a.logoutCaller), api.Says("Signed out"), api.MayFail(errSignedOut, errNotActive)),
		api.Open("POST", "/auth/logout-all", "End every session of the account", api.Write, a.logoutAll, api.Bearer, api.Limit(api.LimitWrite), api.Says("Signed out everywhere")),
		api.Open("POST", "/auth/switch", "Go on as another account of the same phone", api.Write, a.switchTo, api.Bearer, api.Limit(api.LimitWrite), api.Says("Signed in"), api.MayFail(errNoSuchAccount)),
		api.Open("GET", "/auth/me", "Who I am and what I may do", api.Read, a.me, api.Bearer, api.Limit(api.LimitRead)),
		api.Open("GET", "/auth/sessions", "Where this account is signed in", api.Read, a.sessions, api.Bearer, api.Limit(api.LimitRead)),
		api.Open("DELETE", "/auth/sessions/:id", "End one session of this account", api.Delete, a.endSession, api.Bearer, api.Limit(api.LimitWrite)),

		api.Open("POST", "/auth/login", "Sign in to the web console with e-mail and password", api.Write, tried(a, "password", refusesEvenly(hashStep, a.login)), api.Counted, api.KnowsDevice, api.Says("Signed in"), api.MayFail(errWrongPassword, errNotActive)),
		api.Open("POST", "/auth/password/forgot", "Send a link to set a new password", api.Write, evenly(lookUpStep, a.forgot), api.Counted, api.Says("If the e-mail has an account, a link is on its way")),
		api.Open("POST", "/auth/password/reset", "Set a password by the link of an e-mail", api.Write, a.reset, api.Counted, api.Says("Password set"), api.MayFail(errLink, errNotActive)),
		api.Open("POST", "/auth/password/change", "Change the caller's own password", api.Write, a.change, api.Bearer, api.Counted, api.Says("Password changed"), api.MayFail(errNoPassword)),

		api.Open("POST", "/auth/console/login", "Sign in to the console", api.Write, tried(a, "password", refusesEvenly(hashStep, a.consoleLogin)), api.Console, api.Counted, api.Says("Signed in"), api.MayFail(errWrongPassword, errNotForConsole, errNotActive)),
		api.Open("POST", "/auth/console/refresh", "Go on with the console's session", api.Write, a.consoleRefresh, api.Console, api.CountsFor(a.consoleCaller), api.Limit(api.LimitRead), api.Says("Refreshed"), api.MayFail(errRefreshInvalid, errRefreshExpired, errSignedOut, errNotActive)),
		api.Open("POST", "/auth/console/logout", "End the console's session", api.Write, a.consoleLogout, api.Console, api.CountsFor(a.consoleCaller), api.Limit(api.LimitRead), api.Says("Signed out")),
	)
}

func (a *Auth) mobileRows(prefix string, role api.RoleType) []api.Row {
	m := mobile{Auth: a, role: role}
	return api.Rows(
		api.Open("POST", prefix+"/send-otp", "Send a one-time password by SMS", api.Write, evenly(lookUpStep, m.sendOTP), api.Counted, api.KnowsDevice, api.Says("If the phone has an account, a code is on its way")),
		api.Open("POST", prefix+"/verify-otp", "Sign in with a one-time password", api.Write, tried(a, "code", refusesEvenly(lookUpStep, m.verifyOTP)), api.Counted, api.KnowsDevice, api.Says("Signed in"), api.MayFail(errOTPInvalid, errOTPExpired, errNotActive)),
		api.Open("POST", prefix+"/set-pin", "Set the PIN for signing in without an SMS", api.Write, m.setPIN, api.Bearer, api.Counted, api.Says("PIN set"), api.MayFail(errCurrentPIN, errPhoneUnproven)),
		api.Open("POST", prefix+"/verify-pin", "Sign in with phone and PIN", api.Write, tried(a, "pin", refusesEvenly(hashStep, m.verifyPIN)), api.Counted, api.KnowsDevice, api.Says("Signed in"), api.MayFail(errPINWrong, errNotActive)),
	)
}
