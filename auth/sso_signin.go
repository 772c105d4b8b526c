package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
	"homeroom/auth/sso"
	"homeroom/tenancy"
)

// Refusals of a sign-in by a school's identity provider, in words for the person who signs in.
var (
	errSSOOff        = api.Coded(404, "SSO_OFF", "The school does not use this sign-in any more")
	errSSOIncomplete = api.Coded(409, "SSO_INCOMPLETE",
		"This sign-in is not set up completely: the office has to enter its client secret")
	errSSOUnreachable = api.Coded(409, "SSO_UNREACHABLE",
		"The sign-in of your school does not answer as it should. Try again in a moment")
	errSSOExpired = api.Coded(400, "SSO_EXPIRED",
		"This sign-in has waited too long, is over, or was begun in another browser. Sign in again")
	errSSOCancelled = api.Coded(400, "SSO_CANCELLED", "The sign-in was cancelled")
	errSSOInvalid   = api.Coded(400, "SSO_INVALID", "The sign-in could not be verified. Sign in again")
	errSSOUnproven  = api.Coded(403, "SSO_EMAIL_UNPROVEN",
		"Your school's account does not say that its e-mail is verified. Ask your school's IT")
	errSSODomain = api.Coded(403, "SSO_OTHER_DOMAIN",
		"Only e-mail addresses of the school may sign in here. Choose your school's account")
	errSSONoAccount = api.Coded(403, "SSO_NO_ACCOUNT",
		"No administrator of this school has this e-mail. Ask the school's office to enter it")
	errSSONoStaff = api.Coded(403, "SSO_NO_ACCOUNT",
		"Nobody of the school's staff has this e-mail. Ask the school's office to enter it")
	errSSOLinked = api.Coded(403, "SSO_OTHER_IDENTITY",
		"This e-mail has signed in by another identity before. Ask the school's office to remove the old link")
)

// ssoRefusals are what a provider's answer can be refused with.
var ssoRefusals = []*api.Error{errSSOUnreachable, errSSOInvalid, errSSOUnproven, errSSODomain}

// ssoRows are sign-in by a school's identity provider: of administrators to the console, of teachers and drivers to the app. A
// browser is sent there, and comes back to a page of either: see SSORedirect.
func (a *Auth) ssoRows() []api.Row {
	start := api.MayFail(api.NotFound("school"), directory.ErrNotActive, errSSOOff, errSSOIncomplete, errSSOUnreachable)
	finish := api.MayFail(append([]*api.Error{errSSOOff, errSSOIncomplete, errSSOExpired, errSSOCancelled, errSSONoAccount, errSSOLinked,
		directory.ErrNotActive, errSecondFactor, directory.ErrSignedOut}, ssoRefusals...)...)
	return api.Rows(
		api.Open("GET", "/auth/sso/:schoolId", "By which identity providers a school's staff can sign in", api.Read, a.ssoChoices,
			api.MayFail(api.NotFound("school"))),
		api.Open("POST", "/auth/console/sso/start", "Begin a sign-in to the console by an identity provider: where to send the browser",
			api.Write, a.ssoStart(false), api.Console, api.Counted, api.Says("Continue there"), start),
		api.Open("POST", "/auth/console/sso/finish", "End it with what the browser came back with", api.Write,
			countSignIns(a, "sso", a.ssoFinish), api.Console, api.Counted, api.Says("Signed in"), finish),
		api.Open("POST", appPath+"/sso/start", "Begin a sign-in to the app by an identity provider, for teachers and drivers", api.Write,
			a.ssoStart(true), api.Console, api.Counted, api.Says("Continue there"), start),
		api.Open("POST", appPath+"/sso/finish", "End it with what the browser came back with", api.Write,
			countSignIns(a, "sso", a.ssoAppFinish), api.Console, api.Counted, api.Says("Signed in"), finish),
	)
}

type ssoSchool struct {
	SchoolID uuid.UUID `path:"schoolId"`
}

// ssoChoice is a button of the sign-in page.
type ssoChoice struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
	Kind sso.Kind  `json:"kind" enum:"GOOGLE,MICROSOFT,OTHER"`
}

type ssoChoices struct {
	SchoolName string      `json:"schoolName"`
	Providers  []ssoChoice `json:"providers"`
}

// ssoChoices are for who has the school's link, which is no secret: it says a school's name, and no person's.
func (a *Auth) ssoChoices(c api.OpenCtx, r ssoSchool) (ssoChoices, error) {
	s, db, err := a.Schools.Open(c, r.SchoolID, tenancy.ReadOnly)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return ssoChoices{}, api.NotFound("school")
	}
	if err != nil {
		return ssoChoices{}, err
	}
	out := ssoChoices{SchoolName: s.Name, Providers: []ssoChoice{}}
	var found []ssoProvider
	if err := db.Where("status = 'ON'").Order("lower(name)").Limit(20).Find(&found).Error; err != nil {
		return out, fmt.Errorf("reading identity providers: %w", err)
	}
	for _, p := range found {
		out.Providers = append(out.Providers, ssoChoice{ID: p.ID, Name: p.Name, Kind: sso.KindOf(p.Issuer)})
	}
	return out, nil
}

// ssoAttempt is a sign-in whose browser is away.
type ssoAttempt struct {
	School   uuid.UUID `json:"school"`
	Provider uuid.UUID `json:"provider"`
	Issuer   string    `json:"issuer"` // of the provider, as it was
	ClientID string    `json:"clientId"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Browser  []byte    `json:"browser"` // hash of what its cookie holds
	App      bool      `json:"app"`     // it goes to the people's app
}

type ssoStart struct {
	SchoolID   uuid.UUID `json:"schoolId" validate:"required"`
	ProviderID uuid.UUID `json:"providerId" validate:"required" doc:"One of those of /auth/sso/{schoolId}"`
}

type ssoAddress struct {
	URL string `json:"url" doc:"Where to send the browser: a page of the identity provider" example:"https://accounts.google.com/o/oauth2/v2/auth?client_id=…"`
}

// ssoStart begins a sign-in. The browser that began it is known by a cookie: an answer that somebody else's browser brings is
// refused.
func (a *Auth) ssoStart(app bool) func(api.OpenCtx, ssoStart) (ssoAddress, error) {
	return func(c api.OpenCtx, r ssoStart) (ssoAddress, error) { return a.beginSSO(c, r, app) }
}

func (a *Auth) beginSSO(c api.OpenCtx, r ssoStart, app bool) (ssoAddress, error) {
	db, err := a.SchoolDB(c, r.SchoolID, tenancy.ReadWrite)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		err = api.NotFound("school")
	}
	if err != nil {
		return ssoAddress{}, err
	}
	p, err := a.readProvider(c, db, r.SchoolID, r.ProviderID)
	if err != nil {
		return ssoAddress{}, err
	}
	browser := randomText()
	attempt := sso.Attempt{State: randomText(), Nonce: randomText(), Verifier: randomText()}
	address, err := a.SSO.Address(c, p.settings(a.PublicURL, app), attempt)
	if err != nil {
		return ssoAddress{}, a.ssoRefusal(c, db, p, err)
	}
	err = a.store(c, ssoKey(attempt.State), ssoAttempt{School: r.SchoolID, Provider: p.ID, Issuer: p.Issuer, ClientID: p.ClientID,
		Nonce: attempt.Nonce, Verifier: attempt.Verifier, Browser: digest(browser), App: app})
	if err != nil {
		return ssoAddress{}, err
	}
	a.setCookie(c, ssoPath(app), ssoCookie(attempt.State), browser, challengeLife)
	return ssoAddress{URL: address}, nil
}

// randomText is a secret of 256 bits, of characters that PKCE allows.
func randomText() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: the runtime ends the program instead
	return base64.RawURLEncoding.EncodeToString(secret)
}

func ssoKey(state string) string { return "homeroom:sso:" + hex.EncodeToString(digest(state)) }

// ssoCookie is the name of the cookie of one attempt: several may be under way in tabs of a browser.
func ssoCookie(state string) string { return "homeroom_sso_" + hex.EncodeToString(digest(state)[:6]) }

type ssoFinish struct {
	ProviderID uuid.UUID `json:"providerId" validate:"required" doc:"From the address that the browser came back to"`
	State      string    `json:"oauthState" validate:"required,max=200" doc:"The parameter state"`
	Code       string    `json:"code" validate:"max=4000"`
	Issuer     string    `json:"iss" validate:"max=500"`
	Error      string    `json:"error" validate:"max=200" doc:"What the identity provider said instead of a code"`
}

// ssoPath is where the cookies of a sign-in go.
func ssoPath(app bool) string {
	if app {
		return appPath
	}
	return consolePath
}

// ssoFinish signs in to the console by what the browser came back with.
func (a *Auth) ssoFinish(c api.OpenCtx, r ssoFinish) (consoleSession, error) {
	acc, role, in, err := a.endSSO(c, r, false)
	if err != nil {
		return consoleSession{}, err
	}
	return a.openConsole(c, acc, role, in)
}

// ssoAppFinish signs in to the people's app.
func (a *Auth) ssoAppFinish(c api.OpenCtx, r ssoFinish) (appSession, error) {
	acc, role, in, err := a.endSSO(c, r, true)
	if err != nil {
		return appSession{}, err
	}
	return a.appAnswer(c, acc, role, Pair{AccessToken: in.AccessToken, RefreshToken: in.RefreshToken})
}

// endSSO finds out who came back, and opens their session. Who began in the console does not end in the app.
func (a *Auth) endSSO(c api.OpenCtx, r ssoFinish, app bool) (acc directory.Account, role uuid.UUID, in signedIn, err error) {
	at, err := a.takeAttempt(c, r.State)
	if err != nil {
		return acc, role, in, err
	}
	browser := c.Cookie(ssoCookie(r.State))
	a.setCookie(c, ssoPath(app), ssoCookie(r.State), "", 0)
	if subtle.ConstantTimeCompare(digest(browser), at.Browser) != 1 || at.Provider != r.ProviderID || at.App != app {
		return acc, role, in, errSSOExpired
	}
	if r.Error != "" || r.Code == "" {
		return acc, role, in, errSSOCancelled
	}
	db, err := a.SchoolDB(c, at.School, tenancy.ReadWrite)
	if err != nil {
		return acc, role, in, err
	}
	p, err := a.readProvider(c, db, at.School, at.Provider)
	if err != nil {
		return acc, role, in, err
	}
	if p.Issuer != at.Issuer || p.ClientID != at.ClientID {
		return acc, role, in, errSSOExpired // it was set up anew meanwhile
	}
	attempt := sso.Attempt{State: r.State, Nonce: at.Nonce, Verifier: at.Verifier}
	id, err := a.SSO.Exchange(c, p.settings(a.PublicURL, app), attempt, r.Code, r.Issuer)
	if err != nil {
		return acc, role, in, a.ssoRefusal(c, db, p, err)
	}
	if acc, err = a.ssoAccount(c, db, at, p, id); err == nil {
		err = a.link(c, db, acc, p, id)
	}
	if err != nil {
		return acc, role, in, err
	}
	role, in, err = a.openSSO(c, db, acc, p, id)
	return acc, role, in, err
}

// openSSO opens the session. A link that was removed meanwhile opens none: who removes it ends the sessions that there are.
func (a *Auth) openSSO(c api.OpenCtx, db *gorm.DB, acc directory.Account, p ssoProvider, id sso.Identity) (uuid.UUID, signedIn, error) {
	role, err := a.FindRole(c, acc)
	if err != nil {
		return role, signedIn{}, err
	}
	asked := !id.At.IsZero() && a.Clock().Sub(id.At) <= api.FreshFor
	in, err := a.signIn(c, acc, proof{method: "SSO", unasked: !asked})
	if err != nil {
		return role, in, err
	}
	var linked bool
	err = tenancy.Pipeline(db, tenancy.Query{SQL: `select exists (select from sign_in_link l join sign_in_provider p on p.id = l.provider_id
		and p.status = 'ON' where l.provider_id = $1 and l.user_id = $2 and l.subject = $3)`, Args: []any{p.ID, acc.UserID, id.Subject},
		Scan: tenancy.One(&linked)})
	if err != nil {
		return role, in, fmt.Errorf("reading a link: %w", err)
	}
	if !linked {
		if session, err := a.readRefresh(in.RefreshToken); err == nil {
			_, err = a.EndWhere(c, "sign-in by the school's account was removed", `id = $3`, session)
			if err != nil {
				return role, in, err
			}
		}
		return role, in, errSSOExpired
	}
	return role, in, nil
}

// takeAttempt reads an attempt and uses it up: a state is good once.
func (a *Auth) takeAttempt(ctx context.Context, state string) (ssoAttempt, error) {
	ctx, cancel := context.WithTimeout(ctx, a.RedisWait)
	defer cancel()
	var at ssoAttempt
	text, err := a.Redis.GetDel(ctx, ssoKey(state)).Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		return at, errSSOExpired
	case err != nil:
		return at, attempt.ErrCannotCount.Because(err)
	}
	if err := json.Unmarshal(text, &at); err != nil {
		return at, fmt.Errorf("reading a sign-in: %w", err)
	}
	return at, nil
}

// ssoAccount finds the account of an identity by the e-mail that it has proven: of the school's administrators, or, for the app, of
// the teachers and drivers by the e-mail that the office has of them. One that two of them have opens neither.
func (a *Auth) ssoAccount(c api.OpenCtx, db *gorm.DB, at ssoAttempt, p ssoProvider, id sso.Identity) (directory.Account, error) {
	where, args, refusal := `school_id = $1 and lower(email) = $2 and role_type = 'SCHOOL_ADMIN'`, []any{at.School, id.Email}, errSSONoAccount
	if at.App {
		var users []uuid.UUID
		err := tenancy.Pipeline(db, tenancy.Query{SQL: `select user_id from employee where lower(email) = $1 and status = 'ACTIVE'
			and user_id is not null limit 2`, Args: []any{id.Email}, Scan: tenancy.Values(&users)})
		if err != nil {
			return directory.Account{}, fmt.Errorf("reading whose e-mail it is: %w", err)
		}
		if len(users) > 1 {
			users = nil
		}
		where, args = `school_id = $1 and user_id = any($2) and role_type in ('TEACHER', 'DRIVER')`, []any{at.School, users}
		refusal = errSSONoStaff
	}
	found, err := a.Find(c, where, args...)
	if err != nil {
		return directory.Account{}, err
	}
	if len(found) == 0 {
		return directory.Account{}, a.auditProvider(c, db, p, "sign-in refused: no account", refusal)
	}
	return found[0], nil
}

// link links an identity with an account the first time; from then on no other identity with the same e-mail opens the account.
func (a *Auth) link(c api.OpenCtx, db *gorm.DB, acc directory.Account, p ssoProvider, id sso.Identity) error {
	now := a.Clock()
	err := db.Transaction(func(tx *gorm.DB) error {
		var links []struct{ Subject, Email string }
		err := tenancy.Pipeline(tx, tenancy.Query{SQL: `select subject, email from sign_in_link
			where provider_id = $1 and user_id = $2 for update`, Args: []any{p.ID, acc.UserID}, Scan: tenancy.Collect(&links)})
		if err != nil {
			return fmt.Errorf("reading a link: %w", err)
		}
		known := len(links) > 0 && links[0].Subject == id.Subject
		if len(links) > 0 && !known && links[0].Email == id.Email {
			return errSSOLinked
		}
		queries := []tenancy.Query{
			{SQL: `delete from sign_in_link where provider_id = $1 and subject = $2 and user_id <> $3`, Args: []any{p.ID, id.Subject, acc.UserID}},
			{SQL: `insert into sign_in_link (id, provider_id, user_id, subject, email, created_at, last_used_at)
				values ($1, $2, $3, $4, $5, $6, $6) on conflict (provider_id, user_id) do update
				set subject = excluded.subject, email = excluded.email, last_used_at = excluded.last_used_at`,
				Args: []any{api.NewID(), p.ID, acc.UserID, id.Subject, id.Email, now}},
		}
		if !known {
			queries = append(queries, a.AuditRow(c, acc, "linked with "+p.Name))
		}
		if err := tenancy.Pipeline(tx, queries...); err != nil {
			return fmt.Errorf("linking an account: %w", err)
		}
		return nil
	})
	if errors.Is(err, errSSOLinked) {
		err = a.AuditFailure(c, acc, "sign-in refused: another identity", errSSOLinked)
	}
	return err
}

// ssoRefusal is what is wrong with a provider's answer, in words for who signs in. What exactly goes to the log, and that it
// happened to the school's audit.
func (a *Auth) ssoRefusal(c api.OpenCtx, db *gorm.DB, p ssoProvider, err error) error {
	answer := errSSOUnreachable
	switch {
	case errors.Is(err, sso.ErrInvalid):
		answer = errSSOInvalid
	case errors.Is(err, sso.ErrUnproven):
		answer = errSSOUnproven
	case errors.Is(err, sso.ErrDomain):
		answer = errSSODomain
	}
	a.Log.Warn("a sign-in by an identity provider was refused", "requestId", c.RequestID, "providerId", p.ID, "error", err)
	return a.auditProvider(c, db, p, "sign-in refused: "+answer.Code, answer)
}

// auditProvider records a sign-in that was refused before it was known whose it is, and returns the answer to it.
func (a *Auth) auditProvider(c api.OpenCtx, db *gorm.DB, p ssoProvider, action string, answer error) error {
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `insert into audit_event (id, actor_role, action, entity, entity_id, ip, request_id,
		occurred_at) values ($1, 'NOBODY', $2, 'sign-in provider', $3, $4, $5, $6)`,
		Args: []any{api.NewID(), action, p.ID.String(), c.IP, c.RequestID, a.Clock()}})
	if err != nil {
		return fmt.Errorf("recording a refused sign-in: %w", err)
	}
	return answer
}
