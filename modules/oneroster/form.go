package oneroster

import (
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"homeroom/api"
)

// statusInfo is the standard's payload of a refusal.
type statusInfo struct {
	CodeMajor   string    `json:"imsx_codeMajor" enum:"failure"`
	Severity    string    `json:"imsx_severity" enum:"error"`
	Description string    `json:"imsx_description" doc:"For people"`
	CodeMinor   codeMinor `json:"imsx_CodeMinor"`
}

type codeMinor struct {
	Fields []codeMinorField `json:"imsx_codeMinorField"`
}

type codeMinorField struct {
	Name  string `json:"imsx_codeMinorFieldName" example:"TargetEndSystem"`
	Value string `json:"imsx_codeMinorFieldValue" enum:"invalid_filter_field,invalid_selection_field,unauthorisedrequest,forbidden,unknownobject,invaliddata,server_busy,internal_server_error"`
}

// codes are what the standard calls each status.
var codes = map[int]string{400: "invaliddata", 401: "unauthorisedrequest", 403: "forbidden", 404: "unknownobject", 422: "invaliddata",
	429: "server_busy", 503: "server_busy"}

// Refusals of a query that the standard has codes for.
const (
	invalidFilter    = "invalid_filter_field"
	invalidSelection = "invalid_selection_field"
)

// rosterForm is how the rostering service answers.
var rosterForm = &api.Form{Name: "OneRoster", Challenge: "Bearer", Refusal: reflect.TypeFor[statusInfo](),
	Refuse: func(e *api.Error) (int, any) {
		code := codes[e.Status]
		switch {
		case e.Code == invalidFilter || e.Code == invalidSelection:
			code = e.Code
		case code == "":
			code = "internal_server_error"
		}
		return e.Status, statusInfo{CodeMajor: "failure", Severity: "error", Description: described(e),
			CodeMinor: codeMinor{[]codeMinorField{{"TargetEndSystem", code}}}}
	}}

// described is a refusal's message with the fields that are bad.
func described(e *api.Error) string {
	out := e.Message
	for _, d := range e.Details {
		out += "; " + d.Field + ": " + d.Message
	}
	return out
}

// tokenRefusal is a refusal of RFC 6749.
type tokenRefusal struct {
	Error       string `json:"error" enum:"invalid_request,invalid_client,invalid_scope,unsupported_grant_type,temporarily_unavailable"`
	Description string `json:"error_description" doc:"For people"`
}

// tokenForm is how OAuth 2 has tokens asked for.
var tokenForm = &api.Form{Name: "OAuth", URLEncoded: true, Challenge: "Basic", Refusal: reflect.TypeFor[tokenRefusal](),
	Refuse: func(e *api.Error) (int, any) {
		switch code := e.Code; {
		case slices.Contains([]string{"invalid_scope", "unsupported_grant_type"}, code):
			return e.Status, tokenRefusal{code, e.Message}
		case e.Status == 401:
			return e.Status, tokenRefusal{"invalid_client", e.Message}
		case e.Status == 429 || e.Status >= 500:
			return e.Status, tokenRefusal{"temporarily_unavailable", e.Message}
		}
		return 400, tokenRefusal{"invalid_request", described(e)}
	}}

// The standard's scopes: all but demographics, once without and once with what may be told of people; demographics.
const (
	scopeBase    = "https://purl.imsglobal.org/spec/or/v1p2/scope/"
	scopeCore    = scopeBase + "roster-core.readonly"
	scopeRoster  = scopeBase + "roster.readonly"
	scopeDetails = scopeBase + "roster-demographics.readonly"
)

var scopes = []string{scopeCore, scopeRoster, scopeDetails}

var (
	errGrant  = api.Coded(400, "unsupported_grant_type", "grant_type must be client_credentials")
	errScope  = api.Coded(400, "invalid_scope", "scope must be one or more of "+strings.Join(scopes, " "))
	errClient = api.Unauthorized("client_id and client_secret must be the id of an API key and the key")
)

type tokenRequest struct {
	Grant  string `json:"grant_type" validate:"max=100" example:"client_credentials"`
	Scope  string `json:"scope" validate:"max=1000" doc:"Those of the standard, separated by spaces" example:"https://purl.imsglobal.org/spec/or/v1p2/scope/roster.readonly"`
	ID     string `json:"client_id" validate:"max=100" doc:"The id of an API key, unless it is sent by HTTP Basic"`
	Secret string `json:"client_secret" validate:"max=200" doc:"The key itself"`
}

type token struct {
	Token   string `json:"access_token" example:"hrt_…"`
	Type    string `json:"token_type" enum:"Bearer"`
	Seconds int    `json:"expires_in" example:"3600"`
	Scope   string `json:"scope"`
}

// client is who asks, by either of the standard's two ways.
func (r tokenRequest) client(c api.OpenCtx) (id, secret string) {
	if c.Basic == nil {
		return r.ID, r.Secret
	}
	id = c.Basic.Username()
	secret, _ = c.Basic.Password()
	for _, part := range []*string{&id, &secret} { // RFC 6749 has them encoded
		if plain, err := url.QueryUnescape(*part); err == nil {
			*part = plain
		}
	}
	return id, secret
}

// makeToken gives an API key a token.
func (m *Module) makeToken(c api.OpenCtx, r tokenRequest) (token, error) {
	if r.Grant != "client_credentials" {
		return token{}, errGrant
	}
	wanted := strings.Fields(r.Scope)
	if len(wanted) == 0 || slices.ContainsFunc(wanted, func(s string) bool { return !slices.Contains(scopes, s) }) {
		return token{}, errScope
	}
	id, secret := r.client(c)
	text, err := m.Tokens.KeyToken(c, id, secret, wanted)
	var refused *api.Error
	if errors.As(err, &refused) && refused.Status == 401 {
		err = errClient.Because(err)
	}
	return token{Token: text, Type: "Bearer", Seconds: int(m.TokenLife.Seconds()), Scope: strings.Join(wanted, " ")}, err
}
