package auth

import "homeroom/api"

// Routes are the ways in.
func (a *Auth) Routes() []api.Row {
	return api.Rows(
		api.Open("POST", "/auth/login", "Sign in to the web console with e-mail and password", api.Write, a.login, api.Counted, api.Says("Signed in")),
	)
}
