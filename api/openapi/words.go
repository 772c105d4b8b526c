package openapi

import (
	"maps"
	"net/http"
	"slices"

	"homeroom/api"
)

// statusWords say what each status means to a caller.
var statusWords = map[int]string{
	400: "Malformed: not JSON, a wrong JSON type, a missing `data`, or an id in the path that is not a UUID.",
	401: "No valid access token. Refresh it, or sign in again.",
	403: "A valid token without the right to do this.",
	404: "It does not exist, or it is not yours to see.",
	409: "It does not fit what is there: a duplicate, a state that forbids it, or a stale version.",
	413: "The body is too large.",
	422: "Read, but not valid. `details` names every bad field at once.",
	429: "Too many requests. Wait for `Retry-After` seconds.",
	500: "Our fault. The text stays in our log, under the `X-Request-Id`.",
	503: "Away for a moment. Try again after `Retry-After` seconds.",
}

type errorCode struct {
	code   string
	status int
	when   string
}

// errorCodes are the values of error that mean something to a program.
var errorCodes = []errorCode{
	{"PERMISSION_DENIED", 403, "the role lacks the module's permission, or the path is another client's"},
	{"EVALUATION_MODE_READONLY", 403, "a teacher writes while the school is in evaluation mode"},
	{"SCHOOL_NOT_FOUND", 404, "the token's school does not exist"},
	{"STUDENT_NOT_FOUND", 404, "the student does not exist in this school"},
	{"DUPLICATE_ENTRY", 409, "it exists already, for example an admission number"},
	{"REPEATED_PAYMENT", 409,
		"you received this amount for this student less than a minute ago, by the receipt in `data`: send `confirmRepeat` to receive it again"},
	{"DAY_CLOSED", 409, "the day's cash was counted and the day is closed: it takes no more payments, refunds and reversals"},
	{"OTP_INVALID", 400, "the one-time password is wrong"},
	{"OTP_EXPIRED", 400, "the one-time password is older than 5 minutes"},
	{"PIN_WRONG", 400, "the phone or the PIN is wrong"},
	{"PASSWORD_WRONG", 400, "the e-mail or the password is wrong"},
	{"SECOND_FACTOR_NEEDED", 403,
		"the sign-in was right so far; go on with `data.challenge` at `POST /auth/second-factor/verify`, or at `/enrol` where " +
			"`data.enrol` says so"},
	{"SECOND_FACTOR_INVALID", 400, "the second factor is wrong, or its code was used before"},
	{"SECOND_FACTOR_EXPIRED", 400, "the challenge of a sign-in is used up or older than 10 minutes: sign in again"},
	{"REAUTHENTICATION_NEEDED", 403, "prove who you are at `POST /auth/reauthenticate`, then repeat the call"},
	{"REFRESH_TOKEN_EXPIRED", 401, "the refresh token is older than 7 days: sign in again"},
	{"SSO_OFF", 404, "the school does not use this sign-in by an account of its own any more"},
	{"SSO_INCOMPLETE", 409, "the office has not entered the provider's client secret yet"},
	{"SSO_UNREACHABLE", 409, "the school's identity provider does not answer as it should: try again"},
	{"SSO_EXPIRED", 400, "the sign-in waited too long, is over, or was begun in another browser: begin it again"},
	{"SSO_CANCELLED", 400, "the sign-in was cancelled at the provider"},
	{"SSO_INVALID", 400, "what the provider said could not be verified"},
	{"SSO_EMAIL_UNPROVEN", 403, "the provider does not say that the account's e-mail is verified"},
	{"SSO_OTHER_DOMAIN", 403, "the account is not of the school's domains"},
	{"SSO_NO_ACCOUNT", 403, "nobody at the school has the account's e-mail"},
	{"SSO_OTHER_IDENTITY", 403, "the e-mail has signed in by another identity: the office removes the old link"},
}

// statusTexts are the values of error of refusals that have no code of their own.
func statusTexts() (out []string) {
	for _, status := range append(slices.Collect(maps.Keys(statusWords)), http.StatusMethodNotAllowed) {
		out = append(out, http.StatusText(status))
	}
	slices.Sort(out)
	return out
}

// isCode reports whether error may have a value: a client's types list them all.
func isCode(code string) bool {
	return slices.Contains(statusTexts(), code) ||
		slices.ContainsFunc(errorCodes, func(c errorCode) bool { return c.code == code })
}

// errorValues are all values of error.
func errorValues() (out []any) {
	for _, text := range statusTexts() {
		out = append(out, text)
	}
	for _, c := range errorCodes {
		out = append(out, c.code)
	}
	return out
}

// clients are the path prefixes in people's words, in the order they are documented.
var clients = []struct{ prefix, name string }{
	{"parent", "Parents app"},
	{"teacher", "Teachers app"},
	{"driver", "Driver app"},
	{"school-admin", "School admin"},
	{"super-admin", "Super admin"},
}

// answerHeaders are the headers of every answer, by the names of their components. The document says them of refusals, which
// rows share, and in words of all others: said of each, they were a twentieth of it.
var answerHeaders = map[string]string{
	"X-Request-Id": "Request", "X-RateLimit-Limit": "Limit", "X-RateLimit-Remaining": "Remaining", "X-RateLimit-Reset": "Reset",
}

// retryHeader is what an answer to come back to later says besides.
var retryHeader = map[string]string{"Retry-After": "Retry"}

var sharedHeaders = map[string]header{
	"Request": headerOf("string",
		"Names this request in our log. Send your own (8 to 64 letters, digits, dots, dashes) to follow it."),
	"Limit":     headerOf("integer", "Calls allowed in the window."),
	"Remaining": headerOf("integer", "Calls left in the window."),
	"Reset":     headerOf("integer", "When the window ends, in seconds since 1970."),
	"Retry":     headerOf("integer", "Seconds to wait before trying again."),
}

func headerOf(kind, says string) header {
	return header{Description: says, Schema: schema{"type": kind}}
}

func headersOf(components ...map[string]string) map[string]header {
	out := map[string]header{}
	for _, names := range components {
		for name, component := range names {
			out[name] = header{Ref: "#/components/headers/" + component}
		}
	}
	return out
}

var sharedParameters = map[string]parameter{
	"DeviceToken": {
		Name: api.DeviceHeader, In: inHeader,
		Description: "The `deviceToken` of the last sign-in with this phone or e-mail on this device. Its tries are then counted apart: " +
			"strangers cannot use them up. A wrong one is ignored.",
		Schema: schema{"type": "string", "maxLength": 200},
	},
	"IdempotencyKey": {
		Name: "Idempotency-Key", In: inHeader,
		Description: "Makes a retry safe: the same key and body within 24 hours is answered as the first time was; with another body it is " +
			"409. A UUID per action does well.",
		Schema: schema{"type": "string", "maxLength": 200, "pattern": "^[ -~]*$"},
	},
	sinceName: {Name: api.SinceParameter, In: inQuery, Description: sinceWords, Schema: sinceSchema()},
}
