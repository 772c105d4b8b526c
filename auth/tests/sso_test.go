package auth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// ssoStage is a school with an identity provider, and the browser of one who signs in.
type ssoStage struct {
	*testkit.School
	idp      *testkit.IdentityProvider
	office   *testkit.Client
	email    string
	issuer   string
	provider string
	clientID string
}

const ssoSecret = "a secret of the client"

// withSSO makes a school whose administrator may sign in by an issuer.
func withSSO(t *testing.T, app *testkit.App, idp *testkit.IdentityProvider, issuer string) ssoStage {
	t.Helper()
	s, email := admin(t, app)
	at := ssoStage{School: s, idp: idp, office: s.As(t, api.SchoolAdmin), email: strings.ToLower(email), issuer: issuer, clientID: uuid.NewString()}
	at.provider = at.addProvider(t, issuer, at.clientID)
	return at
}

func (s ssoStage) addProvider(t *testing.T, issuer, client string) string {
	t.Helper()
	made := testkit.Post[struct{ ID, RedirectURL, AppRedirectURL string }](t, s.office, "/school-admin/sign-in/provider/create",
		map[string]any{"name": "School " + client, "issuer": issuer, "clientId": client, "clientSecret": ssoSecret, "domains": []any{"Test.local"}})
	s.idp.Register(client, ssoSecret, made.RedirectURL, made.AppRedirectURL)
	return made.ID
}

// person are the claims of the administrator.
func (s ssoStage) person(more ...map[string]any) map[string]any {
	claims := map[string]any{"sub": "subject of " + s.email, "email": s.email, "email_verified": true}
	for _, m := range more {
		for k, v := range m {
			claims[k] = v
		}
	}
	return claims
}

// begin sends a browser to the provider: its cookie, and the address.
func (s ssoStage) begin(t *testing.T, provider string) (cookie, address string) {
	t.Helper()
	return s.beginAt(t, "/auth/console", provider)
}

// beginAt is begin in the console or in the app.
func (s ssoStage) beginAt(t *testing.T, at, provider string) (cookie, address string) {
	t.Helper()
	a := console(s.App, "").Call(t, "POST", at+"/sso/start", map[string]any{"schoolId": s.ID, "providerId": provider})
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	var there struct{ URL string }
	a.Read(t, &there)
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if strings.HasPrefix(c.Name, "homeroom_sso_") {
			if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != at {
				t.Errorf("cookie %v", c)
			}
			cookie = c.Name + "=" + c.Value
		}
	}
	return cookie, there.URL
}

func (s ssoStage) finish(t *testing.T, cookie, provider string, back url.Values) testkit.Answer {
	t.Helper()
	return s.finishAt(t, "/auth/console", cookie, provider, back)
}

func (s ssoStage) finishAt(t *testing.T, at, cookie, provider string, back url.Values) testkit.Answer {
	t.Helper()
	body := map[string]any{"providerId": provider}
	for _, name := range []string{"state", "code", "iss", "error"} {
		if back.Has(name) {
			body[map[bool]string{true: "oauthState", false: name}[name == "state"]] = back.Get(name)
		}
	}
	return console(s.App, "").With("Cookie", cookie).Call(t, "POST", at+"/sso/finish", body)
}

// signIn goes the whole way.
func (s ssoStage) signIn(t *testing.T, claims map[string]any) testkit.Answer {
	t.Helper()
	s.idp.Is(claims)
	cookie, address := s.begin(t, s.provider)
	return s.finish(t, cookie, s.provider, s.idp.Visit(t, address))
}

// signInToApp is signIn for the people's app.
func (s ssoStage) signInToApp(t *testing.T, claims map[string]any) testkit.Answer {
	t.Helper()
	s.idp.Is(claims)
	cookie, address := s.beginAt(t, "/auth/app", s.provider)
	return s.finishAt(t, "/auth/app", cookie, s.provider, s.idp.Visit(t, address))
}

const ssoIssuer = "https://id.example.com/school"

func TestSSO_ProvenEmail_SignsInAndLinksOnce(t *testing.T) {
	t.Parallel()
	idp := testkit.StartIdentityProvider(t)
	app := testkit.Start(t, idp.With)
	s := withSSO(t, app, idp, ssoIssuer)
	choices := testkit.Get[struct {
		SchoolName string
		Providers  []struct{ ID, Kind string }
	}](t, app.Nobody(), "/auth/sso/"+s.ID.String())
	if choices.SchoolName != s.Name || len(choices.Providers) != 1 || choices.Providers[0].ID != s.provider || choices.Providers[0].Kind != "OTHER" {
		t.Fatalf("choices %+v", choices)
	}
	var in consoleSession
	for range 2 {
		a := s.signIn(t, s.person())
		if a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		a.Read(t, &in)
		kept(t, a)
	}
	me := as(app, in.AccessToken)
	if n := s.Count(t, "sign_in_link", "subject = ?", "subject of "+s.email); n != 1 {
		t.Errorf("%d links", n)
	}
	if n := s.Count(t, "audit_event", "action = 'sign-in by SSO'"); n != 2 {
		t.Errorf("%d sign-ins in the audit", n)
	}
	// The provider did not say when it asked for a password: this is no fresh proof.
	me.Refuses(t, "POST", "/school-admin/sign-in/provider/create", map[string]any{"name": "x", "issuer": ssoIssuer, "clientId": "x",
		"clientSecret": "x", "domains": []any{"test.local"}}, 403, "REAUTHENTICATION_NEEDED")
	s.signIn(t, s.person(map[string]any{"auth_time": time.Now().Unix()})).Read(t, &in)
	testkit.Put[any](t, as(app, in.AccessToken), "/school-admin/sign-in/provider/"+s.provider, map[string]any{"name": "Ours"})

	// Userinfo is asked for an e-mail that the token leaves out.
	s.idp.Is(map[string]any{"sub": "subject of " + s.email})
	s.idp.Knows(s.person())
	cookie, address := s.begin(t, s.provider)
	if a := s.finish(t, cookie, s.provider, idp.Visit(t, address)); a.Status != 200 {
		t.Errorf("by userinfo: %d %s", a.Status, a.Body)
	}
	s.idp.Knows(s.person(map[string]any{"sub": "another"}))
	cookie, address = s.begin(t, s.provider)
	wantRefusal(t, "userinfo of another", s.finish(t, cookie, s.provider, idp.Visit(t, address)), 400, "SSO_INVALID")

	// Whoever gets the e-mail after its holder is somebody else.
	wantRefusal(t, "another identity", s.signIn(t, s.person(map[string]any{"sub": "the successor"})), 403, "SSO_OTHER_IDENTITY")

	// Removing the link ends the sessions by it, and no others.
	other := login(t, app, s.email, secret)
	links := testkit.Get[struct{ Items []struct{ ID, Email string } }](t, s.office, "/school-admin/sign-in/link/list")
	if len(links.Items) != 1 || links.Items[0].Email != s.email {
		t.Fatalf("links %+v", links)
	}
	if a := s.office.Call(t, "DELETE", "/school-admin/sign-in/link/"+links.Items[0].ID, nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	wait.Eventually(t, "the session by the link to end", func() bool { return me.Call(t, "GET", "/auth/me", nil).Status == 401 })
	testkit.Get[any](t, as(app, other.AccessToken), "/auth/me")

	// Switched off, nobody comes in by it.
	testkit.Put[any](t, s.office, "/school-admin/sign-in/provider/"+s.provider, map[string]any{"status": "OFF"})
	console(app, "").Refuses(t, "POST", "/auth/console/sso/start", map[string]any{"schoolId": s.ID, "providerId": s.provider}, 404, "SSO_OFF")
}

// TestSSO_Teacher_SignsInToTheApp: by the e-mail that the office has of them, and by nobody else's.
func TestSSO_Teacher_SignsInToTheApp(t *testing.T) {
	t.Parallel()
	idp := testkit.StartIdentityProvider(t)
	app := testkit.Start(t, idp.With)
	s := withSSO(t, app, idp, ssoIssuer)
	teacher := s.Teacher(t)
	const email = "ravi@test.local"
	claims := func(sub string) map[string]any {
		return map[string]any{"sub": sub, "email": email, "email_verified": true}
	}
	exec := func(sql string) {
		if err := s.DB(t).Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	wantRefusal(t, "an e-mail that nobody has", s.signInToApp(t, claims("ravi")), 403, "SSO_NO_ACCOUNT")
	exec(`update employee set email = 'Ravi@Test.local'`)
	wantRefusal(t, "unproven", s.signInToApp(t, map[string]any{"sub": "ravi", "email": email}), 403, "SSO_EMAIL_UNPROVEN")
	wantRefusal(t, "an administrator in the app", s.signInToApp(t, s.person()), 403, "SSO_NO_ACCOUNT")
	wantRefusal(t, "a teacher in the console", s.signIn(t, claims("ravi")), 403, "SSO_NO_ACCOUNT")
	var in struct {
		consoleSession
		AccountID uuid.UUID
	}
	a := s.signInToApp(t, claims("ravi"))
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	a.Read(t, &in)
	kept := ""
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if strings.HasPrefix(c.Name, "homeroom_app_") && c.Path == "/auth/app" && c.HttpOnly {
			kept = c.Name + "=" + c.Value
		}
	}
	again := console(app, "").With("Cookie", kept).Call(t, "POST", "/auth/app/refresh", map[string]any{"accountId": in.AccountID})
	if again.Status != 200 {
		t.Errorf("going on: %d %s", again.Status, again.Body)
	}
	me := as(app, in.AccessToken)
	testkit.Get[any](t, me, "/teacher/class/list")
	if n := s.Count(t, "sign_in_link", "user_id = ? and subject = 'ravi'", teacher.UserID); n != 1 {
		t.Errorf("%d links", n)
	}
	wantRefusal(t, "another identity", s.signInToApp(t, claims("the successor")), 403, "SSO_OTHER_IDENTITY")

	// What was begun in the one is not ended in the other.
	s.idp.Is(claims("ravi"))
	cookie, address := s.beginAt(t, "/auth/app", s.provider)
	wantRefusal(t, "begun in the app", s.finish(t, cookie, s.provider, idp.Visit(t, address)), 400, "SSO_EXPIRED")

	s.Teacher(t)
	exec(`update employee set email = 'ravi@test.local'`)
	wantRefusal(t, "an e-mail of two", s.signInToApp(t, claims("ravi")), 403, "SSO_NO_ACCOUNT")
	testkit.Put[any](t, s.office, "/school-admin/sign-in/provider/"+s.provider, map[string]any{"status": "OFF"})
	wait.Eventually(t, "the session by the provider to end", func() bool { return me.Call(t, "GET", "/auth/me", nil).Status == 401 })
}

// TestSSO_Attacks_OpenNothing is what a thief, a neighbour or a bad provider may try.
func TestSSO_Attacks_OpenNothing(t *testing.T) {
	t.Parallel()
	idp := testkit.StartIdentityProvider(t)
	app := testkit.Start(t, idp.With)
	s := withSSO(t, app, idp, ssoIssuer)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(name string, value any) func(map[string]any) string {
		return func(claims map[string]any) string {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
			return idp.Sign(claims)
		}
	}
	for what, forge := range map[string]func(map[string]any) string{
		"another nonce":    changed("nonce", "another"),
		"no nonce":         changed("nonce", nil),
		"another audience": changed("aud", "another"),
		"many audiences":   changed("aud", []any{s.clientID, "another"}),
		"another party":    changed("azp", "another"),
		"another issuer":   changed("iss", "https://id.example.com/other"),
		"no subject":       changed("sub", ""),
		"expired":          changed("exp", time.Now().Add(-time.Hour).Unix()),
		"no expiry":        changed("exp", nil),
		"not yet valid":    changed("nbf", time.Now().Add(time.Hour).Unix()),
		"another key":      func(claims map[string]any) string { return idp.SignBy(stranger, claims) },
		"no token":         func(map[string]any) string { return "" },
		"alg none": func(claims map[string]any) string {
			text, _ := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims(claims)).SignedString(jwt.UnsafeAllowNoneSignatureType)
			return text
		},
		"signed by the client's secret": func(claims map[string]any) string {
			text, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims(claims)).SignedString([]byte(ssoSecret))
			return text
		},
		"signed by the public key": func(claims map[string]any) string {
			text, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims(claims)).SignedString(idp.PublicKey())
			return text
		},
	} {
		idp.Is(s.person())
		idp.Forges(forge)
		cookie, address := s.begin(t, s.provider)
		wantRefusal(t, what, s.finish(t, cookie, s.provider, idp.Visit(t, address)), 400, "SSO_INVALID")
	}

	for what, c := range map[string]struct {
		claims map[string]any
		code   string
	}{
		"unproven":               {s.person(map[string]any{"email_verified": false}), "SSO_EMAIL_UNPROVEN"},
		"no word of a proof":     {map[string]any{"sub": "1", "email": s.email}, "SSO_EMAIL_UNPROVEN"},
		"no e-mail":              {map[string]any{"sub": "1"}, "SSO_EMAIL_UNPROVEN"},
		"another domain":         {s.person(map[string]any{"email": "a@other.local"}), "SSO_OTHER_DOMAIN"},
		"a domain below":         {s.person(map[string]any{"email": "a@x.test.local"}), "SSO_OTHER_DOMAIN"},
		"two domains":            {s.person(map[string]any{"email": "a@test.local@other.local"}), "SSO_OTHER_DOMAIN"},
		"a letter that looks so": {s.person(map[string]any{"email": strings.Replace(s.email, "@", "\u212a@", 1)}), "SSO_OTHER_DOMAIN"},
		"nobody's":               {s.person(map[string]any{"email": "nobody@test.local"}), "SSO_NO_ACCOUNT"},
	} {
		wantRefusal(t, what, s.signIn(t, c.claims), 403, c.code)
	}
	if n := s.Count(t, "sign_in_link", "true"); n != 0 {
		t.Errorf("%d links were made", n)
	}
	if n := s.Count(t, "app_user", "email = 'nobody@test.local'"); n != 0 {
		t.Error("an account was made")
	}

	idp.Is(s.person())
	cookie, address := s.begin(t, s.provider)
	back := idp.Visit(t, address)
	otherCookie, _ := s.begin(t, s.provider)
	wantRefusal(t, "another browser", s.finish(t, otherCookie, s.provider, back), 400, "SSO_EXPIRED")
	wantRefusal(t, "a state that was refused", s.finish(t, cookie, s.provider, back), 400, "SSO_EXPIRED")

	cookie, address = s.begin(t, s.provider)
	back = idp.Visit(t, address)
	if a := s.finish(t, cookie, s.provider, back); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	wantRefusal(t, "a state once more", s.finish(t, cookie, s.provider, back), 400, "SSO_EXPIRED")
	wantRefusal(t, "a state of nobody", s.finish(t, cookie, s.provider, url.Values{"state": {"x"}, "code": {"x"}}), 400, "SSO_EXPIRED")

	// A code of one sign-in in another: the verifier does not fit.
	cookie, address = s.begin(t, s.provider)
	_, mine := s.begin(t, s.provider)
	stolen := idp.Visit(t, address)
	stolen.Set("code", idp.Visit(t, mine).Get("code"))
	wantRefusal(t, "a code of another sign-in", s.finish(t, cookie, s.provider, stolen), 400, "SSO_INVALID")

	// Issuers mixed up: a bad provider sends the browser on to the good one, which comes back with the good one's code.
	bad := s.addProvider(t, "https://bad.example.com", uuid.NewString())
	cookie, address = s.begin(t, bad)
	asked, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	_, good := s.begin(t, s.provider)
	genuine := idp.Visit(t, good)
	genuine.Set("state", asked.Query().Get("state"))
	wantRefusal(t, "at the good one's address", s.finish(t, cookie, s.provider, genuine), 400, "SSO_EXPIRED")
	cookie, address = s.begin(t, bad)
	asked, _ = url.Parse(address)
	_, good = s.begin(t, s.provider)
	genuine = idp.Visit(t, good)
	genuine.Set("state", asked.Query().Get("state"))
	wantRefusal(t, "with the good one's name", s.finish(t, cookie, bad, genuine), 400, "SSO_INVALID")
	cookie, address = s.begin(t, s.provider)
	nameless := idp.Visit(t, address)
	nameless.Del("iss")
	wantRefusal(t, "without a name", s.finish(t, cookie, s.provider, nameless), 400, "SSO_INVALID")

	cookie, address = s.begin(t, s.provider)
	cancelled := idp.Visit(t, address)
	cancelled.Del("code")
	cancelled.Set("error", "access_denied")
	wantRefusal(t, "cancelled", s.finish(t, cookie, s.provider, cancelled), 400, "SSO_CANCELLED")
	if n := s.Count(t, "audit_event", "action like 'sign-in refused%'"); n < 20 {
		t.Errorf("%d refusals in the audit", n)
	}

	// Another school's administrator of the same e-mail is not opened by this school's provider.
	other := withSSO(t, app, idp, ssoIssuer)
	wantRefusal(t, "an administrator of another school", s.signIn(t, other.person()), 403, "SSO_NO_ACCOUNT")
	console(app, "").Refuses(t, "POST", "/auth/console/sso/start", map[string]any{"schoolId": other.ID, "providerId": s.provider}, 404, "SSO_OFF")
}

func TestSSO_GoogleAndMicrosoft_HaveRulesOfTheirOwn(t *testing.T) {
	t.Parallel()
	const tenant = "5b1c9c5e-2f0a-4a53-9d6c-7d5a1f0c1a11"
	idp := testkit.StartIdentityProvider(t)
	app := testkit.Start(t, idp.With)
	google := withSSO(t, app, idp, "https://accounts.google.com")
	microsoft := withSSO(t, app, idp, "https://login.microsoftonline.com/"+tenant+"/v2.0")
	for what, c := range map[string]struct {
		at   ssoStage
		more map[string]any
		code string
	}{
		"Google, of the Workspace":        {google, map[string]any{"hd": "test.local"}, ""},
		"Google, of no Workspace":         {google, map[string]any{}, "SSO_EMAIL_UNPROVEN"},
		"Google, of another":              {google, map[string]any{"hd": "other.local"}, "SSO_EMAIL_UNPROVEN"},
		"Microsoft, by email_verified":    {microsoft, map[string]any{"tid": tenant}, "SSO_EMAIL_UNPROVEN"},
		"Microsoft, the domain not owned": {microsoft, map[string]any{"tid": tenant, "xms_edov": "0"}, "SSO_EMAIL_UNPROVEN"},
		"Microsoft, of another tenant":    {microsoft, map[string]any{"tid": uuid.NewString(), "xms_edov": true}, "SSO_EMAIL_UNPROVEN"},
		"Microsoft, of no tenant":         {microsoft, map[string]any{"xms_edov": true}, "SSO_EMAIL_UNPROVEN"},
		"Microsoft, the domain owned":     {microsoft, map[string]any{"tid": tenant, "xms_edov": "1"}, ""},
	} {
		a := c.at.signIn(t, c.at.person(c.more))
		if c.code == "" && a.Status != 200 {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
		if c.code != "" {
			wantRefusal(t, what, a, 403, c.code)
		}
	}
	for _, issuer := range []string{"https://login.microsoftonline.com/common/v2.0", "https://login.microsoftonline.com/organizations/v2.0",
		"https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", "https://accounts.google.com/x", "http://id.example.com",
		"https://id.example.com?x=1", "javascript:alert(1)", "https://10.0.0.1", "https://user@id.example.com"} {
		google.office.Refuses(t, "POST", "/school-admin/sign-in/provider/check", map[string]any{"issuer": issuer}, 422, "")
	}
	testkit.Post[any](t, google.office, "/school-admin/sign-in/provider/check", map[string]any{"issuer": ssoIssuer})
}

func TestSSO_SecondFactor_FollowsAsAfterAPassword(t *testing.T) {
	t.Parallel()
	idp := testkit.StartIdentityProvider(t)
	clock := wait.NewClock()
	app := testkit.Start(t, idp.With, func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
	s := withSSO(t, app, idp, ssoIssuer)
	me := as(app, login(t, app, s.email, secret).AccessToken)
	phone, _ := enrolSignedIn(t, me, clock)
	a := s.signIn(t, s.person())
	wantRefusal(t, "without the second factor", a, 403, "SECOND_FACTOR_NEEDED")
	half := halfOf(t, a)
	done := console(app, "").Call(t, "POST", "/auth/console/second-factor/verify",
		map[string]any{"challenge": half.Challenge, "code": phone.next()})
	if done.Status != 200 {
		t.Fatalf("%d %s", done.Status, done.Body)
	}
	// A link that goes while the second factor is asked for takes the sign-in with it.
	half = halfOf(t, s.signIn(t, s.person()))
	links := testkit.Get[struct{ Items []struct{ ID string } }](t, s.office, "/school-admin/sign-in/link/list")
	s.office.Call(t, "DELETE", "/school-admin/sign-in/link/"+links.Items[0].ID, nil)
	wait.Eventually(t, "the sign-in to be over", func() bool {
		a := console(app, "").Call(t, "POST", "/auth/console/second-factor/verify", map[string]any{"challenge": half.Challenge, "code": "000000"})
		return a.Status == 400 && a.Failure(t).Error == "SECOND_FACTOR_EXPIRED"
	})
}

// halfOf is what a sign-in that needs a second factor answers.
func halfOf(t *testing.T, a testkit.Answer) halfway {
	t.Helper()
	var body struct{ Data halfway }
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Data.Challenge == "" {
		t.Fatalf("want a challenge, got %d %s", a.Status, a.Body)
	}
	return body.Data
}

// TestSSO_AddressesOfThePrivateNetwork_AreNotCalled uses the client that production has.
func TestSSO_AddressesOfThePrivateNetwork_AreNotCalled(t *testing.T) {
	t.Parallel()
	idp := testkit.StartPlainIdentityProvider(t)
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) { c.WebhookLoopback = false })
	office := app.NewSchool(t).As(t, api.SchoolAdmin)
	for _, issuer := range []string{idp.URL, strings.Replace(idp.URL, "http:", "https:", 1),
		"https://localhost" + idp.URL[strings.LastIndex(idp.URL, ":"):]} {
		office.Refuses(t, "POST", "/school-admin/sign-in/provider/check", map[string]any{"issuer": issuer}, 422, "")
	}
}

// TestSSO_SetUp_IsForWhoMayGiveEveryRole: a provider can say of anybody that they are an administrator.
func TestSSO_SetUp_IsForWhoMayGiveEveryRole(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	role := testkit.Post[struct{ ID string }](t, office, "/school-admin/permission/role/create",
		map[string]any{"name": "Settings", "type": "SCHOOL_ADMIN"})
	clerk := s.As(t, api.SchoolAdmin)
	for _, sql := range []string{`update app_user set role_id = @role where id = @user`, `insert into permission (id, role_id, module_id,
		can_read, can_write) select gen_random_uuid(), @role, id, true, true from module where name = 'setting'
		on conflict (role_id, module_id) do update set can_read = true, can_write = true`} {
		if err := s.DB(t).Exec(sql, map[string]any{"role": role.ID, "user": clerk.UserID}).Error; err != nil {
			t.Fatal(err)
		}
	}
	// Changed through the API, so that every instance reads the policy anew.
	testkit.Put[any](t, office, "/school-admin/permission/role/"+role.ID, map[string]any{"name": "Settings clerk"})
	wait.Eventually(t, "the clerk has the rights of the role", func() bool {
		return clerk.Call(t, "GET", "/school-admin/student/list", nil).Status == 403 &&
			clerk.Call(t, "GET", "/school-admin/setting", nil).Status == 200
	})
	clerk.Refuses(t, "POST", "/school-admin/sign-in/provider/create", map[string]any{"name": "Mine", "issuer": "https://id.example.com",
		"clientId": "x", "clientSecret": "x", "domains": []any{"test.local"}}, 403, "PERMISSION_DENIED")
}
