package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

func init() {
	testkit.ShareWith(func(_ *config.Config, o *service.Options) {
		o.ExtraRows = append(o.ExtraRows,
			api.Open("POST", "/auth/lab/cookie", "Keeps a cookie and says which it had", api.Write, cookieEcho, api.Console),
			api.Open("POST", "/auth/lab/no-cookie", "Has no browser to speak to", api.Write, cookieEcho))
	})
}

type cookieAnswer struct {
	Had string `json:"had"`
}

func cookieEcho(c api.OpenCtx, _ api.Nothing) (cookieAnswer, error) {
	c.SetCookie(api.Cookie{Name: "lab", Value: "new", Path: "/auth/lab", Life: time.Hour, Secure: true})
	c.SetCookie(api.Cookie{Name: "gone", Path: "/auth/lab"})
	return cookieAnswer{Had: c.Cookie("lab")}, nil
}

func TestARowOfTheConsoleReadsAndSetsCookiesThatScriptsNeverSee(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	a := app.Nobody().With(api.ConsoleHeader, "1").With("Cookie", "lab=old").Call(t, "POST", "/auth/lab/cookie", nil)
	var got cookieAnswer
	a.Read(t, &got)
	kept := strings.Join(a.Header.Values("Set-Cookie"), "\n")
	if got.Had != "old" || !strings.Contains(kept, "lab=new; Path=/auth/lab; Max-Age=3600; HttpOnly; Secure; SameSite=Strict") ||
		!strings.Contains(kept, "gone=; Path=/auth/lab; Max-Age=0") {
		t.Errorf("had %q, kept %s", got.Had, kept)
	}
}

func TestACookieIsOutOfReachWithoutTheConsolesHeaderAndOnOtherRows(t *testing.T) {
	t.Parallel()
	forged := testkit.Shared(t).Nobody().With("Cookie", "lab=old")
	forged.Refuses(t, "POST", "/auth/lab/cookie", nil, 403, "PERMISSION_DENIED")
	var doc struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}
	if err := json.Unmarshal(forged.Call(t, "GET", "/openapi.json", nil).Body, &doc); err != nil ||
		doc.Paths["/auth/lab/cookie"]["post"].Responses["403"] == nil {
		t.Errorf("the document does not say that the header is asked for: %v", err)
	}
	a := forged.With(api.ConsoleHeader, "1").Call(t, "POST", "/auth/lab/no-cookie", nil)
	var got cookieAnswer
	a.Read(t, &got)
	if got.Had != "" || len(a.Header.Values("Set-Cookie")) > 0 {
		t.Errorf("had %q, set %v", got.Had, a.Header.Values("Set-Cookie"))
	}
}
