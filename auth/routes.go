package auth

import (
	"context"
	"time"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
	"homeroom/events"
)

// Describe is everything about the module.
func (a *Auth) Describe() api.Module {
	return api.Module{
		Name:     "auth",
		Folder:   "auth",
		Rows:     a.routes(),
		Personal: personal(),
		Names:    map[string]string{"user": `select id, trim(first_name || ' ' || last_name) from app_user`},
		Listen: func(bus *events.Bus) {
			a.Follow(bus)
			a.followSSO(bus)
		},
		Scheduled: []api.Scheduled{{Name: "heal-directory", Every: 24 * time.Hour, AnyStatus: true,
			School: func(ctx context.Context, at api.SchoolWork) error {
				repaired, err := a.RepairDirectory(ctx, at.School.ID)
				if err == nil && repaired > 0 {
					at.Log.Warn("directory entries differed from the school and were repaired", "schoolId", at.School.ID, "entries", repaired)
				}
				return err
			}}},
	}
}

// routes are the endpoints of sign-in. Both path families of the mobile apps do the same; a
// client's own sees accounts of its role only.
func (a *Auth) routes() []api.Row {
	return api.Rows(
		a.mobileRows("/parent/user-auth", api.Parent),
		a.mobileRows("/teacher/user-auth", api.Teacher),
		a.mobileRows("/driver/user-auth", api.Driver),
		a.mobileRows("/auth", ""),
		a.appRows(),

		api.Open("POST", "/auth/refresh", "Change a refresh token for a new pair", api.Write, a.refresh,
			api.CountsFor(func(_ api.OpenCtx, r refreshRequest) string { return a.refreshCaller(r.RefreshToken) }), api.Says("Refreshed"),
			api.MayFail(errRefreshInvalid, errRefreshExpired, directory.ErrSignedOut, directory.ErrNotActive)),
		api.Open("POST", "/auth/logout", "End this session", api.Write, a.logout, api.CountsFor(a.logoutCaller), api.Says("Signed out"),
			api.MayFail(directory.ErrSignedOut, directory.ErrNotActive)),
		api.Open("POST", "/auth/logout-all", "End every session of the account", api.Write, a.logoutAll, api.Bearer,
			api.Says("Signed out everywhere")),
		api.Open("POST", "/auth/switch", "Go on as another account of the same phone", api.Write, a.switchTo, api.Bearer, api.Says("Signed in"),
			api.MayFail(errAccountNotFound, errSecondFactor, api.ErrNotFresh)),
		api.Open("GET", "/auth/me", "Who I am and what I may do", api.Read, a.me, api.Bearer),
		api.Open("GET", "/auth/sessions", "Where this account is signed in", api.Read, a.sessions, api.Bearer),
		api.Open("DELETE", "/auth/sessions/:id", "End one session of this account", api.Delete, a.endSession, api.Bearer),

		api.Open("POST", "/auth/login", "Sign in to the web console with e-mail and password", api.Write,
			countSignIns(a, "password", delayRefusals(hashStep, a.login)), api.Counted, api.KnowsDevice, api.Says("Signed in"),
			api.MayFail(errWrongPassword, directory.ErrNotActive, errSecondFactor)),
		a.ssoRows(),
		a.factorRows(),
		api.Open("POST", "/auth/reauthenticate", "Prove once more who holds the session, for what asks for a fresh proof", api.Write,
			a.reauthenticate, api.Bearer, api.Counted, api.Says("Proved"), api.MayFail(errNoPassword, errPhoneUnproven)),
		api.Open("POST", "/auth/reauthenticate/options", "What a browser is asked with to prove it by a passkey", api.Write, a.reauthOptions,
			api.Bearer, api.Counted, api.MayFail(errNoFactor, errNoPasskey)),
		api.Open("POST", "/auth/password/forgot", "Send a link to set a new password", api.Write, delayAnswers(lookUpStep, a.forgot),
			api.Counted, api.Says("If the e-mail has an account, a link is on its way")),
		api.Open("POST", "/auth/password/reset", "Set a password by the link of an e-mail", api.Write, a.reset, api.Counted,
			api.Says("Password set"), api.MayFail(errLink, directory.ErrNotActive)),
		api.Open("POST", "/auth/password/change", "Change the caller's own password", api.Write, a.change, api.Bearer, api.Counted,
			api.Says("Password changed"), api.MayFail(errNoPassword)),

		api.Open("POST", "/auth/console/login", "Sign in to the console", api.Write,
			countSignIns(a, "password", delayRefusals(hashStep, a.consoleLogin)), api.Console, api.Counted, api.Says("Signed in"),
			api.MayFail(errWrongPassword, errNotForConsole, directory.ErrNotActive, errSecondFactor)),
		api.Open("POST", "/auth/console/refresh", "Go on with the console's session", api.Write, a.consoleRefresh, api.Console,
			api.CountsFor(a.consoleCaller), api.Limit(api.LimitRead), api.Says("Refreshed"),
			api.MayFail(errRefreshInvalid, errRefreshExpired, directory.ErrSignedOut, directory.ErrNotActive)),
		api.Open("POST", "/auth/console/logout", "End the console's session", api.Write, a.consoleLogout, api.Console,
			api.CountsFor(a.consoleCaller), api.Limit(api.LimitRead), api.Says("Signed out")),
	)
}

// factorRows are for second factors: those of a sign-in take its challenge, the others the
// token of the account they are of.
func (a *Auth) factorRows() []api.Row {
	ends := api.MayFail(errFactorWrong, errChallenge, errMustEnrol, directory.ErrNotActive)
	begins := api.MayFail(errChallenge, errNotEnrolling, errNoEnrolment, directory.ErrNotActive)
	return api.Rows(
		api.Open("POST", "/auth/second-factor/verify", "End a sign-in with its second factor", api.Write,
			countSignIns(a, "second factor", a.verifyFactor), api.Counted, api.Says("Signed in"), ends),
		api.Open("POST", "/auth/second-factor/options", "What a browser is asked with to end a sign-in by a passkey", api.Write, a.signInOptions,
			api.Counted, api.MayFail(errChallenge, errMustEnrol, errNoPasskey)),
		api.Open("POST", "/auth/second-factor/enrol", "Begin the authenticator app that a sign-in cannot go on without", api.Write, a.enrol,
			api.Counted, api.MayFail(errChallenge, errNotEnrolling)),
		api.Open("POST", "/auth/second-factor/enrol/confirm", "Put it in force with its first code, and end the sign-in", api.Write,
			a.confirmEnrolment, api.Counted, api.Says("Signed in"), begins),
		api.Open("POST", "/auth/console/second-factor/verify", "End a sign-in to the console with its second factor", api.Write,
			countSignIns(a, "second factor", a.consoleVerifyFactor), api.Console, api.Counted, api.Says("Signed in"), ends),
		api.Open("POST", "/auth/console/second-factor/enrol/confirm", "Put a new authenticator app in force, and end the sign-in to the console",
			api.Write, a.consoleConfirmEnrolment, api.Console, api.Counted, api.Says("Signed in"), begins),

		api.Open("GET", "/auth/second-factor", "The second factors of this account", api.Read, a.factorState, api.Bearer,
			api.MayFail(errNoFactor)),
		api.Open("POST", "/auth/second-factor/totp", "Begin an authenticator app; nothing changes until it is confirmed", api.Write, a.addTOTP,
			api.Bearer, api.Fresh, api.Counted, api.MayFail(errNoFactor)),
		api.Open("POST", "/auth/second-factor/totp/confirm", "Put it in force with its first code, in the place of the one before", api.Write,
			a.confirmAddedTOTP, api.Bearer, api.Fresh, api.Counted, api.Says("Authenticator app added"), api.MayFail(errNoFactor, errNoEnrolment)),
		api.Open("DELETE", "/auth/second-factor/totp", "Remove the authenticator app", api.Delete, a.removeTOTP, api.Bearer, api.Fresh,
			api.MayFail(errNoFactor, api.NotFound("second factor"), errLastFactor)),
		api.Open("POST", "/auth/second-factor/recovery-codes", "Make new recovery codes; those before end", api.Write, a.newRecoveryCodes,
			api.Bearer, api.Fresh, api.Says("Recovery codes made"), api.MayFail(errNoFactor, errNothingToRecover)),
		api.Open("POST", "/auth/second-factor/passkey/options", "What a browser is asked with to make a passkey", api.Write, a.addPasskeyOptions,
			api.Bearer, api.Fresh, api.Counted, api.MayFail(errNoFactor, errManyPasskeys)),
		api.Open("POST", "/auth/second-factor/passkey", "Add a passkey", api.Write, a.addPasskey, api.Bearer, api.Fresh, api.Counted,
			api.Says("Passkey added"), api.MayFail(errNoFactor, errNoEnrolment)),
		api.Open("DELETE", "/auth/second-factor/passkey/:id", "Remove a passkey", api.Delete, a.removePasskey, api.Bearer, api.Fresh,
			api.MayFail(errNoFactor, errLastFactor)),
	)
}

func (a *Auth) mobileRows(prefix string, role api.RoleType) []api.Row {
	m := mobile{Auth: a, role: role}
	return api.Rows(
		api.Open("POST", prefix+"/send-otp", "Send a one-time password by SMS", api.Write, delayAnswers(lookUpStep, m.sendOTP), api.Counted,
			api.KnowsDevice, api.Says("If the phone has an account, a code is on its way")),
		api.Open("POST", prefix+"/verify-otp", "Sign in with a one-time password", api.Write,
			countSignIns(a, "code", delayRefusals(lookUpStep, m.verifyOTP)), api.Counted, api.KnowsDevice, api.Says("Signed in"),
			api.MayFail(attempt.ErrCodeInvalid, attempt.ErrCodeExpired, directory.ErrNotActive, errSecondFactor)),
		api.Open("POST", prefix+"/set-pin", "Set the PIN for signing in without an SMS", api.Write, m.setPIN, api.Bearer, api.Counted,
			api.Says("PIN set"), api.MayFail(errCurrentPIN, errPhoneUnproven, api.ErrNotFresh)),
		api.Open("POST", prefix+"/verify-pin", "Sign in with phone and PIN", api.Write,
			countSignIns(a, "pin", delayRefusals(hashStep, m.verifyPIN)), api.Counted, api.KnowsDevice, api.Says("Signed in"),
			api.MayFail(errPINWrong, directory.ErrNotActive, errSecondFactor)),
	)
}
