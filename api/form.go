package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"

	"github.com/gin-gonic/gin"
)

// Form is the form of rows that another standard describes: how they take a body, and how they answer. Who may call them, how often,
// and what they are bound to is as with every row.
type Form struct {
	Name       string                           // of its refusals, in the document
	URLEncoded bool                             // bodies are application/x-www-form-urlencoded
	Challenge  string                           // WWW-Authenticate of a 401
	Refuse     func(*Error) (status int, _ any) // a refusal's status and body
	Refusal    reflect.Type                     // of that body
}

// InForm has a row take and answer in a form of its own: its answer is what its handler returns, without the envelope. One with a
// method Headers says more headers, as pairs of name and value; at is the call's own address.
func InForm(f *Form) Option { return func(r *Row) { r.Form = f } }

// Scoped is for rows that programs alone call, with an API key or with a token of one that has one of these OAuth 2 scopes.
func Scoped(scopes ...string) Option {
	return func(r *Row) { r.Scopes, r.Roles = scopes, []RoleType{SchoolAdmin} }
}

type headed interface{ Headers(at *url.URL) []string }

func (f *Form) answer(r *Row, resp any) (answer, error) {
	body, err := json.Marshal(resp)
	if err != nil {
		return nil, fmt.Errorf("writing the answer of %s: %w", r.Name(), err)
	}
	e := &envelope{Data: resp, status: r.Status, secret: r.Flat, body: body}
	if h, ok := resp.(headed); ok {
		e.headers = h.Headers
	}
	return e, nil
}

// refuse writes a refusal by the form's standard.
func (f *Form) refuse(g *gin.Context, e *Error) {
	if e.Status == 401 && f.Challenge != "" {
		g.Header("WWW-Authenticate", f.Challenge)
	}
	status, body := f.Refuse(e)
	g.JSON(status, body)
}

// decode makes JSON of a body as browsers' forms send it; each name may be there once.
func (f *Form) decode(body []byte) ([]byte, error) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, Malformed("The body is no application/x-www-form-urlencoded").Because(err)
	}
	out := map[string]string{}
	for name, all := range values {
		if len(all) > 1 {
			return nil, Malformed("A parameter is given twice")
		}
		out[name] = all[0]
	}
	return json.Marshal(out)
}

// addressOf is where a call was sent, as its sender wrote it.
func addressOf(g *gin.Context, https bool) *url.URL {
	at := *g.Request.URL
	at.Host, at.Scheme = g.Request.Host, "http"
	if https {
		at.Scheme = "https"
	}
	return &at
}
